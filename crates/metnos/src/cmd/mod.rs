//! One file per command.

mod audit;
mod doctor;
mod exec;
mod executors;
mod init;
mod line;
mod prompt;
mod status;
mod stop;
mod sugar;
mod territory;
mod upgrade;

use crate::cli::{Cli, Command};
use crate::print::Printer;
use clap::CommandFactory;
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::{Options, Runtime};
use std::process::ExitCode;

/// Runs the command and returns how the process should end.
pub(crate) fn run(cli: Cli, printer: Printer) -> Result<ExitCode, Failure> {
    match cli.command {
        None => prompt::run(printer),
        Some(Command::Init { if_needed }) => init::run(printer, if_needed),
        Some(Command::Doctor) => doctor::run(printer),
        Some(Command::Status) => status::run(printer),
        Some(Command::Exec(args)) => exec::run(printer, args),
        Some(Command::Executors { command }) => executors::run(printer, command),
        Some(Command::Audit { command }) => audit::run(printer, command),
        Some(Command::Territory { command }) => territory::run(printer, command),
        Some(Command::Upgrade { roll_back, yes }) => upgrade::run(printer, roll_back, yes),
        Some(Command::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "metnos", &mut text);
            crate::print::prompt(&String::from_utf8_lossy(&text));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// How a failure of this class ends the process.
pub(crate) fn exit_code(class: ErrorClass) -> ExitCode {
    use ErrorClass as C;
    ExitCode::from(match class {
        C::WrongArgs => 2,
        C::PolicyViolation | C::Forbidden | C::SandboxUnavailable => 3,
        C::Cancelled => 130,
        _ => 1,
    })
}

/// Where this person's Metnos lives.
fn home() -> Result<Home, Failure> {
    Home::locate(|key| std::env::var_os(key))
        .map_err(|e| Failure::wrong_args(e.to_string()).with_hint(e.hint()))
}

/// The runtime, opened once per process.
fn runtime(warm: bool) -> Result<Runtime, Failure> {
    Runtime::open(home()?, Options { warm })
}
