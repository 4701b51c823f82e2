//! Days and hours of a clause put where they belong: a span behind, an appointment ahead.

use super::Clause;
use super::ends::Hour;
use super::hours::Spoken;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// Whether a day that is still to come is named, and nothing that files have: what is ahead is in a calendar.
    pub(crate) fn lies_ahead(&self) -> bool {
        let literal = self.items.iter().any(|i| {
            matches!(i.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_) | Lit::Url(_))
                || i.sense("place").is_some()
                || i.sense("touch").is_some()
        });
        !literal
            && (0..self.len()).any(|at| {
                self.days(at).is_some_and(|(days, _)| {
                    days.ahead.is_some() || days.from.is_some_and(|from| from > self.clock.today())
                })
            })
    }

    pub(crate) fn dates(&mut self, object: &str) {
        let ahead = object == "events";
        let mut known: Option<Spoken> = None;
        for at in 0..self.len() {
            let numbered = || self.event_day(at).filter(|_| ahead);
            let Some((days, end)) = self.days(at).or_else(numbered) else { continue };
            // What is there already is not of tomorrow: such a day says when, and that is not read here.
            if self.changes() && !ahead && days.from.is_some_and(|from| from > self.clock.today()) {
                let words = self.items[at..end].iter().map(|item| item.text.clone());
                self.frame.leftover.extend(words);
                self.take(at, end, "date");
                continue;
            }
            let (mut from, mut to) = (days.from, days.to);
            if ahead && let Some((start, end)) = days.ahead {
                (from, to) = (Some(start), Some(end));
            } else if ahead && days.later.is_some() {
                from = days.later;
            } else if days.open && !ahead {
                to = None;
            }
            // "move it from Friday to …": what is moved from a day is there on that day.
            if ahead && to.is_none() && self.shifts() {
                to = from.and_then(|from| from.tomorrow().ok());
            }
            let mut span = Spoken { from, to, end };
            if let Some(before) = known.take() {
                match before.with(&span, self.in_a_row(before.end, at), self.apart(before.end, at)) {
                    // What was said first is no end of both.
                    Some(both) => {
                        self.frame.slots.remove(&Role::After);
                        self.frame.slots.remove(&Role::Before);
                        span = both;
                    }
                    // Of two spans that are not one, none is all that is meant.
                    None => self.frame.leftover.push(self.items[at].text.clone()),
                }
            }
            if let Some(from) = span.from {
                self.frame.reset(Role::After, from.to_string());
            }
            if let Some(to) = span.to {
                self.frame.reset(Role::Before, to.to_string());
            }
            known = Some(span);
            let touched = (0..self.len()).find_map(|i| {
                self.sense(i, "touch").filter(|_| !self.items[i].capital).map(|id| (i, id.to_owned()))
            });
            if let Some((i, id)) = touched {
                if id == "taken" {
                    self.frame.verbs.push("taken".to_owned());
                }
                self.not_when(i, object);
                self.take(i, i + 1, "date");
            }
            let start = at
                .checked_sub(1)
                .filter(|b| self.free(*b) && (self.sense(*b, "prep").is_some() || self.is(*b, "every", "on")))
                .unwrap_or(at);
            self.take(start, end, "date");
        }
        for at in 0..self.len() {
            if self.free(at)
                && !self.items[at].capital
                && self.sense(at, "touch").is_some()
                && self.sense(at, "super").is_none()
                && self.sense(at, "noun").is_none()
                && self.sense(at, "cue").is_none()
                && Some(at) != self.verb_at
            {
                self.not_when(at, object);
                self.take(at, at + 1, "date");
            }
        }
    }

    /// "the events I created yesterday", "created by Luca": what was done to events does not say when they are.
    fn not_when(&mut self, at: usize, object: &str) {
        if object == "events" && self.changes() && Some(at) != self.verb_at {
            self.frame.leftover.push(self.items[at].text.clone());
        }
    }

    /// Where "from 3 to 7 January" ends, if such days begin at `at`: their numbers are no hours.
    fn of_a_month(&self, at: usize) -> Option<usize> {
        let (_, end) = self.days(at)?;
        (at..end).any(|i| self.sense(i, "month").is_some()).then_some(end)
    }

    /// Whether free time is looked for, and nothing is done.
    fn asks_free(&self) -> bool {
        let free = |at: usize| self.noun_ids(at).iter().any(|id| id == "free");
        !self.changes() && (0..self.len()).any(free)
    }

    /// "room for a call", "free for a coffee": what the time is for does not say when it is.
    fn purpose(&mut self) {
        if !self.asks_free() {
            return;
        }
        for at in 0..self.len() {
            let timed = at > 0 && self.items[at - 1].taken == "duration";
            let article =
                self.lexicon.articles.contains(&self.items.get(at + 1).map_or("", |i| &i.norm).to_owned());
            let thing = at + 1 + usize::from(article);
            let plain = |item: &super::Item| {
                let verb = item.senses.iter().all(|sense| matches!(sense.cat.as_str(), "verb" | "noun"));
                item.free()
                    && item.words == 1
                    && matches!(item.lit, Lit::Word)
                    && verb
                    && !item.is("noun", "free")
            };
            if self.free(at) && self.is(at, "cue", "purpose") && self.items.get(thing).is_some_and(plain) {
                self.take(at, thing + 1, "purpose");
            } else if timed && self.items.get(at).is_some_and(plain) {
                // "a one-hour call"
                self.take(at, at + 1, "purpose");
            }
        }
    }

    /// Day, hours, length and part of the day of an appointment.
    pub(crate) fn appointment(&mut self) {
        let part = (0..self.len()).find_map(|at| self.sense(at, "day_part").map(|id| (at, id.to_owned())));
        let recurs = self.recurrence().and_then(|timing| timing.schedule);
        let weekday = recurs.as_ref().and_then(|cron| cron.rsplit(' ').next()?.get(..1)?.parse::<i8>().ok());
        if let Some(cron) = recurs {
            self.frame.set(Role::Recurrence, cron);
        }
        let (mut clocks, mut bounds) = (Vec::<Hour>::new(), Vec::new());
        let mut at = 0;
        while at < self.len() {
            if let Some(end) = self.of_a_month(at) {
                at = end;
                continue;
            }
            if let Some(bound) = self.hour_bound(at, part.as_ref().map(|(_, id)| id.as_str())) {
                self.take(bound.at.start, bound.at.end, "time");
                at = bound.at.end;
                bounds.push(bound);
                continue;
            }
            if let Some((hour, minute, range)) = self.clock_at(at, part.as_ref().map(|(_, id)| id.as_str())) {
                self.take(range.start, range.end, "time");
                at = range.end;
                // "from 3 to 4 pm": both are in the afternoon.
                let late = (range.start..range.end).any(|i| self.is(i, "clock", "pm"));
                if let [first] = &mut clocks[..]
                    && late
                    && first.hour + 12 <= hour
                {
                    first.hour += 12;
                }
                clocks.push(Hour { hour, minute, at: range });
            } else {
                at += 1;
            }
        }
        let mut minutes = None;
        for at in 0..self.len() {
            if let Some((n, end)) = self.duration(at) {
                let from = at
                    .checked_sub(1)
                    .filter(|b| {
                        self.is(*b, "cue", "duration") || self.is(*b, "compare", "gt") && self.asks_free()
                    })
                    .unwrap_or(at);
                self.take(from, end, "duration");
                // "two free hours": what is free stays to be read.
                for item in self.items.get_mut(from..end).unwrap_or_default() {
                    if item.is("noun", "free") {
                        item.taken = "";
                    }
                }
                minutes = Some(n);
                self.frame.set(Role::Minutes, n);
            }
        }
        if let Some((at, id)) = part {
            self.frame.set(Role::DayPart, id);
            self.take(at, at + 1, "part of the day");
        }
        self.purpose();
        self.unused_length(clocks.is_empty());
        if let ([only], true) = (&clocks[..], self.chooses_by_hour())
            && let Some(bound) = self.lone_end(only.hour, only.minute)
        {
            bounds.push(bound);
            clocks.clear();
        }
        if !bounds.is_empty() {
            return self.within_hours(&bounds, clocks.is_empty());
        }
        let Some(&Hour { hour, minute, .. }) = clocks.first() else { return };
        let day = self.day_of_clock(clocks.len());
        self.unread_hours(&clocks, day.is_some() || weekday.is_some());
        if self.unsure_hours(&clocks) {
            return;
        }
        let again =
            weekday.and_then(|w| self.weekday(if w == 0 { 7 } else { w }, None)).and_then(|days| days.ahead);
        let date = day
            .map(|(date, _, _)| date)
            .or(again.map(|(date, _)| date))
            .unwrap_or_else(|| self.clock.today());
        if let Some((_, at, end)) = day {
            let from = at
                .checked_sub(1)
                .filter(|b| self.is(*b, "every", "on") || self.sense(*b, "prep").is_some())
                .unwrap_or_else(|| self.day_begins(at));
            self.of_that_day(date, at, end);
            self.take(from, end, "date");
        }
        if self.too_late(date, hour, minute) {
            return;
        }
        let start = self.clock.instant(date, hour, minute);
        if let Some(start) = start.clone() {
            self.frame.set(Role::Start, start);
        }
        let end = match (clocks.get(1), minutes) {
            (Some(last), _) => {
                let end = self.end_of(date, &clocks[0], last);
                if end.is_none() {
                    self.frame.leftover.push(self.items[last.at.end - 1].text.clone());
                }
                end
            }
            (None, Some(minutes)) => {
                let total = i64::from(hour) * 60
                    + i64::from(minute)
                    + i64::try_from(minutes).unwrap_or(0).min(100_000);
                let later = date.checked_add(jiff::Span::new().days(total / 1440)).ok();
                later.and_then(|day| {
                    self.clock.instant(
                        day,
                        i8::try_from(total % 1440 / 60).unwrap_or(0),
                        i8::try_from(total % 60).unwrap_or(0),
                    )
                })
            }
            _ => None,
        };
        if let Some(end) = end.clone() {
            self.frame.set(Role::End, end);
        }
        if self.chooses_by_hour() {
            // What is there at that minute, where no end is said.
            let next = if minute < 59 { (hour, minute + 1) } else { (hour + 1, 0) };
            let until = end.or_else(|| self.clock.instant(date, next.0.min(23), next.1));
            if let (Some(start), Some(until)) = (start, until) {
                self.frame.reset(Role::After, start);
                self.frame.reset(Role::Before, until);
            }
        }
    }

    /// The day that the hours belong to, and where it is said. Of two days the one right before the hour is where
    /// something goes, the other one tells which it is; what cannot be told so is left over.
    pub(super) fn day_of_clock(&mut self, clocks: usize) -> Option<(jiff::civil::Date, usize, usize)> {
        let mut days: Vec<(jiff::civil::Date, usize, usize)> = Vec::new();
        let mut at = 0;
        while at < self.len() {
            let span = self
                .span(at)
                .or_else(|| self.numbered_day(at))
                .and_then(|(days, end)| Some((days.ahead.map(|(from, _)| from).or(days.from)?, end)));
            let Some((date, end)) = span else {
                at += 1;
                continue;
            };
            match days.last_mut() {
                // "Monday 23 November": one day, said twice.
                Some(last) if last.2 == at || last.0 == date => {
                    // "Friday 17 November", which is no Friday: neither is the day that is meant.
                    if last.0 != date {
                        self.frame.leftover.push(self.items[last.1].text.clone());
                    }
                    *last = (date, last.1, end);
                }
                _ => days.push((date, at, end)),
            }
            if self.day_goes_on(end) {
                self.frame.leftover.push(self.items[end].text.clone());
            }
            at = end;
        }
        if days.len() < 2 {
            return days.pop();
        }
        let hour = (0..self.len()).find(|at| self.items[*at].taken == "time")?;
        let beside = days.iter().position(|(_, _, end)| *end == hour);
        // What is taken away goes nowhere.
        let goes = clocks == 1 && !(self.changes() && self.chooses_by_hour());
        match beside.filter(|beside| goes && beside + 1 == days.len()) {
            Some(beside) => Some(days.remove(beside)),
            None => {
                let lost = days.iter().map(|(_, at, _)| self.items[*at].text.clone()).collect::<Vec<_>>();
                self.frame.leftover.extend(lost);
                days.into_iter().next()
            }
        }
    }

    /// Whether hours say which events are meant: those that are looked for or taken away have them already.
    pub(super) fn chooses_by_hour(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        verb.is_none_or(|verb| verb.query || verb.verb.as_deref() == Some("delete"))
    }
}
