//! A lexicon file read: stems take their endings, phrases become tokens.

use super::{Lexicon, Phrase, Sense};
use std::collections::BTreeMap;
use toml::{Table, Value};

pub(super) const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lexicons.rs"));

/// Why a lexicon could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LexiconError {
    /// Not TOML, or not of the expected shape.
    #[error("lexicon: {0}")]
    Toml(#[from] toml::de::Error),
    /// Phrases that cannot be read.
    #[error(transparent)]
    Literal(#[from] crate::shortcut::LiteralError),
    /// A stem names endings that are not there.
    #[error("lexicon {language}: {word:?} names no paradigm of this file")]
    Paradigm {
        /// The file.
        language: String,
        /// The word.
        word: String,
    },
}

/// Sections that are not categories.
const HEAD: [&str; 2] = ["paradigms", "enclitics"];

impl Lexicon {
    /// The lexicon in `text`.
    pub fn read(language: &str, text: &str) -> Result<Self, LexiconError> {
        let file: Table = toml::from_str(text)?;
        let list = |value: &Value| -> Vec<String> {
            value
                .as_array()
                .map(|a| a.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .unwrap_or_default()
        };
        let tails = file.get("tails").map(list).unwrap_or_default();
        let paradigms: BTreeMap<String, Vec<String>> =
            section(&file, "paradigms").map(|(k, v)| (k.clone(), list(v))).collect();
        let mut enclitics: Vec<(String, String)> = section(&file, "enclitics")
            .map(|(tail, meaning)| (tail.clone(), meaning.as_str().unwrap_or_default().to_owned()))
            .collect();
        enclitics.sort_by(|a, b| b.0.chars().count().cmp(&a.0.chars().count()).then(a.0.cmp(&b.0)));
        let words = |key: &str| file.get(key).map(list).unwrap_or_default();
        let mut lexicon = Self {
            language: language.to_owned(),
            tails,
            plural_words: words("plural_words"),
            singular_words: words("singular_words"),
            plural_endings: words("plural_endings"),
            enclitics,
            phrases: BTreeMap::new(),
        };
        for (cat, senses) in &file {
            let Some(senses) = senses.as_table().filter(|_| !HEAD.contains(&cat.as_str())) else { continue };
            for (id, words) in senses {
                for word in list(words) {
                    lexicon.add(cat, id, &word, &paradigms)?;
                }
            }
        }
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by(|a, b| b.words.len().cmp(&a.words.len()).then(a.words.cmp(&b.words)));
        }
        Ok(lexicon)
    }

    fn add(
        &mut self,
        cat: &str,
        id: &str,
        phrase: &str,
        paradigms: &BTreeMap<String, Vec<String>>,
    ) -> Result<(), LexiconError> {
        // A phrase that begins with ^ is the participle of a verb; so is an ending that does.
        let (phrase, whole) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
        let mut forms = vec![(String::new(), !whole, whole)];
        for word in phrase.split(' ') {
            let endings: Vec<(String, bool, bool)> =
                match word.split_once('@').filter(|(stem, _)| !stem.is_empty()) {
                    None => vec![(word.to_owned(), true, false)],
                    Some((stem, paradigm)) => paradigms
                        .get(paradigm)
                        .ok_or_else(|| LexiconError::Paradigm {
                            language: self.language.clone(),
                            word: word.to_owned(),
                        })?
                        .iter()
                        .map(|ending| match (ending.strip_prefix('+'), ending.strip_prefix('^')) {
                            (Some(bare), _) => (format!("{stem}{bare}"), true, false),
                            (_, Some(bare)) => (format!("{stem}{bare}"), false, true),
                            _ => (format!("{stem}{ending}"), false, false),
                        })
                        .collect(),
                };
            forms = forms
                .iter()
                .flat_map(|(head, command, participle)| {
                    endings.iter().map(move |(word, own, done)| {
                        (
                            if head.is_empty() { word.clone() } else { format!("{head} {word}") },
                            *command && *own,
                            *participle || *done,
                        )
                    })
                })
                .collect();
        }
        for (form, command, participle) in forms {
            let words: Vec<String> =
                crate::text::tokens(&form, &self.tails).into_iter().map(|token| token.norm).collect();
            let Some(first) = words.first().cloned() else { continue };
            let sense = Sense { cat: cat.to_owned(), id: id.to_owned(), command, participle };
            let phrases = self.phrases.entry(first).or_default();
            match phrases.iter_mut().find(|phrase| phrase.words == words) {
                Some(phrase) => {
                    match phrase.senses.iter_mut().find(|known| known.cat == cat && known.id == id) {
                        Some(known) => {
                            known.command |= command;
                            known.participle |= participle;
                        }
                        None => phrase.senses.push(sense),
                    }
                }
                None => phrases.push(Phrase { words, senses: vec![sense] }),
            }
        }
        Ok(())
    }
}

fn section<'a>(file: &'a Table, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    file.get(name).and_then(Value::as_table).into_iter().flatten()
}
