//! `--dry-run`: what a request or a call would do, and nothing of it done.

use crate::print::Printer;
use metnos_executor::Failure;
use metnos_gateway::{Dry, Gateway, Rehearsed, Status, StepRehearsed};
use metnos_runtime::Runtime;
use metnos_runtime::call::Spec;
use serde_json::json;
use std::process::ExitCode;

/// So many things of a step are named on the screen.
const NAMED: usize = 10;

/// Shows a request that was taken through its steps.
pub(super) fn show(printer: Printer, gateway: &Gateway, dry: &Dry) -> ExitCode {
    printer.progress_end();
    let refused = dry.steps.iter().any(|step| step.state == Rehearsed::Refused);
    let fine = !refused && matches!(dry.status, None | Some(Status::Done | Status::Partly));
    printer.value(&json!({
        "ok": fine, "dry_run": true, "status": dry.status, "text": dry.text, "steps": dry.steps,
    }));
    printer.say(gateway.say(&dry.language, "dry_run", &[]));
    for step in &dry.steps {
        one(printer, step, gateway, &dry.language);
    }
    if let Some(text) = &dry.text {
        printer.say(text);
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(printer: Printer, step: &StepRehearsed, gateway: &Gateway, language: &str) {
    let say = |key: &str, values: &[(&str, &str)]| gateway.say(language, key, values);
    let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
    printer.say(format!("{}. {} {}", step.step, step.tool, args.join(" ")).trim_end());
    let count = step.would.count.to_string();
    let needs: Vec<String> = step.needs.iter().map(ToString::to_string).collect();
    let told = match step.state {
        Rehearsed::Looked => say("dry_looked", &[("count", &count)]),
        Rehearsed::Would => say("dry_would", &[]),
        Rehearsed::Asks => say("dry_asks", &[]),
        Rehearsed::Depends => say("dry_depends", &[("steps", &needs.join(", "))]),
        Rehearsed::Refused => {
            let why = step.error.as_ref().map_or("", |error| error.message.as_str());
            say("dry_refused", &[("why", why)])
        }
        Rehearsed::Unreached => say("dry_unreached", &[]),
    };
    printer.say(format!("   {told}"));
    for line in step.would.card.iter().flat_map(|card| card.lines()) {
        printer.say(format!("   | {line}"));
    }
    if step.state == Rehearsed::Looked {
        return;
    }
    let to = step.would.destination.as_ref().map(|place| format!(" → {place}")).unwrap_or_default();
    for file in step.would.files.iter().take(NAMED) {
        printer.say(format!("   {file}{to}"));
    }
    if step.would.files.is_empty() && !to.is_empty() {
        printer.say(format!("  {to}"));
    }
    let more = step.would.count.saturating_sub(NAMED as u64);
    if more > 0 && !step.would.files.is_empty() {
        printer.say(format!("   {}", say("dry_more", &[("count", &more.to_string())])));
    }
    if let Some(hint) = step.error.as_ref().and_then(|error| error.hint.as_ref()) {
        printer.say(format!("   → {hint}"));
    }
}

/// Looks at a single call.
pub(super) fn call(printer: Printer, runtime: Runtime, spec: Spec) -> Result<ExitCode, Failure> {
    let (tool, args, language) = (spec.executor.clone(), spec.args.clone(), spec.lang.clone());
    let gateway = Gateway::new(runtime)?;
    let would = gateway.runtime().rehearse(spec)?;
    let state = if would.card.is_some() { Rehearsed::Asks } else { Rehearsed::Would };
    let step = StepRehearsed { step: 1, tool, args, state, would, needs: Vec::new(), error: None };
    Ok(show(printer, &gateway, &Dry { language, steps: vec![step], text: None, status: None }))
}
