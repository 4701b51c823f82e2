//! What points elsewhere or names something new: pronouns, two places compared, folders to make, what photos show.

use super::places::Mention;
use super::{Anaphor, Clause, Sets};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// "in both A and B", "in A but not in B".
    pub(crate) fn sets(&mut self) {
        let both = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "set", "both"));
        let but = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "set", "but_not"));
        let Some(at) = but.or(both) else { return };
        // "both the videos and the songs": two kinds of things, not two places.
        let kinds = |at: usize| {
            let noun = self.items[at].sense("noun").and_then(|id| self.senses.noun.get(id));
            let place =
                self.items[at].is_name() || self.sense(at, "place").is_some() && self.items[at].capital;
            noun.is_some_and(|noun| noun.object.is_some()) && !place
        };
        let next = self.skip_stops(at + 1);
        if but.is_none() && next < self.len() && kinds(next) {
            self.take(at, at + 1, "sets");
            return;
        }
        let saved = self.items.clone();
        let mentions: Vec<Mention> = self.mentions().into_iter().filter(|m| !m.file).collect();
        let mentions = self.without_goal(mentions, &saved);
        // The second place may lack a preposition of its own: "in both Music and Downloads".
        let mut folders: Vec<(usize, String)> = mentions.iter().map(|m| (m.at, m.path.clone())).collect();
        for i in at + 1..self.len() {
            if self.free(i)
                && let Some(path) = self
                    .sense(i, "place")
                    .map(str::to_owned)
                    .or_else(|| self.items[i].capital.then(|| format!("~/{}", self.items[i].text)))
            {
                folders.push((i, path));
                self.take(i, i + 1, "place");
            }
        }
        folders.sort();
        // Said twice, it is one place; of three nobody knows which two are meant.
        let mut known: Vec<String> = Vec::new();
        folders.retain(|(_, path)| {
            let new = !known.contains(path);
            known.push(path.clone());
            new
        });
        if folders.len() > 2 {
            self.items = saved;
            let word = self.items[at].text.clone();
            self.frame.leftover.push(word);
            return;
        }
        let Some([(_, first), (_, second)]) =
            folders.get(..2).and_then(|f| <&[(usize, String); 2]>::try_from(f).ok())
        else {
            self.items = saved;
            if let (Some(_), [(place, path)]) = (but, &folders[..])
                && *place > at
            {
                self.outside(at, *place, path.clone());
            }
            return;
        };
        let op = if but.is_some() { "difference" } else { "intersect" };
        self.frame.sets = Some(Sets { op, first: first.clone(), second: second.clone() });
        self.take(at, at + 1, "sets");
        for i in 0..self.len() {
            let leads = self.is(i, "prep", "to") && self.items.get(i + 1).is_some_and(super::Item::free);
            if self.free(i) && !leads && (self.sense(i, "set").is_some() || self.sense(i, "prep").is_some()) {
                self.take(i, i + 1, "sets");
            }
        }
    }

    /// The places but the one things are led to, whose words are free again.
    fn without_goal(&mut self, mentions: Vec<Mention>, saved: &[super::Item]) -> Vec<Mention> {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        if mentions.len() < 3 || verb.is_none_or(|verb| verb.goals.is_empty()) {
            return mentions;
        }
        let (goals, places): (Vec<Mention>, Vec<Mention>) =
            mentions.into_iter().partition(|m| m.prep == "to");
        for goal in goals {
            let from = (0..goal.at).rev().find(|i| self.is(*i, "prep", "to")).unwrap_or(goal.at);
            self.items[from..=goal.at].clone_from_slice(&saved[from..=goal.at]);
        }
        places
    }

    /// "that are not in X", with no other place: everywhere but there.
    fn outside(&mut self, at: usize, place: usize, path: String) {
        // What is missing there is elsewhere, and where was not said: nothing is changed then.
        if self.changes() && self.sense(at, "outside").is_none() {
            let word = self.items[at].text.clone();
            self.frame.leftover.push(word);
        }
        self.frame.excluded.push((Role::Place, path.trim_start_matches('~').to_owned().into()));
        self.take(at, place + 1, "except");
    }

    /// "photos that show a bicycle": the words after, without their article.
    pub(crate) fn shows(&mut self) {
        if !self.items.iter().any(|i| i.is("noun", "image"))
            || !self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_none_or(|v| v.query)
        {
            return;
        }
        for at in 0..self.len() {
            if !self.free(at) || !self.is(at, "cue", "shows") {
                continue;
            }
            let weak = self.items[at].words == 1 && self.sense(at, "stop").is_some()
                || self.sense(at, "prep").is_some();
            let from = self.skip_stops(at + 1);
            let mut end = from;
            while let Some(item) = self.items.get(end)
                && item.free()
                && !item.is_symbol()
                && matches!(item.lit, Lit::Word | Lit::Quoted(_))
                && item.sense("prep").is_none_or(|_| weak && end > from)
                && (item.is_unknown()
                    || !weak
                    || matches!(item.lit, Lit::Quoted(_))
                    || self.any_one(end) && item.senses.iter().all(|sense| sense.cat == "verb"))
                && (end == from || item.sense("noun").is_none())
                && (!weak || !item.capital)
            {
                end += 1;
            }
            end = self.shown_on(from, end);
            // "… that were": it leads on to what is said of the photos.
            while end > from && self.leads_on(end - 1) {
                end -= 1;
            }
            if end == from {
                continue;
            }
            // "with a duplicate": what is asked about them is not what they show.
            let asked = self.sense(from, "noun").and_then(|id| self.senses.noun.get(id));
            if asked.is_some_and(|noun| noun.object.as_deref() == Some("files") && noun.qualifier.is_some()) {
                continue;
            }
            let text = self.written(from, end);
            self.frame.set(Role::Shows, text);
            self.take(at, end, "shown");
            return;
        }
    }

    /// "of a cat": a word after an article that means any one is a thing, also where it looks like a verb.
    fn any_one(&self, at: usize) -> bool {
        let one = at.checked_sub(1).and_then(|before| self.items[before].number()) == Some(1.0);
        one && self.thing_of(at)
    }

    /// Where what is shown ends: "dog on the beach", "torta di compleanno" go on over a preposition to a plain word.
    fn shown_on(&self, from: usize, mut end: usize) -> usize {
        while end > from && self.free(end) && self.sense(end, "prep").is_some() {
            let of = self.is(end, "prep", "of");
            let next = self.skip_stops(end + 1);
            let plain = |item: &super::Item| {
                let known = ["place", "folder_word", "month", "weekday", "day", "rel", "unit", "number"];
                let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
                let thing =
                    noun.is_some_and(|noun| !matches!(noun.object.as_deref(), Some("files" | "dirs")));
                let other = thing && of && known.iter().all(|cat| item.sense(cat).is_none());
                item.free()
                    && matches!(item.lit, Lit::Word)
                    && !item.capital
                    && (item.senses.is_empty() || other)
            };
            if !self.items.get(next).is_some_and(plain) {
                break;
            }
            end = next + 1;
            while self.items.get(end).is_some_and(|item| plain(item) && item.senses.is_empty()) {
                end += 1;
            }
        }
        end
    }

    /// Whether a word only leads on to the next one.
    fn leads_on(&self, at: usize) -> bool {
        let item = &self.items[at];
        item.is("wish", "state") || super::clause::only_stop(item) || item.sense("subject").is_some()
    }

    /// "photos similar to ~/a.jpg": the picture that others are compared with.
    pub(crate) fn likeness(&mut self) {
        if !self.items.iter().any(|i| i.is("noun", "image")) || self.changes() {
            return;
        }
        for at in 0..self.len() {
            let next = self.skip_stops(at + 1);
            // "the photo ~/a.jpg"
            let next = next + usize::from(self.is(next, "noun", "image") || self.is(next, "noun", "file"));
            let Some(Lit::Path(path) | Lit::Slashed(path)) = self.lit(next) else { continue };
            if self.free(at) && self.is(at, "cue", "similar") && super::places::has_ending(path) {
                let slashed = matches!(self.lit(next), Some(Lit::Slashed(_)));
                let path = if slashed { self.below_home(path) } else { path.clone() };
                self.frame.set(Role::SimilarTo, path);
                self.take(at, next + 1, "similar");
            }
        }
    }

    pub(crate) fn ambient(&mut self) {
        for at in 0..self.len() {
            if self.free(at) && self.sense(at, "ambient").is_some() {
                self.take(at, at + 1, "ambient");
            }
        }
    }

    /// What points back; `hint` is the object of what went before.
    pub(crate) fn pronouns(&mut self, hint: &str) {
        self.numbered(hint);
        self.these();
        // A weak noun says what they should be, not what they are: "which of these are invoices".
        let strong = |item: &super::Item| {
            let mut nouns = item.senses.iter().filter(|s| s.cat == "noun");
            nouns.any(|s| self.senses.noun.get(s.id.as_str()).is_none_or(|noun| !noun.weak))
        };
        let noun =
            self.items.iter().enumerate().any(|(at, i)| {
                i.free() && strong(i) && Some(at) != self.verb_at && i.sense("pron").is_none()
            });
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let alone = |clause: &Self| {
                clause.items[at].senses.iter().all(|s| {
                    matches!(
                        s.cat.as_str(),
                        "pron"
                            | "stop"
                            | "then"
                            | "every"
                            | "subject"
                            | "cue"
                            | "after"
                            | "verb"
                            | "list_word"
                            | "these"
                    )
                })
            };
            // "whose name has 'x' in it"
            let inside = self.is(at, "pron", "there") && at > 0 && self.items[at - 1].taken == "name";
            if inside {
                self.take(at, at + 1, "name");
            } else if self.is(at, "pron", "only") && (!noun || self.fragment(hint)) {
                self.frame.only = true;
                self.take(at, at + 1, "only");
            } else if self.is(at, "pron", "there")
                && (self.items[at].words == 0
                    || self.items[at].words > 1
                    || self.items[at].sense("prep").is_none()
                        && self
                            .frame
                            .verb
                            .as_ref()
                            .and_then(|id| self.senses.verb.get(id))
                            .is_some_and(|v| !v.goals.is_empty() || !v.query && self.after_things(at)))
            {
                self.frame.there = true;
                self.take(at, at + 1, "there");
            } else if (self.is(at, "pron", "them") || self.is(at, "pron", "it"))
                && alone(self)
                && (!noun
                    || self.items[at].words == 0
                    || self.sense(at, "stop").is_none() && self.items[at].words > 1)
            {
                self.frame.anaphor.get_or_insert(Anaphor::List);
                self.frame.one = self.is(at, "pron", "it") && !self.is(at, "pron", "them");
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

    /// "only the PDFs", after files were shown: no verb and no place, so that it is not whole by itself.
    fn fragment(&self, hint: &str) -> bool {
        self.frame.verb.is_none() && hint == "files" && !self.items.iter().any(|item| item.taken == "place")
    }

    /// "open the third message", of messages that were shown: one of them, where nothing else says which.
    fn numbered(&mut self, hint: &str) {
        let object = |clause: &Self, at: usize| {
            let noun = clause.sense(at, "noun").and_then(|id| clause.senses.noun.get(id))?;
            noun.object.clone().filter(|_| noun.set.is_empty())
        };
        let said = |clause: &Self, at: usize| {
            let n = clause.sense(at, "ordinal").and_then(|id| id.parse::<i64>().ok())?;
            (clause.free(at) && object(clause, at + 1)? == hint).then_some(n)
        };
        let Some((at, n)) = (0..self.len()).find_map(|at| Some((at, said(self, at)?))) else { return };
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let told =
            |role: &Role| verb.is_some_and(|verb| verb.goals.contains(role) || verb.set.contains_key(role));
        let placed = self.items.iter().any(|item| item.taken == "place");
        if self.frame.slots.keys().all(told) && !placed {
            self.frame.anaphor = Some(Anaphor::Index(n));
            self.take(at, at + 2, "ordinal");
        }
    }

    /// "those PDFs": the ones that were spoken of, and of them what is named.
    fn these(&mut self) {
        let noun = |at: usize| {
            self.sense(at, "noun").is_some()
                || self.items.get(at).is_some_and(|i| self.extension_word(i).is_some())
        };
        let found = (0..self.len())
            .find(|at| self.free(*at) && self.is(*at, "these", "these") && self.free(at + 1) && noun(at + 1));
        let placed = self.items.iter().any(|item| item.taken == "place");
        let Some(at) = found.filter(|_| self.frame.anaphor.is_none()) else { return };
        // Those in a place are not those that were shown, or not only.
        let goes = self
            .frame
            .verb
            .as_ref()
            .and_then(|id| self.senses.verb.get(id))
            .is_some_and(|v| !v.goals.is_empty());
        if placed && !goes {
            if self.changes() {
                self.frame.leftover.push(self.items[at].text.clone());
            }
            return;
        }
        self.frame.anaphor = Some(Anaphor::List);
        self.frame.these = true;
        self.take(at, at + 1, "pronoun");
    }

    /// "every file there": after what is meant, it says where.
    fn after_things(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.sense(before, "noun").is_some())
    }

    /// "the two folders ~/a and ~/b": as many as are named are counted by that.
    pub(crate) fn counted_paths(&mut self) {
        let named = self.items.iter().filter(|i| matches!(i.lit, Lit::Path(_) | Lit::Slashed(_))).count();
        let things = |at: usize| self.is(at, "noun", "folder") || self.is(at, "noun", "file");
        let counts = |at: usize| self.free(at) && self.number(at) == Some(named as f64);
        let counted = (0..self.len()).find(|at| counts(*at) && (things(at + 1) || things(at + 2)));
        if let Some(at) = counted.filter(|_| named > 1) {
            self.take(at, at + 1, "as many as are named");
        }
    }

    /// The names of folders to make: "called 'x' in y", "Gennaio, Febbraio e Marzo".
    pub(crate) fn new_folders(&mut self) {
        let mut at = 0;
        let mut names = Vec::new();
        while at < self.len() {
            // "three folders in Work: A, B and C"
            let listed = matches!(self.lit(at), Some(Lit::Symbol(':')));
            let verb = Some(at) == self.verb_at && self.makes_folder();
            let named = verb
                || self.free(at)
                    && (self.is(at, "cue", "named")
                        || listed
                        || self.sense(at, "folder_word").is_some()
                        || self.is(at, "noun", "folder"));
            if !named {
                at += 1;
                continue;
            }
            let mut next = at + 1;
            let mut any = false;
            while let Some((name, end)) = self.given_name(
                next,
                self.is(at, "cue", "named")
                    || any
                    || listed
                    || self.items.get(next).is_some_and(|i| i.senses.is_empty()),
            ) {
                if matches!(self.lit(next), Some(Lit::Path(_) | Lit::Slashed(_)))
                    || self.sense(next, "prep").is_some() && !self.items[next].capital
                {
                    break;
                }
                // "named after the day": the name is not said.
                if self.sense(next, "bound").is_some() && !self.items[next].capital {
                    let word = self.items[next].text.clone();
                    self.frame.leftover.push(word);
                }
                names.push(name);
                any = true;
                // "three folders": they are counted by their names.
                let counted = at > 0 && self.free(at - 1) && self.number(at - 1).is_some();
                self.take(at - usize::from(counted), end, "new folder");
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
        // A number that counts the names says nothing more than they do.
        let count = (0..self.len()).find(|at| self.number(*at) == Some(names.len() as f64));
        if let Some(at) = count.filter(|_| names.len() > 1) {
            self.take(at, at + 1, "new folder");
        }
        for name in names {
            self.frame.push(Role::Names, name);
        }
    }
}
