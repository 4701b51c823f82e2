//! `metnos executors …`.

use crate::cli::Executors;
use crate::print::Printer;
use metnos_executor::Failure;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Looks at executors or changes their state.
pub(crate) fn run(printer: Printer, command: Executors) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(matches!(command, Executors::Test { .. }))?;
    match command {
        Executors::List => list(printer, &runtime, &[]),
        Executors::Verify { names } => list(printer, &runtime, &names),
        Executors::Show { name } => show(printer, &runtime, &name),
        Executors::Test { names } => test(printer, &runtime, &names),
        Executors::Sign { folder, reason } => {
            let signed = runtime.sign(&super::exec::here()?.join(folder), &reason)?;
            sign(printer, &signed, &reason)
        }
        Executors::Archive { name, reason } => {
            runtime.archive(&name, &reason)?;
            moved(printer, &name, "archived", &reason)
        }
        Executors::Restore { name, reason } => {
            runtime.restore(&name, &reason)?;
            moved(printer, &name, "active", &reason)
        }
        Executors::Quarantine { name, reason } => {
            runtime.quarantine(&name, &reason)?;
            moved(printer, &name, "quarantined", &reason)
        }
        Executors::Approve { name, reason } => {
            let built = metnos_runtime::install::Built::beside(super::init::HOST_DIGEST).ok();
            runtime.approve(&name, &reason, built.as_ref())?;
            moved(printer, &name, "active", &reason)
        }
        Executors::Promote { name, version, reason } => {
            runtime.promote(&name, &version, &reason)?;
            moved(printer, &name, "active", &reason)
        }
    }
}

fn moved(printer: Printer, name: &str, state: &str, reason: &str) -> Result<ExitCode, Failure> {
    printer.value(&json!({ "ok": true, "name": name, "state": state, "reason": reason }));
    printer.say(format!("{name} is {state}: {reason}"));
    Ok(ExitCode::SUCCESS)
}

/// What was signed is installed; using it is another decision.
fn sign(printer: Printer, signed: &metnos_runtime::Signed, reason: &str) -> Result<ExitCode, Failure> {
    let metnos_runtime::Signed { name, version, in_use } = signed;
    let next = format!("metnos executors promote {name} {version} --reason \"…\"");
    let mut value =
        json!({ "ok": true, "name": name, "version": version, "in_use": in_use, "reason": reason });
    if !in_use {
        value["next"] = next.as_str().into();
    }
    printer.value(&value);
    printer.say(format!("{name} {version} is signed and installed: {reason}"));
    if !in_use {
        printer.say(format!("→ {next}   puts it to use"));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(printer: Printer, runtime: &metnos_runtime::Runtime, names: &[String]) -> Result<ExitCode, Failure> {
    let listed: Vec<_> =
        runtime.executors().into_iter().filter(|l| names.is_empty() || names.contains(&l.name)).collect();
    if let Some(unknown) = names.iter().find(|n| listed.iter().all(|l| l.name != **n)) {
        return Err(
            Failure::wrong_args(format!("no executor called {unknown}")).with_hint("metnos executors list")
        );
    }
    let rows: Vec<Map<String, Value>> = listed
        .iter()
        .filter_map(|l| serde_json::to_value(l).ok())
        .filter_map(|v| match v {
            Value::Object(map) => Some(map),
            _ => None,
        })
        .collect();
    printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
    if !printer.json {
        for l in &listed {
            let mark = if l.verified { "✓" } else { "✗" };
            let why = l.reason.as_deref().map(|r| format!("  {r}")).unwrap_or_default();
            printer.say(format!("{mark} {:<22} {:<8} {:<8} {}{why}", l.name, l.version, l.root, l.state));
        }
        printer.say(format!("{} executors", listed.len()));
    }
    let bad = listed.iter().any(|l| !l.verified && l.state == "active");
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(printer: Printer, runtime: &metnos_runtime::Runtime, name: &str) -> Result<ExitCode, Failure> {
    let card = runtime.card(name)?;
    printer.value(&card);
    if printer.json {
        return Ok(ExitCode::SUCCESS);
    }
    let text = |path: &str| card.pointer(path).and_then(Value::as_str).unwrap_or("").to_owned();
    printer.say(format!("{} {}  ({})", text("/name"), text("/version"), text("/root")));
    let language = runtime.language(super::USER);
    let told = |part: &str| super::prompt::told(&card, &language, part);
    printer.say(format!("  {}", told("scope")));
    printer.say(format!("  example  {}", told("pattern")));
    printer.say(format!("  not      {}", told("not")));
    printer.say(format!("  gives    {}", told("out")));
    printer.say("  arguments");
    if let Some(Value::Object(properties)) = card.pointer("/input/properties") {
        let required = card.pointer("/input/required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (argument, schema) in properties {
            let must = if required.iter().any(|r| r == argument) { "!" } else { " " };
            let kind = schema.get("enum").map_or_else(
                || schema.get("type").map(ToString::to_string).unwrap_or_default(),
                ToString::to_string,
            );
            let default = schema.get("default").map(|d| format!(" = {d}")).unwrap_or_default();
            let about = schema.get("description").and_then(Value::as_str).unwrap_or("");
            printer.say(format!("    {must} {argument:<16} {kind}{default}  {about}"));
        }
    }
    for (key, told) in card["plan"].as_object().into_iter().flatten() {
        printer.say(format!("  plan {key:<8} {told}"));
    }
    for part in ["read", "write", "net", "exec"] {
        let scopes = card.pointer(&format!("/sandbox/{part}")).map(ToString::to_string).unwrap_or_default();
        printer.say(format!("  may {part:<6} {scopes}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn test(printer: Printer, runtime: &metnos_runtime::Runtime, names: &[String]) -> Result<ExitCode, Failure> {
    let reports = runtime.birth_all(names, &mut |name| printer.progress(&format!("testing {name}")))?;
    printer.progress_end();
    let ok = reports.iter().all(|r| r.failed.is_empty());
    printer.value(&json!({ "ok": ok, "executors": reports }));
    for report in &reports {
        let mark = if report.failed.is_empty() { "✓" } else { "✗" };
        printer.say(format!(
            "{mark} {:<22} {} passed, {} failed",
            report.name,
            report.passed,
            report.failed.len()
        ));
        for (promise, why) in &report.failed {
            printer.say(format!("    {promise}: {why}"));
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
