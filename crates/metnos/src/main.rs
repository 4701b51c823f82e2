//! The `metnos` command: wires the crates together, one file per command.

mod cli;
mod cli_models;
mod cli_people;
mod cmd;
mod print;
mod remote;

use clap::Parser;
use metnos_executor::{ErrorClass, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::lang::open();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let printer = print::Printer { json: cli.json };
    match cmd::run(cli, printer) {
        Ok(code) => code,
        Err(failure) => {
            printer.failure(&failure);
            cmd::exit_code(failure.class)
        }
    }
}

/// Wrong words on the command line, in the form that was asked for; help and version are no error.
fn usage(error: &clap::Error) -> ExitCode {
    let asked = std::env::args_os().take_while(|word| word != "--").any(|word| word == "--json");
    if asked && error.use_stderr() {
        let text = error.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text).trim();
        print::Printer { json: true }.failure(&Failure::wrong_args(text).with_hint("metnos --help"));
        return cmd::exit_code(ErrorClass::WrongArgs);
    }
    error.exit()
}
