//! The rows of the planner, and what is found in their words.

use metnos_language::{Lattice, Lexicons, Mention, Reading, mentions};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A request with the plan it should get.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) lang: String,
    pub(crate) query: String,
    /// The arguments of the steps, of the first plan where several are right.
    pub(crate) args: Vec<Value>,
}

/// The rows that are plans and say everything themselves.
pub(crate) fn rows() -> Vec<Row> {
    read(|row| row.get("context").is_none())
}

/// The rows that are plans, also those that go on from an earlier request.
pub(crate) fn plans() -> Vec<Row> {
    read(|_| true)
}

fn read(is_wanted: impl Fn(&Value) -> bool) -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/data/rows");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let expect = &row["expect"];
            let plan = expect["any_of"].get(0).unwrap_or(expect);
            let known = Lexicons::shipped().unwrap().get(row["lang"].as_str().unwrap()).is_some();
            if expect["kind"] != "plan" || !known || !is_wanted(&row) {
                continue;
            }
            all.push(Row {
                id: row["id"].as_str().unwrap().to_owned(),
                lang: row["lang"].as_str().unwrap().to_owned(),
                query: row["query"].as_str().unwrap().to_owned(),
                args: plan["args"].as_array().cloned().unwrap_or_default(),
            });
        }
    }
    all
}

/// What is found in a request at the moment the rows are written for.
pub(crate) fn found(query: &str, lang: &str) -> Vec<Mention> {
    let lexicons = Lexicons::shipped().unwrap();
    let lexicon = lexicons.get(lang).unwrap();
    let lattice = Lattice::new(query, lexicon);
    let now = "2026-11-15T10:00:00".parse().unwrap();
    mentions(Reading { request: query, lattice: &lattice, lexicon, now })
}

/// A language with fewer rows than this is not measured by itself.
const FEW: f64 = 10.0;
/// What each language reaches by itself, whatever the floor of all together is.
const EACH: f64 = 0.77;

/// Counts the rows for which `wanted` gives something and `is_there` finds it; prints the others. No language hides
/// behind the others.
pub(crate) fn share<T: std::fmt::Debug>(
    wanted: impl Fn(&Row) -> Option<T>,
    is_there: impl Fn(&T, &[Mention]) -> bool,
) -> f64 {
    let mut counts: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in rows() {
        let Some(wanted) = wanted(&row) else { continue };
        let mentions = found(&row.query, &row.lang);
        let (all, right) = counts.entry(row.lang).or_default();
        *all += 1.0;
        if is_there(&wanted, &mentions) {
            *right += 1.0;
        } else {
            println!("{} {:?}\n   wants {wanted:?}\n   found {mentions:?}", row.id, row.query);
        }
    }
    total(&counts)
}

/// The share of all languages together, of counts of all and right ones by language. Each must hold by itself.
pub(crate) fn total(counts: &BTreeMap<String, (f64, f64)>) -> f64 {
    for (language, (all, right)) in counts {
        println!("{language}: {right} of {all}");
    }
    for (language, (all, right)) in counts {
        assert!(*all < FEW || right / all >= EACH, "{language}: {right} of {all}");
    }
    let (all, right) = counts.values().fold((0.0, 0.0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    if all == 0.0 { 1.0 } else { right / all }
}
