//! `metnos turns`, `metnos replay`: what was asked, how it ended, and the same decided again.

use crate::print::Printer;
use metnos_doors::{ModelAsked, TurnListed, TurnSteps};
use metnos_executor::Failure;
use metnos_gateway::{Gateway, Turn};
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
    let stands = |turn: Turn| TurnListed { status: gateway.standing(&turn), ..TurnListed::from(turn) };
    listed(printer, gateway.turns(most)?.into_iter().map(stands).collect())
}

/// The latest turns, of this house or of another.
pub(crate) fn listed(printer: Printer, turns: Vec<TurnListed>) -> Result<ExitCode, Failure> {
    let rows: Vec<Map<String, Value>> = turns
        .into_iter()
        .map(|turn| {
            let status = turn.status;
            [
                ("turn", turn.turn.into()),
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
    let seen = TurnSteps::of(&gateway, id)?.ok_or_else(|| unknown(id))?;
    shown(printer, &seen)
}

/// One turn, of this house or of another.
pub(crate) fn shown(printer: Printer, seen: &TurnSteps) -> Result<ExitCode, Failure> {
    printer.value(&json!(seen));
    printer.say(format!("{} · {} · {}", seen.at, seen.request, seen.status));
    for (n, step) in seen.steps.iter().enumerate() {
        let mark = seen.done.get(n).cloned().unwrap_or_else(|| crate::print::own("not begun"));
        printer.say(format!("{}. {step}: {mark}", n + 1));
    }
    if let Some(text) = &seen.text {
        printer.say(text);
    }
    let spent: Vec<String> = seen
        .phases
        .iter()
        .map(|(phase, took)| {
            let (name, unit) = phase.rsplit_once('_').unwrap_or((phase, ""));
            format!("{name} {took} {unit}")
        })
        .collect();
    if let Some(stage) = &seen.stage {
        printer.tell(format!("planned by {stage}; {}", spent.join(", ")));
    }
    if !seen.models.is_empty() {
        printer.table(&seen.models.iter().filter_map(row).collect::<Vec<_>>());
        printer.tell(format!("{} tokens, {} spent", seen.tokens, money(seen.cost)));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn unknown(id: &str) -> Failure {
    Failure::wrong_args(format!("there is no turn {id}")).with_hint("metnos turns")
}

fn row(call: &ModelAsked) -> Option<Map<String, Value>> {
    serde_json::to_value(call).ok()?.as_object().cloned()
}

/// Millionths as a number a person reads.
fn money(cost: u64) -> String {
    format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000)
}
