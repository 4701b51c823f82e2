//! The words around a time: what stands between the time of a task and what is to be done then may say more about when,
//! and what is to be done may have an hour of its own.

use crate::lexicon::{Lexicon, Senses};
use crate::parse::{Item, Timing};
use crate::text::Lit;

/// Categories of words that say when, in a place where only that can be said.
const WHEN: [&str; 6] = ["unit", "month", "weekday", "day", "day_part", "lasting"];

/// A request with the time that was read in it.
pub(super) struct Around<'a> {
    items: &'a [Item],
    timing: &'a Timing,
    lexicon: &'a Lexicon,
    senses: &'a Senses,
}

/// Where a walk through the words of a request is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Before or after what is to be done: the order to remind, and its time.
    Order,
    /// In what is to be done.
    Deed,
    /// In what is to be remembered as a fact: "that the shop closes".
    Fact,
}

impl<'a> Around<'a> {
    pub(super) fn new(
        items: &'a [Item],
        timing: &'a Timing,
        lexicon: &'a Lexicon,
        senses: &'a Senses,
    ) -> Self {
        Self { items, timing, lexicon, senses }
    }

    /// Words about when, outside of what is to be done, that the time does not hold.
    pub(super) fn unread(&self) -> Vec<String> {
        let parts = self.parts();
        let outside = |at: &usize| parts.get(*at) == Some(&Part::Order) && !self.timed(*at);
        let lost = |at: &usize| self.says_when(*at) || self.joins_times(*at);
        let words = (0..self.items.len()).filter(outside).filter(lost);
        words.map(|at| self.items[at].text.clone()).collect()
    }

    /// Whether the time is one of what is to be done or remembered: "take the 9:15 train", "that the shop closes at 7".
    pub(super) fn belongs_to_deed(&self) -> bool {
        let parts = self.parts();
        self.timing.at.iter().any(|range| {
            let Some(before) = range.start.checked_sub(1).filter(|at| !self.timed(*at)) else { return false };
            match parts.get(before).copied().unwrap_or(Part::Order) {
                Part::Fact => true,
                Part::Deed => {
                    self.binds(before) || self.binds(range.start) || self.pointed(before, range.end)
                }
                Part::Order => self.pointed(before, range.end),
            }
        })
    }

    fn timed(&self, at: usize) -> bool {
        self.timing.at.iter().any(|range| range.contains(&at))
    }

    /// The part of the request that each word stands in.
    fn parts(&self) -> Vec<Part> {
        let mut part = Part::Order;
        let step = |at: usize| {
            part = match part {
                _ if self.timed(at) => Part::Order,
                Part::Order => self.opens(at),
                inside => inside,
            };
            part
        };
        (0..self.items.len()).map(step).collect()
    }

    /// What begins with this word: an order of its own, "to …", "that …", or a thing with its article.
    fn opens(&self, at: usize) -> Part {
        let item = &self.items[at];
        let article = self.lexicon.articles.contains(&item.norm);
        let named = |i: &usize| !self.lexicon.articles.contains(&self.items[*i].norm);
        let next = (at + 1..self.items.len()).find(named);
        let named = next.is_some_and(|next| !self.items[next].is_symbol() && !self.about_time(next));
        let listed = next.is_some_and(|next| self.listed(next));
        match () {
            () if self.lexicon.fact_words.contains(&item.norm) => Part::Fact,
            () if self.opener(at) && (named || item.words > 1) || article && named && !listed => Part::Deed,
            () if item.command().is_some() && !self.time_word(at) && !self.reminds(at) => Part::Deed,
            () => Part::Order,
        }
    }

    fn opener(&self, at: usize) -> bool {
        let first = self.items.get(at).and_then(|item| item.norm.split(' ').next());
        first.is_some_and(|first| self.lexicon.deed_words.iter().any(|word| word == first))
    }

    fn reminds(&self, at: usize) -> bool {
        makes_task(&self.items[at], self.senses)
    }

    /// A word that counts, orders or names times, or belongs to the time that was read.
    fn about_time(&self, at: usize) -> bool {
        let item = &self.items[at];
        let number = item.number().is_some() && !self.counts_things(at);
        let ordered = item.sense("ordinal").is_some() || item.sense("rel").is_some();
        let dated = matches!(item.lit, Lit::Clock(..) | Lit::Date(..));
        let when = WHEN.iter().any(|cat| item.sense(cat).is_some());
        self.timed(at) || number || ordered || dated || when
    }

    /// "3 things": whether the number here is one of things.
    fn counts_things(&self, at: usize) -> bool {
        let thing =
            |item: &Item| item.is_unknown() && matches!(item.lit, Lit::Word) || item.sense("noun").is_some();
        self.items.get(at + 1).is_some_and(thing) && !self.time_word(at + 1) && !self.timed(at + 1)
    }

    /// A unit, a month, a day, a feast, or a word that says that a time comes again or every second time.
    fn time_word(&self, at: usize) -> bool {
        let item = &self.items[at];
        WHEN.iter().any(|cat| item.sense(cat).is_some()) || self.listed(at)
    }

    fn listed(&self, at: usize) -> bool {
        let known = |word: &str| self.lexicon.time_words.iter().any(|known| known == word);
        self.items[at].norm.split(' ').any(known)
    }

    /// Whether a word outside of what is to be done says when, or when not.
    fn says_when(&self, at: usize) -> bool {
        let item = &self.items[at];
        let not = item.sense("neg").is_some() && !self.opener(at + 1);
        let number = matches!(item.lit, Lit::Number(_)) && !self.counts_things(at);
        let counted = item.sense("ordinal").is_some() && item.text.starts_with(|c: char| c.is_ascii_digit());
        not || number || counted || self.time_word(at)
    }

    /// "tonight and tomorrow": a word that joins two times, of which one is lost.
    fn joins_times(&self, at: usize) -> bool {
        let joins = self.items[at].is("then", "and") || self.items[at].is("then", "or");
        joins && at.checked_sub(1).is_some_and(|before| self.timed(before)) && self.timed(at + 1)
    }

    /// "a taxi for 7 am", "by Friday", "il treno delle 9:15": a word that binds the time to what stands before it.
    fn binds(&self, at: usize) -> bool {
        self.lexicon.binding_words.contains(&self.items[at].norm)
    }

    /// "the 9:15 train", "the 8 pm show": an hour between an article and a thing.
    fn pointed(&self, at: usize, end: usize) -> bool {
        let last = self.items[at].norm.rsplit(' ').next().unwrap_or_default();
        let article = self.lexicon.articles.iter().any(|article| article == last);
        let thing = self.items.get(end).is_some_and(|item| !item.is_symbol() && item.sense("prep").is_none());
        let named = |item: &Item| !self.lexicon.articles.contains(&item.norm);
        article && thing && !self.opener(end) && self.items.get(end).is_some_and(named)
    }
}

/// Whether a word, in whatever form, is one for making a task.
fn makes_task(item: &Item, senses: &Senses) -> bool {
    let verb = item.sense("verb").and_then(|id| senses.verb.get(id));
    verb.is_some_and(|v| v.object.as_deref() == Some("tasks") && v.verb.as_deref() == Some("create"))
}

/// "stop reminding me": the word that says that something is to be remembered no longer.
pub(super) fn ceases(items: &[Item], lexicon: &Lexicon, senses: &Senses) -> Option<String> {
    let verb = items.iter().position(|item| makes_task(item, senses))?;
    let before = items[..verb].iter().rev().take(2);
    let said =
        |item: &&Item| item.norm.split(' ').any(|word| lexicon.ceasing_words.iter().any(|w| w == word));
    before.filter(said).map(|item| item.text.clone()).next()
}
