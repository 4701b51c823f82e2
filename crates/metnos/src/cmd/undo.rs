//! `metnos undo`: the way back.

use super::USER;
use super::stop::Stop;
use crate::cli::Undo;
use crate::print::Printer;
use metnos_doors::UndoTold;
use metnos_executor::Failure;
use metnos_runtime::undo::Waits;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Undoes, lists, tries or forgets.
pub(crate) fn run(printer: Printer, args: Undo) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    if args.list {
        return Ok(listed(printer, &metnos_doors::changes(&runtime, USER)?));
    }
    if args.forget {
        let (count, bytes) = runtime.forget(args.turn.as_deref(), USER)?;
        printer.value(&json!({ "forgotten": count, "freed_bytes": bytes }));
        printer.tell(match count {
            0 => "nothing is kept".to_owned(),
            1 => format!("1 change let go, {bytes} bytes freed; it can no longer be undone"),
            n => format!("{n} changes let go, {bytes} bytes freed; they can no longer be undone"),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let (stop, mut told) = (Stop::listen()?, false);
    let mut go_on = |waits: &Waits| {
        if !std::mem::replace(&mut told, true) {
            printer.note(&runtime.waits_for(&runtime.language(USER), waits));
        }
        !stop.asked()
    };
    let told = metnos_doors::undo(&runtime, USER, args.turn.as_deref(), args.dry_run, &mut go_on)?;
    Ok(shown(printer, &told))
}

/// What can be taken back.
pub(crate) fn listed(printer: Printer, changes: &[Map<String, Value>]) -> ExitCode {
    printer.value(&json!(changes));
    if changes.is_empty() {
        printer.tell("nothing was changed yet");
    } else {
        printer.table(changes);
    }
    ExitCode::SUCCESS
}

/// What was taken back. What was left as it is makes it a failure.
pub(crate) fn shown(printer: Printer, told: &UndoTold) -> ExitCode {
    printer.value(&json!(told.outcome));
    printer.say(&told.text);
    if told.outcome.conflicts.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
