//! `metnos audit verify|tail|show`.

use crate::cli::Audit;
use crate::print::Printer;
use metnos_executor::Failure;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Checks or reads the chain.
pub(crate) fn run(printer: Printer, command: Audit) -> Result<ExitCode, Failure> {
    match command {
        Audit::Verify => verify(printer),
        Audit::Tail { n, executor } => {
            let lines = super::runtime(false)?.audit_tail(n, executor.as_deref())?;
            print(printer, &lines);
            Ok(ExitCode::SUCCESS)
        }
        Audit::Show { key } => {
            let lines = super::runtime(false)?.audit_show(&key)?;
            if lines.is_empty() {
                return Err(Failure::new(
                    metnos_executor::ErrorClass::NotFound,
                    format!("no audit line for {key}"),
                )
                .with_hint("metnos audit tail lists the last ones"));
            }
            if printer.json {
                printer.value(&Value::Array(lines));
            } else {
                for line in lines {
                    printer.say(serde_json::to_string_pretty(&line).unwrap_or_default());
                }
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn verify(printer: Printer) -> Result<ExitCode, Failure> {
    let report = metnos_runtime::audit_verify(&super::home()?)?;
    printer.value(&json!({ "ok": report.damage.is_empty(), "lines": report.lines, "damage": report.damage }));
    if report.damage.is_empty() {
        printer.say(format!("the chain holds: {} lines", report.lines));
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
