//! `metnos upgrade`: the host and seeds of this binary, after one question, with a way back.

use super::init::HOST_DIGEST;
use crate::print::{self, Printer};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::install::Built;
use serde_json::json;
use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

/// Installs, proves by birth tests, and goes back by itself when they fail.
pub(crate) fn run(printer: Printer, roll_back: bool, yes: bool) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(true)?;
    if roll_back {
        let done = runtime.roll_back()?;
        printer.value(&serde_json::to_value(&done).unwrap_or_default());
        printer.tell(format!("the host is {}… again", done.host.chars().take(16).collect::<String>()));
        return Ok(ExitCode::SUCCESS);
    }
    let built = Built::beside(HOST_DIGEST)?;
    let short = |d: &str| d.chars().take(16).collect::<String>();
    let now = runtime.approved_host();
    if now.as_deref() != Some(built.digest.as_str()) {
        printer.tell("what   replace the program that runs every native executor");
        printer.tell(format!(
            "where  {}… → {}…",
            now.as_deref().map_or("none".into(), short),
            short(&built.digest)
        ));
        printer.tell("why    this metnos was built with it; metnos upgrade --roll-back takes it back");
        if !yes && !agreed()? {
            return Err(
                Failure::new(ErrorClass::Cancelled, "nothing was changed").with_hint("metnos upgrade --yes")
            );
        }
    }
    let done = runtime.install(&built)?;
    let failed: Vec<_> =
        runtime.birth_all(&[], &mut |_| {})?.into_iter().filter(|report| !report.failed.is_empty()).collect();
    if !failed.is_empty() && done.host_changed && now.is_some() {
        runtime.roll_back()?;
    }
    printer.value(&json!({ "ok": failed.is_empty(), "installed": done, "failed": failed }));
    for report in &failed {
        for (promise, why) in &report.failed {
            printer.tell(format!("✗ {}: {promise}: {why}", report.name));
        }
    }
    if failed.is_empty() {
        printer.tell(format!("{} new, {} kept, birth tests passed", done.installed.len(), done.kept.len()));
        return Ok(ExitCode::SUCCESS);
    }
    printer.tell("birth tests failed; the host before is in place again");
    Ok(ExitCode::FAILURE)
}

/// Asks on the terminal; without one the answer is no.
fn agreed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    print::prompt(&print::own("upgrade? [y/N] "));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|e| Failure::io("the terminal", &e))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes" | "s" | "si" | "sì"))
}
