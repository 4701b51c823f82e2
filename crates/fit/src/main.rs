//! Fits the weights that requests are read with, from the rows that people wrote, and measures them.
//!
//! `metnos-fit [SET …] [--verbose]` leaves one set out at a time (each voice, unless sets are named), fits the others
//! and prints how often the right plan comes first, and among the first three. `--write=FILE` fits all rows and writes
//! the weights. `--losses` tells where plans are lost when their shape is known, `--chances` whether readings are right
//! as often as they are said to be, `--check=FILE` what the weights as they are written make of the rows of a file, and `--time` how long requests take to read with the weights as they are written.
//! Work is split in a fixed way and order, with only + − × ÷: the same figures on every machine.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is what this program is for")]

mod chances;
mod learn;
mod losses;
mod measure;
mod rank;
mod rows;
mod safety;
#[path = "../../engine/tests/it/score/mod.rs"]
mod score;
mod softmax;
mod svm;

use learn::Teacher;
use metnos_engine::Catalog;
use metnos_engine::evidence::Packed;
use rank::Ranks;
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
    if let Some(file) = words.iter().find_map(|word| word.strip_prefix("--write=")) {
        let library = teacher.library(&rows);
        let all = with_dangerous(&rows)?;
        let ranks = Ranks::new(&teacher, &library, &all)?;
        let weights = ranks.fit(&teacher.fit(&library, |_| true)?, |_| true)?;
        std::fs::write(file, weights.bytes()).map_err(|e| format!("{file}: {e}"))?;
        println!("{file}: {} bytes from {} rows", weights.bytes().len(), rows.len());
        return Ok(());
    }
    if let Some(text) = words.iter().find_map(|word| word.strip_prefix("--say=")) {
        let weights = shipped()?;
        let lang = words.iter().find_map(|word| word.strip_prefix("--lang=")).unwrap_or("en");
        return measure::show(&teacher, &weights, text, lang);
    }
    if words.iter().any(|word| word == "--time") {
        let weights = shipped()?;
        measure::time(&teacher, &weights, &rows);
        return Ok(());
    }
    if words.iter().any(|word| word == "--cover") {
        const GIVEN: [&str; 5] = ["phone", "famiglia", "command", "office", "polite"];
        let given = |set: &str| GIVEN.contains(&set);
        let library = teacher.library(&rows);
        let ranks = Ranks::new(&teacher, &library, &rows)?;
        let weights = ranks.fit(&teacher.fit(&library, |row| !given(&row.set))?, |set| !given(set))?;
        let test: Vec<&rows::Row> = rows.iter().filter(|row| given(&row.set)).collect();
        return measure::cover(&teacher, &weights, &test, words.iter().any(|word| word == "--verbose"));
    }
    let verbose = words.iter().any(|word| word == "--verbose");
    let mut sets: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    if sets.is_empty() {
        sets = rows.iter().map(|row| row.set.as_str()).filter(|set| !set.contains(':')).collect();
        sets.dedup();
    }
    let mut sum = measure::Figures::default();
    if words.iter().any(|word| word == "--golden") {
        return measure::golden(&teacher, &shipped()?, &rows, verbose);
    }
    if let Some(file) = words.iter().find_map(|word| word.strip_prefix("--check=")) {
        let rows = rows::read(file.as_ref(), "check", &teacher.lexicons)?;
        return measure::golden(&teacher, &shipped()?, &rows, true);
    }
    if words.iter().any(|word| word == "--safety") {
        return safety::safety(&teacher, &rows, &sets, words.iter().find_map(|w| w.strip_prefix("--list=")));
    }
    let library = teacher.library(&rows);
    let all = with_dangerous(&rows)?;
    let ranks = Ranks::new(&teacher, &library, &all)?;
    for set in &sets {
        let test: Vec<&rows::Row> = rows.iter().filter(|row| row.set == *set).collect();
        let model = teacher.fit(&library, |row| row.set != *set)?;
        let model = ranks.fit(&model, |of| of != *set)?;
        if words.iter().any(|word| word == "--losses") {
            println!("{set}: {}", losses::losses(&teacher, &model, &test, verbose));
            continue;
        }
        let figures = measure::measure(&teacher, &model, &test, verbose)?;
        println!("{set}: {figures}");
        sum.add(&figures);
    }
    println!("all: {sum}");
    if verbose || words.iter().any(|word| word == "--chances") {
        print!("{}", sum.chances);
    }
    Ok(())
}

/// The rows with the requests that must not be done as they stand: what readings are ranked from.
fn with_dangerous(rows: &[rows::Row]) -> Result<Vec<rows::Row>, String> {
    Ok(rows.iter().cloned().chain(rows::dangerous()?).collect())
}

/// The weights as they are written.
fn shipped() -> Result<Packed, String> {
    let file = "crates/engine/data/weights.bin";
    let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    Packed::read(bytes.into()).map_err(|e| e.to_string())
}
