//! Moments: a day and an hour that stand together, or so long from now.

use super::cursor::midnight;
use super::days::{Days, Kind, Span};
use super::{Clock, Hours, Times, window};
use crate::mention::{Mention, Reading, What};
use crate::sense::{DayPart, Period, Relation, Sense};
use crate::token::Lit;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

/// What a less likely half of the day costs.
const OTHER_HALF: u8 = 2;

impl Reading<'_> {
    /// Adds the moments of the hours and days that were said.
    pub(crate) fn moments(&self, times: &Times, all: &mut Vec<Mention>) {
        let single: Vec<&Days> = times.days.iter().filter(|days| days.spans.next_day().is_some()).collect();
        for days in &single {
            self.day_alone(days, all);
        }
        for hours in &times.hours {
            let next = single.partition_point(|days| days.from < hours.first.from);
            let (before, after) = (next.checked_sub(1).map(|at| single[at]), single.get(next).copied());
            let beside = [before, after].into_iter().flatten().find(|days| self.are_beside(days, hours));
            // "on Tuesday … at 10": a day that is said elsewhere.
            let day = beside.or(before).or(after).and_then(|days| days.spans.next_day());
            if let Some(day) = day {
                self.on_day(hours, day, beside, u8::from(beside.is_none()), all);
            }
            if beside.is_none() {
                self.next_at(hours, if day.is_some() { 2 } else { 0 }, all);
            }
            self.bounded_hour(&hours.first, day.unwrap_or(self.today()), self.place(hours, beside), all);
        }
    }

    /// A day as a moment without an hour.
    fn day_alone(&self, days: &Days, all: &mut Vec<Mention>) {
        let ahead = days.spans.next_day().filter(|day| *day >= self.today() && !self.only_says_part(days));
        let Some(day) = ahead else { return };
        let mention = |what| Mention { cost: days.cost + 1, ..Mention::new(days.from, days.end, what) };
        all.push(mention(What::Moment(midnight(day), false)));
        if days.kind == Kind::Away {
            // "in three days": at this hour.
            all.push(mention(schedule(day.to_datetime(self.now.time()))));
        }
    }

    /// Whether day and hours stand beside each other, with or without a part of the day.
    fn are_beside(&self, days: &Days, hours: &Hours) -> bool {
        let end = self.end_with_part(days);
        let start = hours.first.from;
        let before = |end: usize| end <= start && self.only_small(end, start);
        before(days.end) || before(end) || hours.end() <= days.from && self.only_small(hours.end(), days.from)
    }

    fn end_with_part(&self, days: &Days) -> usize {
        self.part_beside(days).map_or(days.end, |(_, part)| part.at.max(days.end))
    }

    /// The tokens that hours and their day stand on.
    fn place(&self, hours: &Hours, days: Option<&Days>) -> (usize, usize) {
        let (from, end) = (hours.first.from, hours.end());
        match days {
            Some(days) if days.from < from => (days.from, end),
            Some(days) => (from, self.end_with_part(days)),
            None => (from, end),
        }
    }

    /// Adds the moments of hours on a day, on all the tokens that say them.
    fn on_day(&self, hours: &Hours, day: Date, days: Option<&Days>, cost: u8, all: &mut Vec<Mention>) {
        let (from, end) = self.place(hours, days);
        let cost = cost + days.map_or(0, |days| days.cost);
        let part = days.and_then(|days| self.part_beside(days)).map(|(part, _)| part);
        let Some(last) = &hours.last else {
            let relation = self.relation_before(hours.first.core);
            return self.moment(&hours.first, day, part, (from, end, relation), cost, all);
        };
        self.moment(&hours.first, day, part, (from, hours.first.end, Some(Relation::From)), cost, all);
        // A range that ends before it begins goes on into the next day.
        let over = last.within(part) < hours.first.within(part);
        let day = if over { day.tomorrow().unwrap_or(day) } else { day };
        self.moment(last, day, part, (last.from, end, Some(Relation::To)), cost, all);
    }

    /// Adds a moment, and the other half of the day where that may be meant.
    fn moment(
        &self,
        clock: &Clock,
        day: Date,
        part: Option<DayPart>,
        at: (usize, usize, Option<Relation>),
        cost: u8,
        all: &mut Vec<Mention>,
    ) {
        let cost = cost + clock.cost;
        let other = clock.other_half().filter(|_| part.is_none()).map(|other| (other, cost + OTHER_HALF));
        for (clock, cost) in [Some((*clock, cost)), other].into_iter().flatten() {
            let (hour, minute) = clock.within(part);
            let moment = day.at(hour, minute, 0, 0);
            let task = (moment > self.now).then(|| schedule(moment));
            for what in [Some(What::Moment(moment, true)), task].into_iter().flatten() {
                all.push(Mention { cost, relation: at.2, ..Mention::new(at.0, at.1, what) });
            }
        }
    }

    /// Adds the next time it is that hour.
    fn next_at(&self, hours: &Hours, cost: u8, all: &mut Vec<Mention>) {
        let next = |clock: &Clock| {
            let today = self.today().at(clock.hour, clock.minute, 0, 0) > self.now;
            if today { self.today() } else { self.today().tomorrow().unwrap_or(self.today()) }
        };
        let first = hours.first;
        // The halves of the day may be on different days.
        let other = first.other_half().filter(|_| hours.last.is_none());
        let sure = Hours { first: Clock { sure: first.sure || other.is_some(), ..first }, ..*hours };
        self.on_day(&sure, next(&first), None, cost, all);
        if let Some(other) = other {
            self.on_day(&Hours { first: other, last: None }, next(&other), None, cost + OTHER_HALF, all);
        }
    }

    /// "after 5pm": the hours of a day that are left.
    fn bounded_hour(&self, clock: &Clock, day: Date, at: (usize, usize), all: &mut Vec<Mention>) {
        let bound = Some(day.at(clock.hour, clock.minute, 0, 0));
        let span = match self.relation_before(clock.core) {
            Some(Relation::After) => Span { from: bound, to: day.tomorrow().ok().map(midnight) },
            Some(Relation::Before | Relation::Until) => Span { from: Some(midnight(day)), to: bound },
            _ => return,
        };
        window::push(all, at, clock.cost + 1, span, None);
    }

    /// A moment as machines write it: `2026-11-20T10:00`.
    pub(crate) fn stamp(&self, at: usize, all: &mut Vec<Mention>) {
        let stamp =
            self.cursor(at).token().filter(|token| token.lit == Lit::Word && token.text.contains('T'));
        let Some(moment) = stamp.and_then(|token| token.text.parse().ok()) else { return };
        all.extend([What::Moment(moment, true), schedule(moment)].map(|what| Mention::new(at, at + 1, what)));
    }

    /// "in 20 minutes", "two hours and a quarter from now". `lengths` are those that were read as such.
    pub(crate) fn in_a_while(&self, at: usize, lengths: &[Mention], all: &mut Vec<Mention>) -> Option<usize> {
        let mut here = self.cursor(at);
        let lead = here.eat(|sense| sense == Sense::Period(Period::Hence));
        let first = lengths.partition_point(|length| length.from < here.at);
        let said = lengths[first..].iter().take_while(|length| length.from == here.at);
        let length = said.max_by_key(|length| length.to)?;
        let What::Length(minutes @ 1..1_000_000) = length.what else { return None };
        here.at = length.to;
        let later = here.eat(|sense| sense == Sense::Period(Period::Later));
        (lead || later).then_some(())?;
        // "not opened in 2 hours" says another thing.
        let cost = length.cost + if self.untouched(at).is_some() { 2 } else { 0 };
        let moment = self.now.checked_add(minutes.minutes()).ok()?;
        for what in [What::Moment(moment, true), schedule(moment)] {
            all.push(Mention { cost, ..Mention::new(at, here.at, what) });
        }
        Some(here.at)
    }
}

/// Once, at a moment of the person's clock; whoever runs it adds the zone.
fn schedule(at: DateTime) -> What {
    What::Schedule(format!("at:{at}"))
}
