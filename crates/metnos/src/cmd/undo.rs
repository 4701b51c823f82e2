//! `metnos undo`: the way back.

use super::USER;
use super::stop::Stop;
use crate::cli::Undo;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::undo::{Outcome, Turn, Waits};
use metnos_runtime::{Purpose, Runtime};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Undoes, lists, tries or forgets.
pub(crate) fn run(printer: Printer, args: Undo) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    if args.list {
        return list(printer, &runtime);
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
    let purpose = if args.dry_run { Purpose::Try } else { Purpose::Undo };
    let (stop, mut told) = (Stop::listen()?, false);
    let mut go_on = |waits: &Waits| {
        if !std::mem::replace(&mut told, true) {
            printer.note(&runtime.waits_for(&runtime.language(USER), waits));
        }
        !stop.asked()
    };
    match runtime.undo(USER, args.turn.as_deref(), purpose, &mut go_on)? {
        Some(outcome) => Ok(show(printer, &runtime, &outcome, args.dry_run)),
        None => {
            printer.value(&json!({ "undone": null, "reversed": 0, "conflicts": [] }));
            printer.say(runtime.say(&runtime.language(USER), "nothing_to_undo", &[]));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(printer: Printer, runtime: &Runtime) -> Result<ExitCode, Failure> {
    let turns = runtime.turns()?;
    let records: Vec<Map<String, Value>> = turns
        .iter()
        .map(|turn| Ok(record(turn, runtime.request_of(&turn.id)?)))
        .collect::<Result<_, Failure>>()?;
    printer.value(&json!(records));
    if turns.is_empty() {
        printer.tell("nothing was changed yet");
    } else {
        printer.table(&records);
    }
    Ok(ExitCode::SUCCESS)
}

/// What was asked, what was done, and whether it can be taken back.
fn record(turn: &Turn, request: Option<String>) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("at".into(), turn.at.map(|at| at.to_string()).into());
    record.insert("request".into(), request.into());
    record.insert("turn".into(), turn.id.clone().into());
    record.insert("executor".into(), turn.executor.clone().into());
    record.insert("state".into(), turn.state.into());
    record.insert("operations".into(), turn.operations.into());
    record.insert("kept_bytes".into(), turn.kept_bytes.into());
    if let Some(freed) = turn.freed {
        record.insert("freed".into(), freed.to_string().into());
    }
    if let Some(damage) = &turn.damage {
        record.insert("damage".into(), damage.clone().into());
    }
    record
}

fn show(printer: Printer, runtime: &Runtime, outcome: &Outcome, dry: bool) -> ExitCode {
    let keep_days = runtime.config.undo.keep_days.get();
    let turn = &outcome.turn;
    printer.value(&json!({
        "undone": turn.id, "executor": turn.executor, "dry_run": dry,
        "reversed": outcome.reversed, "conflicts": outcome.conflicts, "voided": outcome.voided,
    }));
    let total = outcome.reversed + outcome.conflicts.len() as u64;
    let word = if dry { "would be taken back" } else { "taken back" };
    printer.tell(format!("{}: {} of {total} {word}", turn.executor, outcome.reversed));
    for conflict in outcome.conflicts.iter().take(10) {
        let path = metnos_executor::shown::part(&conflict.path);
        printer.say(format!("  ✗ {path}: {}", crate::print::own(&conflict.why)));
    }
    if outcome.conflicts.len() > 10 {
        printer.tell(format!("  … and {} more", outcome.conflicts.len() - 10));
    }
    if outcome.voided > 0 {
        let count = outcome.voided.to_string();
        printer.say(runtime.say(&runtime.language(USER), "voided", &[("count", &count)]));
    }
    if !outcome.conflicts.is_empty() && !dry {
        printer.tell(format!(
            "once nothing is in the way, `metnos undo` tries these again; what was kept of them stays for {keep_days} days or until `metnos undo --forget {}`",
            turn.id
        ));
    }
    if outcome.conflicts.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
