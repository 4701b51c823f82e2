//! `metnos territory`: the folders a person opened to Metnos.

use crate::cli::Territory;
use crate::print::Printer;
use metnos_executor::Failure;
use serde_json::json;
use std::process::ExitCode;

/// Shows or changes the territory; every change is in the audit.
pub(crate) fn run(printer: Printer, command: Territory) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Territory::List => {}
        Territory::Add { path } => runtime.open_root(&super::exec::here()?.join(path))?,
        Territory::Remove { path } => runtime.close_root(&super::exec::here()?.join(path))?,
    }
    let roots = runtime.roots();
    printer.value(&json!({ "roots": roots }));
    for root in roots {
        printer.say(root.display());
    }
    Ok(ExitCode::SUCCESS)
}
