//! What is left out: "except the PDFs", "but not from Giulia", "esclusi quelli sotto node_modules".

use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// Reads what follows a word of exclusion, up to a comma or the verb.
    pub(crate) fn exclusions(&mut self, object: &str) {
        for at in 0..self.len() {
            let kind = self.is(at, "set", "but_not") && self.format_word(self.skip_stops(at + 1)).is_some();
            if !self.free(at) || self.sense(at, "neg").is_none() && !kind {
                continue;
            }
            if self.frame.table && self.column_is_not(at) {
                continue;
            }
            let before = self.frame.excluded.len();
            let placed = self.names_place(at);
            let mut end = at + 1;
            while end < self.len() {
                let item = &self.items[end];
                let ends = item.is_comma() && end > at + 1 && !self.lists_on(end, at, object)
                    || Some(end) == self.verb_at
                    || item.sense("neg").is_some();
                // "that are not PDFs in X": what they are not was said; X is where they are.
                let known = self.frame.excluded.len() > before;
                let where_they_are =
                    known && !placed && matches!(item.sense("prep"), Some("in" | "inor" | "from"));
                // "except the PDFs to X": X is where they go.
                let goes = known && item.is("prep", "to") && self.leads_somewhere();
                // "except those of Paolo of yesterday": such days are those of the exception.
                if known && item.taken == "date" && self.changes() {
                    let word = self.items[end].text.clone();
                    self.frame.leftover.push(word);
                    break;
                }
                if !item.free() || ends || where_they_are || goes {
                    // "… and those in X": that is an exception too, and no place.
                    let those = where_they_are && self.sense(end - 1, "pron").is_some();
                    if those && self.changes() {
                        let word = self.items[end].text.clone();
                        self.frame.leftover.push(word);
                    }
                    break;
                }
                if self.excluded(end, object) {
                    end = self.said_where(end);
                } else if !self.fills(end, object) {
                    self.unread_exception(end, object);
                    break;
                }
                end += 1;
            }
            if self.frame.excluded.len() > before {
                // "leaving the zips aside"
                let aside = self.free(end) && self.is(end, "spare", "after");
                self.take(at, end + usize::from(aside), "except");
            }
        }
    }

    /// "except pdfs, photos and videos": whether what follows a comma is one more of the kinds left out.
    fn lists_on(&self, comma: usize, at: usize, object: &str) -> bool {
        let next = self.skip_stops(comma + 1);
        let kind = next < self.len() && self.free(next) && self.excluded_word(next, object).is_some();
        let listed = (next + 1..self.len()).find(|i| !super::clause::only_stop(&self.items[*i]));
        let more = listed.is_some_and(|i| self.items[i].is_comma() || self.is(i, "then", "and"));
        kind && more && self.verb_at.is_some_and(|verb| verb < at)
    }

    /// Whether the verb leads things to a place.
    fn leads_somewhere(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        verb.is_some_and(|verb| !verb.goals.is_empty())
    }

    /// "status isn't 'done'": of the rows of a table, a condition on a column that does not hold.
    fn column_is_not(&mut self, at: usize) -> bool {
        let value = |item: &Item| matches!(item.lit, Lit::Quoted(_)) || item.capital;
        let Some(text) = self.items.get(at + 1).filter(|i| i.free() && value(i)).map(|i| i.text.clone())
        else {
            return false;
        };
        let Some((column, from)) = self.column_before(at) else { return false };
        self.frame.column = Some((column, Role::WhereValue, text.into()));
        self.frame.column_not = true;
        self.take(from, at + 2, "column");
        true
    }

    /// Whether a place is named before `at`.
    fn names_place(&self, at: usize) -> bool {
        (0..at).any(|i| {
            let item = &self.items[i];
            matches!(item.lit, Lit::Path(_) | Lit::Slashed(_))
                || self.placed(i) && (item.capital || item.sense("place").is_some())
        })
    }

    /// Words that may stand between the things left out.
    fn fills(&self, at: usize, object: &str) -> bool {
        let item = &self.items[at];
        let has = |cats: &[&str]| cats.iter().any(|cat| item.sense(cat).is_some());
        has(&["pron", "prep", "then"])
            // "the mails without attachments of Paolo": such a word is itself what is left out.
            || has(&["stop", "cue"]) && !(object == "messages" && has(&["noun", "flag"]))
            || item.is_comma()
            || item.is("noun", "file")
            || item.is("noun", "mail")
            || item.is("noun", "folder")
    }

    fn excluded(&mut self, at: usize, object: &str) -> bool {
        let item = &self.items[at];
        let found = match &item.lit {
            Lit::Ext(ext) => Some((Role::Patterns, ext.clone())),
            Lit::Glob(glob) => glob.strip_prefix("*.").map(|ext| (Role::Patterns, ext.to_owned())),
            Lit::Email(address) => Some((Role::From, address.clone())),
            Lit::Quoted(text) if object == "messages" => self.mail_field(at).map(|role| (role, text.clone())),
            Lit::Quoted(text) if self.placed(at) => Some((Role::Place, text.clone())),
            Lit::Quoted(text) => Some((Role::Query, text.clone())),
            Lit::Path(path) | Lit::Slashed(path) => Some((Role::Place, path.clone())),
            Lit::File(name) => Some((Role::Query, name.clone())),
            Lit::Word => self.excluded_word(at, object),
            _ => None,
        };
        match found {
            Some(pair) => {
                self.frame.excluded.push(pair_value(pair));
                true
            }
            None => false,
        }
    }

    fn excluded_word(&self, at: usize, object: &str) -> Option<(Role, String)> {
        let item = &self.items[at];
        let small = super::clause::only_stop(item);
        if object == "messages" && !small && self.is(at + 1, "after", "subject") {
            return Some((Role::SubjectContains, item.text.clone()));
        }
        // "without x in the name"
        if !small && self.is(at + 1, "after", "name") {
            return Some((Role::Query, item.text.clone()));
        }
        if object != "messages" {
            if let Some(ext) = self.extension_word(item) {
                return Some((Role::Patterns, ext));
            }
            let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
            // "except those whose name contains x": what is said of a name is no kind.
            if let Some(name) = self.part_of_name(at) {
                return Some((Role::Query, name));
            }
            // "except screenshots": things that only their names tell apart, and those are alternatives.
            if noun.is_some_and(|noun| !noun.names.is_empty()) {
                return None;
            }
            if let Some(kind) = noun.and_then(|n| n.set.get(&Role::Kind)).and_then(|v| v.as_str())
                && !(item.capital && self.placed(at))
            {
                return Some((Role::Kind, kind.to_owned()));
            }
        }
        let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
        if let Some(dimension) = noun.and_then(|n| n.set.get(&Role::Dimension)).and_then(|v| v.as_str()) {
            return Some((Role::Dimension, dimension.to_owned()));
        }
        if object == "messages" {
            let role = self.mail_field(at).filter(|_| item.capital)?;
            return self.name(at, false).map(|(name, _)| (role, name));
        }
        // "under node_modules": a word nobody knows, after a preposition of place.
        let unknown = item.senses.is_empty() || item.capital;
        (unknown && self.placed(at)).then(|| (Role::Place, item.text.clone()))
    }

    /// The word at `at` where the words before it say that names contain it.
    fn part_of_name(&self, at: usize) -> Option<String> {
        let item = &self.items[at];
        let led = at
            .checked_sub(1)
            .is_some_and(|before| self.is(before, "cue", "name_contains") || self.is(before, "cue", "named"));
        let plain = item.words == 1 && !super::clause::only_stop(item);
        (led && plain).then(|| item.text.clone())
    }

    /// What of mail a value that is left out stands in: the subject, where that is said before or after it; the sender,
    /// where nothing but a word for one or for the exception stands before it.
    fn mail_field(&self, at: usize) -> Option<Role> {
        let end = self.name(at, false).map_or(at + 1, |(_, end)| end);
        if self.is(end, "after", "subject") {
            return Some(Role::SubjectContains);
        }
        let elsewhere = self.sense(end, "after").is_some();
        let led = (0..at).rev().find(|i| !super::clause::only_stop(&self.items[*i]))?;
        let item = &self.items[led];
        if item.is("cue", "subject") && !item.is("cue", "from") {
            return Some(Role::SubjectContains);
        }
        let sender = item.is("cue", "from")
            || item.is("then", "and")
            || ["neg", "pron", "set"].iter().any(|cat| item.sense(cat).is_some())
            || item.is_comma()
            || item.is("noun", "mail")
            || item.capital;
        (sender && !elsewhere).then_some(Role::From)
    }

    /// Where the words end that say in which part the value at `at` stands.
    fn said_where(&self, at: usize) -> usize {
        let next = at + 1;
        let said = self.is(next, "after", "subject") || self.is(next, "after", "name");
        at + usize::from(self.free(next) && said)
    }

    /// An exception that nobody can read is one all the same.
    fn unread_exception(&mut self, at: usize, object: &str) {
        let item = &self.items[at];
        let named = object == "messages" && (item.capital || matches!(item.lit, Lit::Quoted(_)));
        let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
        if (named || noun.is_some_and(|noun| !noun.names.is_empty())) && self.changes() {
            self.frame.leftover.push(self.items[at].text.clone());
        }
    }

    fn placed(&self, at: usize) -> bool {
        self.back_over_stops(at).is_some_and(|before| {
            matches!(self.sense(before, "prep"), Some("in" | "inor" | "from"))
                || self.sense(before, "folder_word").is_some()
        })
    }
}

fn pair_value((role, text): (Role, String)) -> (Role, serde_json::Value) {
    (role, text.into())
}
