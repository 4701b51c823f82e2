//! What is said of things to tell them from others, and no executor can look for: "the edited photos", "the videos I have
//! watched", "the files which have no extension". A plan without it would be about all of them; nothing is done then.

use super::clause::only_stop;
use super::twice::conjunction;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// A word beside things that are changed, which tells them from others and chose none of them.
    pub(crate) fn told_apart(&self, at: usize) -> bool {
        self.changes()
            && Some(at) != self.verb_at
            && (self.none_of(at)
                || self.about_things()
                    && (self.done_before(at)
                        || self.deed_before_thing(at)
                        || self.deed_after_thing(at)
                        || self.described_thing(at)
                        || self.just_done(at)
                        || self.lacking(at)
                        || self.sort_of_sign(at)
                        || self.either_of(at)
                        || self.joined_thing(at)
                        || self.below_only(at)
                        || self.each_place(at)
                        || self.back_again(at)
                        || self.next_to_it(at)))
    }

    /// Whether the clause is about files and folders.
    fn about_things(&self) -> bool {
        matches!(self.frame.object.as_str(), "files" | "dirs" | "images" | "")
    }

    /// "the edited photos", "the songs I have heard": what was done to things, and no day on which it was.
    fn done_before(&self, at: usize) -> bool {
        let item = &self.items[at];
        let dated = self.frame.has(Role::After) || self.frame.has(Role::Before) || self.frame.order.is_some();
        let flag = item.sense("flag").and_then(|id| self.senses.flag.get(id));
        let placed = flag.is_some_and(|flag| flag.role == Role::Place);
        item.taken == "date" && item.sense("touch").is_some() && !dated && !placed && !self.kept_there(at)
    }

    /// "the read pdfs", "the sent photos": a deed right before the word for things, which is no order.
    fn deed_before_thing(&self, at: usize) -> bool {
        let item = &self.items[at];
        let deed = item.sense("verb").is_some() || item.sense("touch").is_some();
        let thing = self.items.get(at + 1).is_some_and(|next| next.taken == "noun");
        let article = at.checked_sub(1).is_some_and(|i| self.lexicon.articles.contains(&self.items[i].norm));
        item.free() && item.words == 1 && !only_stop(item) && deed && thing && article
    }

    /// "the pdfs already read": a deed right after the word for things.
    fn deed_after_thing(&self, at: usize) -> bool {
        let item = &self.items[at];
        let before = (0..at).rev().find(|i| !only_stop(&self.items[*i]));
        let thing = before.is_some_and(|i| self.items[i].taken == "noun" && Some(i) != self.verb_at);
        let only = item.senses.iter().all(|sense| sense.cat == "verb");
        // What stands in a file that is named is told apart by the file.
        let named = self.frame.has(Role::Paths);
        item.free() && item.words == 1 && item.sense("verb").is_some() && only && thing && !named
    }

    /// "the recent photos": a word that elsewhere only binds, and beside things says which.
    fn described_thing(&self, at: usize) -> bool {
        let item = &self.items[at];
        let thing = |i: usize| self.items.get(i).is_some_and(|item| item.taken == "noun");
        let beside = thing(at + 1) || at.checked_sub(1).is_some_and(thing);
        item.free() && item.sense("describing").is_some() && beside && !self.kept_there(at)
    }

    /// "the files saved on the Desktop": where they are, and no more.
    fn kept_there(&self, at: usize) -> bool {
        let before = at.checked_sub(1).is_some_and(|i| self.items[i].taken == "noun");
        let next = self.items.get(at + 1).is_some_and(|next| next.taken == "place");
        let led = matches!(self.sense(at + 1, "prep"), Some("in" | "inor"));
        self.is(at, "describing", "kept") && before && next && led
    }

    /// "I've just downloaded": how long ago is not said.
    fn just_done(&self, at: usize) -> bool {
        let done = self.sense(at + 1, "touch").is_some() && self.items[at + 1].taken == "date";
        let before = at.checked_sub(1).is_some_and(|i| self.sense(i, "subject").is_some());
        done && before && self.items[at].taken == "polite"
    }

    /// "delete no photo", "which have no extension": none of them, or what they lack.
    fn none_of(&self, at: usize) -> bool {
        let item = &self.items[at];
        let none = item.is("denied", "no") && self.lexicon.articles.contains(&item.norm);
        let said = self.items.get(at + 1).is_some_and(|next| !next.is_symbol());
        none && said && matches!(item.taken, "" | "content" | "pattern" | "name" | "except")
    }

    /// "the folders with no files in X": what is lacking is a thing itself, and X says where.
    fn lacking(&self, at: usize) -> bool {
        let next = (at + 1..self.len()).find(|i| !only_stop(&self.items[*i]));
        let named = |i: usize| self.items[i].capital || self.items[i].sense("place").is_some();
        let thing = next.is_some_and(|i| !named(i) && self.sense(i, "prep").is_none());
        let placed = self.frame.excluded.iter().any(|(role, _)| *role == Role::Place);
        self.sense(at, "lacks").is_some() && thing && placed
    }

    /// "with spaces in the name": which letters they are, not what stands there.
    fn sort_of_sign(&self, at: usize) -> bool {
        let item = &self.items[at];
        item.sense("letters").is_some() && matches!(item.lit, Lit::Word) && item.taken == "name"
    }

    /// "either the photos or the videos": which of them is not said.
    fn either_of(&self, at: usize) -> bool {
        let or = (at + 1..self.len()).any(|i| self.is(i, "then", "or"));
        self.is(at, "set", "either") && or
    }

    /// "the empty files and the photos", "the screenshots and the pdfs": a condition of the things before a conjunction
    /// does not hold for those after it.
    fn joined_thing(&self, at: usize) -> bool {
        const CONDITIONS: [&str; 6] = ["flag", "name", "size", "content", "pattern", "text"];
        let article = |i: usize| self.lexicon.articles.contains(&self.items[i].norm);
        let thing = |i: usize| self.items.get(i).is_some_and(|item| item.taken == "noun");
        let own = |i: usize| {
            let noun = self.items[i].sense("noun").and_then(|id| self.senses.noun.get(id));
            self.items[i].taken == "noun" && noun.is_some_and(|noun| !noun.names.is_empty())
        };
        let next = at + 1 + usize::from(at + 1 < self.len() && article(at + 1));
        let from = self.verb_at.filter(|verb| *verb < at).map_or(0, |verb| verb + 1);
        let before = || from..at;
        let condition = before().any(|i| CONDITIONS.contains(&self.items[i].taken));
        let said = condition && next == at + 2;
        let named = before().any(own) != own(next.min(self.len() - 1));
        conjunction(&self.items[at]) && thing(next) && before().any(thing) && (said || named)
    }

    /// "the files in the subfolders of X": not those in X itself.
    fn below_only(&self, at: usize) -> bool {
        let led = (0..at).rev().find(|i| !only_stop(&self.items[*i]) || self.sense(*i, "prep").is_some());
        let within = led.is_some_and(|i| matches!(self.sense(i, "prep"), Some("in" | "inor" | "from")));
        self.items[at].taken == "noun" && self.sense(at, "subfolder").is_some() && within
    }

    /// "both in A and in B": where things are changed this says each of the places, and not only what is in both.
    fn each_place(&self, at: usize) -> bool {
        self.items[at].taken == "sets" && self.sense(at, "each_place").is_some()
    }

    /// "move them back": where they were is not known.
    fn back_again(&self, at: usize) -> bool {
        let next = self.items.get(at + 1).is_none_or(|next| next.taken == "place" || next.is_symbol());
        self.items[at].free() && self.sense(at, "back_again").is_some() && next
    }

    /// "x.jpg and the one after": which one that is, only an order would say.
    fn next_to_it(&self, at: usize) -> bool {
        let file = at.checked_sub(1).is_some_and(|before| self.names_file(before));
        let end = (at + 1..self.len()).find(|i| self.items[*i].is_symbol()).unwrap_or(self.len());
        let rest = self.items.get(at + 1..end).unwrap_or_default();
        let unread = |item: &Item| matches!(item.taken, "" | "pronoun" | "ordinal");
        let beside = |item: &Item| ["bound", "rel", "ordinal"].iter().any(|cat| item.sense(cat).is_some());
        conjunction(&self.items[at]) && file && rest.iter().all(unread) && rest.iter().any(beside)
    }
}
