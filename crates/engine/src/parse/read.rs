//! The order in which a clause is read.

use super::places::Mention;
use super::{Anaphor, Clause, Frame, Sets};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// The frame of this clause.
    ///
    /// `hint` is the object of what went before, for clauses that name none.
    pub(crate) fn read(mut self, hint: &str) -> Frame {
        self.shell();
        self.main_verb();
        self.turned();
        self.number_of();
        if self.expression() {
            self.frame.object = "numbers".to_owned();
            return self.finish();
        }
        self.literals();
        self.outputs();
        let mut guess = self.guess();
        if guess.is_empty() {
            guess = hint.to_owned();
        }
        if guess.is_empty() && self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| v.query) && self.lies_ahead() {
            "events".clone_into(&mut guess);
            "events".clone_into(&mut self.frame.object);
        }
        let verb = self.frame.verb.clone().and_then(|id| self.senses.verb.get(&id).cloned()).unwrap_or_default();
        let renames = verb.goals.contains(&Role::NameTemplate);
        let creates = verb.verb.as_deref() == Some("create");
        let sends = verb.verb.as_deref() == Some("send");
        if renames {
            self.rename_cues();
        }
        if creates && self.items.iter().any(|i| i.free() && i.is("noun", "folder")) {
            "dirs".clone_into(&mut guess);
            self.new_folders();
        }
        self.phrases();
        self.sizes();
        if matches!(guess.as_str(), "events") || sends {
            self.appointment();
        }
        self.dates(&guess);
        self.groups();
        self.at_most();
        let converts = verb.qualifier.as_deref() == Some("format");
        self.format_cues(converts);
        if guess != "texts" || !self.items.iter().any(|i| i.is("noun", "char")) {
            self.sets();
        }
        self.exclusions(&guess);
        self.extract_fields(verb.verb.as_deref() == Some("extract"));
        if guess == "messages" || sends {
            self.message_cues(sends);
        }
        if self.items.iter().any(|i| i.is("noun", "now")) {
            self.zone();
        }
        if matches!(guess.as_str(), "issues" | "pulls" | "urls" | "places" | "credentials") {
            self.ambient();
            self.nouns();
            self.few_cues(&guess);
        }
        if guess == "events" {
            self.event_cues(creates);
        }
        if guess == "contacts" {
            self.contact_cues(creates);
        }
        if !matches!(guess.as_str(), "messages" | "events" | "contacts" | "urls" | "places") {
            if self.tabular() {
                self.table_cues();
            }
            self.file_cues(&guess);
            self.shows();
        }
        self.ambient();
        if sends {
            self.recipients();
        }
        let mentions = self.mentions();
        self.pronouns();
        self.orders();
        self.stats();
        self.flags();
        self.nouns();
        self.settle(mentions, &guess, sends);
        self.finish()
    }

    /// Whether a day that is still to come is named, and nothing that files have: what is ahead is in a calendar.
    fn lies_ahead(&self) -> bool {
        let today = self.clock.today();
        let literal = self.items.iter().any(|i| matches!(i.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_) | Lit::Url(_)) || i.sense("place").is_some() || i.sense("touch").is_some());
        !literal && (0..self.len()).any(|at| self.days(at).is_some_and(|(days, _)| days.ahead.is_some() || days.from.is_some_and(|from| from > today)))
    }

    /// Politeness and connectives say nothing.
    fn shell(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            let polite = item.sense("polite").is_some() && item.command().is_none() && item.senses.iter().all(|s| matches!(s.cat.as_str(), "polite" | "stop" | "pron" | "subject" | "then"));
            if polite {
                self.take(at, at + 1, "polite");
            }
        }
        let mut at = 0;
        while self.items.get(at).is_some_and(|i| !i.free() || i.is_symbol() || i.sense("then").is_some()) {
            self.take(at, at + 1, "connective");
            at += 1;
        }
    }

    /// The verb that says what to do: the first that does more than ask, else the first that asks.
    fn main_verb(&mut self) {
        let mut asks = None;
        let mut start = true;
        for at in 0..self.len() {
            let item = &self.items[at];
            if !item.free() || item.is_symbol() {
                continue;
            }
            let described = at > 0 && self.items[at - 1].sense("subject").is_some() && self.items[at - 1].command().is_none();
            if let Some(id) = item.command().filter(|_| !described && !item.capital) {
                let query = self.senses.verb.get(id).is_some_and(|v| v.query);
                let other = item.senses.iter().any(|s| matches!(s.cat.as_str(), "noun" | "flag" | "cue" | "touch" | "stop" | "field" | "after" | "super" | "status"));
                let bound = self.items.get(at + 1).is_some_and(|next| next.sense("pron").is_some() && next.words == 0);
                if !query && (start || bound || !other) {
                    self.frame.verb = Some(id.to_owned());
                    self.verb_at = Some(at);
                    break;
                }
                if query && asks.is_none() && (start || !other) {
                    asks = Some((at, id.to_owned()));
                }
            }
            start &= super::clause::only_stop(item) || item.sense("polite").is_some() || item.sense("pron").is_some();
        }
        if self.verb_at.is_none()
            && let Some((at, id)) = asks
        {
            self.frame.verb = Some(id);
            self.verb_at = Some(at);
        }
        // A question word can be the word that groups: "in which month".
        if let Some(at) = self.verb_at
            && !self.is(at, "by", "which")
            && self.sense(at, "noun").is_none()
            && self.sense(at, "cue").is_none()
            && self.sense(at, "which_group").is_none()
        {
            self.take(at, at + 1, "verb");
        }
    }

    /// A noun or a flag can say what a general verb means: what is put on a calendar is booked.
    fn turned(&mut self) {
        let Some(verb) = self.frame.verb.clone() else { return };
        for at in 0..self.len() {
            let item = &self.items[at];
            if !item.free() || Some(at) == self.verb_at {
                continue;
            }
            let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id)).and_then(|n| n.turns.get(&verb));
            // "into folders by" says it whole; "by" alone says nothing.
            let folders = item.sense("into_folders").filter(|_| item.words > 2 && item.sense("by").is_none()).and_then(|_| self.senses.folders.get(&verb));
            let flag = item.sense("flag").and_then(|id| self.senses.flag.get(id)).and_then(|f| f.turns.get(&verb));
            if let Some(other) = folders.or(noun).or(flag) {
                self.frame.verb = Some(other.clone());
                return;
            }
        }
    }

    fn outputs(&mut self) {
        for at in 0..self.len() {
            if self.free(at)
                && let Some(format) = self.sense(at, "output").map(str::to_owned)
                && (self.items[at].words > 1 || self.sense(at, "stop").is_none())
            {
                self.frame.set(Role::RenderFormat, format);
                self.take(at, at + 1, "output");
            }
        }
    }

    fn dates(&mut self, object: &str) {
        let ahead = object == "events";
        for at in 0..self.len() {
            let Some((days, end)) = self.days(at) else { continue };
            let (mut from, mut to) = (days.from, days.to);
            if ahead && let Some((start, end)) = days.ahead {
                (from, to) = (Some(start), Some(end));
            } else if days.open && !ahead {
                to = None;
            }
            if let Some(from) = from {
                self.frame.set(Role::After, from.to_string());
            }
            if let Some(to) = to {
                self.frame.set(Role::Before, to.to_string());
            }
            let touched = (0..self.len()).find_map(|i| self.sense(i, "touch").filter(|_| !self.items[i].capital).map(|id| (i, id.to_owned())));
            if let Some((i, id)) = touched {
                if id == "taken" {
                    self.frame.verbs.push("taken".to_owned());
                }
                self.take(i, i + 1, "date");
            }
            let start = at.checked_sub(1).filter(|b| self.free(*b) && (self.sense(*b, "prep").is_some() || self.is(*b, "every", "on"))).unwrap_or(at);
            self.take(start, end, "date");
        }
        for at in 0..self.len() {
            if self.free(at) && !self.items[at].capital && self.sense(at, "touch").is_some() && self.sense(at, "super").is_none() && self.sense(at, "noun").is_none() && self.sense(at, "cue").is_none() && Some(at) != self.verb_at {
                self.take(at, at + 1, "date");
            }
        }
    }

    /// Day, hours, length and part of the day of an appointment.
    fn appointment(&mut self) {
        let part = (0..self.len()).find_map(|at| self.sense(at, "day_part").map(|id| (at, id.to_owned())));
        let mut clocks = Vec::new();
        let mut at = 0;
        while at < self.len() {
            if let Some((hour, minute, range)) = self.clock_at(at, part.as_ref().map(|(_, id)| id.as_str())) {
                self.take(range.start, range.end, "time");
                at = range.end;
                clocks.push((hour, minute));
            } else {
                at += 1;
            }
        }
        let mut minutes = None;
        for at in 0..self.len() {
            if let Some((n, end)) = self.duration(at) {
                let from = at.checked_sub(1).filter(|b| self.is(*b, "cue", "duration")).unwrap_or(at);
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
        let Some(&(hour, minute)) = clocks.first() else { return };
        let day = (0..self.len()).find_map(|at| {
            let (days, end) = self.span(at)?;
            Some((days.ahead.map(|(from, _)| from).or(days.from)?, at, end))
        });
        let date = day.map_or(self.clock.today(), |(date, _, _)| date);
        if let Some((_, at, end)) = day {
            let from = at.checked_sub(1).filter(|b| self.is(*b, "every", "on") || self.sense(*b, "prep").is_some()).unwrap_or(at);
            self.take(from, end, "date");
        }
        if let Some(start) = self.clock.instant(date, hour, minute) {
            self.frame.set(Role::Start, start);
        }
        let end = match (clocks.get(1), minutes) {
            (Some((hour, minute)), _) => self.clock.instant(date, *hour, *minute),
            (None, Some(minutes)) => {
                let total = i64::from(hour) * 60 + i64::from(minute) + i64::try_from(minutes).unwrap_or(0).min(100_000);
                let later = date.checked_add(jiff::Span::new().days(total / 1440)).ok();
                later.and_then(|day| self.clock.instant(day, i8::try_from(total % 1440 / 60).unwrap_or(0), i8::try_from(total % 60).unwrap_or(0)))
            }
            _ => None,
        };
        if let Some(end) = end {
            self.frame.set(Role::End, end);
        }
    }

    /// Whether a table is meant: a file that is one, or words for its parts.
    fn tabular(&self) -> bool {
        self.items.iter().any(|item| match &item.lit {
            Lit::Path(path) | Lit::File(path) | Lit::Slashed(path) => self.senses.ending("qualifier", path).is_some(),
            _ => item.is("noun", "row") || item.is("cue", "column"),
        })
    }

    /// "in both A and B", "in A but not in B".
    fn sets(&mut self) {
        let both = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "set", "both"));
        let but = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "set", "but_not"));
        let Some(at) = but.or(both) else { return };
        let saved = self.items.clone();
        let mentions: Vec<Mention> = self.mentions().into_iter().filter(|m| !m.file).collect();
        // The second place may lack a preposition of its own: "in both Music and Downloads".
        let mut folders: Vec<(usize, String)> = mentions.iter().map(|m| (m.at, m.path.clone())).collect();
        for i in at + 1..self.len() {
            if self.free(i)
                && let Some(path) = self.sense(i, "place").map(str::to_owned).or_else(|| self.items[i].capital.then(|| format!("~/{}", self.items[i].text)))
            {
                folders.push((i, path));
                self.take(i, i + 1, "place");
            }
        }
        folders.sort();
        let Some([(_, first), (_, second)]) = folders.get(..2).and_then(|f| <&[(usize, String); 2]>::try_from(f).ok()) else {
            self.items = saved;
            return;
        };
        let op = if but.is_some() { "difference" } else { "intersect" };
        self.frame.sets = Some(Sets { op, first: first.clone(), second: second.clone() });
        self.take(at, at + 1, "sets");
        for i in 0..self.len() {
            if self.free(i) && (self.sense(i, "set").is_some() || self.sense(i, "prep").is_some()) {
                self.take(i, i + 1, "sets");
            }
        }
    }

    fn extract_fields(&mut self, extracts: bool) {
        if !extracts {
            return;
        }
        for at in 0..self.len() {
            if self.free(at)
                && let Some(field) = self.sense(at, "extract_field").map(str::to_owned)
            {
                if !self.frame.extract.contains(&field) {
                    self.frame.extract.push(field);
                }
                self.take(at, at + 1, "field");
            }
        }
    }

    /// "photos that show a bicycle": the words after, without their article.
    fn shows(&mut self) {
        if !self.items.iter().any(|i| i.is("noun", "image")) || !self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_none_or(|v| v.query) {
            return;
        }
        for at in 0..self.len() {
            if !self.free(at) || !self.is(at, "cue", "shows") {
                continue;
            }
            let weak = self.items[at].words == 1 && self.sense(at, "stop").is_some() || self.sense(at, "prep").is_some();
            let from = self.skip_stops(at + 1);
            let mut end = from;
            while let Some(item) = self.items.get(end)
                && item.free()
                && !item.is_symbol()
                && matches!(item.lit, Lit::Word | Lit::Quoted(_))
                && item.sense("prep").is_none_or(|_| weak && end > from)
                && (item.senses.is_empty() || !weak || matches!(item.lit, Lit::Quoted(_)))
                && (end == from || item.sense("noun").is_none())
                && (!weak || !item.capital)
            {
                end += 1;
            }
            if end == from {
                continue;
            }
            let words: Vec<&str> = self.items[from..end].iter().map(|i| i.text.as_str()).collect();
            let text = words.join(" ");
            self.frame.set(Role::Shows, text);
            self.take(at, end, "shown");
            return;
        }
    }

    fn ambient(&mut self) {
        for at in 0..self.len() {
            if self.free(at) && self.sense(at, "ambient").is_some() {
                self.take(at, at + 1, "ambient");
            }
        }
    }

    fn pronouns(&mut self) {
        let noun = self.items.iter().enumerate().any(|(at, i)| i.free() && i.sense("noun").is_some() && Some(at) != self.verb_at && i.sense("pron").is_none());
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let alone = |clause: &Self| clause.items[at].senses.iter().all(|s| matches!(s.cat.as_str(), "pron" | "stop" | "then" | "every" | "subject" | "cue" | "after" | "verb" | "list_word"));
            if self.is(at, "pron", "only") && !noun {
                self.frame.only = true;
                self.take(at, at + 1, "only");
            } else if self.is(at, "pron", "there") && (self.items[at].words == 0 || self.items[at].words > 1 || self.items[at].sense("prep").is_none() && self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| !v.goals.is_empty())) {
                self.frame.there = true;
                self.take(at, at + 1, "there");
            } else if (self.is(at, "pron", "them") || self.is(at, "pron", "it")) && alone(self) && (!noun || self.items[at].words == 0 || self.sense(at, "stop").is_none() && self.items[at].words > 1) {
                self.frame.anaphor.get_or_insert(Anaphor::List);
                self.take(at, at + 1, "pronoun");
            } else if !noun
                && let Some(n) = self.sense(at, "ordinal").and_then(|id| id.parse::<i64>().ok())
                && self.sense(at + 1, "unit").is_none()
                && self.sense(at + 1, "month").is_none()
            {
                self.frame.anaphor = Some(Anaphor::Index(n));
                self.take(at, at + 1, "ordinal");
            }
        }
    }

    /// The names of folders to make: "called 'x' in y", "Gennaio, Febbraio e Marzo".
    fn new_folders(&mut self) {
        let mut at = 0;
        let mut names = Vec::new();
        while at < self.len() {
            let named = self.free(at) && (self.is(at, "cue", "named") || self.sense(at, "folder_word").is_some() || self.is(at, "noun", "folder"));
            if !named {
                at += 1;
                continue;
            }
            let mut next = at + 1;
            let mut any = false;
            while let Some((name, end)) = self.name(next, self.is(at, "cue", "named") || any || self.items.get(next).is_some_and(|i| i.senses.is_empty())) {
                if matches!(self.lit(next), Some(Lit::Path(_) | Lit::Slashed(_))) || self.sense(next, "prep").is_some() && !self.items[next].capital {
                    break;
                }
                names.push(name);
                any = true;
                self.take(at, end, "new folder");
                next = end;
                let mut joined = false;
                while self.items.get(next).is_some_and(|i| i.is_comma() || i.is("then", "and")) {
                    next += 1;
                    joined = true;
                }
                if !joined {
                    break;
                }
            }
            at = next.max(at + 1);
        }
        for name in names {
            self.frame.push(Role::Names, name);
        }
    }

    /// Object, places and the values that depend on them.
    fn settle(&mut self, mentions: Vec<Mention>, guess: &str, sends: bool) {
        let ids: Vec<String> = self.frame.nouns.iter().map(|n| n.id.clone()).collect();
        let ahead = std::mem::take(&mut self.frame.object);
        self.frame.object = self.object_of(ids.iter().map(String::as_str));
        if self.frame.object.is_empty() {
            self.frame.object = ahead;
        }
        if self.frame.object.is_empty() && self.frame.has(Role::Site) {
            self.frame.object = guess.to_owned();
        }
        let beside = mentions.iter().any(|m| m.name.is_none());
        match guess {
            "messages" if !sends => self.assign_folders(mentions),
            "events" | "contacts" | "places" | "issues" | "pulls" if !beside => {}
            _ => self.assign_places(mentions),
        }
        if sends {
            self.attach();
        }
        let object = if self.frame.object.is_empty() { guess.to_owned() } else { self.frame.object.clone() };
        match object.as_str() {
            "processes" | "packages" | "persons" | "credentials" => self.few_cues(&object),
            _ => {}
        }
        if self.frame.tool.is_some() {
            self.zone();
        }
        let quoted = |clause: &Self| (0..clause.len()).filter(|at| clause.free(*at) && matches!(clause.lit(*at), Some(Lit::Quoted(_)))).collect::<Vec<_>>();
        let verb = self.frame.verb.clone().and_then(|id| self.senses.verb.get(&id).cloned()).unwrap_or_default();
        let file = self.frame.has(Role::Paths) || self.frame.has(Role::OutPath);
        if let Some(other) = verb.on_file.clone().filter(|_| file && !quoted(self).is_empty()) {
            self.frame.verb = Some(other);
            if let Some(path) = self.frame.list(Role::Paths).first() {
                self.frame.set(Role::OutPath, path.clone());
                self.frame.slots.remove(&Role::Paths);
            }
        }
        let writes = self.frame.has(Role::OutPath) && self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| v.goals == [Role::OutPath]);
        for at in quoted(self) {
            let text = self.items[at].text.clone();
            let role = if writes {
                Role::Content
            } else if verb.tool.is_some() {
                Role::Command
            } else if object == "texts" && verb.verb.as_deref() == Some("compare") {
                if self.frame.has(Role::FirstText) { Role::SecondText } else { Role::FirstText }
            } else if object == "texts" && !self.frame.has(Role::Paths) && !self.frame.has(Role::Place) {
                Role::Text
            } else if verb.verb.as_deref() == Some("compare") {
                if self.frame.has(Role::FirstText) { Role::SecondText } else { Role::FirstText }
            } else if matches!(object.as_str(), "files" | "dirs" | "") {
                Role::Patterns
            } else {
                continue;
            };
            if role == Role::Patterns {
                self.frame.push(role, text);
            } else {
                self.frame.set(role, text);
            }
            self.take(at, at + 1, "text");
        }
        self.frame.listing = self.items.iter().any(|i| i.sense("list_word").is_some());
    }

    /// What explained each word, and what nothing explained.
    fn finish(mut self) -> Frame {
        for item in &self.items {
            if item.is_symbol() || item.words == 0 {
                continue;
            }
            if !item.free() {
                self.frame.used.push((item.text.clone(), item.taken));
            } else if item.senses.is_empty() || item.capital && item.senses.iter().all(|s| s.cat != "stop" && s.cat != "verb") {
                self.frame.leftover.push(item.text.clone());
            }
        }
        let frame = &self.frame;
        self.frame.bare = frame.nouns.is_empty() && frame.verb.is_none() && frame.stats.is_empty() && frame.anaphor.is_none() && !frame.only && frame.order.is_none() && frame.group.is_empty();
        self.frame
    }
}
