//! One figure, one JSON line.

use crate::sample::Sample;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// In what a duration is shown.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    fn of(self, took: Duration) -> f64 {
        let seconds = took.as_secs_f64();
        round(match self {
            Self::Us => seconds * 1e6,
            Self::Ms => seconds * 1e3,
            Self::S => seconds,
        })
    }
}

/// Four digits are more than such measurements are worth.
fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powf(3.0 - value.abs().log10().floor());
    (value * scale).round() / scale
}

/// What was measured, what it is held against, and whether that is good enough.
pub(crate) struct Figure {
    unit: Unit,
    ours: f64,
    least: f64,
    fields: Map<String, Value>,
}

impl Figure {
    /// A duration: median, with 95th percentile, minimum and number of measurements.
    pub(crate) fn timing(name: &str, unit: Unit, ours: &Sample) -> Self {
        let mut figure = Self::value(name, unit.name(), unit.of(ours.median()));
        figure.unit = unit;
        figure.least = unit.of(ours.min());
        figure
            .with("p95", unit.of(ours.percentile(95)))
            .with("min", unit.of(ours.min()))
            .with("runs", ours.len())
    }

    /// Anything else that is one number.
    pub(crate) fn value(name: &str, unit: &str, ours: f64) -> Self {
        let fields = Map::from_iter([
            ("figure".to_owned(), name.into()),
            ("unit".to_owned(), unit.into()),
            ("ours".to_owned(), round(ours).into()),
        ]);
        Self { unit: Unit::S, ours, least: ours, fields }
    }

    /// Something else worth saying beside it.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    /// The peer, measured in the same run; the medians make the ratio. That of the minima is what
    /// a machine with nothing else to do comes close to.
    pub(crate) fn against(self, what: impl Into<String>, theirs: &Sample) -> Self {
        let (value, min) = (self.unit.of(theirs.median()), self.unit.of(theirs.min()));
        let (ratio, ratio_min) = (round(self.ours / value), round(self.least / min));
        let peer = json!({ "what": what.into(), "value": value, "min": min });
        self.with("against", peer).with("ratio", ratio).with("ratio_min", ratio_min)
    }

    /// The ratio must not be above `bar`.
    pub(crate) fn ratio_at_most(self, bar: f64) -> Self {
        let ratio = self.fields.get("ratio").and_then(Value::as_f64);
        let met = ratio.is_some_and(|r| r <= bar);
        self.with("bar", bar).with("met", met)
    }

    /// Our own value must not be above `bar`.
    pub(crate) fn at_most(self, bar: f64) -> Self {
        let met = self.ours <= bar;
        self.with("bar", bar).with("met", met)
    }

    /// Prints it.
    pub(crate) fn print(mut self) {
        for absent in ["against", "ratio", "bar", "met"] {
            self.fields.entry(absent).or_insert(Value::Null);
        }
        say(&Value::Object(self.fields));
    }
}

/// A figure that cannot be measured here, said as loudly as one that can.
pub(crate) fn skipped(name: &str, why: &str) {
    say(&json!({ "figure": name, "skipped": why }));
}

/// A figure that should have been measured.
pub(crate) fn broken(name: &str, why: &str) {
    say(&json!({ "figure": name, "failed": why }));
}

#[allow(clippy::print_stdout, reason = "the figures are the output of this program")]
fn say(line: &Value) {
    println!("{line}");
}

/// Tells the person what takes long or went wrong, apart from the figures.
#[allow(clippy::print_stderr, reason = "not a figure")]
pub(crate) fn complain(text: &str) {
    eprintln!("bench: {text}");
}
