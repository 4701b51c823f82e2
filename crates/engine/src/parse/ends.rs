//! Where an appointment begins and ends: hours that are one span, and hours that are none.

use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;
use jiff::civil::Date;
use std::ops::Range;

/// An hour that was said, and where.
pub(super) struct Hour {
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) at: Range<usize>,
}

impl Hour {
    fn clock(&self) -> (i8, i8) {
        (self.hour, self.minute)
    }
}

impl Clause<'_> {
    /// Leaves over hours that are not the beginning and the end of one thing: "at 9 or at 10", "at 9 and the gym at 18",
    /// "move it from 15 to 16", an hour of no day for what is already on some day.
    pub(super) fn unread_hours(&mut self, hours: &[Hour], dated: bool) {
        // The hours after midnight of an evening that is named are those of the next day.
        let evening = dated && self.frame.text(Role::DayPart) == Some("evening") && !self.chooses_by_hour();
        let apart = match hours {
            [] => false,
            [only] => self.shifts() && !dated || evening && only.hour < 5,
            [first, last] => self.shifts() || self.two_hours(first, last),
            _ => true,
        };
        if let Some(hour) = hours.first().filter(|_| apart) {
            let word = self.items[hour.at.end - 1].text.clone();
            self.frame.leftover.push(word);
        }
    }

    /// "tomorrow at 5", "from 2 to 4": hours of the night or of the afternoon. For what is made they are asked about, of
    /// what is there they tell too little.
    pub(super) fn unsure_hours(&mut self, hours: &[Hour]) -> bool {
        let part = self.frame.text(Role::DayPart).map(str::to_owned);
        let unsure = |hour: &Hour| self.small_hour(hour.hour, &hour.at, part.as_deref());
        let unsure = self.changes() && !hours.is_empty() && hours.iter().all(unsure);
        if unsure && (self.shifts() || self.chooses_by_hour()) {
            let word = self.items[hours[0].at.end - 1].text.clone();
            self.frame.leftover.push(word);
        }
        unsure
    }

    /// Whether what is there is given another hour.
    pub(super) fn shifts(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        verb.is_some_and(|verb| verb.changes() && !verb.makes) && !self.chooses_by_hour()
    }

    /// "at 9 or at 10", "at 9 and the gym at 18": two hours that each stand for themselves.
    fn two_hours(&self, first: &Hour, last: &Hour) -> bool {
        let between = first.at.end..last.at.start + 1;
        let or = between.clone().any(|at| self.is(at, "then", "or"));
        let and = between.clone().any(|at| self.is(at, "then", "and"));
        or || and && !self.is(first.at.start, "clock", "from")
    }

    /// When what begins at the first hour ends at the second one: the next day after midnight, in the afternoon where
    /// "from 9 to 5" is said; else none, where that cannot be told.
    pub(super) fn end_of(&self, date: Date, first: &Hour, last: &Hour) -> Option<String> {
        let ((from, _), (to, minute)) = (first.clock(), last.clock());
        if last.clock() > first.clock() {
            return self.clock.instant(date, to, minute);
        }
        let afternoon = (to + 12, minute) > first.clock() && to < 12;
        match () {
            () if last.clock() == (0, 0) || !afternoon => {
                self.clock.instant(date.tomorrow().ok()?, to, minute)
            }
            () if from < 12 => self.clock.instant(date, to + 12, minute),
            () => None,
        }
    }

    /// "tomorrow's meeting with Anna": a day that says which event is meant, though it gets an hour too. A meeting that
    /// nothing else is said of may be one of several, and is not looked for.
    pub(super) fn of_that_day(&mut self, date: Date, at: usize, end: usize) {
        let owned = at.checked_sub(1).is_some_and(|before| self.is(before, "prep", "of"))
            || self.items.get(end).is_some_and(|next| self.lexicon.tails.contains(&next.norm));
        if let Some(next) = date.tomorrow().ok().filter(|_| owned && self.shifts() && self.names_event()) {
            self.frame.reset(Role::After, date.to_string());
            self.frame.reset(Role::Before, next.to_string());
        }
    }

    /// "cancel tomorrow's meeting": one event, of which only days are said, may be any of those days; which one is asked.
    pub(crate) fn ask_which_event(&mut self) {
        if self.one_of_those_days() {
            self.frame.slots.remove(&Role::After);
            self.frame.slots.remove(&Role::Before);
        }
    }

    fn one_of_those_days(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let there = self.changes() && verb.is_some_and(|verb| !verb.makes);
        let told = [Role::Query, Role::Location, Role::Attendees, Role::Ids];
        let known = told.iter().any(|role| self.frame.has(*role)) || self.frame.order.is_some();
        let pointed = self.frame.anaphor.is_some() || self.frame.only || self.frame.these;
        let dates = |role: Role| self.frame.text(role).is_some_and(|day| !day.contains('T'));
        if self.frame.object != "events" || !there || known || pointed || !dates(Role::After) {
            return false;
        }
        let of = |id: &String| self.senses.noun.get(id).and_then(|noun| noun.object.as_deref());
        let event = |at: usize| {
            let calendar =
                self.is(at, "cue", "calendar") || self.lexicon.mass_words.contains(&self.items[at].norm);
            self.items[at].taken == "noun"
                && !calendar
                && self.noun_ids(at).iter().any(|id| of(id) == Some("events"))
        };
        let mut events = (0..self.len()).filter(|at| event(*at));
        events.next().is_some_and(|at| self.one_at(at) && !self.frame.every) && events.next().is_none()
    }

    /// Whether an event is told from others by a title or a name.
    fn names_event(&self) -> bool {
        let date = |item: &Item| item.sense("weekday").is_some() || item.sense("month").is_some();
        let name = |item: &Item| matches!(item.lit, Lit::Quoted(_)) || item.is_name() && !date(item);
        self.items.iter().any(name)
    }

    /// Whether a new appointment would begin when that moment is over already.
    pub(super) fn too_late(&self, date: Date, hour: i8, minute: i8) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let keeps = verb.is_some_and(|verb| verb.changes()) && !self.chooses_by_hour();
        keeps && date == self.clock.today() && !self.is_to_come(date, hour, minute)
    }
}
