//! The prefilter puts the executors a request needs near the top, the same way every time, for any catalog.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use metnos_engine::prefilter::{Candidate, Prefilter};
use metnos_engine::{Catalog, Lexicons};
use serde_json::Value;

fn shipped() -> Vec<Candidate> {
    Catalog::shipped().unwrap().tools().map(Candidate::from).collect()
}

/// How many of the expected tools stand among the first 1, 5 and 10, over all queries; for the first, whether it is one.
#[derive(Default)]
struct Recall {
    sums: [f64; 3],
    queries: u32,
}

impl Recall {
    fn add(&mut self, ranked: &[&str], expected: &[String]) {
        let among =
            |most: usize| ranked.iter().take(most).filter(|name| expected.iter().any(|e| e == *name)).count();
        self.sums[0] += among(1) as f64;
        for (sum, most) in self.sums.iter_mut().skip(1).zip([5, 10]) {
            *sum += among(most) as f64 / expected.len() as f64;
        }
        self.queries += 1;
    }

    fn shares(&self) -> [f64; 3] {
        self.sums.map(|sum| sum / f64::from(self.queries))
    }
}

#[test]
fn what_a_request_needs_is_near_the_top() {
    let lexicons = Lexicons::shipped().unwrap();
    let catalog = shipped();
    let prefilter = Prefilter::new(&catalog, &lexicons);
    let mut all = Recall::default();
    for file in ["requests.jsonl", "more.jsonl", "third.jsonl", "fifth.jsonl", "sixth.jsonl"] {
        let text =
            std::fs::read_to_string(format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut own = Recall::default();
        for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let expected: Vec<String> = row["expect"]["tools"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|tool| tool.as_str().map(str::to_owned))
                .collect();
            let alone = row["context"].as_array().is_none_or(Vec::is_empty);
            if expected.is_empty() || !alone {
                continue;
            }
            let ranked = prefilter.rank(row["query"].as_str().unwrap());
            if !expected.iter().all(|tool| ranked.iter().take(10).any(|name| name == tool)) {
                println!("  {} wants {expected:?}, has {:?}", row["query"], &ranked[..ranked.len().min(6)]);
            }
            own.add(&ranked, &expected);
            all.add(&ranked, &expected);
        }
        println!("{file}: recall@1 @5 @10 {:.3?} of {}", own.shares(), own.queries);
    }
    let [first, five, ten] = all.shares();
    println!(
        "all: recall@1 {first:.3} @5 {five:.3} @10 {ten:.3} of {} queries over {} tools",
        all.queries,
        catalog.len()
    );
    assert!(first >= 0.78 && five >= 0.91 && ten >= 0.96, "{:?}", all.shares());
}

#[test]
fn a_catalog_nobody_here_has_seen_is_ranked_too() {
    let lexicons = Lexicons::shipped().unwrap();
    let folder = format!("{}/tests/data", env!("CARGO_MANIFEST_DIR"));
    let catalog: Vec<Candidate> =
        serde_json::from_str(&std::fs::read_to_string(format!("{folder}/foreign_catalog.json")).unwrap())
            .unwrap();
    let prefilter = Prefilter::new(&catalog, &lexicons);
    let mut recall = Recall::default();
    for line in std::fs::read_to_string(format!("{folder}/foreign_queries.jsonl")).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let ranked = prefilter.rank(row["query"].as_str().unwrap());
        let expected = [row["expect"].as_str().unwrap().to_owned()];
        if !expected.iter().all(|tool| ranked.first() == Some(&tool.as_str())) {
            println!("  {} wants {expected:?}, has {:?}", row["query"], &ranked[..ranked.len().min(4)]);
        }
        recall.add(&ranked, &expected);
    }
    let [first, five, ten] = recall.shares();
    println!("foreign: recall@1 {first:.3} @5 {five:.3} @10 {ten:.3} of {}", recall.queries);
    assert!(first >= 0.6 && five >= 0.85, "{:?}", recall.shares());
}

#[test]
fn ties_go_by_name_and_affinity_only_breaks_them() {
    let lexicons = Lexicons::shipped().unwrap();
    let one = |name: &str, affinity: &[&str]| Candidate {
        name: name.to_owned(),
        affinity: affinity.iter().map(|word| (*word).to_owned()).collect(),
        ..Candidate::default()
    };
    let many = ["tidy", "photos", "clean", "sweep", "archive", "folders", "order", "place"];
    let catalog = [
        one("move_files", &[]),
        one("find_urls", &many),
        one("beta_thing", &["zebra"]),
        one("alfa_thing", &["zebra"]),
    ];
    let prefilter = Prefilter::new(&catalog, &lexicons);
    assert_eq!(prefilter.rank("move the photos to the archive folders")[0], "move_files");
    assert_eq!(prefilter.rank("zebra"), ["alfa_thing", "beta_thing"]);
    assert_eq!(prefilter.best("zebra", 1), ["alfa_thing"]);
}

#[test]
fn the_order_of_the_catalog_does_not_matter_and_strange_catalogs_are_ranked() {
    let lexicons = Lexicons::shipped().unwrap();
    let catalog = shipped();
    let mut turned = catalog.clone();
    turned.reverse();
    let (a, b) = (Prefilter::new(&catalog, &lexicons), Prefilter::new(&turned, &lexicons));
    for query in ["find the PDFs in Documents", "sposta le foto", "send a mail to Anna", "🦀", "", "x y z"]
    {
        assert_eq!(a.rank(query), b.rank(query), "{query}");
    }
    let odd = |name: &str| Candidate { name: name.to_owned(), ..Candidate::default() };
    let odd = [odd(""), odd("___"), odd("x"), odd("find_files"), odd("find_files"), odd("日本語_ツール")];
    let prefilter = Prefilter::new(&odd, &lexicons);
    assert_eq!(prefilter.rank("find my files")[..2], ["find_files", "find_files"]);
    assert!(Prefilter::new(&[], &lexicons).rank("find my files").is_empty());
}
