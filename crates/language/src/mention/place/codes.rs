//! Numbers and signs by which something is called: phone numbers, `t-14`.

use super::span::Words;
use super::{Found, What, endings};
use crate::sense::{Cue, Sense};
use crate::token::Lit;

/// Pieces of a phone number.
const PIECES: usize = 6;
/// Letters and digits that a sign may have.
const LETTERS: usize = 3;
const DIGITS: usize = 5;

/// Adds signs and phone numbers.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    let mut at = 0;
    while at < words.len() {
        sign(words, at, found);
        at = phone(words, at, found).unwrap_or(at + 1);
    }
}

/// `t7`, `t-14`: after a word for what has such signs it is one.
fn sign(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some(token) = words.token(at).filter(|token| matches!(token.lit, Lit::Word)) else { return };
    let digits = token.norm.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = token.norm.len() - digits.len();
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    let is_sign = (1..=LETTERS).contains(&letters)
        && (1..=DIGITS).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_sign || !words.edges(at).is_empty() || endings::ending(&token.norm).is_some() {
        return;
    }
    let cost = if after_thing(words, at) { 0 } else { 3 };
    found.add(words, at, at + 1, What::Code(token.text.clone()), cost);
}

fn after_thing(words: &Words<'_>, at: usize) -> bool {
    let thing = |edge: &crate::lattice::Edge| matches!(edge.sense, Sense::Thing(_));
    at > 0 && words.edges(at - 1).iter().any(thing)
}

/// "+39 051 5550142", "11 5555 2031": digits in several pieces, or with the sign before them.
fn phone(words: &Words<'_>, at: usize, found: &mut Found) -> Option<usize> {
    let plus = words.symbol(at) == Some('+') && words.is_glued(at + 1);
    let start = at + usize::from(plus);
    let (mut end, mut digits) = (start, 0);
    while end < start + PIECES
        && let Some(count) = piece(words, end)
        && (end == start || !words.is_glued(end))
    {
        end += 1;
        digits += count;
    }
    let pieces = end - start;
    if pieces == 0 || !(6..=15).contains(&digits) || !plus && pieces == 1 {
        return None;
    }
    let called = (at.saturating_sub(3)..at).any(|before| {
        words.cue(before, Cue::Contact).is_some()
            || words.edges(before).iter().any(|edge| match edge.sense {
                Sense::Field(id) | Sense::Thing(id) => id.name() == "phone",
                _ => false,
            })
    });
    // Where each piece begins, and nothing else between: as it is written.
    found.add(words, at, end, What::Code(words.text(at, end)), if called || plus { 0 } else { 2 });
    Some(end)
}

/// How many digits a token has that is nothing but digits, and signs between them.
fn piece(words: &Words<'_>, at: usize) -> Option<usize> {
    let token = words.token(at)?;
    let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
    let only = token.text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
        && token.text.starts_with(|c: char| c.is_ascii_digit());
    (only && digits >= 2 && matches!(token.lit, Lit::Number(_) | Lit::Word)).then_some(digits)
}
