//! One turn for the eye, told from its log.

use crate::conduct::Gateway;
use metnos_executor::Failure;
use metnos_memory::db::Turn;
use metnos_turn::{Event, Got, State};
use serde_json::Value;
use std::collections::BTreeMap;

/// A turn, from its words to its end.
pub struct Seen {
    /// What is written down of it.
    pub turn: Turn,
    /// The steps of its plan, in words.
    pub steps: Vec<String>,
    /// What came of those that ran, in words.
    pub done: Vec<String>,
    /// What was said at the end.
    pub text: Option<String>,
}

impl Gateway {
    /// One turn, if it is known.
    pub fn view(&self, id: &str) -> Result<Option<Seen>, Failure> {
        let Some(turn) = self.turn(id)? else { return Ok(None) };
        let log = self.told_entries(id).unwrap_or_default();
        let text = log.last().and_then(|entry| Some(entry.effects.last()?.get("text")?.as_str()?.to_owned()));
        // A step that waited was observed twice; what came of it at last counts.
        let done: BTreeMap<usize, String> = log
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Done { step, got } => Some((*step, outcome(got))),
                _ => None,
            })
            .collect();
        let done = done.into_values().collect();
        let state =
            log.into_iter().fold(State::default(), |state, entry| self.machine().step(state, entry.event).0);
        let text = match self.was_undone(id)? {
            true => self.restored_since(id)?.or_else(|| Some(self.machine().undone(&state).text)),
            false => text,
        };
        let steps = state.plan.map(|plan| plan.steps).unwrap_or_default();
        let words = |name: &String, value: &Value| format!("{name}={value}");
        let steps = steps.iter().map(|step| {
            let args: Vec<String> = step.args.iter().map(|(name, value)| words(name, value)).collect();
            format!("{} {}", step.tool, args.join(" ")).trim_end().to_owned()
        });
        Ok(Some(Seen { turn, steps: steps.collect(), done, text }))
    }
}

fn outcome(got: &Got) -> String {
    match (&got.error, got.fail_count) {
        (Some(error), _) => format!("{}: {}", error.class, error.message),
        (None, 0) => format!("{} ok", got.ok_count),
        (None, failed) => format!("{} ok, {failed} failed", got.ok_count),
    }
}
