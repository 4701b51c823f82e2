//! What the planner answers to each row of the files that are named: kind, plans, request. For people who tune it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a tool for people who tune the planner"
)]

use metnos_engine::{Answer, Catalog, Clock, Lexicons, Plan, Planner, Request};
use metnos_vocab::Class;
use serde_json::Value;

fn main() {
    let planner = Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap());
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    let changes = |plan: &Plan| {
        plan.steps
            .iter()
            .any(|step| planner.catalog().get(&step.tool).is_none_or(|tool| tool.class == Class::Changer))
    };
    for path in std::env::args().skip(1) {
        let rows = std::fs::read_to_string(&path).unwrap();
        for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let context: Vec<String> = row["context"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|earlier| earlier.as_str().map(str::to_owned))
                .collect();
            let query = row["query"].as_str().unwrap();
            let request = Request { text: query, language: row["lang"].as_str(), context: &context };
            let (answer, explain) = planner.plan(&request, &clock);
            let plans: Vec<&Plan> = match &answer {
                Answer::Plan(plan) => vec![plan],
                Answer::Offer(offer) => offer.offers.iter().map(|choice| &choice.plan).collect(),
                _ => vec![],
            };
            let kind = answer.kind();
            let steps: Vec<String> = plans
                .iter()
                .map(|plan| {
                    let mark = if changes(plan) { "!" } else { "" };
                    format!("{mark}{}", serde_json::to_string(&plan.steps).unwrap())
                })
                .collect();
            println!("{kind}\t{}\t{query}\t{context:?}\t{}", steps.join(" | "), explain.notes.join(" ; "));
        }
    }
}
