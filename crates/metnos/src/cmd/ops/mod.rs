//! Housekeeping, one file per command.

mod backup;
mod config;
mod leave;
mod logs;
mod people;
mod service;

use crate::cli::Ops;
use crate::print::{self, Printer};
use metnos_executor::{ErrorClass, Failure};
use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

/// Runs one of them.
pub(crate) fn run(printer: Printer, command: Ops) -> Result<ExitCode, Failure> {
    match command {
        Ops::Backup { file, force, passphrase_file, recipient } => {
            let lock = backup::lock(passphrase_file.as_deref(), &recipient)?;
            backup::backup(printer, file, &lock, force)
        }
        Ops::Restore { file, passphrase_file, identity_file } => {
            let keys = backup::keys(passphrase_file.as_deref(), identity_file.as_deref())?;
            backup::restore(printer, &file, &keys)
        }
        Ops::Config { command } => config::run(printer, command),
        Ops::Service { command } => service::run(printer, command),
        Ops::Logs { n, follow } => logs::run(printer, n, follow),
        Ops::Uninstall { keep_data, forget_undo, yes } => leave::run(printer, keep_data, forget_undo, yes),
        Ops::People { command } => people::run(printer, command),
    }
}

/// Asks on the terminal; without one a yes must have been said on the command line.
pub(super) fn agree(question: &str, yes: bool, command: &str) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    let hint = format!("{command} --yes does it without a question");
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(
            ErrorClass::NeedsApproval,
            "nobody is there to be asked; nothing was changed",
        )
        .with_hint(hint));
    }
    print::prompt(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|e| Failure::io("the terminal", &e))?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" | "s" | "si" | "sì" => Ok(()),
        _ => Err(Failure::new(ErrorClass::Cancelled, "nothing was changed").with_hint(hint)),
    }
}

/// Bytes for the eye.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS.get(unit).copied().unwrap_or("TB"))
}
