//! `metnos doctor`: does everything Metnos stands on hold?

use crate::print::{Printer, own};
use metnos_executor::Failure;
use serde_json::json;
use std::process::ExitCode;

/// Examines and reports; fails when anything does not hold.
pub(crate) fn run(printer: Printer) -> Result<ExitCode, Failure> {
    let home = super::home()?;
    let findings = metnos_runtime::doctor::examine(&home, || super::runtime(false));
    let ok = findings.iter().all(|f| f.ok);
    printer.value(&json!({ "ok": ok, "findings": findings }));
    for finding in &findings {
        printer.say(format!(
            "{} {:<24} {}",
            if finding.ok { "✓" } else { "✗" },
            own(&finding.check),
            own(&finding.detail)
        ));
        if let Some(fix) = &finding.fix {
            printer.say(format!("    {}: {}", own("fix"), own(fix)));
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
