//! `metnos turns`, `metnos replay`: what was asked, how it ended, and the same decided again.

use crate::print::Printer;
use metnos_executor::Failure;
use metnos_gateway::{Gateway, ModelCall};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Decides a turn again from its log.
pub(crate) fn replay(printer: Printer, turn: &str, diff: bool) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    gateway.turn(turn)?.ok_or_else(|| unknown(turn))?;
    let replayed = gateway.replay(turn)?;
    printer.value(&serde_json::to_value(&replayed).map_err(|e| Failure::internal(e.to_string()))?);
    let same = replayed.differences.is_empty();
    let verdict = if same { "the same, byte for byte" } else { "something else would be decided now" };
    printer.say(format!("{} events: {verdict}", replayed.events));
    for (n, then, now) in replayed.differences.iter().filter(|_| diff) {
        printer.say(format!("event {n}"));
        then.iter().for_each(|effect| printer.say(format!("- {effect}")));
        now.iter().for_each(|effect| printer.say(format!("+ {effect}")));
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

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
        return Err(unknown(id));
    };
    let turn = &seen.turn;
    let calls = gateway.model_calls(id)?;
    let models: Vec<Map<String, Value>> = calls.iter().map(row).collect();
    let sum = |of: fn(&ModelCall) -> u64| calls.iter().map(of).sum::<u64>();
    let (tokens, cost) = (sum(|call| call.tokens_in + call.tokens_out), sum(|call| call.cost));
    let phases: Value =
        turn.phases.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!({}));
    let status = turn.status.as_deref().unwrap_or("interrupted");
    printer.value(&json!({
        "turn": turn.id, "at": turn.began_at, "ended_at": turn.ended_at, "request": turn.request, "status": status,
        "stage": turn.stage, "phases": phases, "steps": seen.steps, "done": seen.done, "text": seen.text,
        "models": models, "tokens": tokens, "cost": cost,
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
    if !models.is_empty() {
        printer.table(&models);
        printer.say(format!("{tokens} tokens, {} spent", money(cost)));
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(id: &str) -> Failure {
    Failure::wrong_args(format!("there is no turn {id}")).with_hint("metnos turns")
}

fn row(call: &ModelCall) -> Map<String, Value> {
    let fields: [(&str, Value); 7] = [
        ("role", call.role.clone().into()),
        ("model", call.model.clone().into()),
        ("outcome", call.outcome.clone().into()),
        ("tokens_in", call.tokens_in.into()),
        ("tokens_out", call.tokens_out.into()),
        ("ms", call.ms.into()),
        ("cost", call.cost.into()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Millionths as a number a person reads.
fn money(cost: u64) -> String {
    format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000)
}
