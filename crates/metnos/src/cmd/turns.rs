//! `metnos turns`: what was asked, how it ended, and one turn from its words to its end.

use crate::print::Printer;
use metnos_executor::Failure;
use metnos_gateway::Gateway;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// The latest turns.
pub(crate) fn list(printer: Printer, most: u32) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let rows: Vec<Map<String, Value>> = gateway
        .turns(most)?
        .into_iter()
        .map(|turn| {
            let status = turn.status.unwrap_or_else(|| "interrupted".into());
            [
                ("turn", turn.id.into()),
                ("at", turn.began_at.into()),
                ("status", status.into()),
                ("stage", turn.stage.into()),
                ("request", turn.request.into()),
            ]
            .into_iter()
            .map(|(key, value): (&str, Value)| (key.to_owned(), value))
            .collect()
        })
        .collect();
    printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
    printer.table(&rows);
    Ok(ExitCode::SUCCESS)
}

/// One turn.
pub(crate) fn one(printer: Printer, id: &str) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let Some(seen) = gateway.view(id)? else {
        return Err(Failure::wrong_args(format!("there is no turn {id}")).with_hint("metnos turns"));
    };
    let turn = &seen.turn;
    let phases: Value =
        turn.phases.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!({}));
    let status = turn.status.as_deref().unwrap_or("interrupted");
    printer.value(&json!({
        "turn": turn.id, "at": turn.began_at, "ended_at": turn.ended_at, "request": turn.request, "status": status,
        "stage": turn.stage, "phases": phases, "steps": seen.steps, "done": seen.done, "text": seen.text,
    }));
    printer.say(format!("{} · {} · {status}", turn.began_at, turn.request));
    for (n, step) in seen.steps.iter().enumerate() {
        let mark = seen.done.get(n).map_or("not begun".to_owned(), |got| got.clone());
        printer.say(format!("{}. {step}: {mark}", n + 1));
    }
    if let Some(text) = &seen.text {
        printer.say(text);
    }
    let spent: Vec<String> = phases
        .as_object()
        .into_iter()
        .flatten()
        .map(|(phase, took)| {
            let (name, unit) = phase.rsplit_once('_').unwrap_or((phase, ""));
            format!("{name} {took} {unit}")
        })
        .collect();
    if let Some(stage) = &turn.stage {
        printer.say(format!("planned by {stage}; {}", spent.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}
