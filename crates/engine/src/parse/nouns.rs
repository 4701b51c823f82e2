//! What the clause is about: nouns, kinds and extensions, flags.

use super::frame::Noun;
use super::places::has_ending;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;
use serde_json::Value;

impl Clause<'_> {
    /// Flags said in several words, before their words can mean something else.
    pub(crate) fn phrases(&mut self) {
        for at in 0..self.len() {
            if self.free(at) && self.items[at].words > 1 && Some(at) != self.verb_at && !self.said_by_noun(at)
            {
                self.flag(at);
            }
        }
    }

    /// "posta in arrivo": a phrase that is a noun too, which gives the same value and says what it is of.
    fn said_by_noun(&self, at: usize) -> bool {
        let role = self.sense(at, "flag").and_then(|id| self.senses.flag.get(id)).map(|flag| flag.role);
        let noun = self.sense(at, "noun").and_then(|id| self.senses.noun.get(id));
        role.zip(noun).is_some_and(|(role, noun)| noun.object.is_some() && noun.set.contains_key(&role))
    }

    /// The flags that are left: one word each.
    pub(crate) fn flags(&mut self) {
        let processes = self.items.iter().any(|item| item.is("noun", "process"));
        for at in 0..self.len() {
            let said = self.free(at) && Some(at) != self.verb_at && !self.is_made_new(at);
            if said && (self.sense(at, "noun").is_none() || processes) {
                self.flag(at);
            }
        }
    }

    fn flag(&mut self, at: usize) {
        let ids: Vec<String> =
            self.items[at].senses.iter().filter(|s| s.cat == "flag").map(|s| s.id.to_string()).collect();
        for id in ids {
            let Some(flag) = self.senses.flag.get(&id).filter(|flag| !flag.acting) else { continue };
            let (role, value) = (flag.role, json(&flag.value));
            // "delete a mail": a way to send says nothing where nothing is sent.
            if role == Role::Via && !self.sends() {
                continue;
            }
            self.frame.begins = flag.begins.clone().or(self.frame.begins.take());
            match role {
                Role::Add | Role::Remove => self.frame.push(role, value),
                _ => self.frame.keep(role, value),
            }
            self.take(at, at + 1, "flag");
        }
    }

    /// Nouns, extensions and wildcards.
    pub(crate) fn nouns(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) || Some(at) == self.verb_at {
                continue;
            }
            match self.items[at].lit.clone() {
                Lit::Ext(ext) => {
                    self.frame.push(Role::Patterns, format!("*.{ext}"));
                    self.take(at, at + 1, "extension");
                }
                Lit::Glob(glob) => {
                    self.frame.push(Role::Patterns, glob);
                    self.take(at, at + 1, "pattern");
                }
                Lit::Word => self.noun(at),
                _ => {}
            }
        }
    }

    fn noun(&mut self, at: usize) {
        let item = &self.items[at];
        if let Some(ext) = self.extension_word(item) {
            self.frame.push(Role::Patterns, format!("*.{ext}"));
            self.take(at, at + 1, "extension");
            return;
        }
        for id in self.noun_ids(at) {
            let Some(noun) = self.senses.noun.get(&id).cloned() else { continue };
            let file = |role: Role| role == Role::Paths && (0..self.len()).any(|i| self.names_file(i));
            if noun.beside.is_some_and(|role| !self.frame.has(role) && !file(role)) {
                continue;
            }
            // A word that means nothing of its own here is not read, if it would leave something out.
            if noun.object.is_none() && noun.tool.is_none() && self.sense(at, "vague").is_some() {
                continue;
            }
            let named = self.names_thing(at);
            for (role, value) in &noun.set {
                if *role == Role::Kind && named.is_some() {
                    // "the pdf https://x": how an address is read depends on what is there; a path tells it by itself.
                    self.frame
                        .qualifiers
                        .extend(value.as_str().filter(|_| named == Some(true)).map(str::to_owned));
                } else if *role == Role::Kind {
                    if let Some(kind) =
                        value.as_str().filter(|k| !self.frame.kinds.iter().any(|known| known == k))
                    {
                        self.frame.kinds.push(kind.to_owned());
                    }
                } else {
                    self.frame.slots.entry(*role).or_insert(json(value));
                }
            }
            for name in noun.names {
                self.frame.push(Role::Patterns, name);
            }
            if let Some(qualifier) = noun.qualifier {
                self.frame.qualifiers.push(qualifier);
            }
            if let Some(verb) = noun.verb {
                self.frame.verbs.push(verb);
            }
            if noun.content.is_some() {
                self.frame.content = noun.content;
            }
            if noun.tool.is_some() {
                self.frame.tool = noun.tool;
            }
            self.frame.nouns.push(Noun { id });
            self.take(at, at + 1, "noun");
        }
    }

    /// A noun that was used for a value still says what the clause is about.
    pub(crate) fn said_noun(&mut self, at: usize) {
        let nouns = self.noun_ids(at).into_iter().map(|id| Noun { id });
        self.frame.nouns.extend(nouns);
    }

    /// "the document ~/a.docx", "the pdf at https://x": a word right before the thing it names says what that is and leaves
    /// nothing out. Whether the thing is an address; nothing where none is named.
    fn names_thing(&self, at: usize) -> Option<bool> {
        let colon = usize::from(matches!(self.lit(at + 1), Some(Lit::Symbol(':'))));
        let next = at + 1 + colon;
        let linked = usize::from(self.sense(next, "prep").is_some() || self.is(next, "cue", "named"));
        match self.lit(next) {
            Some(Lit::Url(_)) => Some(true),
            Some(Lit::File(_)) => Some(false),
            Some(Lit::Path(path) | Lit::Slashed(path)) => has_ending(path).then_some(false),
            _ => (matches!(self.lit(next + linked), Some(Lit::Url(_))) || self.leads_to_address(at + 1))
                .then_some(true),
        }
    }

    /// "ran", "failed": read with the noun that it turns into its history.
    pub(crate) fn past(&mut self) {
        let turns = |at: usize| {
            let mut nouns = self.items[at].senses.iter().filter(|s| s.cat == "noun");
            nouns.any(|s| self.senses.noun.get(s.id.as_str()).is_some_and(|noun| noun.past.is_some()))
        };
        if !self.happened() || !(0..self.len()).any(turns) {
            return;
        }
        for at in 0..self.len() {
            if self.free(at) && self.sense(at, "past").is_some() && self.sense(at, "noun").is_none() {
                self.take(at, at + 1, "history");
            }
        }
    }

    /// "that's online at https://x", "on the web: https://x": nothing but small words up to an address.
    fn leads_to_address(&self, from: usize) -> bool {
        let address = (from..self.len()).find(|at| matches!(self.lit(*at), Some(Lit::Url(_))));
        let small = |at: usize| {
            let item = &self.items[at];
            let binds = ["stop", "prep", "subject"].iter().any(|cat| item.sense(cat).is_some());
            let binds = binds && !item.capital && item.sense("neg").is_none();
            binds || item.is("noun", "web") || matches!(item.lit, Lit::Symbol(':' | ','))
        };
        address.is_some_and(|address| (from..address).all(small))
    }

    /// What the nouns of this item mean here, given what is asked and what stands beside them.
    pub(crate) fn noun_ids(&self, at: usize) -> Vec<String> {
        let ids = self.items[at].senses.iter().filter(|s| s.cat == "noun").map(|s| s.id.as_str());
        ids.filter_map(|id| {
            let noun = self.senses.noun.get(id)?;
            let quoted = matches!(self.lit(at + 1), Some(Lit::Quoted(_)));
            if noun.alone && self.speaks_of_files() {
                return None;
            }
            if noun.before_name && !self.before_name(at) || noun.before_quoted && !quoted {
                return None;
            }
            if let Some(other) = noun.timed.as_ref().filter(|_| self.timed && noun.asked.is_empty()) {
                return Some(other.clone());
            }
            if let Some(past) = noun.past.as_deref().filter(|_| self.happened()) {
                return Some(past.to_owned());
            }
            if self.other_sense(at, noun.nowhere) {
                return None;
            }
            if let Some(other) = noun.searched.as_ref().filter(|_| self.searches_a_file()) {
                return Some(other.clone());
            }
            let with = noun.counted_with.iter().find(|(with, _)| self.counted_with(with));
            if let Some((_, other)) = with {
                return Some(other.clone());
            }
            // "the invoice ~/x.pdf", "the scanned page ~/x.png": what the file is, and nothing else.
            let other =
                noun.object.as_deref().is_some_and(|o| !matches!(o, "files" | "dirs" | "texts" | "images"));
            if other && !noun.part && self.before_file(at) {
                return None;
            }
            let asked = noun.asked.iter().find(|(stat, _)| self.items.iter().any(|i| i.is("stat", stat)));
            Some(asked.map_or(id, |(_, other)| other.as_str()).to_owned())
        })
        .collect()
    }

    /// Whether it is said or asked what happened to things, and nothing is to be done to them.
    fn happened(&self) -> bool {
        let looks = self.frame.verb.as_ref().is_none_or(|id| self.senses.asks(id));
        let counted = self.items.iter().any(|item| item.sense("stat").is_some());
        looks && !counted && self.items.iter().any(|item| item.sense("past").is_some())
    }

    /// Whether the word has another sense that is meant: one of no folder where none is named, else one of a folder.
    fn other_sense(&self, at: usize, nowhere: bool) -> bool {
        let nouns = self.items[at].senses.iter().filter(|s| s.cat == "noun");
        let is_nowhere = |id: &str| self.senses.noun.get(id).is_some_and(|noun| noun.nowhere);
        let other = nouns.into_iter().any(|s| is_nowhere(&s.id) != nowhere);
        let folder = |item: &Item| {
            matches!(item.lit, Lit::Path(_) | Lit::Slashed(_))
                || item.sense("place").is_some() && (item.capital || item.sense("noun").is_none())
                || item.sense("folder_word").is_some()
                || item.sense("group").is_some() && item.sense("unit").is_none()
        };
        other && nowhere == self.items.iter().any(folder)
    }

    /// Whether a text in quotes is looked for in a file that is named.
    fn searches_a_file(&self) -> bool {
        let quoted = self.items.iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
        quoted && !self.named_files().is_empty()
    }

    /// Whether these things are counted too, and nothing is looked for in them.
    fn counted_with(&self, noun: &str) -> bool {
        // "in lines": what it is measured in.
        let measured = |at: usize| self.items[at].words == 1 && self.sense(at, "prep").is_some();
        let part = |at: usize| {
            let noun = self.sense(at, "noun").and_then(|id| self.senses.noun.get(id));
            noun.is_some_and(|noun| noun.part && !noun.counted_with.is_empty())
        };
        let counts = self.items.iter().any(|item| item.sense("stat").is_some())
            || (1..self.len()).any(|at| part(at) && measured(at - 1));
        let searched = self.items.iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
        counts
            && !searched
            && self.named_files().is_empty()
            && self.items.iter().any(|item| item.is("noun", noun))
    }

    /// Whether the path of a file follows, with nothing but a word that describes it between.
    fn before_file(&self, at: usize) -> bool {
        let file = |i: usize| {
            let path = matches!(self.lit(i), Some(Lit::Path(_) | Lit::Slashed(_)));
            path && self.names_file(i)
        };
        let describes = |i: usize| {
            let word = |item: &Item| {
                matches!(item.lit, Lit::Word) && (item.senses.is_empty() || item.sense("vague").is_some())
            };
            self.items.get(i).is_some_and(word)
        };
        let article = |i: usize| self.lexicon.articles.contains(&self.items[i].norm);
        let led = at > 0 && (article(at - 1) || at > 1 && describes(at - 1) && article(at - 2));
        led && (file(at + 1) || describes(at + 1) && file(at + 2))
    }

    /// Whether files or folders are named, as things and not as what is asked about them.
    fn speaks_of_files(&self) -> bool {
        self.items.iter().enumerate().any(|(at, item)| {
            let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
            let thing = noun.is_some_and(|noun| {
                let files = matches!(noun.object.as_deref(), Some("files" | "dirs"));
                files && noun.qualifier.is_none() && noun.verb.is_none()
            });
            thing && Some(at) != self.verb_at && !item.is_name()
        })
    }

    /// Whether a name of a person follows: a capital, no place and no thing.
    fn before_name(&self, at: usize) -> bool {
        self.items.get(at + 1).is_some_and(|next| {
            next.capital
                && matches!(next.lit, Lit::Word)
                && next.sense("place").is_none()
                && next.sense("noun").is_none()
        })
    }

    /// An extension said without its dot.
    pub(crate) fn extension_word(&self, item: &Item) -> Option<String> {
        let known = matches!(item.lit, Lit::Word) && item.words == 1 && item.norm.len() > 1;
        if !known || !item.senses.is_empty() {
            return None;
        }
        let singular =
            self.lexicon.plural_endings.iter().filter_map(|end| item.norm.strip_suffix(end.as_str()));
        std::iter::once(item.norm.as_str())
            .chain(singular)
            .find(|ext| self.senses.extension(ext).is_some())
            .map(str::to_owned)
    }

    /// Whether one thing is meant: an article or an ending says so.
    pub(crate) fn number_of(&mut self) {
        let noun = |at: &usize| self.sense(*at, "noun").is_some() && Some(*at) != self.verb_at;
        if let Some(at) = (0..self.len()).find(noun) {
            self.frame.singular = self.one_at(at);
        }
    }

    /// Whether all that is named is one thing that an article points to.
    pub(crate) fn lone(&self) -> bool {
        let mut nouns = (0..self.len()).filter(|at| matches!(self.items[*at].taken, "noun" | "extension"));
        let one = |at: usize| self.one_at(at) && self.pointed_at(at);
        nouns.next().is_some_and(one) && nouns.next().is_none()
    }

    /// "the photo": one thing, and not a word such as "music" that means many.
    fn pointed_at(&self, at: usize) -> bool {
        let pointing = |item: &Item| self.lexicon.pointing.contains(&item.norm);
        let article = at.checked_sub(1).is_some_and(|before| pointing(&self.items[before]));
        article && self.items[at].words == 1 && !self.lexicon.mass_words.contains(&self.items[at].norm)
    }

    /// Whether the noun at `at` is one thing.
    pub(crate) fn one_at(&self, at: usize) -> bool {
        let endings = &self.lexicon.plural_endings;
        let ends = endings.iter().any(|end| self.items[at].norm.ends_with(end.as_str()));
        self.said_one(at).unwrap_or(!endings.is_empty() && !ends)
    }

    /// Whether the noun at `at` is said to be several things: its own ending says so where it can.
    pub(crate) fn several_at(&self, at: usize) -> bool {
        let endings = &self.lexicon.plural_endings;
        let ends = endings.iter().any(|end| self.items[at].norm.ends_with(end.as_str()));
        if endings.is_empty() { self.said_one(at) == Some(false) } else { ends }
    }

    /// Whether the words before the noun at `at` say that it is one thing, or several.
    fn said_one(&self, at: usize) -> Option<bool> {
        let lexicon = self.lexicon;
        let item = &self.items[at];
        // "il contenuto dell'": a phrase that begins with its article says so itself.
        let own = item.norm.split(' ').next().filter(|_| item.words > 1);
        if own.is_some_and(|word| lexicon.singular_words.iter().any(|one| one == word)) {
            return Some(true);
        }
        for word in (at.saturating_sub(3)..at).rev().map(|i| &self.items[i]) {
            let words: Vec<&str> = word.norm.split(' ').collect();
            if words.iter().any(|w| lexicon.plural_words.iter().any(|p| p == w))
                || word.number().is_some_and(|n| n > 1.0)
            {
                return Some(false);
            }
            let elided = |w: &str| {
                lexicon.singular_words.iter().any(|p| p.ends_with('\'') && w.starts_with(p.as_str()))
            };
            if words.last().is_some_and(|w| lexicon.singular_words.iter().any(|p| p == w) || elided(w)) {
                return Some(true);
            }
            if word.sense("noun").is_some() {
                break;
            }
        }
        None
    }
}

/// A value of the data as a value of a plan.
pub(crate) fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.clone()),
        toml::Value::Integer(n) => Value::from(*n),
        toml::Value::Boolean(yes) => Value::from(*yes),
        _ => Value::Null,
    }
}
