//! What stands beside things and would narrow them: "of the cat", "from my phone", "that show the car".
//!
//! A word that elsewhere is an order or a thing of its own is here what the things are about. Where no reader took it,
//! a plan without it would be about all of them.

use super::clause::only_stop;
use super::{Clause, Item};
use crate::catalog::Role;

/// Categories of words that bind others and are about nothing.
const BINDING: [&str; 36] = [
    "stop",
    "prep",
    "then",
    "polite",
    "subject",
    "pron",
    "by",
    "bound",
    "every",
    "ask",
    "self",
    "cue",
    "after",
    "wish",
    "what_about",
    "one",
    "which_one",
    "set",
    "these",
    "say",
    "wonder",
    "reason",
    "condition",
    "not",
    "list_word",
    "or_age",
    "neg",
    "clock",
    "number",
    "ordinal",
    "compare",
    "age",
    "direction",
    "alike",
    "apiece",
    "denied",
];

/// Categories of words at which what a preposition leads to is over.
const ENDING: [&str; 15] = [
    "then",
    "prep",
    "subject",
    "pron",
    "neg",
    "compare",
    "age",
    "bound",
    "super",
    "order",
    "by",
    "these",
    "not",
    "condition",
    "ask",
];

impl Clause<'_> {
    /// The words beside things that no reader took; each would leave some of them out.
    pub(crate) fn unread_complements(&self) -> Vec<String> {
        if !self.about_files() {
            return Vec::new();
        }
        let mut found: Vec<usize> = (0..self.len()).filter(|at| self.unread_sense(*at)).collect();
        for at in (0..self.len()).filter(|at| self.leads(*at)) {
            found.extend(self.led(at + 1));
        }
        found.extend((0..self.len()).filter(|at| self.other_thing(*at) || self.of_here(*at)));
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| self.items[at].text.clone()).collect()
    }

    /// Whether the clause speaks of files: kinds, names or the word for them.
    fn about_files(&self) -> bool {
        let frame = &self.frame;
        let named = !frame.nouns.is_empty() || !frame.kinds.is_empty() || frame.has(Role::Patterns);
        matches!(frame.object.as_str(), "files" | "dirs" | "images" | "") && named && frame.tool.is_none()
    }

    /// A word that has only senses which nobody used here: a verb that is no verb, a word of another world.
    fn unread_sense(&self, at: usize) -> bool {
        let item = &self.items[at];
        let binds = BINDING.iter().any(|cat| item.sense(cat).is_some());
        let deed = item.participle().is_some() || self.items.get(at + 1).is_some_and(|next| next.words == 0);
        let read = item.words == 1 && self.content(at) && (!binds && !deed || self.somebody_did(at));
        self.changes() && item.free() && (read || announces(item) && !self.announced(at))
    }

    /// "the pdfs I have read": a deed of somebody, which tells the things from others.
    fn somebody_did(&self, at: usize) -> bool {
        let verb = self.items[at].senses.iter().all(|sense| sense.cat == "verb");
        let small = |i: &usize| only_stop(&self.items[*i]) && self.sense(*i, "subject").is_none();
        let before = (0..at).rev().find(|i| !small(i));
        verb && before.is_some_and(|before| self.sense(before, "subject").is_some())
    }

    /// Whether what was announced at `at` was read beside it: an ending, or what is left out.
    fn announced(&self, at: usize) -> bool {
        let by = |i: usize| self.items.get(i).map_or("", |item| item.taken);
        let before = at.checked_sub(1).map_or("", by);
        before == "except" || matches!(by(at + 1), "extension" | "pattern")
    }

    /// A preposition, or a word such as "with", that nothing used together with what follows it.
    fn leads(&self, at: usize) -> bool {
        let item = &self.items[at];
        let prep = matches!(item.sense("prep"), Some("of" | "from" | "in" | "inor"));
        let with = ["shows", "attendee", "subject", "who"].iter().any(|id| item.is("cue", id));
        item.free() && item.words > 0 && (prep || with && only_binds(item))
    }

    /// What a preposition before `from` leads to and nobody read.
    fn led(&self, from: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for at in from..self.len() {
            let item = &self.items[at];
            let article = |i: usize| {
                let last = self.items[i].norm.rsplit(' ').next().unwrap_or_default();
                self.lexicon.articles.iter().any(|article| article == last)
            };
            let thing = item.sense("thing").is_some() && article(at - 1);
            // "in order of size" is about no things; "of the name" is.
            let measure = item.sense("field").is_some() && !article(at - 1);
            let ends = ENDING.iter().any(|cat| item.sense(cat).is_some()) && !thing || measure;
            if item.is_symbol() || ends || !item.free() && item.taken != "ambient" {
                break;
            }
            if self.content(at) || thing {
                found.push(at);
            }
        }
        found
    }

    /// "photos of the music": a place in lower case, after an article, is what they show.
    fn shown_place(&self, at: usize) -> bool {
        let item = &self.items[at];
        let article = at.checked_sub(1).filter(|b| self.lexicon.articles.contains(&self.items[*b].norm));
        let of = |i: usize| self.is(i, "prep", "of");
        let led = article.is_some_and(|a| of(a) || a.checked_sub(1).is_some_and(of));
        item.taken == "place" && item.sense("place").is_some() && !item.capital && item.words == 1 && led
    }

    /// "of the show": what follows an article is a thing, also where it looks like a verb. A word that is a pronoun as
    /// well is an article after a preposition only.
    pub(crate) fn thing_of(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.items[before]) else { return false };
        let led = at.checked_sub(2).is_some_and(|i| {
            self.sense(i, "prep").is_some() || self.is(i, "cue", "attendee") || self.is(i, "cue", "shows")
        });
        // "called report": a name, whatever else it says.
        if ["named", "name_contains", "name_starts", "name_ends"].iter().any(|id| before.is("cue", id)) {
            return before.command().is_none();
        }
        let article = self.lexicon.articles.contains(&before.norm);
        article && self.items[at].words == 1 && (before.sense("prep").is_some() || led)
    }

    /// A word that says something, and is not the verb.
    fn content(&self, at: usize) -> bool {
        let item = &self.items[at];
        Some(at) != self.verb_at
            && item.words > 0
            && !item.is_symbol()
            && !item.senses.is_empty()
            && !only_stop(item)
    }

    /// A noun that names things of another sort, which are not what is meant: what is meant has to do with them.
    fn other_thing(&self, at: usize) -> bool {
        let item = &self.items[at];
        let files = |object: &str| matches!(object, "files" | "dirs" | "images" | "texts" | "entries");
        let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
        item.taken == "noun"
            && !item.asks
            && noun.is_some_and(|noun| {
                let other = noun.object.as_deref().is_some_and(|object| !files(object));
                // What is asked about files is no file: what they weigh, what they were taken with.
                let asked = noun.object.as_deref() == Some("files") && noun.verb.is_some() && self.changes();
                (other && noun.set.is_empty() && !noun.weak) || asked
            })
    }

    /// "of the machine", beside things of a kind: not where they are, but what they show or belong to.
    fn of_here(&self, at: usize) -> bool {
        let item = &self.items[at];
        let first = item.norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let of = first.is_some_and(|p| p.senses.iter().any(|s| s.cat == "prep" && s.id == "of"));
        let led = at.checked_sub(1).is_some_and(|before| self.leads(before));
        let before = at.checked_sub(1).is_some_and(|before| self.is(before, "prep", "of"));
        let home = item.taken == "place"
            && item.sense("place") == Some("~")
            && !item.capital
            && before
            && self.changes();
        let last = item.norm.rsplit(' ').next().and_then(|word| self.lexicon.single(word));
        let thing = last.is_some_and(|p| p.senses.iter().any(|s| s.cat == "thing")) && self.changes();
        let here = item.taken == "ambient" && (of || led || thing);
        let shown = self.frame.kinds == ["image"] && self.changes() && self.shown_place(at);
        // "with the phone": a phrase after which something else is said elsewhere.
        let cue = item.free() && item.words > 1 && item.senses.iter().all(|s| s.cat == "cue");
        let inside = cue && (of || self.changes()) && !self.announced(at);
        (here || inside || shown || home && item.words == 1)
            && (self.changes() || !self.frame.kinds.is_empty())
    }
}

/// A word after or before which a name or a text is said: it says that there is one.
fn announces(item: &Item) -> bool {
    let cues = ["name_contains", "name_starts", "name_ends", "contains"];
    item.is("after", "name") || item.words > 1 && cues.iter().any(|id| item.is("cue", id))
}

/// Whether all senses of a word only bind.
fn only_binds(item: &Item) -> bool {
    item.senses.iter().all(|sense| BINDING.contains(&sense.cat.as_str()))
}
