//! Dates as they come in entries and arguments, read as moments.
//!
//! Understood: RFC 3339 (with or without a zone in brackets), `YYYY-MM-DD[ HH:MM[:SS]]` in the
//! zone of the call, `YYYY-MM`, `YYYY`, the form cameras write (`YYYY:MM:DD HH:MM:SS`), the form
//! mails carry (RFC 2822), and seconds since 1970.

use super::exact::Number;
use super::field::Cell;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// Nanoseconds since 1970.
pub(super) type Moment = i128;

/// Reads dates in one zone.
#[derive(Clone)]
pub(super) struct Clock {
    zone: TimeZone,
}

/// A stretch of time: from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The first moment.
    pub(super) start: Moment,
    /// The first moment after.
    pub(super) end: Moment,
}

impl Clock {
    /// The clock of a call: plain dates mean the person's own zone.
    pub(super) fn of(now: &Zoned) -> Self {
        Self { zone: now.time_zone().clone() }
    }

    /// The moment a value names; a plain date is its first moment.
    pub(super) fn read(&self, cell: &Cell<'_>) -> Option<Moment> {
        match cell {
            Cell::Number(raw) => epoch(raw),
            Cell::Text(text) => self.parse(text),
            _ => None,
        }
    }

    /// The moment a text names.
    pub(super) fn parse(&self, text: &str) -> Option<Moment> {
        let text = text.trim();
        let shape = text.as_bytes();
        // Most texts are no dates; this says so before any parser runs.
        if shape.len() < 4 || shape.len() > 80 || !shape.iter().any(u8::is_ascii_digit) {
            return None;
        }
        if !shape[0].is_ascii_digit() && shape[0] != b'-' {
            return jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp().as_nanosecond());
        }
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Some(moment.as_nanosecond());
        }
        if let Some(date) = plain_date(text) {
            return self.start(date.to_datetime(jiff::civil::Time::midnight()));
        }
        if let Some(date_time) = camera(text) {
            return self.start(date_time);
        }
        if shape.get(4) == Some(&b'-')
            && let Ok(date_time) = text.parse::<DateTime>()
        {
            return self.start(date_time);
        }
        epoch(text)
            .or_else(|| jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp().as_nanosecond()))
    }

    /// The stretch a value names: a plain date is its whole day, a moment is as short as can be.
    pub(super) fn stretch(&self, cell: &Cell<'_>) -> Option<Stretch> {
        let start = self.read(cell)?;
        if let Cell::Text(text) = cell
            && let Some(date) = plain_date(text.trim())
            && text.trim().len() == 10
            && let Ok(next) = date.checked_add(1.day())
            && let Some(end) = self.start(next.to_datetime(jiff::civil::Time::midnight()))
        {
            return Some(Stretch { start, end });
        }
        Some(Stretch { start, end: start.saturating_add(1) })
    }

    /// The day of a moment in this clock's zone.
    pub(super) fn date(&self, moment: Moment) -> Option<Date> {
        Timestamp::from_nanosecond(moment).ok().map(|t| t.to_zoned(self.zone.clone()).date())
    }

    fn start(&self, date_time: DateTime) -> Option<Moment> {
        let zoned = self.zone.to_ambiguous_zoned(date_time).compatible().ok()?;
        Some(zoned.timestamp().as_nanosecond())
    }
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, each as its first day.
fn plain_date(text: &str) -> Option<Date> {
    let number = |range: std::ops::Range<usize>| -> Option<i16> {
        let digits = text.get(range)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let dash = |at: usize| text.as_bytes().get(at) == Some(&b'-');
    let small = |n: i16| i8::try_from(n).ok();
    match text.len() {
        4 => Date::new(number(0..4)?, 1, 1).ok(),
        7 if dash(4) => Date::new(number(0..4)?, small(number(5..7)?)?, 1).ok(),
        10 if dash(4) && dash(7) => {
            Date::new(number(0..4)?, small(number(5..7)?)?, small(number(8..10)?)?).ok()
        }
        _ => None,
    }
}

fn camera(text: &str) -> Option<DateTime> {
    let (date, time) = text.split_once(' ')?;
    if date.len() != 10 || date.as_bytes().get(4) != Some(&b':') {
        return None;
    }
    format!("{}T{time}", date.replacen(':', "-", 2)).parse().ok()
}

fn epoch(text: &str) -> Option<Moment> {
    let seconds = match text.parse::<i64>() {
        Ok(whole) => i128::from(whole).checked_mul(1_000_000_000)?,
        // A float cannot carry nanoseconds of this century; microseconds are what it can.
        Err(_) => ((Number::parse(text)?.nearest() * 1e6).round() as i128).checked_mul(1000)?,
    };
    Timestamp::from_nanosecond(seconds).ok().map(|t| t.as_nanosecond())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn clock() -> Clock {
        Clock::of(&"2026-11-15T10:00:00+01:00[Europe/Rome]".parse().unwrap())
    }

    #[test]
    fn every_spelling_of_a_moment_is_that_moment() {
        let seconds = |text: &str| clock().parse(text).map(|ns| ns / 1_000_000_000);
        let noon = Some(1_763_204_400);
        for text in [
            "2025-11-15T11:00:00Z",
            "2025-11-15T12:00:00+01:00",
            "2025-11-15T12:00:00+01:00[Europe/Rome]",
            "2025-11-15 12:00:00",
            "2025-11-15T12:00",
            "2025:11:15 12:00:00",
            "Sat, 15 Nov 2025 12:00:00 +0100",
            "15 Nov 2025 12:00:00 +0100",
            "1763204400",
            "1763204400.0",
        ] {
            assert_eq!(seconds(text), noon, "{text}");
        }
        assert_eq!(seconds("2025-11-15"), noon.map(|n| n - 12 * 3600));
        assert_eq!(seconds("2025-11"), seconds("2025-11-01"));
        assert_eq!(seconds("2025"), seconds("2025-01-01"));
        for text in ["", "2025-13-01", "2025-02-30", "hello 12", "99999999999999", "1,5", "IMG_2025.jpg"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,40}") {
            let _ = clock().parse(&text);
            let _ = clock().stretch(&Cell::Text(text.into()));
        }

        #[test]
        fn no_number_breaks_it(text in "[-0-9.eE:T ]{0,30}") {
            let _ = clock().parse(&text);
        }
    }
}
