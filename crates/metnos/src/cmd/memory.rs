//! `metnos memory plans`: what was learned from requests that went well.

use crate::cli::{Memory, Plans};
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_gateway::{Gateway, Listed, Plan};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Lists, shows, stars, rejects or forgets.
pub(crate) fn run(printer: Printer, command: Memory) -> Result<ExitCode, Failure> {
    let Memory::Plans { command, by } = command;
    let gateway = Gateway::new(super::runtime(false)?)?;
    let caller = super::caller(by.as_deref());
    match command {
        None => list(printer, &gateway.plans(&caller)?),
        Some(Plans::Show { id }) => show(printer, &gateway.kept_plan(&caller, id)?),
        Some(Plans::Star { id }) => told(printer, &gateway.star(&caller, id)?),
        Some(Plans::Reject { id }) => told(printer, &gateway.reject(&caller, id)?),
        Some(Plans::Forget { id, .. }) => {
            let count = gateway.forget_plans(&caller, id)?;
            printer.value(&json!({ "forgotten": count }));
            printer.say(format!("{count} forgotten; the same requests are planned again"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Stars the plan of the last answer at the prompt.
pub(crate) fn star_last(printer: Printer, gateway: &Gateway) -> Result<(), Failure> {
    match gateway.star_last(super::USER, &super::session())? {
        Some(listed) => told(printer, &listed),
        None => printer.say("nothing was kept of the last answer: it needed no plan, or it did not end well"),
    }
    Ok(())
}

fn list(printer: Printer, plans: &[Listed]) {
    printer.value(&Value::Array(plans.iter().map(|listed| Value::Object(record(listed))).collect()));
    if plans.is_empty() {
        printer.say("nothing was learned yet");
        return;
    }
    let short = |listed: &Listed| {
        let mut row = record(listed);
        row.retain(|key, _| !matches!(key.as_str(), "source" | "last_at" | "language"));
        row
    };
    printer.table(&plans.iter().map(short).collect::<Vec<_>>());
}

fn show(printer: Printer, listed: &Listed) {
    let mut row = record(listed);
    row.insert("steps".into(), json!(listed.plan.steps));
    row.insert("made".into(), listed.kept.made.clone().into());
    row.insert("tools".into(), serde_json::from_str(&listed.kept.tools).unwrap_or(Value::Null));
    row.insert("last_turn".into(), listed.kept.last_turn.clone().into());
    printer.value(&Value::Object(row.clone()));
    for (key, value) in row.iter().filter(|(key, _)| !matches!(key.as_str(), "steps" | "tools" | "plan")) {
        printer.say(format!("{key}: {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    }
    super::ask::steps(printer, &listed.plan);
}

fn told(printer: Printer, listed: &Listed) {
    printer.value(&Value::Object(record(listed)));
    let Listed { kept, standing, .. } = listed;
    printer.say(format!("plan {} ({}): {}, {}", kept.id, kept.request, standing.state, standing.why));
}

fn record(Listed { kept, plan, standing }: &Listed) -> Map<String, Value> {
    let fields: [(&str, Value); 11] = [
        ("id", kept.id.into()),
        ("kind", kept.kind.clone().into()),
        ("request", kept.request.clone().into()),
        ("plan", words(plan).into()),
        ("uses", kept.uses.into()),
        ("failures", kept.failures.into()),
        ("state", standing.state.into()),
        ("why", standing.why.clone().into()),
        ("source", kept.source.clone().into()),
        ("language", kept.language.clone().into()),
        ("last_at", kept.last_at.clone().into()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A plan in one line.
fn words(plan: &Plan) -> String {
    let step = |step: &metnos_engine::Step| {
        let args = step.args.iter().filter(|(name, _)| !name.starts_with("from_"));
        let args: Vec<String> = args.map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {}", step.tool, args.join(" ")).trim_end().to_owned()
    };
    plan.steps.iter().map(step).collect::<Vec<_>>().join(" → ")
}
