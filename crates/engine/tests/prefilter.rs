//! The prefilter puts the executors a request needs near the top, the same way every time, for any catalog.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use metnos_engine::prefilter::{Candidate, Prefilter};
use metnos_engine::{Catalog, Lexicons};
use serde_json::Value;

fn shipped() -> Vec<Candidate> {
    let catalog = Catalog::shipped().unwrap();
    let candidate = |tool: &metnos_engine::catalog::Tool| Candidate {
        name: tool.name.to_string(),
        description: tool.scope.values().cloned().collect::<Vec<_>>().join(" "),
        affinity: tool.affinity.clone(),
        args: tool.args.iter().map(|arg| (arg.name.clone(), Value::Null)).collect(),
    };
    catalog.tools().map(candidate).collect()
}

#[test]
fn what_a_request_needs_is_near_the_top() {
    let lexicons = Lexicons::shipped().unwrap();
    let prefilter = Prefilter::new(&shipped(), &lexicons);
    let text =
        std::fs::read_to_string(format!("{}/tests/data/requests.jsonl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (mut near, mut all) = (0, 0);
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let Some(tools) = row["expect"]["tools"].as_array().filter(|_| row["context"].is_null()) else {
            continue;
        };
        let ranked = prefilter.rank(row["query"].as_str().unwrap());
        let missing: Vec<&Value> = tools
            .iter()
            .filter(|tool| !ranked.iter().take(15).any(|name| Some(*name) == tool.as_str()))
            .collect();
        all += 1;
        near += u32::from(missing.is_empty());
        if !missing.is_empty() {
            println!("{} lacks {missing:?}", row["query"]);
        }
    }
    let share = f64::from(near) / f64::from(all);
    println!("share {share}");
    assert!(share >= 0.9, "{share}");
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
}
