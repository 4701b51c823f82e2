//! Fits the weights that requests are read with, from the rows that people wrote, and measures them.
//!
//! `metnos-fit [SET …] [--verbose]` leaves one set out at a time (each voice, unless sets are named), fits the others
//! and prints how often the right plan comes first, and among the first three. One thread, a fixed order, only
//! + − × ÷: the same figures on every machine.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is what this program is for")]

mod learn;
mod measure;
mod rows;
#[path = "../../engine/tests/it/score/mod.rs"]
mod score;
mod svm;

use learn::Teacher;
use metnos_engine::Catalog;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("metnos-fit: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let catalog = Catalog::shipped().map_err(|e| e.to_string())?;
    let rows = rows::all()?;
    let teacher = Teacher::new(&catalog)?;
    let verbose = words.iter().any(|word| word == "--verbose");
    let mut sets: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    if sets.is_empty() {
        sets = rows.iter().map(|row| row.set.as_str()).filter(|set| !set.contains(':')).collect();
        sets.dedup();
    }
    let mut sum = measure::Figures::default();
    for set in &sets {
        let (test, train): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.set == *set);
        let model = teacher.fit(&train);
        let figures = measure::measure(&teacher, &model, &test, verbose);
        println!("{set}: {figures}");
        sum.add(&figures);
    }
    println!("all: {sum}");
    Ok(())
}
