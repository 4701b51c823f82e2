//! Days, windows and moments. One pass finds the days and the hours that are said; then each is put together with
//! what bounds it and with what stands beside it.

mod clock;
mod cursor;
mod days;
mod moment;
mod months;
mod window;

use super::{Mention, Reading, What};
use crate::sense::{DayPart, Period, Relation, Sense, TimeUnit, TimeWord};
use days::{Days, Span};

pub(super) use clock::{Clock, Hours};
pub(super) use cursor::{Cursor, every, month, part, period, unit, weekday, weekdays};

/// What is said of time, in the order of the tokens.
#[derive(Debug, Default)]
pub(crate) struct Times {
    days: Vec<Days>,
    pub(super) hours: Vec<Hours>,
}

/// Adds what is said.
pub(super) fn read(reading: Reading<'_>, all: &mut Vec<Mention>) {
    let mut found = Vec::new();
    let mut lengths: Vec<Mention> =
        all.iter().filter(|mention| matches!(mention.what, What::Length(_))).cloned().collect();
    lengths.sort_by_key(|length| length.from);
    let times = reading.times(&lengths, &mut found);
    let mut rest = times.days.as_slice();
    while !rest.is_empty() {
        let taken = reading.windows(rest, &mut found);
        rest = rest.get(taken..).unwrap_or_default();
    }
    for days in &times.days {
        reading.parts_of(days, &mut found);
    }
    reading.moments(&times, &mut found);
    // What belongs to a recurrence is no time of its own.
    let mut taken = vec![0; reading.lattice.tokens.len()];
    for (i, (from, to)) in super::repeat::read(reading, &times, all).into_iter().enumerate() {
        taken[from..to].fill(i + 1);
    }
    found.retain(|mention| {
        let (first, last) = (taken[mention.from], taken[mention.to - 1]);
        first == 0 || first != last || matches!(mention.what, What::DayPart(_))
    });
    all.append(&mut found);
}

impl<'r> Reading<'r> {
    /// The days and hours of the request; what needs no other time beside it is added at once.
    fn times(&self, lengths: &[Mention], all: &mut Vec<Mention>) -> Times {
        let mut times = Times::default();
        let mut at = 0;
        while at < self.lattice.tokens.len() {
            if let Some((part, end)) = self.part_at(at) {
                all.push(Mention { cost: end.cost, ..Mention::new(at, end.at, What::DayPart(part)) });
            }
            self.stamp(at, all);
            let here = self.cursor(at);
            let hours = here.peek(Cursor::hours);
            let days =
                here.peek(Cursor::days).filter(|days| hours.is_none_or(|hours| days.end > hours.end()));
            at = if let Some(end) = here.peek(|here| here.unclear().map(|()| here.at)) {
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

    /// A part of the day, and the place after it.
    fn part_at(self, at: usize) -> Option<(DayPart, Cursor<'r>)> {
        let mut here = self.cursor(at);
        Some((here.take(part)?, here))
    }

    /// The part of the day that is said with a day: "tonight", "Friday morning", "tomorrow in the evening".
    fn part_beside(self, days: &Days) -> Option<(DayPart, Cursor<'r>)> {
        let same = self.part_at(days.from).filter(|(_, part)| part.at == days.end);
        let mut next = self.cursor(days.end);
        next.small();
        same.or_else(|| self.part_at(next.at))
    }

    /// "this" of "this morning" is no day without it.
    fn only_says_part(&self, days: &Days) -> bool {
        let mut here = self.cursor(days.from);
        here.take(period).is_some() && here.at == days.end && self.part_at(days.end).is_some()
    }

    /// Adds the hours of a day of which a part is said, and another reading of a doubtful date.
    fn parts_of(&self, days: &Days, all: &mut Vec<Mention>) {
        if let Some((part, after)) = self.part_beside(days)
            && let Some(spans) = days.spans.map(|span| Span::part(span.one_day()?, part))
        {
            let at = (days.from, after.at.max(days.end));
            window::push(all, at, days.cost + after.cost, spans.past, spans.ahead);
        }
        if let Some(spans) = self.cursor(days.from).day_first() {
            window::push(all, (days.from, days.end), days.cost, spans.past, spans.ahead);
        }
    }
}

impl Cursor<'_> {
    /// A time without exact ends: "last summer", "a few days ago", "early October".
    fn unclear(&mut self) -> Option<()> {
        let which = |sense| period(sense).is_some_and(|which| which != Period::Hence);
        let few = self.all(|here| {
            here.eat(|sense| period(sense).is_some());
            here.some_units()
        });
        if few.is_some() {
            self.eat(which);
            return Some(());
        }
        let vague = |here: &mut Self| {
            here.eat(which);
            here.word(TimeWord::Vague).then_some(())
        };
        if self.all(vague).is_some() {
            self.eat(which);
            self.all(Self::year_after);
            return Some(());
        }
        if self.all(Self::one_of_several).is_some() {
            return Some(());
        }
        self.word(TimeWord::Part).then(|| self.small())?;
        self.days().filter(|days| days.spans.next_day().is_none()).map(|_| ())
    }

    /// "the last week of October", "the first Monday of the month": such a thing has no exact days here.
    fn one_of_several(&mut self) -> Option<()> {
        let edge = |sense| matches!(sense, Sense::TimeWord(TimeWord::Start | TimeWord::End));
        let which = |sense| matches!(sense, Sense::Ordinal(_) | Sense::Period(_));
        let day = |sense| matches!(sense, Sense::TimeUnit(_) | Sense::Weekday(_));
        (!self.is(edge) && self.eat(which)).then_some(())?;
        self.number();
        (self.eat(day) && self.tie(Relation::Of)).then_some(())?;
        self.idle();
        let long = |here: &mut Self| here.days().filter(|days| days.spans.past.one_day().is_none());
        let month = |sense| sense == Sense::TimeUnit(TimeUnit::Month);
        (self.all(long).is_some() || self.eat(month)).then_some(())
    }
}
