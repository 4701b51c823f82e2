//! How long the phases of a turn took. Measured outside of every decision, so that no decision depends on it.

use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// The phases of one turn, in the order they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phases(Vec<(&'static str, Duration)>);

impl Phases {
    /// Does `work` and adds the time it took to a phase.
    pub(crate) fn time<T>(&mut self, phase: &'static str, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = work();
        let took = started.elapsed();
        match self.0.iter_mut().find(|(known, _)| *known == phase) {
            Some((_, sum)) => *sum += took,
            None => self.0.push((phase, took)),
        }
        done
    }

    /// As they are kept: microseconds, or milliseconds for what is named so.
    pub(crate) fn json(&self) -> String {
        let value = |(phase, took): &(&'static str, Duration)| {
            let unit = if phase.ends_with("_ms") { 1e3 } else { 1e6 };
            ((*phase).to_owned(), Value::from((took.as_secs_f64() * unit * 10.0).round() / 10.0))
        };
        Value::Object(self.0.iter().map(value).collect::<Map<_, _>>()).to_string()
    }
}
