//! Chaos: Metnos is killed, its system calls fail and its disk forgets, at every point that matters;
//! after each the tree must be whole, the journal readable and the audit intact.
//!
//! `metnos-chaos BINARY [--kills N] [--forgetful N] [--only WORD] [--seed S] [--quick]` prints one
//! JSON line a group and ends with `chaos: N points, L lost, H half, B broken`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is what this program is for")]

mod cases;
mod check;
mod disk;
mod explain;
mod forgetful;
mod house;
mod kills;
mod options;
mod place;
mod python;
mod random;
mod report;
mod strace;
mod tree;

use options::{Options, Part};
use report::Counts;
use std::process::ExitCode;

/// An error ends the run: a point that was not prepared proves nothing.
type Done<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    place::apart();
    match Options::from_words(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("metnos-chaos: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Done<bool> {
    let binary = options.binary.canonicalize().map_err(|e| format!("{}: {e}", options.binary.display()))?;
    let dir = tempfile::Builder::new().prefix("metnos-chaos-").tempdir().map_err(|e| e.to_string())?;
    let dir = dir.path().canonicalize().map_err(|e| e.to_string())?;
    let mut sum = Counts::default();
    let mut left_out = Vec::new();
    for part in [Part::Kills, Part::Forgetful] {
        if options.points(part) == 0 || options.leaves_out(part) {
            continue;
        }
        if let Some((why, fix)) = place::lacks(part) {
            metnos_testkit::skipped(&format!("{} of chaos: {why}", part.name()), fix);
            left_out.push(part.name());
            continue;
        }
        let report = match part {
            Part::Kills => kills::run(&binary, &dir, options)?,
            Part::Forgetful => forgetful::run(&binary, &dir, options)?,
        };
        sum.add(&report.print());
    }
    if !left_out.is_empty() {
        println!("chaos: SKIPPED {}: {}", left_out.len(), left_out.join(", "));
    }
    println!("chaos: {} points, {} lost, {} half, {} broken", sum.points, sum.lost, sum.half, sum.broken);
    Ok(sum.is_clean())
}
