//! Moments: a day and an hour that stand together, or so long from now.

use super::days::{Days, Span};
use super::words::midnight;
use super::{Clock, Hours, Times};
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
        for days in &times.days {
            self.day_alone(days, all);
        }
        let single: Vec<&Days> = times.days.iter().filter(|days| days.next_day().is_some()).collect();
        for hours in &times.hours {
            let next = single.partition_point(|days| days.from < hours.first.from);
            let (before, after) = (next.checked_sub(1).map(|at| single[at]), single.get(next).copied());
            let beside = |days: Option<&Days>| days.and_then(|days| self.beside(days, hours));
            if let Some((days, part)) = beside(before).or_else(|| beside(after)) {
                if let Some(day) = days.next_day() {
                    self.on_day(hours, day, part, Some(&days), 0, all);
                    let at = (hours.first.from.min(days.from), hours.end().max(days.end));
                    self.bounded_hour(&hours.first, day, at, all);
                }
                continue;
            }
            // "on Tuesday … at 10": a day that is said elsewhere.
            let day = before.or(after).and_then(Days::next_day);
            if let Some(day) = day {
                self.on_day(hours, day, None, None, 1, all);
            }
            self.next_at(hours, if day.is_some() { 2 } else { 0 }, all);
            let at = (hours.first.from, hours.end());
            self.bounded_hour(&hours.first, day.unwrap_or(self.today()), at, all);
        }
    }

    /// A day as a moment without an hour.
    fn day_alone(&self, days: &Days, all: &mut Vec<Mention>) {
        let ahead = days.next_day().filter(|day| *day >= self.today() && !self.only_says_part(days));
        let Some(day) = ahead else { return };
        let cost = days.cost + 1;
        all.push(Mention { cost, ..Mention::new(days.from, days.end, What::Moment(midnight(day), false)) });
        if days.is_away() {
            // "in three days": at this hour.
            let at = day.to_datetime(self.now.time());
            all.push(Mention { cost, ..Mention::new(days.from, days.end, schedule(at)) });
        }
    }

    /// Whether day and hours stand beside each other, and the part of the day between or around them.
    fn beside(&self, days: &Days, hours: &Hours) -> Option<(Days, Option<DayPart>)> {
        let part = self.part_beside(days);
        let end = part.map_or(days.end, |part| part.end.max(days.end));
        let before = days.end <= hours.first.from
            && (self.only_small(days.end, hours.first.from)
                || end <= hours.first.from && self.only_small(end, hours.first.from));
        let after = hours.end() <= days.from && self.only_small(hours.end(), days.from);
        (before || after).then(|| (*days, part.map(|part| part.value)))
    }

    /// Adds the moments of hours on a day, on all the tokens that say them.
    fn on_day(
        &self,
        hours: &Hours,
        day: Date,
        part: Option<DayPart>,
        days: Option<&Days>,
        cost: u8,
        all: &mut Vec<Mention>,
    ) {
        let (mut from, mut to) = (hours.first.from, hours.first.end);
        let mut last_to = hours.end();
        if let Some(days) = days {
            let part = self
                .part_beside(days)
                .filter(|part| part.end <= hours.first.from || hours.end() <= days.from);
            let end = part.map_or(days.end, |part| part.end.max(days.end));
            from = from.min(days.from);
            if days.from > hours.first.from {
                last_to = end;
                to = if hours.last.is_some() { to } else { end };
            }
        }
        let cost = cost + days.map_or(0, |days| days.cost);
        let relation = hours.last.map(|_| Relation::From).or_else(|| self.relation_before(hours.first.core));
        self.moment(&hours.first, day, part, (from, to, relation), cost, all);
        if let Some(last) = &hours.last {
            // A range that ends before it begins goes on into the next day.
            let over = last.within(part) < hours.first.within(part);
            let day = if over { day.tomorrow().unwrap_or(day) } else { day };
            self.moment(last, day, part, (last.from, last_to, Some(Relation::To)), cost, all);
        }
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
        let (hour, minute) = clock.within(part);
        let cost = cost + clock.cost;
        let mut add = |hour: i8, cost: u8| {
            let Some(moment) = on(day, hour, minute) else { return };
            let whats = [Some(What::Moment(moment, true)), (moment > self.now).then(|| schedule(moment))];
            for what in whats.into_iter().flatten() {
                all.push(Mention { cost, relation: at.2, ..Mention::new(at.0, at.1, what) });
            }
        };
        add(hour, cost);
        if !clock.sure && part.is_none() && hour < 12 {
            add((hour + 12) % 24, cost + OTHER_HALF);
        }
    }

    /// Adds the next time it is that hour.
    fn next_at(&self, hours: &Hours, cost: u8, all: &mut Vec<Mention>) {
        let next = |clock: &Clock, hour: i8| {
            let today = on(self.today(), hour, clock.minute).is_some_and(|moment| moment > self.now);
            if today { Some(self.today()) } else { self.today().tomorrow().ok() }
        };
        let first = &hours.first;
        let Some(day) = next(first, first.hour) else { return };
        if hours.last.is_some() || first.sure || first.hour == 12 {
            return self.on_day(hours, day, None, None, cost, all);
        }
        let relation = self.relation_before(first.core);
        let at = (first.from, first.end, relation);
        self.moment(&Clock { sure: true, ..*first }, day, None, at, cost, all);
        let other = Clock { hour: (first.hour + 12) % 24, sure: true, ..*first };
        if let Some(day) = next(&other, other.hour) {
            self.moment(&other, day, None, at, cost + OTHER_HALF, all);
        }
    }

    /// "after 5pm": the hours of a day that are left.
    fn bounded_hour(&self, clock: &Clock, day: Date, at: (usize, usize), all: &mut Vec<Mention>) {
        let Some(bound) = on(day, clock.hour, clock.minute) else { return };
        let span = match self.relation_before(clock.core) {
            Some(Relation::After) => Span { from: Some(bound), to: day.tomorrow().ok().map(midnight) },
            Some(Relation::Before | Relation::Until) => Span { from: Some(midnight(day)), to: Some(bound) },
            _ => return,
        };
        super::window::push(all, at, clock.cost + 1, span, None);
    }

    /// A moment as machines write it: `2026-11-20T10:00`.
    pub(crate) fn stamp(&self, at: usize, all: &mut Vec<Mention>) {
        let stamp =
            self.lattice.tokens.get(at).filter(|token| token.lit == Lit::Word && token.text.contains('T'));
        let Some(moment) = stamp.and_then(|token| token.text.parse::<DateTime>().ok()) else { return };
        for what in [What::Moment(moment, true), schedule(moment)] {
            all.push(Mention::new(at, at + 1, what));
        }
    }

    /// "in 20 minutes", "two hours and a quarter from now". `lengths` are those that were read as such.
    pub(crate) fn in_a_while(&self, at: usize, lengths: &[Mention], all: &mut Vec<Mention>) -> Option<usize> {
        let lead = self.word(at, Sense::Period(Period::Hence));
        let start = lead.unwrap_or(at);
        let first = lengths.partition_point(|length| length.from < start);
        let said = lengths[first..].iter().take_while(|length| length.from == start);
        let (length, minutes) = said.filter_map(|m| Some((m, minutes(m)?))).max_by_key(|(m, _)| m.to)?;
        let later = self.word(length.to, Sense::Period(Period::Later));
        if lead.is_none() && later.is_none() {
            return None;
        }
        // "not opened in 2 hours" says another thing.
        let cost = length.cost + if self.untouched(at).is_some() { 2 } else { 0 };
        let moment = self.now.checked_add(minutes.minutes()).ok()?;
        let end = later.unwrap_or(length.to);
        for what in [What::Moment(moment, true), schedule(moment)] {
            all.push(Mention { cost, ..Mention::new(at, end, what) });
        }
        Some(end)
    }
}

/// The minutes of a length that is shorter than a day.
fn minutes(mention: &Mention) -> Option<i64> {
    match mention.what {
        What::Length(minutes) if (1..24 * 60 * 365).contains(&minutes) => Some(minutes),
        _ => None,
    }
}

fn on(day: Date, hour: i8, minute: i8) -> Option<DateTime> {
    Some(day.at(hour.clamp(0, 23), minute.clamp(0, 59), 0, 0))
}

/// Once, at a moment of the person's clock; whoever runs it adds the zone.
fn schedule(at: DateTime) -> What {
    What::Schedule(format!("at:{at}"))
}
