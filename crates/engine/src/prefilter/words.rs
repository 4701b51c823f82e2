//! Words of names and texts, by their stems, and the senses the lexicons give them.

use crate::Lexicons;
use std::collections::BTreeSet;

/// Longest text that is looked at, in words.
const WORDS: usize = 2000;

/// The parts of a name: `find_files`, `send-email`, `createEvent`, `calendar.list`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let starts = c.is_uppercase() && before.is_lowercase();
        if !c.is_alphanumeric() || starts {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        before = c;
    }
    out.retain(|part| !part.is_empty());
    out
}

/// The words of a text in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let plain = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    plain.take(WORDS).map(str::to_owned).collect()
}

/// The first letters of a word without its last ending: the same rule for every language.
pub(super) fn stem(word: &str) -> String {
    let n = word.chars().count();
    let keep = match n {
        0..=4 => n,
        5..=7 => n - 1,
        _ => n - 2,
    };
    let cut: String = word.chars().take(keep.max(3)).collect();
    // "mail" and "mails", "file" and "files" have one stem.
    match cut.strip_suffix('s') {
        Some(one) if one.chars().count() >= 3 => one.to_owned(),
        _ => cut,
    }
}

/// What a word means: verbs and things, in any language of the lexicons.
pub(super) fn senses(word: &str, lexicons: &Lexicons) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for lexicon in lexicons.all() {
        let Some(phrase) = lexicon.single(word) else { continue };
        for sense in phrase.senses.iter().filter(|sense| matches!(sense.cat.as_str(), "verb" | "noun")) {
            out.insert(format!("{}:{}", sense.cat, sense.id));
        }
    }
    out
}
