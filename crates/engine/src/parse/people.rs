//! Appointments and contacts: titles, days and hours, names, numbers and addresses.

use super::Clause;
use super::places::Mention;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// Title, calendar, place, people of an event; or the words that find one.
    pub(crate) fn event_cues(&mut self, creates: bool) {
        for at in 0..self.len() {
            if !self.free(at) || !self.is(at, "cue", "calendar") {
                continue;
            }
            if self.titled_off(at) {
                continue;
            }
            if let Some((name, end)) = self.name(at + 1, false).filter(|_| !self.dated(at + 1)) {
                self.frame.set(Role::Calendar, name);
                self.said_noun(at);
                self.take(at, end, "calendar");
            } else if self.items[at].words == 1
                && let Some((name, before)) = self.value_before(at)
                && before + 1 == at
                && !self.dated(before)
            {
                // "the Work calendar"
                self.frame.set(Role::Calendar, name);
                self.said_noun(at);
                self.take(before, at + 1, "calendar");
            }
        }
        let mut title = false;
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let renames = verb.is_some_and(|verb| verb.goals.contains(&Role::NameTemplate));
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            if let Some(Lit::Quoted(text)) = self.lit(at).cloned() {
                let before = at.checked_sub(1);
                let located = before.is_some_and(|b| self.free(b) && self.is(b, "cue", "location"));
                let invited = before.is_some_and(|b| self.is(b, "cue", "attendee"));
                let from = if title && (located || invited) { at - 1 } else { at };
                if !title {
                    self.found_by(if creates { Role::Title } else { Role::Query }, text);
                    title = true;
                } else if !located && !invited && !creates && !renames && self.changes() {
                    // A second title is that of another event.
                    self.found_by(Role::Query, text);
                } else if renames {
                    self.frame.set(Role::Title, text);
                } else if invited {
                    self.frame.push(Role::Attendees, text);
                } else {
                    self.frame.set(Role::Location, text);
                }
                self.take(from, at + 1, "event");
            } else if self.is(at, "cue", "attendee") || self.is(at, "cue", "location") {
                let Some((name, end)) = self
                    .name(at + 1, false)
                    .filter(|_| !self.dated(at + 1) && !matches!(self.lit(at + 1), Some(Lit::Quoted(_))))
                else {
                    continue;
                };
                if self.is(at, "cue", "attendee") {
                    if creates {
                        self.frame.push(Role::Attendees, name);
                    } else {
                        self.found_by(Role::Query, name);
                    }
                } else if creates || self.changes() && self.chooses_by_hour() {
                    self.found_by(Role::Location, name);
                } else {
                    continue;
                }
                self.take(at, end, "event");
            }
        }
        for at in 0..self.len() {
            if self.free(at)
                && let Some(Lit::Email(address)) = self.lit(at).cloned()
            {
                self.frame.push(Role::Attendees, address);
                self.take(at, at + 1, "event");
            }
        }
    }

    /// "take 'Dinner' off", said as "take off the calendar 'Dinner'": where nothing else is named, it is the event.
    fn titled_off(&self, at: usize) -> bool {
        let quoted = |i: usize| matches!(self.lit(i), Some(Lit::Quoted(_)));
        let event = |i: usize| {
            let of = |id: &String| self.senses.noun.get(id).and_then(|noun| noun.object.as_deref());
            i != at && self.noun_ids(i).iter().any(|id| of(id) == Some("events"))
        };
        let alone = (0..self.len()).all(|i| i == at + 1 || !quoted(i) && !event(i));
        self.changes() && self.chooses_by_hour() && quoted(at + 1) && alone
    }

    /// A value that records are made of or found by; a second one is another record, and nothing is changed by one of two.
    fn found_by(&mut self, role: Role, value: String) {
        let known = self.frame.text(role).map(str::to_owned);
        if self.changes() && known.as_ref().is_some_and(|known| *known != value) {
            self.frame.leftover.push(value.clone());
        }
        self.frame.slots.entry(role).or_insert(value.into());
    }

    /// A place by name that no record is found by: the records that are changed are those there, which nobody can tell.
    pub(crate) fn lost_places(&mut self, mentions: &[Mention]) {
        let lost = |mention: &&Mention| self.items.get(mention.at).is_some_and(|item| item.capital);
        let names = mentions.iter().filter(lost).filter_map(|mention| mention.name.clone());
        let names: Vec<String> = names.filter(|_| self.changes()).collect();
        self.frame.leftover.extend(names);
    }

    pub(crate) fn dated(&self, at: usize) -> bool {
        ["month", "weekday", "day", "rel", "number", "unit"].iter().any(|cat| self.sense(at, cat).is_some())
    }

    /// Name, numbers and addresses of a contact; or the words that find one.
    pub(crate) fn contact_cues(&mut self, creates: bool) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let cue = at.checked_sub(1).filter(|b| {
                self.free(*b) && ["phone", "email", "to"].iter().any(|id| self.is(*b, "cue", id))
            });
            match self.items[at].lit.clone() {
                Lit::Email(address) => {
                    // "from a@x to b@x": of two addresses one is the old one.
                    if !creates && self.changes() && self.frame.has(Role::Emails) {
                        self.frame.leftover.push(address.clone());
                    }
                    self.frame.push(Role::Emails, address);
                    self.take(cue.unwrap_or(at), at + 1, "contact");
                }
                Lit::Number(_) | Lit::Symbol('+') => {
                    let Some((number, end)) = self.phone(at) else { continue };
                    self.frame.push(Role::Phones, number);
                    if let Some(cue) = cue {
                        self.said_noun(cue);
                    }
                    self.take(cue.unwrap_or(at), end, "contact");
                }
                Lit::Quoted(text) => {
                    self.found_by(if creates { Role::PersonName } else { Role::Query }, text);
                    self.take(at, at + 1, "contact");
                }
                Lit::Word if self.items[at].capital && !self.dated(at) => {
                    if let Some((name, end)) = self.name(at, false) {
                        // "nonna Rosa": a word nobody knows, right before the name, belongs to it.
                        let title = at.checked_sub(1).filter(|b| self.titles(*b));
                        // "add a number to Anna": she is there already.
                        if creates && at.checked_sub(1).is_some_and(|b| self.is(b, "cue", "to")) {
                            self.frame.leftover.push(name.clone());
                        }
                        let name = title.map_or(name.clone(), |b| format!("{} {name}", self.items[b].text));
                        self.found_by(if creates { Role::PersonName } else { Role::Query }, name);
                        self.take(title.unwrap_or(at), end, "contact");
                    }
                }
                _ => {}
            }
        }
        self.somebody();
    }

    /// A plain word that means nothing else.
    pub(super) fn titles(&self, at: usize) -> bool {
        let item = &self.items[at];
        item.free() && item.senses.is_empty() && matches!(item.lit, Lit::Word)
    }

    /// "is there a plumber among my contacts": who is looked for by one word and no name.
    pub(super) fn somebody(&mut self) {
        let looks = self.frame.verb.as_ref().is_none_or(|id| self.senses.asks(id));
        let book = (0..self.len()).flat_map(|at| self.noun_ids(at)).any(|id| {
            let noun = self.senses.noun.get(&id);
            noun.is_some_and(|noun| noun.object.as_deref() == Some("contacts") && noun.rank > 2)
        });
        let looks = looks && book;
        let values = [Role::Query, Role::Phones, Role::Emails];
        if !looks || values.iter().any(|role| self.frame.has(*role)) {
            return;
        }
        let unknown: Vec<usize> = (0..self.len()).filter(|at| self.titles(*at)).collect();
        let [at] = unknown[..] else { return };
        if at.checked_sub(1).is_some_and(|before| self.lexicon.articles.contains(&self.items[before].norm)) {
            let word = self.items[at].text.clone();
            self.frame.set(Role::Query, word);
            self.take(at, at + 1, "contact");
        }
    }

    /// A telephone number, with the spaces it was written with taken out.
    pub(super) fn phone(&self, at: usize) -> Option<(String, usize)> {
        let mut text = String::new();
        let mut end = at;
        while let Some(item) = self.items.get(end)
            && matches!(item.lit, Lit::Number(_) | Lit::Symbol('+'))
        {
            text.push_str(&item.text);
            end += 1;
        }
        (text.chars().filter(char::is_ascii_digit).count() >= 5).then_some((text, end))
    }
}
