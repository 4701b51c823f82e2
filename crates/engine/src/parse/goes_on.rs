//! Names of folders that go on: "the folder Films to see", "into Bills 2025". Read up to their first word they would be
//! other folders; a year after one belongs to it where the word for folder stands before, else nothing is done.

use super::clause::only_stop;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// A word that goes on the name of a folder, or a name that was read as something else.
    pub(crate) fn name_goes_on(&self, at: usize) -> bool {
        self.changes()
            && Some(at) != self.verb_at
            && (self.goes_on_folder(at)
                || self.folder_twice(at)
                || self.two_names(at)
                || self.numbered_folder(at)
                || self.year_alone(at)
                || self.named_day(at)
                || self.capital_order(at))
    }

    /// Whether a folder written as a name stands right before `at`.
    fn after_folder(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|i| &self.items[i]) else { return false };
        let beside = self.items[at].start == before.end + 1 && self.items[at].words > 0;
        let name = before.taken == "place" && before.text.contains(char::is_uppercase);
        beside && name && matches!(before.lit, Lit::Word)
    }

    /// Whether the name that ends before `at` is said to be that of a folder.
    fn called_folder(&self, at: usize) -> bool {
        let name = (0..at).rev().take_while(|i| self.items[*i].capital || only_stop(&self.items[*i]));
        let first = name.last().unwrap_or(at);
        (first.saturating_sub(1)..at).any(|i| self.folder_named(i))
    }

    /// The word for folder, also as the beginning of a phrase.
    fn folder_named(&self, at: usize) -> bool {
        let first = self.items[at].norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let folder = first.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "folder_word"));
        self.sense(at, "folder_word").is_some() || folder
    }

    /// "Bills 2025", "the folder Projects done", "the folder Films to see", "the folder Things of Marco".
    fn goes_on_folder(&self, at: usize) -> bool {
        const SAYING: [&str; 5] = ["verb", "noun", "touch", "vague", "status"];
        if !self.after_folder(at) {
            return false;
        }
        let item = &self.items[at];
        let year = matches!(item.lit, Lit::Number(_)) && item.taken == "date";
        let leads =
            ["prep", "then", "polite", "neg", "cue", "flag"].iter().any(|cat| item.sense(cat).is_some());
        let says = SAYING.iter().any(|cat| item.sense(cat).is_some());
        let dated = item.taken == "date" && (self.frame.has(Role::After) || self.frame.has(Role::Before));
        let taken = matches!(item.taken, "" | "noun" | "verb") || item.taken == "date" && !dated;
        // "Projects finished": elsewhere such a word only binds.
        let ended = item.free() && item.sense("describing").is_some();
        let word = ended || says && !leads && !only_stop(item) && taken;
        year || self.called_folder(at) && (word || self.led_on(at))
    }

    /// "… to see", "… of Marco": what follows a preposition and is no place of its own.
    fn led_on(&self, at: usize) -> bool {
        let item = &self.items[at];
        let first = item.norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let leads = first.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "prep"));
        let phrase = item.words > 1 && item.free() && leads && item.sense("polite").is_none();
        let Some(next) = self.items.get(at + 1) else { return phrase };
        let of = self.is(at, "prep", "of") && next.capital && next.sense("place").is_none();
        let unread = self.items[at].free() && next.free();
        let last = self.items.get(at + 2).is_none_or(Item::is_symbol);
        let deed =
            next.sense("verb").is_some() || last && matches!(self.sense(at, "prep"), Some("to" | "from"));
        of || unread && deed && self.sense(at, "prep").is_some()
    }

    /// "the folder New folder": the word for folder on both sides of a name.
    fn folder_twice(&self, at: usize) -> bool {
        self.after_folder(at)
            && self.items[at].taken == "place"
            && self.folder_named(at)
            && self.called_folder(at)
    }

    /// "copy into Backup Documents": two names side by side, of which one may be what is copied.
    fn two_names(&self, at: usize) -> bool {
        let frame = &self.frame;
        let things = !frame.nouns.is_empty() || !frame.kinds.is_empty() || frame.anaphor.is_some();
        let named = [Role::Paths, Role::Patterns, Role::Place].iter().any(|role| frame.has(*role));
        let place = self.items[at].taken == "place" && self.sense(at, "place").is_some();
        place && self.items[at].capital && self.after_folder(at) && !things && !named
    }

    /// "the folder 2020": a number that is a name, and was taken for a year.
    fn numbered_folder(&self, at: usize) -> bool {
        let folder = at.checked_sub(1).is_some_and(|i| self.folder_named(i) && !self.several_at(i));
        folder && matches!(self.items[at].lit, Lit::Number(_)) && self.items[at].taken == "date"
    }

    /// "delete 2024 in Documents": a number right after the verb, and no things.
    fn year_alone(&self, at: usize) -> bool {
        let first = self.verb_at.is_some_and(|verb| verb + 1 == at);
        let things = self.items.get(at + 1).is_some_and(|next| next.taken == "noun");
        first && !things && matches!(self.items[at].lit, Lit::Number(_)) && self.items[at].taken == "date"
    }

    /// "the files named today": a name, and no day.
    fn named_day(&self, at: usize) -> bool {
        let named = at.checked_sub(1).is_some_and(|i| self.is(i, "cue", "named"));
        named && self.items[at].taken == "date"
    }

    /// "the document Last Will": a word of order written as the beginning of a name.
    fn capital_order(&self, at: usize) -> bool {
        let name = |item: &Item| item.capital && item.words == 1;
        let next = self.items.get(at + 1).is_some_and(name);
        self.items[at].taken == "order" && name(&self.items[at]) && next
    }
}
