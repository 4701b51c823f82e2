//! A lexicon file read: stems take their endings, phrases become tokens.

use super::{Broken, Lexicon, Phrase, Sense};
use std::collections::{BTreeMap, HashMap};
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
    /// Reading it ended before it was read.
    #[error("a lexicon could not be read")]
    Lost,
    /// A stem names endings that are not there.
    #[error("lexicon {language}: {word:?} names no paradigm of this file")]
    Paradigm {
        /// The file.
        language: String,
        /// The word.
        word: String,
    },
}

/// Where each phrase stands among those of its first word, while a lexicon is read.
type Known = HashMap<String, usize>;

/// Where a phrase lets something in between.
const GAP: &str = " … ";

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
            all_words: words("all_words"),
            articles: words("articles"),
            articled_dates: file.get("articled_dates").and_then(Value::as_bool).unwrap_or(true),
            day_first: file.get("day_first").and_then(Value::as_bool).unwrap_or(true),
            deed_endings: words("deed_endings"),
            singular_words: words("singular_words"),
            pointing: words("pointing"),
            mass_words: words("mass_words"),
            plural_endings: words("plural_endings"),
            enclitics,
            folds: words("folds").iter().filter_map(|pair| pair.split_once('=')).map(pair).collect(),
            phrases: BTreeMap::new(),
            broken: BTreeMap::new(),
        };
        let mut known = Known::new();
        for (cat, senses) in &file {
            let Some(senses) = senses.as_table().filter(|_| !HEAD.contains(&cat.as_str())) else { continue };
            for (id, words) in senses {
                for word in list(words) {
                    lexicon.add(cat, id, &word, &paradigms, &mut known)?;
                }
            }
        }
        lexicon.fold();
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by(|a, b| b.words.len().cmp(&a.words.len()).then(a.words.cmp(&b.words)));
        }
        for phrases in lexicon.broken.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.head.len() + phrase.tail.len()));
        }
        Ok(lexicon)
    }

    /// Adds every phrase with marked letters as it is written without marks, and with an apostrophe in their place.
    fn fold(&mut self) {
        let mut folded: Vec<Phrase> = Vec::new();
        for phrase in self.phrases.values().flatten() {
            if !phrase.words.iter().any(|word| self.is_marked(word)) {
                continue;
            }
            let plain: Vec<String> = phrase.words.iter().map(|word| self.plain(word)).collect();
            // A word that is another one without its marks stays what it is, unless it is bound to the one before: "c'e".
            let other = (0..plain.len()).any(|at| {
                let bound = at.checked_sub(1).is_some_and(|before| plain[before].ends_with('\''));
                plain[at] != phrase.words[at] && self.single(&plain[at]).is_some() && !bound
            });
            let ticked = phrase.words.iter().map(|word| self.ticked(word)).collect();
            let forms = [(!other).then_some(plain), Some(ticked)];
            folded.extend(
                forms.into_iter().flatten().map(|words| Phrase { words, senses: phrase.senses.clone() }),
            );
        }
        for phrase in folded {
            let phrases = self.phrases.entry(phrase.words[0].clone()).or_default();
            match phrases.iter_mut().find(|known| known.words == phrase.words) {
                Some(known) => {
                    let new = phrase.senses.into_iter().filter(|sense| !known.senses.contains(sense));
                    let new: Vec<Sense> = new.collect();
                    known.senses.extend(new);
                }
                None => phrases.push(phrase),
            }
        }
    }

    fn is_marked(&self, word: &str) -> bool {
        !word.is_ascii() && word.chars().any(|c| self.folds.contains_key(&c))
    }

    /// A word without the marks of its letters.
    pub(crate) fn plain(&self, word: &str) -> String {
        word.chars().map(|c| self.folds.get(&c).copied().unwrap_or(c)).collect()
    }

    /// A word whose last letter has an apostrophe instead of its mark.
    fn ticked(&self, word: &str) -> String {
        let tick =
            if word.chars().next_back().is_some_and(|c| self.folds.contains_key(&c)) { "'" } else { "" };
        format!("{}{tick}", self.plain(word))
    }

    fn add(
        &mut self,
        cat: &str,
        id: &str,
        phrase: &str,
        paradigms: &BTreeMap<String, Vec<String>>,
        known: &mut Known,
    ) -> Result<(), LexiconError> {
        let (phrase, tail) =
            phrase.split_once(GAP).map_or((phrase, None), |(head, tail)| (head.trim(), Some(tail.trim())));
        // A phrase that begins with ^ is the participle of a verb; so is an ending that does.
        let (phrase, whole) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
        // Most phrases have one form, which needs no putting together.
        let (start, stems) =
            if phrase.contains('@') { (String::new(), phrase) } else { (phrase.to_owned(), "") };
        let mut forms = vec![(start, !whole, whole, false)];
        for word in stems.split_whitespace() {
            let endings: Vec<(String, bool, bool, bool)> =
                match word.split_once('@').filter(|(stem, _)| !stem.is_empty()) {
                    None => vec![(word.to_owned(), true, false, false)],
                    Some((stem, paradigm)) => paradigms
                        .get(paradigm)
                        .ok_or_else(|| LexiconError::Paradigm {
                            language: self.language.clone(),
                            word: word.to_owned(),
                        })?
                        .iter()
                        .map(|ending| {
                            let bare = ending.trim_start_matches(['+', '^']);
                            let (command, done) = (ending.starts_with('+'), ending.starts_with('^'));
                            (format!("{stem}{bare}"), command, done, ending.starts_with("^+"))
                        })
                        .collect(),
                };
            forms = forms
                .iter()
                .flat_map(|(head, command, participle, opens)| {
                    endings.iter().map(move |(word, own, done, first)| {
                        (
                            if head.is_empty() { word.clone() } else { format!("{head} {word}") },
                            *command && *own,
                            *participle || *done,
                            *opens || *first,
                        )
                    })
                })
                .collect();
        }
        // A verb in several words is known in the forms that order; the others are written out where they matter.
        let idle = cat == "verb" && phrase.contains(' ');
        for (form, command, participle, opens) in forms.into_iter().filter(|form| !idle || whole || form.1) {
            let words = words(&form, &self.tails);
            let Some(first) = words.first().cloned() else { continue };
            let sense = Sense { cat: cat.to_owned(), id: id.to_owned(), command, participle, opens };
            if let Some(tail) = tail {
                let speaks = tail.starts_with('(');
                let tail = self::words(tail.trim_matches(['(', ')']), &self.tails);
                let known = self.broken.entry(first).or_default();
                known.push(Broken { head: words, tail, speaks, sense });
                continue;
            }
            let phrases = self.phrases.entry(first).or_default();
            let key = words.join(" ");
            match known.get(&key).and_then(|at| phrases.get_mut(*at)) {
                Some(phrase) => {
                    match phrase.senses.iter_mut().find(|known| known.cat == cat && known.id == id) {
                        Some(known) => {
                            known.command |= command;
                            known.participle |= participle;
                            known.opens |= opens;
                        }
                        None => phrase.senses.push(sense),
                    }
                }
                None => {
                    known.insert(key, phrases.len());
                    phrases.push(Phrase { words, senses: vec![sense] });
                }
            }
        }
        Ok(())
    }
}

/// The words of a phrase. Letters and spaces need no tokenizer.
fn words(phrase: &str, tails: &[String]) -> Vec<String> {
    if phrase.chars().all(|c| c.is_alphabetic() || c == ' ') {
        return phrase.split_whitespace().map(str::to_lowercase).collect();
    }
    crate::text::tokens(phrase, tails).into_iter().map(|token| token.norm).collect()
}

/// A letter with its mark, and without.
fn pair((marked, plain): (&str, &str)) -> (char, char) {
    (marked.chars().next().unwrap_or_default(), plain.chars().next().unwrap_or_default())
}

fn section<'a>(file: &'a Table, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    file.get(name).and_then(Value::as_table).into_iter().flatten()
}
