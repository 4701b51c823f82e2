//! Days, windows and moments. One pass finds the days and the hours that are said; then each is put together with
//! what bounds it and with what stands beside it.

mod clock;
mod days;
mod moment;
mod window;
mod words;

use super::{Mention, Reading, What};
use crate::sense::{DayPart, Period, Relation, Sense, TimeUnit, TimeWord};
use days::{Days, hours_of};

pub(super) use clock::{Clock, Hours};
pub(super) use words::Found;

/// What is said of time, in the order of the tokens.
#[derive(Debug, Default)]
pub(crate) struct Times {
    days: Vec<Days>,
    pub(crate) hours: Vec<Hours>,
}

/// Adds what is said.
pub(super) fn read(reading: Reading<'_>, all: &mut Vec<Mention>) {
    let mut found = Vec::new();
    let mut lengths: Vec<Mention> =
        all.iter().filter(|m| matches!(m.what, What::Length(_))).cloned().collect();
    lengths.sort_by_key(|length| length.from);
    let times = reading.times(&lengths, &mut found);
    let mut rest = times.days.as_slice();
    while !rest.is_empty() {
        let taken = reading.windows(rest, &mut found);
        rest = rest.get(taken..).unwrap_or_default();
    }
    for days in &times.days {
        reading.parts_of(days, &mut found);
        // "5/6" where both orders are in use.
        if let Some((past, ahead)) = reading.day_first(days.from).filter(|_| days.is_doubtful()) {
            window::push(&mut found, (days.from, days.end), days.cost, past, ahead);
        }
    }
    reading.moments(&times, &mut found);
    let mut again = Vec::new();
    // What belongs to a recurrence is no time of its own.
    let mut taken = vec![0; reading.lattice.tokens.len()];
    for (i, (from, to)) in super::repeat::read(reading, &times, &mut again).into_iter().enumerate() {
        taken[from..to].fill(i + 1);
    }
    found.retain(|mention| {
        let (first, last) = (taken[mention.from], taken[mention.to - 1]);
        first == 0 || first != last || matches!(mention.what, What::DayPart(_))
    });
    all.append(&mut found);
    all.append(&mut again);
}

impl Reading<'_> {
    /// The days and hours of the request; what needs no other time beside it is added at once.
    fn times(&self, lengths: &[Mention], all: &mut Vec<Mention>) -> Times {
        let mut times = Times::default();
        let mut at = 0;
        while at < self.lattice.tokens.len() {
            if let Some(part) = self.part(at) {
                all.push(Mention {
                    cost: part.cost,
                    ..Mention::new(at, part.end, What::DayPart(part.value))
                });
            }
            self.stamp(at, all);
            let hours = self.hours_at(at);
            let days = self.days_at(at).filter(|days| hours.is_none_or(|hours| days.end > hours.end()));
            at = if let Some(end) = self.unclear(at) {
                all.push(Mention::new(at, end, What::UnclearTime));
                end
            } else if let Some(days) = days {
                times.days.push(days);
                days.end
            } else if let Some(hours) = hours {
                times.hours.push(hours);
                hours.end()
            } else {
                self.age(at, all).or_else(|| self.in_a_while(at, lengths, all)).unwrap_or(at + 1)
            };
        }
        times
    }

    /// Where a time without exact ends ends: "last summer", "a few days ago", "early October".
    fn unclear(&self, at: usize) -> Option<usize> {
        let period = |at| {
            let period = |sense| matches!(sense, Sense::Period(p) if p != Period::Hence).then_some(());
            self.take(at, period).map_or(at, |period| period.end)
        };
        let start = period(at);
        if let Some(end) =
            self.some_units(start).or_else(|| self.some_units(self.skip(at, Sense::Period(Period::Hence))))
        {
            return Some(period(end));
        }
        if let Some(end) = self.word(start, Sense::TimeWord(TimeWord::Vague)) {
            let end = period(end);
            return Some(self.year_after(end).map_or(end, |(_, end)| end));
        }
        if let Some(end) = self.one_of_several(at) {
            return Some(end);
        }
        let part = self.word(at, Sense::TimeWord(TimeWord::Part))?;
        let next = self.skip_small(part);
        let days = self.days_at(next).filter(|days| days.next_day().is_none())?;
        Some(days.end)
    }

    /// "the last week of October", "the first Monday of the month": cron and days have no such thing.
    fn one_of_several(&self, at: usize) -> Option<usize> {
        let which = |sense| matches!(sense, Sense::Ordinal(_) | Sense::Period(_)).then_some(());
        let day = |sense| matches!(sense, Sense::TimeUnit(_) | Sense::Weekday(_)).then_some(());
        let edge = |sense| matches!(sense, Sense::TimeWord(TimeWord::Start | TimeWord::End)).then_some(());
        let which = self.take(at, which).filter(|_| self.take(at, edge).is_none())?;
        let counted = self.number(which.end).map_or(which.end, |number| number.end);
        let of = self.word(self.take(counted, day)?.end, Sense::Relation(Relation::Of))?;
        let next = self.skip(of, Sense::Idle);
        let long = self.days_at(next).filter(|days| days.past.one_day().is_none()).map(|days| days.end);
        long.or_else(|| self.word(next, Sense::TimeUnit(TimeUnit::Month)))
    }

    /// "this" of "this morning" is no day without it.
    fn only_says_part(&self, days: &Days) -> bool {
        let period = |sense| matches!(sense, Sense::Period(_)).then_some(());
        self.take(days.from, period).is_some_and(|period| period.end == days.end)
            && self.part(days.end).is_some()
    }

    /// The hours of a day of which a part is said.
    fn parts_of(&self, days: &Days, all: &mut Vec<Mention>) {
        let Some(part) = self.part_beside(days) else { return };
        let span = |span: days::Span| hours_of(span.one_day()?, part.value);
        if let Some(past) = span(days.past) {
            let cost = days.cost + part.cost;
            window::push(all, (days.from, part.end.max(days.end)), cost, past, days.ahead.and_then(span));
        }
    }

    /// The part of the day that is said with a day: "tonight", "Friday morning", "tomorrow in the evening".
    fn part_beside(&self, days: &Days) -> Option<Found<DayPart>> {
        let same = self.part(days.from).filter(|part| part.end == days.end);
        same.or_else(|| self.part(self.skip_small(days.end)))
    }
}
