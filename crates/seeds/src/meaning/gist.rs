//! The sentences of a text that say most of what it is about: those whose words come back most often.
//!
//! Nothing is understood and nothing is added: what is shown stands in the text, word for word.

use super::text::{head, texts};
use crate::numbers::words::data;
use metnos_executor::Failure;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Bytes of text looked at in one entry.
const TEXT_BYTES: usize = 256 << 10;
/// Sentences kept of all entries; what comes later is not weighed.
const SENTENCES: usize = 4000;
/// Bytes of a sentence that is shown.
const SENTENCE_BYTES: usize = 300;
/// Fewer words are a title or a greeting.
const LEAST_WORDS: usize = 4;
/// Words counted of a sentence; one without an end does not win by its length.
const MOST_WORDS: usize = 60;
/// Letters of a word that is weighed.
const LETTERS: usize = 3;

#[derive(Deserialize)]
struct File {
    language: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    words: String,
}

struct Sentence {
    text: String,
    words: Vec<String>,
    first: bool,
}

/// Texts being looked at.
pub(crate) struct Gist {
    stop: HashSet<String>,
    sentences: Vec<Sentence>,
    counts: HashMap<String, f64>,
}

impl Gist {
    /// No text yet.
    pub(crate) fn new() -> Result<Self, Failure> {
        let file: File = data(include_str!("../../data/gist.toml"), "the words that say nothing")?;
        let words = file.language.iter().flat_map(|row| row.words.split_whitespace());
        let stop = words.map(str::to_owned).collect();
        Ok(Self { stop, sentences: Vec::new(), counts: HashMap::new() })
    }

    /// Looks at the prose of one entry; names and titles are no prose.
    pub(crate) fn add(&mut self, entry: &Map<String, Value>) {
        let (found, _) = texts(entry, TEXT_BYTES);
        let prose =
            found.into_iter().filter(|(field, _)| !matches!(*field, "name" | "from" | "title" | "subject"));
        for (_, text) in prose {
            let mut first = true;
            for sentence in sentences(text) {
                if self.sentences.len() >= SENTENCES {
                    return;
                }
                let all = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let all: Vec<String> =
                    all.take(MOST_WORDS).map(|word| head(word, 40).to_lowercase()).collect();
                if all.len() < LEAST_WORDS {
                    continue;
                }
                let telling = |word: &String| word.chars().count() >= LETTERS && !self.stop.contains(word);
                let words: Vec<String> = all.into_iter().filter(telling).collect();
                for word in &words {
                    *self.counts.entry(word.clone()).or_insert(0.0) += 1.0;
                }
                let text = line(sentence);
                self.sentences.push(Sentence { text, words, first });
                first = false;
            }
        }
    }

    /// The `most` sentences that say most, in the order of the text.
    pub(crate) fn sentences(mut self, most: usize) -> Vec<String> {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < most {
            let open = self.sentences.iter().enumerate().filter(|(at, _)| !chosen.contains(at));
            let weighed = open.map(|(at, sentence)| (at, self.weight(sentence)));
            // The first of equals stays.
            let best = weighed.fold(None, |best: Option<(usize, f64)>, (at, weight)| match best {
                Some((_, known)) if known >= weight => best,
                _ => Some((at, weight)),
            });
            let Some((at, _)) = best.filter(|(_, weight)| *weight > 0.0) else { break };
            // What was said once need not be said again.
            for word in self.sentences.get(at).map(|sentence| sentence.words.clone()).unwrap_or_default() {
                self.counts.entry(word).and_modify(|count| *count /= 4.0);
            }
            chosen.push(at);
        }
        chosen.sort_unstable();
        chosen.into_iter().filter_map(|at| self.sentences.get(at)).map(|s| s.text.clone()).collect()
    }

    fn weight(&self, sentence: &Sentence) -> f64 {
        let words: HashSet<&String> = sentence.words.iter().collect();
        let mut counts: Vec<f64> = words.iter().filter_map(|word| self.counts.get(*word)).copied().collect();
        // Adding in one order gives one sum.
        counts.sort_by(f64::total_cmp);
        let sum: f64 = counts.iter().sum();
        let weight = sum / (sentence.words.len().max(1) as f64).sqrt();
        if sentence.first { weight * 1.2 } else { weight }
    }
}

/// The sentences of a text: up to a full stop before a space, or the end of a paragraph or item.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").flat_map(|paragraph| paragraph.split_inclusive(is_end)).flat_map(parts)
}

/// Marks that can end a sentence.
fn is_end(c: char) -> bool {
    matches!(c, '!' | '?' | '…' | ';')
}

/// A point ends a sentence only before a space: 3.5 and example.org go on.
fn parts(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('.') {
        let end = at + 1;
        if text.get(end..).is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
            out.extend(text.get(from..end));
            from = end;
        }
    }
    out.extend(text.get(from..));
    out.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// On one line, of a length to read.
fn line(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let whole = words.join(" ");
    let cut = head(&whole, SENTENCE_BYTES);
    if cut.len() < whole.len() { format!("{cut}…") } else { whole }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use serde_json::json;

    fn gist(text: &str, most: usize) -> Vec<String> {
        let mut gist = Gist::new().unwrap();
        gist.add(json!({"content": text}).as_object().unwrap());
        gist.sentences(most)
    }

    #[test]
    fn the_telling_sentences_in_the_order_of_the_text() {
        let text = "The bridge over the river closes in June. Tea was served at four. \
                    Until the bridge is open again the river is crossed by boat. It rained.";
        assert_eq!(
            gist(text, 2),
            [
                "The bridge over the river closes in June.",
                "Until the bridge is open again the river is crossed by boat.",
            ]
        );
        let text = "La riunione del condominio è giovedì. Buongiorno a tutti voi qui. \
                    Alla riunione si vota la spesa del tetto.";
        assert_eq!(gist(text, 1), ["La riunione del condominio è giovedì."]);
    }

    #[test]
    fn nothing_much_and_hostile() {
        for text in ["", "   ", "Too short.", "1 2 3", "....", "the and for are was were"] {
            assert!(gist(text, 3).is_empty(), "{text:?}");
        }
        let found = gist(&format!("word\u{1b}[31m\n{} end of it.", "long ".repeat(1000)), 3);
        assert!(found.len() == 1 && found[0].len() < 400 && !found[0].contains('\u{1b}'), "{found:?}");
        assert_eq!(gist(&"one same sentence again. ".repeat(5000), 3).len(), 3);
    }
}
