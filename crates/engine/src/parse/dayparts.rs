//! Parts of a day: the hours among which events are looked for or changed, and mail that came in then.

use super::Clause;
use crate::catalog::Role;
use jiff::civil::Date;

impl Clause<'_> {
    /// "tomorrow morning": the hours of a day among which events are meant; a part of no single day is left over where
    /// something is changed.
    pub(crate) fn hours_of_part(&mut self, events: bool) {
        let at = self.items.iter().position(|item| item.taken == "part of the day");
        let Some((at, part)) = at.zip(self.frame.text(Role::DayPart).map(str::to_owned)) else { return };
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let makes = verb.is_some_and(|verb| verb.makes);
        // Free time has its part of the day beside its days.
        let long = self.frame.has(Role::Minutes) || self.items.iter().any(|item| item.is("noun", "free"));
        let free = !self.changes() && long;
        if makes || free || self.frame.has(Role::Start) || self.frame.has(Role::Recurrence) {
            return;
        }
        if events {
            self.of_today(at);
        }
        match self.part_of_a_day(&part).filter(|_| events && self.chooses_by_hour()) {
            Some((_, from, to)) => {
                self.frame.reset(Role::After, from);
                self.frame.reset(Role::Before, to);
            }
            None if self.changes() => self.frame.leftover.push(self.items[at].text.clone()),
            None => {}
        }
    }

    /// "the mails of this morning": what came in during a part of a day that has begun; another part is left over.
    pub(crate) fn mail_of_part(&mut self) {
        let at = (0..self.len()).find(|at| self.free(*at) && self.sense(*at, "day_part").is_some());
        let Some(at) = at.filter(|_| !self.changes()) else { return };
        let part = self.sense(at, "day_part").unwrap_or_default().to_owned();
        self.of_today(at);
        let found = self.part_of_a_day(&part);
        match found.filter(|((day, hour), _, _)| !self.is_to_come(*day, *hour, 0)) {
            Some((_, from, to)) => {
                self.frame.reset(Role::After, from);
                self.frame.reset(Role::Before, to);
            }
            None => self.frame.leftover.push(self.items[at].text.clone()),
        }
        let from = at.checked_sub(1).filter(|before| self.sense(*before, "prep").is_some()).unwrap_or(at);
        self.take(from, at + 1, "part of the day");
    }

    /// "this morning" is today, where no day is said.
    fn of_today(&mut self, at: usize) {
        let said = self.frame.has(Role::After) || self.frame.has(Role::Before);
        if said || self.sense(at, "part_of_today").is_none() {
            return;
        }
        let today = self.clock.today();
        if let Ok(next) = today.tomorrow() {
            self.frame.reset(Role::After, today.to_string());
            self.frame.reset(Role::Before, next.to_string());
        }
    }

    /// The first hour of a part of the one day that was read, and the instants it begins and ends at.
    fn part_of_a_day(&self, part: &str) -> Option<((Date, i8), String, String)> {
        let (from, to) = match part {
            "morning" => (0, Some(12)),
            "afternoon" => (12, Some(18)),
            _ => (18, None),
        };
        let date = |role: Role| self.frame.text(role).and_then(|text| text.parse::<Date>().ok());
        let day = date(Role::After)?;
        // Of today, which still goes on, no end is said.
        let next =
            date(Role::Before).or_else(|| day.tomorrow().ok().filter(|_| day == self.clock.today()))?;
        if day.tomorrow().ok()? != next {
            return None;
        }
        let end = to.map_or_else(|| self.clock.instant(next, 0, 0), |to| self.clock.instant(day, to, 0))?;
        Some(((day, from), self.clock.instant(day, from, 0)?, end))
    }
}
