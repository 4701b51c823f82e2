//! Files that are no tables, as lines by their key: sentences in Fluent, phrases in pairs.

use std::collections::{BTreeMap, BTreeSet};

/// The sentences of a Fluent file, each with the values it takes.
pub(crate) fn sentences(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut at: Option<String> = None;
    for line in text.lines() {
        let key = line.split_once(" =").map(|(key, _)| key).filter(|key| is_key(key));
        if let Some(key) = key {
            at = Some(key.to_owned());
            found.entry(key.to_owned()).or_default();
        } else if !line.starts_with([' ', '\t', '}']) {
            at = None;
        }
        if let Some(values) = at.as_ref().and_then(|key| found.get_mut(key)) {
            values.extend(line.split('$').skip(1).map(word));
        }
    }
    found
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_' || *c == '-').collect()
}

/// The lines of a file that say something.
fn said(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// What the English file of phrases lists.
pub(crate) fn listed(text: &str) -> BTreeSet<&str> {
    said(text).collect()
}

/// What the file of another language says for each: a phrase, and below it the same in that language.
pub(crate) fn pairs(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut lines = said(text);
    let mut found = Vec::new();
    while let Some(phrase) = lines.next() {
        found.push((phrase, lines.next()));
    }
    found
}
