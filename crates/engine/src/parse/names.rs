//! Names and endings said of the same files: a name and an ending together mean files that have both.
//!
//! An executor takes several patterns as alternatives, so that what is said of one file has to be in one pattern.

use super::clause::only_stop;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;

/// The ending a pattern asks for when it asks for nothing else.
pub(crate) fn ending(pattern: &str) -> Option<&str> {
    pattern.strip_prefix("*.").filter(|ext| !ext.is_empty() && !ext.contains(['*', '.', '?', '[']))
}

/// The pattern of names that have a shape and an ending.
fn with_ending(name: &str, ext: &str) -> String {
    let has = |name: &str| name.to_lowercase().ends_with(&format!(".{ext}"));
    if has(name) { name.to_owned() } else { format!("{name}.{ext}") }
}

/// Every name with every ending.
fn product(names: &[String], endings: &[String]) -> Vec<String> {
    names.iter().flat_map(|name| endings.iter().map(move |ext| with_ending(name, ext))).collect()
}

/// One pattern for names that fit both, where the order of the parts is known: what begins and what ends a name.
fn both(first: &str, second: &str) -> Option<String> {
    let begins = |p: &str| p.ends_with('*') && !p.starts_with('*');
    let ends = |p: &str| p.starts_with('*') && !p.ends_with('*');
    let (head, tail) = if begins(second) { (second, first) } else { (first, second) };
    let ordered = begins(head) && tail.starts_with('*') || head.ends_with('*') && ends(tail);
    ordered.then(|| format!("{}*{}", head.trim_end_matches('*'), tail.trim_start_matches('*')))
}

impl Clause<'_> {
    /// Puts the names and endings of a clause together: both hold, unless a conjunction makes alternatives of them.
    pub(crate) fn join_names(&mut self) {
        let patterns = self.frame.list(Role::Patterns);
        let (endings, names): (Vec<String>, Vec<String>) =
            patterns.into_iter().partition(|p| ending(p).is_some());
        let endings: Vec<String> = endings.iter().filter_map(|p| ending(p)).map(str::to_owned).collect();
        self.own_names(&names);
        self.kinds_apart();
        if endings.is_empty() {
            return;
        }
        if !names.is_empty() && self.joined(is_name, is_ending) {
            self.frame.leftover.extend(names.iter().cloned());
            return;
        }
        let together = product(&names, &endings);
        let together = if names.is_empty() { self.frame.list(Role::Patterns) } else { together };
        if self.frame.kinds.is_empty() {
            self.frame.set(Role::Patterns, together);
        } else if self.joined(is_kind, is_ending) {
            self.frame.beside = together;
            self.frame.slots.remove(&Role::Patterns);
            if !names.is_empty() {
                self.frame.set(Role::Patterns, names);
            }
        } else if let Some(other) = endings.iter().find(|ext| !self.of_kind(ext)) {
            self.frame.leftover.push(other.clone());
        } else {
            self.frame.set(Role::Patterns, together);
        }
    }

    /// "the photos of the documents", "the photo pdfs": two kinds that no conjunction joins are not both meant.
    fn kinds_apart(&mut self) {
        let kinds: Vec<usize> = (0..self.len()).filter(|at| is_kind(self, *at)).collect();
        for pair in kinds.windows(2) {
            let [first, second] = pair else { continue };
            let kind = |at: usize| self.sense(at, "noun").map(str::to_owned);
            let joined = self.items[*first..*second].iter().any(joins);
            if !joined && kind(*first) != kind(*second) && self.changes() {
                let word = self.items[*second].text.clone();
                self.frame.leftover.push(word);
            }
        }
    }

    /// Names that things have by what they are, beside names that were said: a pattern cannot hold both.
    fn own_names(&mut self, names: &[String]) {
        let nouns = self.frame.nouns.iter().filter_map(|noun| self.senses.noun.get(&noun.id));
        let own: Vec<&String> = nouns.flat_map(|noun| &noun.names).collect();
        let said: Vec<String> = names.iter().filter(|name| !own.contains(name)).cloned().collect();
        if !own.is_empty() {
            self.frame.leftover.extend(said);
        }
    }

    /// Whether files of one of the kinds said can have this ending.
    fn of_kind(&self, ext: &str) -> bool {
        let known = self.senses.extension(ext).map(|of| of.kind);
        self.frame.kinds.iter().any(|kind| kind == ext || known.is_none_or(|known| known == kind))
    }

    /// Whether a conjunction stands between something of the one sort and the next of the other.
    fn joined(&self, one: fn(&Self, usize) -> bool, other: fn(&Self, usize) -> bool) -> bool {
        let mut last: Option<(usize, bool)> = None;
        for at in 0..self.len() {
            let sort = if one(self, at) {
                true
            } else if other(self, at) {
                false
            } else {
                continue;
            };
            if let Some((before, _)) = last.filter(|(_, earlier)| *earlier != sort)
                && self.items[before..at].iter().any(joins)
            {
                return true;
            }
            last = Some((at, sort));
        }
        false
    }

    /// "with 2025 in the name", "called 2025": what is said to be in a name is no day, no kind and no order.
    pub(crate) fn literal_names(&mut self) {
        self.numbered_words();
        self.every_named();
        for at in 0..self.len() {
            let inside =
                at > 1 && self.is(at, "after", "name") && self.bare_value(at - 1) && self.with(at - 2);
            if inside && self.free(at) {
                self.name_part(at, at - 2, at - 1, at + 1, ("*", "*"));
            }
            let shape = match self.sense(at, "cue") {
                Some("named") => ("", ""),
                Some("name_contains") => ("*", "*"),
                Some("name_starts") => ("", "*"),
                Some("name_ends") => ("*", ""),
                _ => continue,
            };
            let number = matches!(self.lit(at + 1), Some(Lit::Number(_) | Lit::Date(..)));
            let whole = self.items.get(at + 2).is_none_or(|next| !next.free() || !next.senses.is_empty());
            if self.free(at) && number && whole && self.sense(at + 2, "unit").is_none() {
                self.name_part(at, at, at + 1, at + 2, shape);
            }
        }
    }

    /// "starts with a": a letter that elsewhere is an article, where no word follows that it could be one of.
    pub(super) fn letter(&self, at: usize) -> Option<(String, usize)> {
        let item = self.items.get(at).filter(|item| item.free() && item.text.chars().count() == 1)?;
        let leads = |next: &Item| {
            joins(next) || next.is_symbol() || ["prep", "cue"].iter().any(|cat| next.sense(cat).is_some())
        };
        let ends = self.items.get(at + 1).is_none_or(leads);
        (matches!(item.lit, Lit::Word) && ends).then(|| (item.text.clone(), at + 1))
    }

    /// "starts with a number": which letters they are is not said.
    pub(super) fn sort_of_letter(&self, at: usize) -> bool {
        let any = self.items.get(at).is_some_and(|item| item.free() && item.number() == Some(1.0));
        let word = |item: &Item| matches!(item.lit, Lit::Word) && !item.capital && item.words == 1;
        any && self.items.get(at + 1).is_some_and(word)
    }

    /// "containing budget 2024": a word and the number after it are said of the same thing.
    fn numbered_words(&mut self) {
        for at in 0..self.len() {
            let shape = match self.sense(at, "cue") {
                Some("contains") => None,
                Some("name_contains") => Some(("*", "*")),
                Some("name_starts") => Some(("", "*")),
                _ => continue,
            };
            let number = matches!(self.lit(at + 2), Some(Lit::Number(_))) && self.free(at + 2);
            let measured = ["unit", "size_unit", "noun"].iter().any(|cat| self.sense(at + 3, cat).is_some());
            let word =
                self.items.get(at + 1).is_some_and(|item| item.capital || item.sense("prep").is_none());
            if !self.free(at) || !number || measured || !word || !self.bare_value(at + 1) {
                continue;
            }
            let text = format!("{} {}", self.items[at + 1].text, self.items[at + 2].text);
            match shape {
                Some((head, tail)) => self.frame.push(Role::Patterns, format!("{head}{text}{tail}")),
                None => self.frame.set(Role::Contains, text),
            }
            self.take(at, at + 3, if shape.is_some() { "name" } else { "content" });
        }
    }

    /// "all the cv.pdf": files of that name, wherever they are, and not one of them.
    fn every_named(&mut self) {
        for at in 1..if self.changes() { self.len() } else { 0 } {
            let Some(Lit::File(name)) = self.lit(at).cloned().filter(|_| self.free(at)) else { continue };
            let all = |i: usize| {
                let word = self.items[i].norm.split(' ').next().unwrap_or_default();
                let among = |words: &[String]| words.iter().any(|known| known == word);
                let several = among(&self.lexicon.plural_words) || self.is(i, "every", "every");
                several && among(&self.lexicon.all_words)
            };
            let before = (0..at).rev().find(|i| all(*i) || !only_stop(&self.items[*i]));
            if before.is_some_and(all) {
                self.frame.push(Role::Patterns, name);
                self.take(at, at + 1, "pattern");
            }
        }
    }

    /// "search for the word invoice": a word that is searched for means nothing else.
    pub(crate) fn literal_words(&mut self) {
        for at in 0..self.len() {
            let searched = self.is(at, "cue", "contains") && self.items[at].command().is_some();
            let word = self.items.get(at + 1).is_some_and(|next| {
                next.free()
                    && next.words == 1
                    && matches!(next.lit, Lit::Word | Lit::Quoted(_) | Lit::Number(_))
            });
            if searched && word && self.free(at) {
                let text = self.items[at + 1].text.clone();
                self.frame.set(Role::Contains, text);
                self.take(at, at + 2, "content");
            }
        }
    }

    /// Takes the word at `value`, between `from` and `to`, as part of a name.
    fn name_part(&mut self, at: usize, from: usize, value: usize, to: usize, (head, tail): (&str, &str)) {
        let pattern = format!("{head}{}{tail}", self.items[value].text);
        self.named.push((at, pattern.clone()));
        self.frame.push(Role::Patterns, pattern);
        self.take(from, to, "name");
    }

    /// A word or number that nobody took yet.
    fn bare_value(&self, at: usize) -> bool {
        let item = &self.items[at];
        let number = matches!(item.lit, Lit::Number(_) | Lit::Date(..));
        item.free() && (number || matches!(item.lit, Lit::Word) && item.words == 1 && !only_stop(item))
    }

    /// A word that says what something has: "with", and no article.
    fn with(&self, at: usize) -> bool {
        let item = &self.items[at];
        let last = item.norm.rsplit(' ').next().unwrap_or_default();
        item.free() && item.sense("cue").is_some() && !self.lexicon.articles.iter().any(|a| a == last)
    }

    /// Several words for names: an "or" makes alternatives of them, else each of them holds.
    pub(crate) fn named_twice(&mut self) {
        let mut cues = std::mem::take(&mut self.named);
        cues.sort();
        for pair in cues.windows(2) {
            let [(first_at, first), (second_at, second)] = pair else { continue };
            if self.items[*first_at..*second_at].iter().any(|item| item.is("then", "or")) {
                continue;
            }
            match both(first, second).filter(|_| cues.len() == 2) {
                Some(one) => self.frame.set(Role::Patterns, vec![one]),
                None => self.frame.leftover.push(second.trim_matches('*').to_owned()),
            }
        }
    }
}

/// A comma, "and", "or".
pub(super) fn joins(item: &Item) -> bool {
    item.is_comma() || item.is("then", "and") || item.is("then", "or") || item.sense("neg").is_some()
}

fn is_name(clause: &Clause<'_>, at: usize) -> bool {
    matches!(clause.items[at].taken, "name" | "text")
}

fn is_ending(clause: &Clause<'_>, at: usize) -> bool {
    matches!(clause.items[at].taken, "extension" | "pattern")
}

fn is_kind(clause: &Clause<'_>, at: usize) -> bool {
    let noun = clause.items[at].sense("noun").and_then(|id| clause.senses.noun.get(id));
    clause.items[at].taken == "noun" && noun.is_some_and(|noun| noun.set.contains_key(&Role::Kind))
}
