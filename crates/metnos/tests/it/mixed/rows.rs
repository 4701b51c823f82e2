//! The requests: rows of the planner's data whose plan is right today and whose executors are installed.

use crate::support::House;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// The moment for which the expected plans of the rows were written.
const WRITTEN_FOR: &str = "2026-11-15T10:00:00+01:00";
/// They act on the machine the tests run on, not on the house.
const NOT_HERE: [&str; 3] = ["admin", "set_processes", "consult_frontier"];

/// One request with the plan it must get here and now.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) query: String,
    pub(super) steps: Vec<Value>,
}

/// Chance that can be repeated (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

/// `many` rows in an order that is the same each time.
pub(super) fn drawn(house: &House, many: usize) -> Vec<Row> {
    let awake = awake(house);
    let mut seen = HashSet::new();
    let candidates: Vec<Value> = all()
        .into_iter()
        .filter(|row| row["expect"]["kind"] == "plan" && row.get("context").is_none())
        .filter(|row| {
            let mut tools = row["expect"]["tools"].as_array().into_iter().flatten().peekable();
            tools.peek().is_some() && tools.all(|tool| awake.contains(tool.as_str().unwrap()))
        })
        .filter(|row| seen.insert(row["query"].as_str().unwrap().to_owned()))
        .collect();
    let lines: Vec<Value> =
        candidates.iter().map(|row| json!({ "id": row["id"], "query": row["query"] })).collect();
    let then = planned(house, &lines, &["--now", WRITTEN_FOR, "--zone", "Europe/Rome"]);
    let now = planned(house, &lines, &[]);
    let mut right: Vec<Row> = candidates
        .iter()
        .zip(then.iter().zip(&now))
        .filter(|(row, (then, now))| is_right(&row["expect"], then) && now["kind"] == "plan")
        .filter(|(_, (_, now))| !leaves_the_house(&now["plan"]))
        .map(|(row, (_, now))| Row {
            query: row["query"].as_str().unwrap().to_owned(),
            steps: now["plan"]["steps"].as_array().unwrap().clone(),
        })
        .collect();
    let mut random = Random(7);
    for i in (1..right.len()).rev() {
        right.swap(i, random.below(i + 1));
    }
    assert!(right.len() >= many, "only {} rows are right", right.len());
    right.truncate(many);
    right
}

fn awake(house: &House) -> HashSet<String> {
    let listed = house.run(&["--json", "executors", "list"]).json();
    let active = listed.as_array().unwrap().iter().filter(|row| row["state"] == "active");
    let names = active.map(|row| row["name"].as_str().unwrap().to_owned());
    names.filter(|name| !NOT_HERE.contains(&name.as_str())).collect()
}

fn all() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/data");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    files.sort();
    let texts = files.iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>())
        .collect()
}

/// What `metnos plan --batch` says of each line.
pub(super) fn planned(house: &House, lines: &[Value], args: &[&str]) -> Vec<Value> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let mut command = vec!["plan", "--batch", "-"];
    command.extend(args);
    let ran = house.run_with(&command, lines.join("\n").as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether a plan names a place of the machine itself.
fn leaves_the_house(plan: &Value) -> bool {
    match plan {
        Value::String(text) => text.starts_with('/'),
        Value::Array(many) => many.iter().any(leaves_the_house),
        Value::Object(fields) => fields.values().any(leaves_the_house),
        _ => false,
    }
}

/// The tools in order, and every expected argument as it is written. Stricter than the scores of the planner: a row
/// that is right in another way is left out.
fn is_right(expect: &Value, answer: &Value) -> bool {
    let steps = answer["plan"]["steps"].as_array().cloned().unwrap_or_default();
    let tools: Vec<&Value> = steps.iter().map(|step| &step["tool"]).collect();
    let args = expect["args"].as_array().cloned().unwrap_or_default();
    answer["kind"] == "plan"
        && tools == expect["tools"].as_array().unwrap().iter().collect::<Vec<_>>()
        && args.iter().zip(&steps).all(|(wanted, step)| {
            wanted.as_object().unwrap().iter().all(|(name, value)| step["args"][name] == *value)
        })
}
