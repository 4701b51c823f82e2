//! Lines of cron, field by field.

use crate::sense::{DayPart, TimeUnit};

/// The fields of a cron line.
#[derive(Clone, Debug)]
pub(super) struct Cron {
    pub(super) minute: String,
    pub(super) hour: String,
    pub(super) day: String,
    pub(super) month: String,
    pub(super) weekday: String,
    /// Which day is still to be said.
    pub(super) open: Option<TimeUnit>,
    /// Whether the hours are part of the step.
    pub(super) timed: bool,
    pub(super) part: Option<DayPart>,
}

impl Cron {
    pub(super) fn days(day: &str, weekday: &str) -> Self {
        let [minute, hour, day, month, weekday] = ["0", "*", day, "*", weekday].map(str::to_owned);
        Self { minute, hour, day, month, weekday, open: None, timed: false, part: None }
    }

    pub(super) fn step(minute: &str, hour: &str) -> Self {
        Self { minute: minute.to_owned(), hour: hour.to_owned(), timed: true, ..Self::days("*", "*") }
    }

    /// Once in such a unit, on a day that is to be said.
    pub(super) fn once_a(unit: TimeUnit) -> Self {
        let (day, weekday) = match unit {
            TimeUnit::Week => ("*", "1"),
            TimeUnit::Month => ("1", "*"),
            _ => ("*", "*"),
        };
        Self { open: Some(unit), ..Self::days(day, weekday) }
    }

    /// Every `n` units, where that is a line of cron.
    pub(super) fn every(n: i8, unit: TimeUnit) -> Option<Self> {
        let step = if n == 1 { "*".to_owned() } else { format!("*/{n}") };
        match unit {
            TimeUnit::Minute if n < 60 && 60 % n == 0 => Some(Self::step(&step, "*")),
            TimeUnit::Hour if n < 24 && 24 % n == 0 => Some(Self::step("0", &step)),
            TimeUnit::Day if n == 1 => Some(Self::days("*", "*")),
            TimeUnit::Week | TimeUnit::Month | TimeUnit::Year if n == 1 => Some(Self::once_a(unit)),
            _ => None,
        }
    }

    pub(super) fn line(&self) -> String {
        format!("{} {} {} {} {}", self.minute, self.hour, self.day, self.month, self.weekday)
    }
}
