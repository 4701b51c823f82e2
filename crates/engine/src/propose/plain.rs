//! The same request in plainer words: a small model rewrites what the parser could not read, and the
//! parser reads that instead. The model gives no plan and no argument.
//!
//! What limits a request must be the same before and after: names, numbers, paths and patterns, letter by
//! letter, and every word for an exception, a day or (where there is a number) a comparison.

use crate::lexicon::{Lexicon, Phrase};
use crate::text::{Lit, Token, tokens};
use metnos_shape::{Field, Shape};
use serde_json::Value;
use std::collections::BTreeSet;

/// The longest request that is rewritten, and the longest that comes of it.
pub(super) const LONGEST: usize = 400;
/// Categories of words that limit what is meant.
const LIMITS: [&str; 5] = ["neg", "weekday", "month", "day", "rel"];
/// The same, where something is counted or measured.
const MEASURES: [&str; 1] = ["compare"];

/// What an answer may look like.
pub(super) fn shape() -> Shape {
    Shape::Record(vec![Field { name: "request".into(), shape: Shape::Text(LONGEST), required: true }])
}

/// What a small model made of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewritten {
    /// The same in plainer words.
    Plain(String),
    /// It is about nothing that can be done here.
    Nothing,
}

/// The rewritten request, if it limits what the first one limits.
pub(super) fn accept(answer: &Value, request: &str, lexicon: &Lexicon) -> Option<Rewritten> {
    let plain = answer["request"].as_str()?.trim();
    let same = plain.to_lowercase() == request.trim().to_lowercase();
    if plain.is_empty() {
        return Some(Rewritten::Nothing);
    }
    (!same && limits(plain, lexicon) == limits(request, lexicon)).then(|| Rewritten::Plain(plain.to_owned()))
}

/// Everything in a request that must not be lost, added or changed.
fn limits(text: &str, lexicon: &Lexicon) -> BTreeSet<String> {
    let all = tokens(text, &lexicon.tails);
    let mut found: BTreeSet<String> =
        all.iter().enumerate().filter_map(|(n, token)| exact(n, token)).collect();
    let measured = all.iter().any(|token| matches!(token.lit, Lit::Number(_)));
    let words: Vec<&str> = all.iter().map(|token| token.norm.as_str()).collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let here = lexicon.phrases.get(*word).into_iter().flatten();
        let fits = |phrase: &&Phrase| phrase.words.iter().eq(words[at..].iter().take(phrase.words.len()));
        let longest = here.filter(fits).max_by_key(|phrase| phrase.words.len());
        for sense in longest.iter().flat_map(|phrase| &phrase.senses) {
            let cat = sense.cat.as_str();
            if LIMITS.contains(&cat) || (measured && MEASURES.contains(&cat)) {
                found.insert(format!("{cat}: {}", sense.id));
            }
        }
        at += longest.map_or(1, |phrase| phrase.words.len());
    }
    found
}

/// Names, numbers, paths and patterns: what is written in one way only.
fn exact(at: usize, token: &Token) -> Option<String> {
    let name = || at > 0 && token.text.starts_with(char::is_uppercase) && token.text.chars().count() > 1;
    match token.lit {
        Lit::Symbol(_) => None,
        Lit::Word if !name() => None,
        _ => Some(token.norm.trim_matches(['"', '\'', '“', '”', '/', '.']).to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::Lexicons;
    use serde_json::json;

    fn accepted(request: &str, plain: &str) -> bool {
        let all = Lexicons::shipped().unwrap();
        let made = accept(&json!({ "request": plain }), request, all.get("en").unwrap());
        matches!(made, Some(Rewritten::Plain(_)))
    }

    #[test]
    fn what_limits_a_request_may_not_change() {
        let request = "would you dig out the photos from Pictures that weigh more than 5 MB";
        assert!(accepted(request, "find photos in Pictures larger than 5 MB"));
        for wrong in [
            "find photos in Pictures",
            "find photos in Pictures smaller than 5 MB",
            "find photos in Pictures larger than 50 MB",
            "find photos in Videos larger than 5 MB",
            "delete photos in Pictures larger than 5 MB and in ~/Documents",
            "find photos in Pictures larger than 5 MB except a.jpg",
            "find photos in Pictures larger than 5 MB from yesterday",
            request,
            "",
        ] {
            assert!(!accepted(request, wrong), "{wrong}");
        }
        assert!(!accepted("hunt down everything but the drafts", "find the drafts"));
        assert!(accepted("hunt down notes.txt", "find notes.txt"));
    }
}
