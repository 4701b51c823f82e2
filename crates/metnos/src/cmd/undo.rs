//! `metnos undo`: the way back.

use super::USER;
use crate::cli::Undo;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::undo::{Outcome, Turn};
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
        printer.say(match count {
            0 => "nothing is kept".to_owned(),
            1 => format!("1 change let go, {bytes} bytes freed; it can no longer be undone"),
            n => format!("{n} changes let go, {bytes} bytes freed; they can no longer be undone"),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let purpose = if args.dry_run { Purpose::Try } else { Purpose::Undo };
    match runtime.undo(USER, args.turn.as_deref(), purpose)? {
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
    printer.value(&Value::Array(turns.iter().map(|turn| Value::Object(record(turn))).collect()));
    if turns.is_empty() {
        printer.say("nothing was changed yet");
    } else {
        printer.table(&turns.iter().map(record).collect::<Vec<_>>());
    }
    Ok(ExitCode::SUCCESS)
}

fn record(turn: &Turn) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("turn".into(), turn.id.clone().into());
    record.insert("at".into(), turn.at.map(|at| at.to_string()).into());
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
    printer.say(format!("{}: {} of {total} {word}", turn.executor, outcome.reversed));
    for conflict in outcome.conflicts.iter().take(10) {
        printer.say(format!("  ✗ {}: {}", conflict.path, conflict.why));
    }
    if outcome.conflicts.len() > 10 {
        printer.say(format!("  … and {} more", outcome.conflicts.len() - 10));
    }
    if outcome.voided > 0 {
        let count = outcome.voided.to_string();
        printer.say(runtime.say(&runtime.language(USER), "voided", &[("count", &count)]));
    }
    if !outcome.conflicts.is_empty() && !dry {
        printer.say(format!(
            "once nothing is in the way, `metnos undo` tries these again; what was kept of them stays for {keep_days} days or until `metnos undo --forget {}`",
            turn.id
        ));
    }
    if outcome.conflicts.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
