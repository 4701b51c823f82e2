//! Which days and hours are meant where several are said: spans that are one, bounds of hours, parts of a day.

use super::Clause;
use crate::catalog::Role;
use jiff::civil::Date;
use std::ops::Range;

/// Days that were said to choose things by, and where that ends.
pub(super) struct Spoken {
    pub(super) from: Option<Date>,
    pub(super) to: Option<Date>,
    pub(super) end: usize,
}

impl Spoken {
    /// The one span that this and the next one are, if they are one: joined ones that touch, a span within the other, the
    /// beginning and the end of one.
    pub(super) fn with(&self, next: &Self, joined: bool, apart: bool) -> Option<Self> {
        let make = |from, to| Some(Self { from, to, end: next.end });
        if (self.from, self.to) == (next.from, next.to) {
            return make(self.from, self.to);
        }
        let (from, to) = (self.from.or(next.from), self.to.or(next.to));
        let halves = (self.from.is_none() || next.from.is_none()) && (self.to.is_none() || next.to.is_none());
        if halves && from.zip(to).is_some_and(|(from, to)| from < to) {
            return make(from, to);
        }
        if joined {
            return match () {
                () if self.to.is_some() && self.to == next.from => make(self.from, next.to),
                () if next.to.is_some() && next.to == self.from => make(next.from, self.to),
                () => None,
            };
        }
        if apart {
            return None;
        }
        let within = |inner: &Self, outer: &Self| {
            let begins = outer.from.is_none_or(|from| inner.from.is_some_and(|own| own >= from));
            begins && outer.to.is_none_or(|to| inner.to.is_some_and(|own| own <= to))
        };
        match () {
            () if within(next, self) => make(next.from, next.to),
            () if within(self, next) => make(self.from, self.to),
            () => None,
        }
    }
}

/// "after 5 pm", "before 10": an hour at which what is meant begins or ends.
pub(super) struct Bound {
    since: bool,
    hour: i8,
    minute: i8,
    pub(super) at: Range<usize>,
}

impl Clause<'_> {
    /// Whether an "and" or a comma stands between two places, and no other thing.
    pub(super) fn in_a_row(&self, from: usize, to: usize) -> bool {
        let joins = |at: usize| self.is(at, "then", "and") || self.items[at].is_comma();
        let small = |at: usize| {
            let item = &self.items[at];
            item.sense("stop").is_some() || item.sense("prep").is_some() || item.is("every", "on")
        };
        (from..to).any(joins) && (from..to).all(|at| joins(at) || small(at) || self.items[at].words == 0)
    }

    /// Whether an "and" stands between two places: what comes after it has its own days.
    pub(super) fn apart(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| self.is(at, "then", "and"))
    }

    /// The bound of hours at `at`. A bare number is an hour where it can be no other one of the day.
    pub(super) fn hour_bound(&self, at: usize, part: Option<&str>) -> Option<Bound> {
        let since = self.is(at, "bound", "since");
        let opens = since || self.is(at, "bound", "before");
        if !opens || !self.free(at) || self.is(at, "clock", "from") || self.is(at, "clock", "to") {
            return None;
        }
        let inner = self.skip_stops(at + 1);
        let found = self.clock_at(inner, part).or_else(|| {
            let hour = self.number(inner).and_then(super::dates::small::<i8>)?;
            let other = ["unit", "size_unit", "month", "measure", "noun"];
            let plain = !other.iter().any(|cat| self.sense(inner + 1, cat).is_some());
            (plain && (8..24).contains(&hour)).then_some((hour, 0, inner..inner + 1))
        });
        let (hour, minute, range) = found?;
        Some(Bound { since, hour, minute, at: at..range.end })
    }

    /// "from 5 pm", "until 5 pm": of two ends only one was said.
    pub(super) fn lone_end(&self, hour: i8, minute: i8) -> Option<Bound> {
        let at = (0..self.len()).find(|at| self.items[*at].taken == "time")?;
        let since = self.is(at, "clock", "from");
        let end = !self.is(at, "clock", "at") && (since || self.is(at, "clock", "to"));
        end.then_some(Bound { since, hour, minute, at: at..at + 1 })
    }

    /// Chooses events by the hours they begin after or before; what cannot be chosen so is left over.
    pub(super) fn within_hours(&mut self, bounds: &[Bound], alone: bool) {
        let day = self.day_of_clock(1);
        let of = |since: bool| bounds.iter().filter(move |bound| bound.since == since);
        let single = of(true).count() < 2 && of(false).count() < 2;
        if !self.chooses_by_hour() || !alone || !single || day.is_none() && self.changes() {
            let words = bounds.iter().flat_map(|bound| &self.items[bound.at.clone()]);
            let words: Vec<String> = words.map(|item| item.text.clone()).collect();
            self.frame.leftover.extend(words);
            return;
        }
        let date = day.map_or_else(|| self.clock.today(), |(date, _, _)| date);
        if let Some((_, at, end)) = day {
            self.take(at, end, "date");
        }
        let instant = |bound: &Bound| self.clock.instant(date, bound.hour, bound.minute);
        let from = of(true).next().map_or_else(|| self.clock.instant(date, 0, 0), instant);
        let midnight = || date.tomorrow().ok().and_then(|next| self.clock.instant(next, 0, 0));
        let to = of(false).next().map_or_else(midnight, instant);
        if let (Some(from), Some(to)) = (from, to) {
            self.frame.reset(Role::After, from);
            self.frame.reset(Role::Before, to);
        }
    }

    /// "taken at 9", "at 9 yesterday": what was done then, or the hour of a day that is over.
    pub(super) fn is_past(&self, range: &Range<usize>) -> bool {
        let done = |at: usize| self.sense(at, "touch").is_some() && self.items[at].command().is_none();
        let small = |at: usize| {
            let item = &self.items[at];
            let links = ["prep", "bound"].iter().any(|cat| item.sense(cat).is_some());
            super::clause::only_stop(item) || links || item.is("every", "on")
        };
        let over = |at: usize| {
            let span = self.span(at).filter(|(days, _)| days.ahead.is_none());
            span.filter(|(days, _)| days.to.is_some_and(|to| to <= self.clock.today())).map(|(_, end)| end)
        };
        let before = (0..range.start).rev().find(|at| !small(*at));
        let after = (range.end..self.len()).find(|at| !small(*at));
        before.is_some_and(|at| done(at) || (0..=at).any(|from| over(from) == Some(at + 1)))
            || after.is_some_and(|at| over(at).is_some())
    }

    /// "the one hour meetings": no event is chosen by how long it is.
    pub(super) fn unused_length(&mut self, timeless: bool) {
        let deletes = self.changes() && self.chooses_by_hour();
        let length = self.items.iter().find(|item| item.taken == "duration").map(|item| item.text.clone());
        if let Some(length) = length.filter(|_| deletes && timeless) {
            self.frame.leftover.push(length);
        }
    }
}
