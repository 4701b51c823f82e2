//! `metnos audit verify|tail|show|note`.

use crate::cli::Audit;
use crate::print::Printer;
use metnos_executor::Failure;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Checks or reads the chain.
pub(crate) fn run(printer: Printer, command: Audit) -> Result<ExitCode, Failure> {
    match command {
        Audit::Verify { checkpoint } => verify(printer, &checkpoint),
        Audit::Checkpoint { file } => checkpoint(printer, file.as_deref()),
        Audit::Tail { n, executor } => {
            let lines = super::runtime(false)?.audit_tail(n, executor.as_deref())?;
            print(printer, &lines);
            Ok(ExitCode::SUCCESS)
        }
        Audit::Show { key } => {
            let lines = super::runtime(false)?.audit_show(&key)?;
            if printer.json {
                printer.value(&Value::Array(lines));
            } else {
                for line in lines {
                    printer.say(serde_json::to_string_pretty(&line).unwrap_or_default());
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Audit::Note { key, text } => {
            let line = super::runtime(false)?.audit_note(&key, &text.join(" "), super::USER)?;
            printer.value(&json!({ "seq": line.seq, "about": line.about, "text": line.text }));
            printer.tell(format!("line {}, about line {}: {}", line.seq, line.about, line.text));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Gives the end of the chain, to be kept elsewhere.
fn checkpoint(printer: Printer, file: Option<&Path>) -> Result<ExitCode, Failure> {
    let made = super::runtime(false)?.audit_checkpoint()?;
    let value = serde_json::to_value(&made).map_err(|e| Failure::internal(e.to_string()))?;
    match file {
        Some(file) => {
            std::fs::write(file, format!("{value}\n")).map_err(|e| Failure::io(file.display(), &e))?;
            printer.say(format!("{}: {} lines; keep it on another machine", file.display(), made.seq));
            printer.value(&value);
        }
        None if printer.json => printer.value(&value),
        None => printer.say(value),
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(printer: Printer, checkpoints: &[PathBuf]) -> Result<ExitCode, Failure> {
    let read = |file: &PathBuf| std::fs::read_to_string(file).map_err(|e| Failure::io(file.display(), &e));
    let exported: Vec<String> = checkpoints.iter().map(read).collect::<Result<_, _>>()?;
    let report = metnos_runtime::audit_verify(&super::home()?, &exported)?;
    printer.value(&json!({ "ok": report.damage.is_empty(), "lines": report.lines, "damage": report.damage,
        "restored": report.restored }));
    for told in &report.restored {
        printer.say(told);
    }
    if report.damage.is_empty() {
        printer.tell(format!("the chain holds: {} lines", report.lines));
        return Ok(ExitCode::SUCCESS);
    }
    for damage in &report.damage {
        printer.say(format!("✗ {damage}"));
    }
    printer
        .say("what is written there can no longer be trusted from that place on; keep the files as they are");
    Ok(ExitCode::FAILURE)
}

fn print(printer: Printer, lines: &[Value]) {
    printer.value(&Value::Array(lines.to_vec()));
    let rows: Vec<Map<String, Value>> = lines
        .iter()
        .map(|line| {
            let pick = ["seq", "time", "kind", "executor", "caller", "exit", "duration_us", "call_id"];
            pick.iter().map(|k| ((*k).to_owned(), line.get(*k).cloned().unwrap_or_default())).collect()
        })
        .collect();
    printer.table(&rows);
}
