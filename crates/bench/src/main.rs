//! `make bench`: one JSON line per figure, ours beside what it is compared with, in the same run.
//!
//! Usage: `metnos-bench METNOS DATA [FIGURE…]`, where METNOS is the binary `make build` made,
//! DATA a folder for generated files (made once, kept), and FIGURE limits the run to some groups.

mod data;
mod figure;
mod figures;
mod house;
mod memory;
mod peer;
mod sample;

use std::path::PathBuf;
use std::process::ExitCode;

/// Anything that keeps a figure from being measured.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(metnos), Some(data)) = (words.next().map(PathBuf::from), words.next().map(PathBuf::from))
    else {
        figure::complain("usage: metnos-bench METNOS DATA [FIGURE…]");
        return ExitCode::from(2);
    };
    let asked: Vec<String> = words.collect();
    let mut failed = false;
    for (name, measure) in figures::ALL {
        if !asked.is_empty() && !asked.iter().any(|a| a == name) {
            continue;
        }
        let measured = house::House::new(&metnos, &data).and_then(|house| measure(&house));
        if let Err(error) = measured {
            figure::broken(name, &error.to_string());
            failed = true;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
