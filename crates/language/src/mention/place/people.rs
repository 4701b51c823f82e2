//! People: names after a relation or a cue, and names that nothing else explains.

use super::span::{Part, Words};
use super::{Found, What};
use crate::sense::{Cue, Relation, Sense};
use crate::token::Lit;

/// Adds people.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    for at in 0..words.len() {
        titled(words, at, found);
        let Some(Lit::Word | Lit::Quoted(_)) = words.lit(at) else { continue };
        if let Some(cost) = cost(words, at) {
            name(words, at, cost, found);
        }
    }
}

/// What it costs to take the word at `at` for the first of a name.
fn cost(words: &Words<'_>, at: usize) -> Option<u8> {
    let part = words.part(at);
    if part == Part::Binds || part == Part::Dated || words.is_quoted(at) && words.relation(at).is_none() {
        return None;
    }
    // Inside a run of capitals the first one counts.
    if words.capital(at) && words.is_name(at) && words.capital(at - 1) && words.part(at - 1) == Part::Open {
        return None;
    }
    let place = words.edges(at).iter().any(|edge| matches!(edge.sense, Sense::Place(_)));
    let known = if place || part == Part::Known { 3 } else { 0 };
    let tie = words.relation(at).map(|tie| tie.relation);
    let capital = words.capital(at);
    // "the contact X", "Petra's mails"
    if words.cue_before(at, Cue::Contact).is_some() || capital && owns(words, words.capitals(at)) {
        return Some(known + u8::from(!capital));
    }
    let base = match tie {
        Some(Relation::To | Relation::From | Relation::With) => 0,
        Some(Relation::Of | Relation::For | Relation::By) => 1,
        Some(Relation::At) => 2,
        Some(_) => 4,
        // At the beginning a capital says less.
        None if words.is_name(at) => 2,
        None if capital => 3,
        None => {
            // "tommaso has a new number": one small word that begins a sentence, or stands where a name is told.
            let first = at == 0 || words.ends_sentence(at - 1);
            let alone = part == Part::Open && words.part(at + 1) == Part::Binds;
            return (first && alone).then_some(4);
        }
    };
    if words.is_quoted(at) {
        return Some(base + 2);
    }
    let small = match part {
        _ if capital => 0,
        Part::Known => 2,
        _ => 2 + u8::from(!words.edges(at).is_empty()),
    };
    Some(base + small + known)
}

/// Whether a tail follows that says whose something is: `'s`.
fn owns(words: &Words<'_>, at: usize) -> bool {
    let tail = |norm: &str| words.reading.lexicon.grammar.tails.iter().any(|tail| tail == norm);
    words.token(at).is_some_and(|token| tail(&token.norm))
}

/// "aunt Norma", "dr. House": a name with the word before it.
fn titled(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, _)) = words.cue(at, Cue::Title).filter(|(_, cost)| *cost == 0) else { return };
    let next = end + usize::from(words.symbol(end) == Some('.') && words.is_glued(end));
    let (to, cost) = match words.part(next) {
        _ if words.capital(next) => (unnumbered(words, next, words.capitals(next)), 0),
        Part::Open if words.edges(next).is_empty() => (next + 1, 2),
        _ => return,
    };
    found.add(words, at, to, What::Person(words.text(at, to)), cost);
}

/// A name without the number after it.
fn unnumbered(words: &Words<'_>, at: usize, mut end: usize) -> usize {
    while end > at + 1 && matches!(words.lit(end - 1), Some(Lit::Number(_))) {
        end -= 1;
    }
    end
}

fn name(words: &Words<'_>, at: usize, cost: u8, found: &mut Found) {
    let end = if words.capital(at) { words.capitals(at) } else { at + 1 };
    let from = words.cue_before(at, Cue::Contact).unwrap_or(at);
    let bare = unnumbered(words, at, end);
    if bare < end {
        found.add(words, from, end, What::Person(words.text(at, end)), cost + 3);
    }
    found.add(words, from, bare, What::Person(words.text(at, bare)), cost);
    if end > at + 1 {
        found.add(words, from, at + 1, What::Person(words.text(at, at + 1)), cost + 3);
    }
}
