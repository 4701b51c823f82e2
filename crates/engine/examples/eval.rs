//! Measures what a model adds to the planner.
//!
//! `eval select N`: the requests of the test data that the planner leaves or gets wrong, then looser
//! ones, at most N of each, one a line.
//! `eval compare REQUESTS WITHOUT WITH [AGAIN]`: the files of answers side by side.
#![allow(clippy::print_stdout, reason = "an example that prints")]

#[path = "../tests/it/score/mod.rs"]
mod score;

use metnos_engine::{Catalog, Clock, Lexicons, Planner, batch};
use serde_json::Value;

const NOW: &str = "2026-11-15T10:00:00+01:00";
const KNOWN: [&str; 13] = [
    "requests.jsonl",
    "more.jsonl",
    "third.jsonl",
    "fourth.jsonl",
    "fifth.jsonl",
    "sixth.jsonl",
    "seventh.jsonl",
    "eighth.jsonl",
    "ninth.jsonl",
    "tenth.jsonl",
    "eleventh.jsonl",
    "twelfth.jsonl",
    "thirteenth.jsonl",
];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["select", most] => select(most.parse()?),
        ["compare", requests, without, with] => compare(requests, without, with, None),
        ["compare", requests, without, with, again] => compare(requests, without, with, Some(again)),
        _ => Err("eval select N | eval compare REQUESTS WITHOUT WITH [AGAIN]".into()),
    }
}

fn select(most: usize) -> Outcome<()> {
    let planner = Planner::new(Catalog::shipped()?, Lexicons::shipped()?);
    let clock = Clock::parse(NOW, "Europe/Rome")?;
    let read =
        |name: &str| std::fs::read_to_string(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR")));
    let mut left = Vec::new();
    for name in KNOWN {
        for line in read(name)?.lines() {
            let row: Value = serde_json::from_str(line)?;
            let answer = batch::run(&planner, line, &clock, None, false)?.swap_remove(0);
            let gap = answer["kind"] == "gap";
            if gap || score::judge(&row["expect"], &answer).is_some() {
                left.push(line.to_owned());
            }
        }
    }
    // Spread over the files, so that a short run sees some of each.
    let every = left.len().div_ceil(most.max(1)).max(1);
    left.iter().step_by(every).for_each(|line| println!("{line}"));
    read("looser.jsonl")?.lines().take(most).for_each(|line| println!("{line}"));
    Ok(())
}

fn rows(path: &str) -> Outcome<Vec<Value>> {
    std::fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

#[derive(Default)]
struct Sum {
    all: usize,
    without: usize,
    with: usize,
    asked: usize,
    invalid: u64,
    tokens: u64,
    ms: u64,
}

fn compare(requests: &str, without: &str, with: &str, again: Option<&str>) -> Outcome<()> {
    let (requests, without, with) = (rows(requests)?, rows(without)?, rows(with)?);
    let (mut known, mut loose) = (Sum::default(), Sum::default());
    for ((row, before), after) in requests.iter().zip(&without).zip(&with) {
        let id = row["id"].as_str().unwrap_or_default();
        let sum = if id.starts_with("loose") { &mut loose } else { &mut known };
        let (old, new) = (score::judge(&row["expect"], before), score::judge(&row["expect"], after));
        sum.all += 1;
        sum.without += usize::from(old.is_none());
        sum.with += usize::from(new.is_none());
        let tokens = after["tokens"].as_u64().unwrap_or(0);
        if tokens > 0 {
            sum.asked += 1;
            sum.tokens += tokens;
            sum.ms += after["ms"].as_u64().unwrap_or(0);
            sum.invalid += after["invalid_answers"].as_u64().unwrap_or(0);
        }
        if let Some(why) = new {
            println!("{id} {}: {why}", row["query"]);
        }
    }
    println!("{:<28}{:>8}{:>10}{:>8}", "", "requests", "without", "with");
    for (name, sum) in [("left or wrong before", &known), ("looser", &loose)] {
        println!("{name:<28}{:>8}{:>10}{:>8}", sum.all, sum.without, sum.with);
    }
    let asked = (known.asked + loose.asked).max(1) as f64;
    println!("plans asked of the model: {}", known.asked + loose.asked);
    println!("tokens a plan: {:.0}", (known.tokens + loose.tokens) as f64 / asked);
    println!("seconds a plan: {:.1}", (known.ms + loose.ms) as f64 / asked / 1000.0);
    println!("answers that were no plan and were asked for again: {}", known.invalid + loose.invalid);
    println!("invalid steps in plans: {}", invalid_steps(&with)?);
    if let Some(again) = again {
        let again = rows(again)?;
        let same = again.iter().zip(&with).filter(|(a, b)| a["plan"] == b["plan"]).count();
        println!("the same plan in a second run: {same} of {}", again.len());
    }
    Ok(())
}

/// Steps that name no executor, or an argument it does not have. There must be none.
fn invalid_steps(answers: &[Value]) -> Outcome<usize> {
    let catalog = Catalog::shipped()?;
    let references = ["from_step", "with_step", "from_turn", "index"];
    let wrong = |step: &Value| {
        let Some(tool) = catalog.get(step["tool"].as_str().unwrap_or_default()) else { return true };
        let known =
            |name: &String| references.contains(&name.as_str()) || tool.args.iter().any(|a| a.name == *name);
        !step["args"].as_object().is_some_and(|args| args.keys().all(known))
    };
    let steps = answers.iter().flat_map(|answer| answer["plan"]["steps"].as_array().into_iter().flatten());
    Ok(steps.filter(|step| wrong(step)).count())
}
