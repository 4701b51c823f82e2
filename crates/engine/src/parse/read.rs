//! The order in which a clause is read.

use super::places::{Mention, has_ending};
use super::{Clause, Frame, Item};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// The frame of this clause.
    ///
    /// `hint` is the object of what went before, for clauses that name none.
    pub(crate) fn read(mut self, hint: &str) -> Frame {
        self.timed = (0..self.len()).any(|at| self.duration(at).is_some());
        self.shell();
        self.topic();
        self.main_verb();
        self.ends_as();
        self.only_looks_up();
        self.turned();
        self.meant();
        self.given_names();
        if let Some(frame) = self.word_by_word() {
            return frame;
        }
        self.number_of();
        if self.expression() || self.listed_numbers() {
            self.frame.object = "numbers".to_owned();
            return self.finish();
        }
        self.literals();
        self.counted_paths();
        self.outputs();
        let extracts = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let extracts = extracts.is_some_and(|verb| verb.verb.as_deref() == Some("extract"));
        self.known_fields(extracts);
        self.asked_fields(hint);
        self.literal_words();
        if matches!(self.guess().as_str(), "files" | "dirs" | "images" | "") {
            self.literal_names();
        }
        let mut guess = self.guess();
        if let Some((id, object)) = self.spoken_noun() {
            self.frame.nouns.insert(0, super::frame::Noun { id });
            guess = object;
        }
        if guess.is_empty()
            && let Some(object) = self.implied(hint)
        {
            self.frame.object.clone_from(&object);
            guess = object;
        }
        if guess.is_empty() && !self.names_a_file() {
            self.frame.hinted = true;
            guess = hint.to_owned();
        }
        if guess == "dirs" && self.goes_to_mail_folder(hint) {
            hint.clone_into(&mut guess);
            self.frame.hinted = true;
        }
        if guess.is_empty()
            && self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| v.query)
            && self.lies_ahead()
        {
            "events".clone_into(&mut guess);
            "events".clone_into(&mut self.frame.object);
        }
        if guess == "dirs" && self.is_on() {
            "events".clone_into(&mut guess);
            "events".clone_into(&mut self.frame.object);
        }
        if self.everything_sent() {
            guess.clear();
        }
        if self.all_sent()
            || self.which_sender()
            || guess.is_empty() && (self.who_wrote() || self.correspondent())
        {
            "messages".clone_into(&mut guess);
            "messages".clone_into(&mut self.frame.object);
        }
        let verb =
            self.frame.verb.clone().and_then(|id| self.senses.verb.get(&id).cloned()).unwrap_or_default();
        let renames = verb.goals.contains(&Role::NameTemplate);
        let creates = verb.verb.as_deref() == Some("create");
        let sends = verb.verb.as_deref() == Some("send");
        if renames && !self.frame.has(Role::NameTemplate) {
            self.rename_cues();
        }
        if creates && (self.items.iter().any(|i| i.free() && i.is("noun", "folder")) || self.makes_folder()) {
            "dirs".clone_into(&mut guess);
            if self.makes_folder() {
                "dirs".clone_into(&mut self.frame.object);
            }
            self.new_folders();
        }
        if guess == "messages" && !sends {
            self.given_labels();
            self.senders();
        }
        if guess == "tasks" {
            let falls = verb.fallback.as_ref().and_then(|other| other.verb.as_deref());
            self.task_cues([verb.verb.as_deref(), falls].contains(&Some("set")));
        }
        self.acting_flags();
        self.likeness();
        self.phrases();
        self.sizes();
        if matches!(guess.as_str(), "events") || sends {
            self.appointment();
        }
        self.dates(&guess);
        if matches!(guess.as_str(), "events") || sends {
            self.hours_of_part(guess == "events");
        } else if guess == "messages" {
            self.mail_of_part();
        }
        self.label_cues(verb.verb.as_deref() == Some("classify"));
        self.frame.table = self.tabular() && !matches!(guess.as_str(), "messages" | "events" | "contacts");
        self.groups();
        self.at_most();
        let converts = verb.qualifier.as_deref() == Some("format");
        self.format_cues(converts);
        if verb.verb.as_deref() == Some("describe") {
            self.lengths();
        }
        if guess != "texts" || !self.items.iter().any(|i| i.is("noun", "char")) {
            self.sets();
        }
        self.exclusions(&guess);
        self.extract_fields(extracts);
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
            self.frame.table = self.tabular();
            self.frame.rows =
                self.items.iter().any(|item| item.is("noun", "row") || item.is("cue", "column"));
            if self.frame.table {
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
        self.past();
        self.pronouns(hint);
        self.extremes();
        self.orders();
        self.field_order();
        self.first_few();
        self.stats();
        self.flags();
        self.most_loaded();
        self.nouns();
        self.kind_in_verb();
        self.settle(mentions, &guess, sends);
        self.finish()
    }

    /// "what's on next week": what is there at a time to come, and nowhere in particular, are events.
    fn is_on(&mut self) -> bool {
        let nowhere = |item: &Item| {
            matches!(item.lit, Lit::Word | Lit::Symbol(_) | Lit::Number(_))
                && (!item.capital || item.sense("weekday").is_some() || item.sense("month").is_some())
                && item.sense("place").is_none()
        };
        let contents: Vec<usize> = (0..self.len()).filter(|at| self.is(*at, "noun", "contents")).collect();
        let looks = self.frame.verb.as_ref().is_none_or(|id| self.senses.asks(id));
        if contents.is_empty() || !looks || !self.items.iter().all(nowhere) || !self.lies_ahead() {
            return false;
        }
        contents.into_iter().for_each(|at| self.take(at, at + 1, "noun"));
        true
    }

    /// The records that a verb in several words names itself: "put in the address book".
    fn spoken_noun(&self) -> Option<(String, String)> {
        let verb = self.verb_at.filter(|at| self.items[*at].words > 1)?;
        let sense = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id))?;
        if sense.object.is_some() || sense.query {
            return None;
        }
        let words: Vec<&str> = self.items[verb].norm.split(' ').collect();
        let phrase = (1..words.len()).find_map(|from| self.lexicon.phrase(&words[from..]))?;
        let nouns =
            phrase.senses.iter().filter(|sense| sense.cat == "noun").map(|sense| sense.id.to_string());
        let mut records = nouns.filter_map(|id| Some((self.senses.noun.get(&id)?.object.clone()?, id)));
        records
            .find(|(object, _)| matches!(object.as_str(), "contacts" | "events"))
            .map(|(object, id)| (id, object))
    }

    /// What a verb is said of where nothing but a name says what is meant.
    fn implied(&self, hint: &str) -> Option<String> {
        let sense = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id))?;
        let named = self.items.iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
        let file =
            |item: &Item| matches!(item.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_) | Lit::Glob(_));
        let open = named && !self.items.iter().any(file) && matches!(hint, "" | "files" | "dirs");
        sense.about.clone().filter(|_| open)
    }

    /// What is only passed on is not read: "ask the frontier model why …".
    fn word_by_word(&mut self) -> Option<Frame> {
        let role =
            self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).and_then(|verb| verb.rest)?;
        let from = self.verb_at? + 1;
        let mut text = String::new();
        for item in self.items.get(from..)? {
            if !text.is_empty() && !item.is_symbol() {
                text.push(' ');
            }
            text.push_str(&item.text);
        }
        let text = text.trim_matches([':', ',', ' ']);
        if !text.is_empty() {
            self.frame.set(role, text);
        }
        self.take(from, self.len(), "text");
        Some(std::mem::take(&mut self.frame))
    }

    /// Politeness and connectives say nothing.
    fn shell(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            let polite = item.sense("polite").is_some()
                && item.command().is_none()
                && item.senses.iter().all(|s| {
                    matches!(
                        s.cat.as_str(),
                        "polite"
                            | "stop"
                            | "pron"
                            | "subject"
                            | "then"
                            | "help"
                            | "say"
                            | "ask"
                            | "self"
                            | "reason"
                    )
                });
            if polite {
                self.take(at, at + 1, "polite");
            }
        }
        // "on second thought, …" at the beginning takes back what was said before; further on it takes back what was said here.
        let first = self.items.iter().position(|item| item.free() && !item.is_symbol());
        if let Some(at) = first.filter(|at| self.sense(*at, "correction").is_some()) {
            self.take(at, at + 1, "polite");
        }
        let mut at = 0;
        while self.items.get(at).is_some_and(|i| !i.free() || i.is_symbol() || i.sense("then").is_some()) {
            self.take(at, at + 1, "connective");
            at += 1;
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

    /// Whether a table is meant: a file that is one, or words for its parts.
    pub(crate) fn tabular(&self) -> bool {
        self.after_table && !self.items.iter().any(|item| item.sense("noun").is_some())
            || self.items.iter().any(|item| match &item.lit {
                Lit::Path(path) | Lit::File(path) | Lit::Slashed(path) => {
                    self.senses.ending("qualifier", path).is_some()
                }
                _ => item.is("noun", "row") || item.is("cue", "column"),
            })
    }

    /// Object, places and the values that depend on them.
    fn settle(&mut self, mentions: Vec<Mention>, guess: &str, sends: bool) {
        let ids: Vec<String> = self.frame.nouns.iter().map(|n| n.id.clone()).collect();
        // What is pointed to is already something; a weak noun does not make it something else.
        let pointed = self.frame.only || self.frame.anaphor.is_some();
        let weak = |id: &String| self.senses.noun.get(id).is_some_and(|noun| noun.weak);
        let ids: Vec<String> = ids.into_iter().filter(|id| !(pointed && weak(id))).collect();
        let ahead = std::mem::take(&mut self.frame.object);
        self.frame.object = self.object_of(ids.iter().map(String::as_str));
        if self.frame.object.is_empty() {
            self.frame.object = ahead;
        }
        if self.frame.object.is_empty() && self.frame.has(Role::Site) {
            self.frame.object = guess.to_owned();
        }
        // "everything in the mail folder 'x'": what is there are messages.
        if guess == "messages" && self.items.iter().any(|item| item.is("folder_word", "mailbox")) {
            guess.clone_into(&mut self.frame.object);
        }
        let beside = mentions.iter().any(|m| m.name.is_none());
        match guess {
            "messages" if !sends => self.assign_folders(mentions),
            "events" | "contacts" if !beside => self.lost_places(&mentions),
            "places" | "issues" | "pulls" if !beside => {}
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
        let quoted = |clause: &Self| {
            (0..clause.len())
                .filter(|at| clause.free(*at) && matches!(clause.lit(*at), Some(Lit::Quoted(_))))
                .collect::<Vec<_>>()
        };
        let verb =
            self.frame.verb.clone().and_then(|id| self.senses.verb.get(&id).cloned()).unwrap_or_default();
        // "put 'milk' in ~/shopping.txt": a text, which goes into the file.
        let plain =
            self.frame.nouns.is_empty() && self.frame.kinds.is_empty() && self.frame.anaphor.is_none();
        let into = self.frame.text(Role::DstDir).filter(|dst| has_ending(dst)).map(str::to_owned);
        let texts = quoted(self);
        let said = plain && !texts.is_empty() && texts.iter().all(|at| !has_ending(&self.items[*at].text));
        if let Some(dst) = into.filter(|_| said && verb.on_file.is_some()) {
            self.frame.slots.remove(&Role::DstDir);
            self.frame.set(Role::OutPath, dst);
        }
        self.otherwise(&verb, guess);
        let file = self.frame.has(Role::Paths) || self.frame.has(Role::OutPath);
        if let Some(other) =
            verb.on_file.clone().filter(|_| file && !quoted(self).is_empty() && (verb.makes || said))
        {
            self.frame.verb = Some(other);
            if let Some(path) = self.frame.list(Role::Paths).first() {
                self.frame.set(Role::OutPath, path.clone());
                self.frame.slots.remove(&Role::Paths);
            }
        }
        let writes = self.frame.has(Role::OutPath)
            && self
                .frame
                .verb
                .as_ref()
                .and_then(|id| self.senses.verb.get(id))
                .is_some_and(|v| v.goals == [Role::OutPath] || said && v.goals.contains(&Role::OutPath));
        for at in quoted(self) {
            if writes && self.frame.has(Role::Content) {
                // Of two texts none is left out.
                continue;
            }
            let text = self.items[at].text.clone();
            let role = if writes {
                Role::Content
            } else if verb.tool.is_some() {
                Role::Command
            } else if object == "texts" && verb.verb.as_deref() == Some("compare") {
                if self.frame.has(Role::FirstText) { Role::SecondText } else { Role::FirstText }
            } else if object == "texts" && !self.frame.has(Role::Paths) && !self.frame.has(Role::Place) {
                // Of two texts none is the one that is meant.
                if self.frame.has(Role::Text) {
                    continue;
                }
                Role::Text
            } else if verb.verb.as_deref() == Some("compare") {
                if self.frame.has(Role::FirstText) { Role::SecondText } else { Role::FirstText }
            } else if (object == "files" && self.searched_in(at) || self.searches(at))
                && !self.frame.has(Role::Contains)
            {
                Role::Contains
            } else if file || self.frame.table {
                // Beside a file that is named, or in a table, it is no name of a file.
                continue;
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
        self.emptied();
        self.join_names();
        self.frame.listing = self.items.iter().any(|i| i.sense("list_word").is_some());
    }

    /// What a verb means of an address, or of things that are no files.
    fn otherwise(&mut self, verb: &crate::lexicon::VerbSense, guess: &str) {
        let address = self.frame.has(Role::Urls) && self.frame.extract.is_empty();
        if let Some(other) = verb.on_url.clone().filter(|_| address) {
            self.frame.verb = Some(other);
        }
        let named = match guess {
            "events" => Role::Title,
            "contacts" => Role::PersonName,
            _ => return,
        };
        let Some(other) = verb.on_record.clone() else { return };
        if let Some(name) = self.frame.slots.remove(&Role::NameTemplate) {
            self.frame.keep(named, name);
        }
        self.frame.verb = Some(other);
    }

    /// "search for 'x'": a word that is searched for stands in texts; a name has an ending or a wildcard.
    fn searches(&self, at: usize) -> bool {
        let search = self.verb_at.is_some_and(|verb| verb + 1 == at && self.sense(verb, "search").is_some());
        let file = self.frame.object.is_empty() && self.frame.nouns.is_empty() && self.frame.kinds.is_empty();
        search && file && !self.items[at].text.contains(['.', '*'])
    }

    /// "search 'x' in the documents": in things that hold text, not in a folder; a name with an ending is a name.
    fn searched_in(&self, at: usize) -> bool {
        let after = self.verb_at.is_some_and(|verb| {
            verb < at && (verb + 1..at).all(|i| super::clause::only_stop(&self.items[i]))
        });
        let prep = at + 1;
        let things = self.skip_stops(prep + 1);
        let named = self.items[at].text.contains('.') || self.items[at].text.contains('*');
        after
            && !named
            && matches!(self.sense(prep, "prep"), Some("in" | "inor"))
            && self.items.get(things).is_some_and(|item| {
                !item.is_name() && item.sense("noun").is_some() && item.sense("folder_word").is_none()
            })
    }
}
