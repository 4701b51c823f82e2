//! `metnos policy` and `metnos why`: what is decided, and why.

use super::{USER, caller, session};
use crate::cli::Policy;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::guards::{Grant, GrantScope};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Shows and changes what is decided.
pub(crate) fn run(printer: Printer, command: Policy) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Policy::Table => rows(printer, runtime.policy_table()),
        Policy::Check { capability, target, by } => {
            let ruling = runtime.policy_check(&caller(by.as_deref()), &session(), &capability, &target)?;
            let value = serde_json::to_value(&ruling).map_err(|e| Failure::internal(e.to_string()))?;
            printer.value(&value);
            printer.say(format!("{}: {}", value["decision"].as_str().unwrap_or_default(), ruling.text));
            printer.say(format!("  row {} · level {}", ruling.row, ruling.level));
        }
        Policy::Grants => {
            let held = runtime.held()?;
            let now = jiff::Timestamp::now();
            let mut list: Vec<Value> = held
                .grants
                .iter()
                .map(|grant| {
                    let by = grant.executor.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
                    let (scope, ends) = scope(grant);
                    json!({ "id": grant.id, "what": format!("{by}may {}", grant.capability), "where": grant.target,
                        "who": format!("{}/{}", grant.user, grant.channel), "scope": scope, "ends": ends,
                        "in_force": grant.is_live(now) })
                })
                .collect();
            list.extend(held.rules.iter().map(|rule| {
                json!({ "id": rule.id, "what": rule.text, "where": rule.target, "who": rule.user,
                    "in_force": rule.is_live(now) })
            }));
            list.extend(held.commands.iter().map(|rule| {
                let what = format!("{} command", rule.list.as_str());
                json!({ "id": rule.signature, "what": what, "where": "admin", "who": rule.by, "in_force": true })
            }));
            list.extend(held.damaged.iter().map(|row| {
                let (kind, id) = row.split_once(' ').unwrap_or(("", row));
                json!({ "id": id, "what": format!("damaged {kind}"), "where": "", "who": "", "in_force": false })
            }));
            if list.is_empty() {
                printer.say("nothing was granted and nothing is forbidden");
            }
            rows(printer, list);
        }
        Policy::Revoke { id } => {
            let what = runtime.revoke(&id, USER)?;
            printer.value(&json!({ "revoked": id, "what": what }));
            printer.say(format!("the {what} no longer counts"));
        }
        Policy::Level { level, of } => {
            let who = caller(of.as_deref());
            if let Some(level) = level {
                let level = level.parse().map_err(|e: metnos_runtime::guards::NotALevel| {
                    Failure::wrong_args(e.to_string()).with_hint("read-only, supervised or full")
                })?;
                runtime.set_level(&who, level, USER)?;
            }
            let level = runtime.level(&who)?;
            printer.value(&json!({ "of": who, "level": level }));
            printer.say(format!("{who} acts at level {level}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(printer: Printer, list: Vec<Value>) {
    printer.value(&Value::Array(list.clone()));
    let rows: Vec<Map<String, Value>> = list.into_iter().filter_map(|v| v.as_object().cloned()).collect();
    printer.table(&rows);
}

/// What the guards said about a call, a step of a turn, or every step of it.
pub(crate) fn why(printer: Printer, id: &str, step: Option<u32>) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    let calls = match (runtime.steps_of(id)?, step) {
        (Some(steps), Some(step)) if step == 0 || step > steps => {
            return Err(Failure::wrong_args(format!(
                "turn {id} has {steps} steps that a guard was asked about"
            )));
        }
        (Some(_), Some(step)) => vec![format!("{id}-{step}")],
        (Some(steps), None) => (1..=steps).map(|step| format!("{id}-{step}")).collect(),
        (None, Some(_)) => return Err(Failure::wrong_args(format!("{id} is no turn, so it has no steps"))),
        (None, None) => vec![id.to_owned()],
    };
    let mut all = Vec::new();
    for call in &calls {
        let verdicts = runtime.why(call)?;
        if calls.len() > 1 {
            printer.say(call);
        }
        for verdict in &verdicts {
            let text = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
            printer
                .say(format!("{:<9} {:<6} {}", text("guard"), text("decision"), text("reason")).trim_end());
            for part in verdict["parts"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                printer.say(format!("          {part}"));
            }
        }
        if verdicts.is_empty() {
            printer.tell("no guard was asked about it");
        }
        all.extend(verdicts.into_iter().map(|mut verdict| {
            verdict["call"] = call.as_str().into();
            verdict
        }));
    }
    if calls.is_empty() {
        printer.tell("this turn made no call, so no guard was asked");
    }
    printer.value(&Value::Array(all));
    Ok(ExitCode::SUCCESS)
}

/// For what a grant holds, and when it ends.
fn scope(grant: &Grant) -> (&'static str, String) {
    let revoked = grant.revoked_at.map(|at| format!("ended {at:.0}"));
    let expires = grant.expires_at.map(|at| format!("{at:.0}"));
    let (scope, ends) = match &grant.scope {
        GrantScope::Always => ("always", "when it is revoked"),
        GrantScope::Session(id) if *id == session() => ("session", "with this terminal"),
        GrantScope::Session(id) if id.starts_with("cli-") => ("session", "with another terminal"),
        GrantScope::Session(_) => ("session", "at the logout, or when the daemon stops"),
        GrantScope::Schedule { .. } => ("schedule", "with its schedule"),
    };
    (scope, revoked.or(expires).unwrap_or_else(|| ends.to_owned()))
}
