//! The user's clock and zone, given from outside: the planner has none of its own.

use jiff::civil::Date;
use jiff::{Span, Zoned};
use std::cell::Cell;

/// The instant a plan is made for.
#[derive(Clone, Debug)]
pub struct Clock {
    now: Zoned,
    /// Whether anybody looked at it: what is planned without a look holds at any time.
    asked: Cell<bool>,
}

/// Why a clock could not be set.
#[derive(Debug, thiserror::Error)]
#[error("clock: {0}")]
pub struct ClockError(#[from] jiff::Error);

impl Clock {
    /// A clock that stands at `now`.
    pub fn at(now: Zoned) -> Self {
        Self { now, asked: Cell::new(false) }
    }

    /// A clock from an RFC 3339 instant and the name of a zone.
    pub fn parse(now: &str, zone: &str) -> Result<Self, ClockError> {
        let instant: jiff::Timestamp = now.parse()?;
        Ok(Self::at(instant.in_tz(zone)?))
    }

    /// The same clock, at which nobody has looked yet.
    pub(crate) fn unasked(&self) -> Self {
        Self::at(self.now.clone())
    }

    pub(crate) fn was_asked(&self) -> bool {
        self.asked.get()
    }

    pub(crate) fn now(&self) -> &Zoned {
        self.asked.set(true);
        &self.now
    }

    pub(crate) fn today(&self) -> Date {
        self.now().date()
    }

    /// A local date and time as an instant with its offset; of a skipped hour the one after.
    pub(crate) fn instant(&self, date: Date, hour: i8, minute: i8) -> Option<String> {
        let at = date.at(hour, minute, 0, 0).to_zoned(self.now().time_zone().clone()).ok()?;
        Some(stamp(&at))
    }

    /// Now and so much later, on the minute when it is one.
    pub(crate) fn later(&self, span: Span) -> Option<String> {
        self.now().checked_add(span).ok().map(|at| stamp(&at))
    }
}

fn stamp(at: &Zoned) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
