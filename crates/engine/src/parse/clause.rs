//! One clause while it is being read: its items, what they look like from here, and who took them.

use super::{Frame, Item};
use crate::clock::Clock;
use crate::lexicon::{Lexicon, Senses};
use crate::text::Lit;

/// One clause being read.
pub(crate) struct Clause<'a> {
    pub(crate) items: Vec<Item>,
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) senses: &'a Senses,
    pub(crate) clock: &'a Clock,
    pub(crate) frame: Frame,
    /// Where the main verb stands.
    pub(crate) verb_at: Option<usize>,
    /// Whether it asks; then nothing is done.
    pub(crate) asks: bool,
    /// Whether it says how long something takes.
    pub(crate) timed: bool,
    /// Whether the clause before was about the rows of a table.
    pub(crate) after_table: bool,
    /// The words for names that were read, and the patterns they gave.
    pub(crate) named: Vec<(usize, String)>,
}

impl<'a> Clause<'a> {
    pub(crate) fn new(items: Vec<Item>, lexicon: &'a Lexicon, senses: &'a Senses, clock: &'a Clock) -> Self {
        let asks = super::asks(&items, senses);
        let frame = Frame::default();
        Self {
            items,
            lexicon,
            senses,
            clock,
            frame,
            verb_at: None,
            asks,
            timed: false,
            after_table: false,
            named: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is(&self, at: usize, cat: &str, id: &str) -> bool {
        self.items.get(at).is_some_and(|item| item.is(cat, id))
    }

    pub(crate) fn sense(&self, at: usize, cat: &str) -> Option<&str> {
        self.items.get(at).and_then(|item| item.sense(cat))
    }

    pub(crate) fn free(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(Item::free)
    }

    pub(crate) fn number(&self, at: usize) -> Option<f64> {
        self.items.get(at).filter(|item| item.free()).and_then(Item::number)
    }

    pub(crate) fn lit(&self, at: usize) -> Option<&Lit> {
        self.items.get(at).map(|item| &item.lit)
    }

    /// Marks items as explained.
    pub(crate) fn take(&mut self, from: usize, to: usize, by: &'static str) {
        let to = to.min(self.items.len());
        for item in self.items.get_mut(from..to).unwrap_or_default() {
            if item.free() {
                item.taken = by;
            }
        }
    }

    /// The next place at or after `at` that is not a mere article or pronoun.
    pub(crate) fn skip_stops(&self, mut at: usize) -> usize {
        while self.items.get(at).is_some_and(|item| {
            item.free()
                && item.words <= 2
                && matches!(item.lit, Lit::Word)
                && !item.capital
                && only_stop(item)
        }) {
            at += 1;
        }
        at
    }

    /// The place before `at`, skipping articles.
    pub(crate) fn back_over_stops(&self, at: usize) -> Option<usize> {
        let mut at = at.checked_sub(1)?;
        while self.items.get(at).is_some_and(|item| item.free() && only_stop(item)) {
            at = at.checked_sub(1)?;
        }
        Some(at)
    }

    /// A name at `at`: text in quotes, a file name, words with capitals, or one word; and where it ends.
    pub(crate) fn name(&self, at: usize, bare: bool) -> Option<(String, usize)> {
        let item = self.items.get(at)?;
        if !item.free() {
            return None;
        }
        match &item.lit {
            Lit::Quoted(text) => Some((text.clone(), at + 1)),
            Lit::File(text) | Lit::Slashed(text) | Lit::Glob(text) | Lit::Email(text) => {
                Some((text.clone(), at + 1))
            }
            Lit::Path(text) | Lit::Url(text) | Lit::Command(text) => Some((text.clone(), at + 1)),
            Lit::Word if item.capital => {
                let mut end = at + 1;
                let mut text = item.text.clone();
                while let Some(next) = self.items.get(end)
                    && next.capital
                    && next.free()
                    && matches!(next.lit, Lit::Word)
                {
                    text.push(' ');
                    text.push_str(&next.text);
                    end += 1;
                }
                Some((text, end))
            }
            Lit::Word if bare && item.words == 1 && !only_stop(item) => Some((item.text.clone(), at + 1)),
            Lit::Number(_) if bare => Some((item.text.clone(), at + 1)),
            _ => None,
        }
    }
}

impl Clause<'_> {
    /// The name given at `at` by a word such as "called": it goes on over numbers and unknown words, up to a word that
    /// leads elsewhere.
    pub(crate) fn given_name(&self, at: usize, bare: bool) -> Option<(String, usize)> {
        let (mut name, mut end) = self.name(at, bare)?;
        if !matches!(self.lit(at), Some(Lit::Word | Lit::Number(_))) {
            return Some((name, end));
        }
        let called = at.checked_sub(1).is_some_and(|before| self.is(before, "cue", "named"));
        while let Some(next) = self.items.get(end).filter(|next| next.free() && goes_on(next, called)) {
            name.push(' ');
            name.push_str(&next.text);
            end += 1;
        }
        Some((name, end))
    }
}

/// Whether a name goes on with this word; one that was `called` goes on up to a word that leads elsewhere.
fn goes_on(item: &Item, called: bool) -> bool {
    const ELSEWHERE: [&str; 8] = ["prep", "then", "cue", "pron", "neg", "flag", "by", "stop"];
    let leads = || ELSEWHERE.iter().any(|cat| item.sense(cat).is_some());
    match item.lit {
        Lit::Number(_) => true,
        Lit::Word => item.capital || item.senses.is_empty() || called && !leads(),
        _ => false,
    }
}

/// A word that only binds others together.
pub(crate) fn only_stop(item: &Item) -> bool {
    item.sense("stop").is_some()
        && item.senses.iter().all(|s| {
            matches!(
                s.cat.as_str(),
                "stop"
                    | "number"
                    | "by"
                    | "pron"
                    | "math_ask"
                    | "subject"
                    | "polite"
                    | "every"
                    | "vague"
                    | "say"
                    | "wonder"
                    | "ask"
                    | "self"
                    | "reason"
                    | "condition"
                    | "these"
                    | "thing"
                    | "alike"
                    | "past"
                    | "turning"
                    | "numbers"
                    | "runs"
                    | "math_verb"
                    | "correction"
                    | "apiece"
                    | "denied"
                    | "tells"
                    | "because"
                    | "describing"
            )
        })
}
