//! The answer of a request on the screen: read from one value, so that it is the same with a daemon and without one.

use super::forms;
use crate::print::Printer;
use metnos_doors::TurnAnswer;
use metnos_executor::Failure;
use metnos_gateway::{Cut, Gateway};
use serde_json::json;
use std::process::ExitCode;

/// A turn of this process as it stands, with all of its rows where a program reads them.
pub(super) fn of(printer: Printer, gateway: &Gateway, turn: &str) -> Result<TurnAnswer, Failure> {
    let known = gateway.turn(turn)?.ok_or_else(|| Failure::internal(format!("turn {turn} is gone")))?;
    let mut answer = TurnAnswer::of(gateway, known)?;
    if printer.json && answer.count > answer.entries.len() as u64 {
        (answer.entries, answer.count) = gateway.shown(turn, 0, usize::MAX)?;
    }
    Ok(answer)
}

/// Shows an answer and says how the process should end.
pub(crate) fn show(printer: Printer, answer: &TurnAnswer, cut: &[Cut]) -> Result<ExitCode, Failure> {
    printer.progress_end();
    let (asks, lacks) = (answer.status == "asks", answer.question.is_none());
    let next = match &answer.offer {
        Some(_) => Some(forms::pick(&answer.turn)),
        None => forms::next(&answer.turn, asks, lacks, answer.next.as_deref()),
    };
    if printer.json {
        let mut value = serde_json::to_value(answer).map_err(|e| Failure::internal(e.to_string()))?;
        if let Some(next) = next {
            value["next"] = next.into();
        }
        // The question by its id, as the commands take it, and the card beside it.
        if let Some(card) = &answer.approval {
            value["card"] = value["approval"].take();
            value["approval"] = card.id.clone().into();
        }
        if !cut.is_empty() {
            value["interrupted"] = json!(cut);
        }
        printer.value(&value);
    } else {
        printer.table_of(&answer.entries, answer.count);
        printer.say(&answer.text);
        if let Some(note) = &answer.note {
            printer.dim(note);
        }
        if let Some(next) = next {
            printer.say(format!("→ {next}"));
        }
    }
    Ok(ExitCode::from(match answer.status.as_str() {
        "done" => 0,
        "waits" | "asks" => 4,
        "cancelled" => 130,
        _ => 1,
    }))
}
