//! A request that was not understood, with its unknown words as they were probably meant.

use crate::lexicon::Lexicon;
use crate::text::{Lit, Token, tokens};
use metnos_language::{ONE_ERROR, Speller, is_common};
use serde::{Deserialize, Serialize};

/// So many words of a request may be misspelled.
const MOST: usize = 3;
/// So many readings of one word are tried, and of the whole request.
const EACH: usize = 3;
const TRIED: usize = 6;

/// A word that was taken for another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// As it was written.
    pub wrote: String,
    /// What it was taken for.
    pub read: String,
}

/// A request as it may have been meant.
pub(super) struct Meant {
    pub(super) text: String,
    pub(super) corrected: Vec<Correction>,
    /// No word needed more than one correction.
    pub(super) sure: bool,
}

/// The ways `text` may have been meant, the likeliest first; none where nothing in it is misspelled.
pub(super) fn meant(text: &str, lexicon: &Lexicon) -> Vec<Meant> {
    let Some(speller) = lexicon.speller() else { return Vec::new() };
    let tokens = tokens(text, &lexicon.tails);
    let mut unknown: Vec<(&Token, Vec<(String, u8)>)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token.lit, Lit::Word)
            || is_name(&tokens, at)
            || lexicon.has(&token.norm)
            || is_common(&lexicon.language, &token.norm)
        {
            continue;
        }
        let near = near(speller, &token.norm);
        if !near.is_empty() {
            unknown.push((token, near));
        }
    }
    if unknown.is_empty() || unknown.len() > MOST {
        return Vec::new();
    }
    // All words at their best, then one after the other at its next best.
    let mut choices: Vec<Vec<usize>> = vec![vec![0; unknown.len()]];
    for (at, (_, near)) in unknown.iter().enumerate() {
        for other in 1..near.len().min(EACH) {
            let mut choice = vec![0; unknown.len()];
            choice[at] = other;
            choices.push(choice);
        }
    }
    let cost = |choice: &Vec<usize>| -> u32 {
        choice.iter().zip(&unknown).map(|(i, (_, near))| u32::from(near[*i].1)).sum()
    };
    choices.sort_by_key(cost);
    choices.truncate(TRIED);
    choices.iter().map(|choice| with(text, &unknown, choice)).collect()
}

/// Written as a name is: a capital inside a sentence.
fn is_name(tokens: &[Token], at: usize) -> bool {
    let begins = at == 0 || matches!(tokens[at - 1].lit, Lit::Symbol('.' | '!' | '?' | ':'));
    !begins && tokens[at].text.starts_with(char::is_uppercase)
}

fn near(speller: &Speller, word: &str) -> Vec<(String, u8)> {
    let mut near = speller.near(word);
    // What is much less likely than the best is no reading of it.
    let best = near.first().map_or(0, |(_, cost)| *cost);
    near.retain(|(_, cost)| *cost <= best + 1);
    near
}

fn with(text: &str, unknown: &[(&Token, Vec<(String, u8)>)], choice: &[usize]) -> Meant {
    let (mut out, mut from, mut corrected) = (String::new(), 0, Vec::new());
    for ((token, near), chosen) in unknown.iter().zip(choice) {
        let read = near[*chosen].0.clone();
        out.push_str(&text[from..token.start]);
        out.push_str(&read);
        from = token.end;
        corrected.push(Correction { wrote: token.text.clone(), read });
    }
    out.push_str(&text[from..]);
    let sure = unknown.iter().zip(choice).all(|((_, near), chosen)| near[*chosen].1 <= ONE_ERROR);
    Meant { text: out, corrected, sure }
}
