//! What somebody tells beside a request: how things are before it, and why it is made after it.
//!
//! A request that was understood with all its words is never read without some. One that was not may be, where the words that
//! are left out tell something and could neither choose things nor spare them.

use super::Item;
use super::aside::light;
use crate::lexicon::Senses;
use crate::text::Lit;
use std::ops::Range;

/// Words that choose, spare or bind what is done to something else: who says them says more than how things are.
const BINDING: [&str; 11] = [
    "neg",
    "not",
    "condition",
    "correction",
    "spare",
    "rest",
    "but",
    "which_one",
    "ordinal",
    "thing",
    "these",
];

/// A place in the text that only tells.
pub(crate) struct Told {
    /// Where.
    pub(crate) place: Range<usize>,
    /// True when it may be left out only where nothing is changed.
    pub(crate) mild: bool,
}

/// The places in the text that only tell: the sentences before the request, the reason after it, and remarks on either
/// side.
pub(crate) fn told(items: &[Item], senses: &Senses) -> Vec<Told> {
    let grave = |item: &Item| {
        let verb = item.command().and_then(|id| senses.verb.get(id));
        verb.is_some_and(|verb| matches!(verb.verb.as_deref(), Some("delete" | "send")))
    };
    // What is thrown away, or leaves the house, is said in words that are all understood.
    if items.iter().any(grave) {
        return Vec::new();
    }
    let before = (1..items.len()).rev().find(|stop| {
        ends(&items[*stop]) && items[..*stop].split(ends).all(|part| part.is_empty() || tells(part))
    });
    let before = before.map(|stop| items[0].start..items[stop].end);
    let after = (1..items.len()).find(|at| explains(&items[*at..], items[at - 1].is_comma()));
    let after = after.map(|at| items[at].start..items.last().map_or(0, |last| last.end));
    let sure = before.into_iter().chain(after).map(|place| Told { place, mild: false });
    sure.chain(remarks(items).map(|place| Told { place, mild: true })).collect()
}

/// What somebody remarks after a request, or before it. It may speak of deeds, but not of what is asked for.
fn remarks(items: &[Item]) -> impl Iterator<Item = Range<usize>> {
    let stops = |item: &Item| ends(item) || matches!(item.lit, Lit::Symbol('?'));
    let all = |part: &[Item]| {
        let mut parts = part.split(ends).filter(|part| !part.is_empty()).peekable();
        parts.peek().is_some() && parts.all(remarked)
    };
    let after = (1..items.len()).find(|at| stops(&items[at - 1]) && all(&items[*at..]));
    let after = after.map(|at| items[at].start..items.last().map_or(0, |last| last.end));
    let before = (1..items.len()).rev().find(|stop| ends(&items[*stop]) && all(&items[..*stop]));
    let before = before.map(|stop| items[0].start..items[stop].end);
    after.into_iter().chain(before)
}

/// Whether these words tell something in which no order hides and no choice: who says "it" of what is asked for may at
/// most like it.
fn remarked(part: &[Item]) -> bool {
    let is = |item: &Item, cat: &str| item.sense(cat).is_some();
    let done = |item: &Item| item.participle().is_some() && !item.capital && !binds(item);
    let there = |item: &Item| item.is("pron", "there");
    let word = |item: &Item| plain(item) || done(item) || there(item) || is(item, "prep") && !binds(item);
    let points = part.iter().any(|item| is(item, "pron") && !there(item));
    let likes = part.iter().any(|item| item.is("tells", "feels"));
    let orders = |item: &Item| item.is("pron", "only") || is(item, "wish") && !is(item, "tells");
    part.iter().any(says) && part.iter().all(word) && !part.iter().any(orders) && (likes || !points)
}

/// Signs with which a sentence may end, besides commas and dots that trail off.
const STOPS: [char; 6] = ['.', '!', ':', '-', '–', '—'];

fn ends(item: &Item) -> bool {
    let sign = matches!(item.lit, Lit::Symbol(c) if STOPS.contains(&c));
    sign || item.is_comma() || matches!(item.norm.as_str(), "..." | "…")
}

/// Whether these words tell how things are, and name nothing that a request could be about.
fn tells(part: &[Item]) -> bool {
    part.iter().any(says) && part.iter().all(plain)
}

/// A word with which somebody tells something.
fn says(item: &Item) -> bool {
    ["tells", "subject"].iter().any(|cat| item.sense(cat).is_some())
}

/// A word that may stand in what is told: it says nothing to a request.
fn plain(item: &Item) -> bool {
    let known = ["tells", "reason", "ambient"].iter().any(|cat| item.sense(cat).is_some());
    let said = known || light(item) || item.is_unknown() && !item.capital;
    matches!(item.lit, Lit::Word) && said && !binds(item)
}

/// Whether the rest of a sentence says why: it begins with a word that does, and orders nothing.
fn explains(rest: &[Item], apart: bool) -> bool {
    let Some((first, rest)) = rest.split_first() else { return false };
    let back = rest.iter().any(|item| item.is("pron", "it") || item.is("pron", "them"));
    // "since" and "as" say other things too; only what points back is surely no part of the request.
    let why = first.is("because", "because") || first.is("because", "maybe") && apart && back;
    let plain = |item: &Item| match item.lit {
        Lit::Word => !item.capital && item.sense("number").is_none(),
        Lit::Symbol(c) => STOPS.contains(&c),
        _ => false,
    };
    let orders = rest.first().is_some_and(|item| item.command().is_some());
    let spares = |item: &Item| binds(item) && item.sense("not").is_none();
    let and = |item: &Item| item.sense("then").is_some();
    why && !rest.is_empty() && !orders && rest.iter().all(plain) && !rest.iter().any(|i| spares(i) || and(i))
}

fn binds(item: &Item) -> bool {
    BINDING.iter().any(|cat| item.sense(cat).is_some())
}
