//! A turn fed again. Every decision is made anew; only what happened outside comes from the log.

use crate::{Effect, Event, Machine, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of the log: what happened, and what was decided then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// What was decided, as it was written down.
    pub effects: Vec<Value>,
}

/// What a replay found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// Lines fed.
    pub events: usize,
    /// Lines at which something else is decided now: number, then, now.
    pub differences: Vec<(usize, Vec<Value>, Vec<Value>)>,
}

impl Entry {
    /// The line for an event and what followed from it.
    pub fn new(event: Event, effects: &[Effect]) -> Result<Self, serde_json::Error> {
        let effects = effects.iter().map(serde_json::to_value).collect::<Result<_, _>>()?;
        Ok(Self { event, effects })
    }
}

/// Feeds `log` to `machine` and compares, byte for byte.
pub fn replay(machine: &Machine, log: &[Entry]) -> Result<Replayed, serde_json::Error> {
    let mut state = State::default();
    let mut differences = Vec::new();
    for (n, entry) in log.iter().enumerate() {
        let (next, effects) = machine.step(state, entry.event.clone());
        state = next;
        let now = Entry::new(entry.event.clone(), &effects)?.effects;
        let same = serde_json::to_vec(&now)? == serde_json::to_vec(&entry.effects)?;
        if !same {
            differences.push((n + 1, entry.effects.clone(), now));
        }
    }
    Ok(Replayed { events: log.len(), differences })
}
