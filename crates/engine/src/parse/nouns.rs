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
            if self.free(at) && self.items[at].words > 1 && Some(at) != self.verb_at {
                self.flag(at);
            }
        }
    }

    /// The flags that are left: one word each.
    pub(crate) fn flags(&mut self) {
        let processes = self.items.iter().any(|item| item.is("noun", "process"));
        for at in 0..self.len() {
            if self.free(at) && Some(at) != self.verb_at && (self.sense(at, "noun").is_none() || processes) {
                self.flag(at);
            }
        }
    }

    fn flag(&mut self, at: usize) {
        let ids: Vec<String> =
            self.items[at].senses.iter().filter(|s| s.cat == "flag").map(|s| s.id.clone()).collect();
        for id in ids {
            let Some(flag) = self.senses.flag.get(&id).filter(|flag| !flag.acting) else { continue };
            let (role, value) = (flag.role, json(&flag.value));
            self.frame.begins = flag.begins.clone().or(self.frame.begins.take());
            match role {
                Role::Add | Role::Remove => self.frame.push(role, value),
                _ => {
                    self.frame.slots.entry(role).or_insert(value);
                }
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
            if noun.beside.is_some_and(|role| !self.frame.has(role)) {
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
            let asked = noun.asked.iter().find(|(stat, _)| self.items.iter().any(|i| i.is("stat", stat)));
            Some(asked.map_or(id, |(_, other)| other.as_str()).to_owned())
        })
        .collect()
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
        let lexicon = self.lexicon;
        for at in 0..self.len() {
            let item = &self.items[at];
            if item.sense("noun").is_none() || Some(at) == self.verb_at {
                continue;
            }
            // "il contenuto dell'": a phrase that begins with its article says so itself.
            let own = item.norm.split(' ').next().filter(|_| item.words > 1);
            if own.is_some_and(|word| lexicon.singular_words.iter().any(|one| one == word)) {
                self.frame.singular = true;
                return;
            }
            let before = (at.saturating_sub(3)..at).rev().map(|i| &self.items[i]);
            let mut verdict = None;
            for word in before {
                let words: Vec<&str> = word.norm.split(' ').collect();
                if words.iter().any(|w| lexicon.plural_words.iter().any(|p| p == w))
                    || word.number().is_some_and(|n| n > 1.0)
                {
                    verdict = Some(false);
                    break;
                }
                let elided = |w: &str| {
                    lexicon.singular_words.iter().any(|p| p.ends_with('\'') && w.starts_with(p.as_str()))
                };
                if words.last().is_some_and(|w| lexicon.singular_words.iter().any(|p| p == w) || elided(w)) {
                    verdict = Some(true);
                    break;
                }
                if word.sense("noun").is_some() {
                    break;
                }
            }
            self.frame.singular = verdict.unwrap_or_else(|| {
                !lexicon.plural_endings.is_empty()
                    && !lexicon.plural_endings.iter().any(|end| item.norm.ends_with(end.as_str()))
            });
            return;
        }
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
