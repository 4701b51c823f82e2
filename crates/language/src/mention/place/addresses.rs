//! Addresses: a word for a street with its name, the number, and the town after a comma.

use super::span::{Part, RUN, Words};
use super::{Found, What};
use crate::sense::Cue;
use crate::token::Lit;

/// Adds addresses.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    for at in 0..words.len() {
        let Some((end, _)) = words.cue(at, Cue::Street).filter(|(_, cost)| *cost == 0) else { continue };
        let Some((from, mut to)) = after(words, at, end).or_else(|| before(words, at, end)) else { continue };
        let number = words.symbol(to) == Some(',') && is_number(words, to + 1) || is_number(words, to);
        if number {
            to += 1 + usize::from(words.symbol(to) == Some(','));
        }
        let town = to + usize::from(words.symbol(to) == Some(','));
        let full = words.capitals(town);
        found.add(words, from, to, What::Text(words.text(from, to)), 1);
        if town > to && full > town {
            found.add(words, from, full, What::Text(words.text(from, full)), 0);
        }
    }
}

/// "via Mazzini", "calle Belgrano"; in small letters only where a number follows.
fn after(words: &Words<'_>, at: usize, end: usize) -> Option<(usize, usize)> {
    let mut to = end;
    // "calle de la Paz"
    while to < end + 3 && words.part(to) == Part::Binds && !words.is_name(to) {
        to += 1;
    }
    if !words.capital(to) {
        to = end;
    }
    while to < end + RUN && words.capital(to) {
        to += 1;
    }
    let small = || matches!(words.part(end), Part::Open) && is_number(words, end + 1);
    if to == end && small() {
        to = end + 1;
    }
    (to > end).then_some((at, to))
}

/// "12 Baker Street"
fn before(words: &Words<'_>, at: usize, end: usize) -> Option<(usize, usize)> {
    let mut from = at;
    while from > 0 && at - from < RUN && words.is_name(from - 1) && words.part(from - 1) != Part::Binds {
        from -= 1;
    }
    let named = from < at;
    from -= usize::from(from > 0 && is_number(words, from - 1));
    named.then_some((from, end))
}

fn is_number(words: &Words<'_>, at: usize) -> bool {
    matches!(words.lit(at), Some(Lit::Number(n)) if *n < 10_000.0 && n.fract() == 0.0)
}
