//! The `metnos` command: wires the crates together, one file per command.

mod cli;
mod cmd;
mod print;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let printer = print::Printer { json: cli.json };
    match cmd::run(cli, printer) {
        Ok(code) => code,
        Err(failure) => {
            printer.failure(&failure);
            cmd::exit_code(failure.class)
        }
    }
}
