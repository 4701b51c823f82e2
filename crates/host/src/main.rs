//! `metnos-host`: the only program inside a cell. It waits for one call, closes the fence around
//! itself, runs one executor, answers, and ends.

mod bounds;
mod bpf;
mod cell;
mod egress;
mod fence;
mod filter;
mod heap;
mod layer;
mod pages;
mod port;
mod probe;
mod program;
mod python;
mod run;
mod sys;
mod syscalls;

use metnos_executor::wire::{Calls, Start};
use std::process::ExitCode;

/// The descriptor on which the launcher passes the socket.
const SOCKET: i32 = 3;

fn main() -> ExitCode {
    let first = std::env::args().nth(1);
    if let Some(start) = first.as_deref().and_then(Start::from_word) {
        let words: Vec<String> = std::env::args().skip(2).collect();
        return match Calls::from_words(words.iter().map(String::as_str)) {
            Some(calls) => cell::serve(SOCKET, calls, start),
            None => {
                complain("a kind of cell that this host does not know");
                ExitCode::from(2)
            }
        };
    }
    match first.as_deref() {
        Some("--digest") => digest(),
        Some("--version") => say(concat!("metnos-host ", env!("CARGO_PKG_VERSION"))),
        _ => {
            complain("metnos-host runs inside a cell that metnos builds; it has no use of its own.");
            ExitCode::from(2)
        }
    }
}

/// Prints the blake3 of this very binary, so that `metnos` can be built bound to it.
fn digest() -> ExitCode {
    match std::fs::read("/proc/self/exe") {
        Ok(bytes) => say(blake3::hash(&bytes).to_hex().as_str()),
        Err(error) => {
            complain(&format!("cannot read this binary: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout, reason = "the answer of --digest and --version")]
fn say(text: &str) -> ExitCode {
    println!("{text}");
    ExitCode::SUCCESS
}

#[allow(clippy::print_stderr, reason = "captured by the launcher, bounded, shown to the person")]
fn complain(text: &str) {
    eprintln!("{text}");
}
