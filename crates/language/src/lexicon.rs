//! The words of one language, read from a file: sections of senses, each with the words that carry it.

use crate::sense::Sense;
use crate::spelling::Speller;
use crate::token::tokens;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// Why a lexicon cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LexiconError {
    /// It is no TOML, or has another shape.
    #[error("{language}: {error}")]
    Broken {
        /// The language.
        language: String,
        /// What is wrong, and where.
        error: Box<toml::de::Error>,
    },
    /// A section or a key that nothing stands for.
    #[error("{language}: [{section}] {key}: no such sense")]
    Unknown {
        /// The language.
        language: String,
        /// The section.
        section: String,
        /// The key.
        key: String,
    },
    /// A word that names a paradigm that is not there.
    #[error("{language}: {word}: no such paradigm")]
    Paradigm {
        /// The language.
        language: String,
        /// The word.
        word: String,
    },
    /// Too many words for the index.
    #[error("{language}: {error}")]
    Index {
        /// The language.
        language: String,
        /// What is wrong.
        error: fst::Error,
    },
}

/// In which form a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// One in which something is ordered or wished: imperative, infinitive.
    Order,
    /// What is done to something: a participle.
    Done,
    /// Any other.
    Plain,
}

/// A sense with the form it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// What it means.
    pub sense: Sense,
    /// The form of the word.
    pub form: Form,
}

/// The longest phrase, in words.
pub const LONGEST: usize = 4;
/// More words that one may be a misspelling of are no help.
const MOST: usize = 6;
/// What two letters that changed places cost in a word of three.
const SWAPPED: u8 = 3;

/// One file of a language. All of them together are the lexicon; any may be missing.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    #[serde(default)]
    grammar: Option<Grammar>,
    #[serde(default)]
    paradigms: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    words: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// What is said of a language apart from its words.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grammar {
    /// Endings that are split off a word: `'s`.
    #[serde(default)]
    pub tails: Vec<String>,
    /// Pronouns written at the end of a verb, and what they stand for.
    #[serde(default)]
    pub enclitics: BTreeMap<String, String>,
    /// Words as people shorten them, and what they stand for: in phrases each is read as the other.
    #[serde(default)]
    pub short: BTreeMap<String, String>,
    /// Small words that lose their last letter before a vowel: where the apostrophe is left out they are found again.
    #[serde(default)]
    pub elided: Vec<String>,
    /// Whether in 5/6 the day comes first.
    #[serde(default)]
    pub day_first: bool,
    /// Sign of the decimals where it is not the point.
    #[serde(default)]
    pub decimal_comma: bool,
}

/// The words of one language.
#[derive(Debug)]
pub struct Lexicon {
    /// Its name: `en`.
    pub language: String,
    /// What is said of it apart from its words.
    pub grammar: Grammar,
    phrases: HashMap<String, Vec<Meaning>>,
    /// The folders that everybody has, below the home.
    places: Vec<String>,
    speller: Speller,
}

impl Lexicon {
    /// Reads the files of a language.
    pub fn read(language: &str, files: &[&str]) -> Result<Self, LexiconError> {
        let named = || language.to_owned();
        let mut sources = Vec::with_capacity(files.len());
        for text in files {
            let source: Source = toml::from_str(text)
                .map_err(|error| LexiconError::Broken { language: named(), error: Box::new(error) })?;
            sources.push(source);
        }
        let paradigms: BTreeMap<String, Vec<String>> =
            sources.iter_mut().flat_map(|source| std::mem::take(&mut source.paradigms)).collect();
        let mut grammar = sources.iter_mut().find_map(|source| source.grammar.take()).unwrap_or_default();
        grammar.short = grammar.short.iter().map(|(word, meant)| (fold(word), fold(meant))).collect();
        let mut phrases: HashMap<String, Vec<Meaning>> = HashMap::new();
        for (section, senses) in sources.iter().flat_map(|source| &source.words) {
            for (key, words) in senses {
                let sense = Sense::parse(section, key).ok_or_else(|| LexiconError::Unknown {
                    language: named(),
                    section: section.clone(),
                    key: key.clone(),
                })?;
                for word in words {
                    let forms = forms(word, &paradigms)
                        .ok_or_else(|| LexiconError::Paradigm { language: named(), word: word.clone() })?;
                    for (written, form) in forms {
                        let meanings = phrases.entry(as_read(&written, &grammar.tails)).or_default();
                        if !meanings.iter().any(|known| known.sense == sense) {
                            meanings.push(Meaning { sense, form });
                        }
                    }
                }
            }
        }
        // Words of phrases may be misspelled as well.
        let words = phrases.keys().flat_map(|phrase| phrase.split(' ')).map(str::to_owned);
        let speller =
            Speller::new(words).map_err(|error| LexiconError::Index { language: named(), error })?;
        let mut places: Vec<String> = phrases
            .values()
            .flatten()
            .filter_map(|meaning| match meaning.sense {
                Sense::Place(id) => Some(id.name().to_owned()).filter(|place| place != "~"),
                _ => None,
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        Ok(Self { language: named(), grammar, phrases, places, speller })
    }

    /// What a phrase means, written as it should be but for accents.
    pub fn meanings(&self, phrase: &str) -> &[Meaning] {
        self.phrases.get(phrase).map(Vec::as_slice).unwrap_or_default()
    }

    /// Words of this language that `word` may be a misspelling of, nearest first, with the cost of each.
    pub fn near(&self, word: &str) -> Vec<(String, u8)> {
        let mut near = self.near_parts(word);
        near.retain(|(word, _)| self.phrases.contains_key(word));
        near.truncate(MOST);
        near
    }

    /// The same, also words that mean something only inside a phrase.
    pub(crate) fn near_parts(&self, word: &str) -> Vec<(String, u8)> {
        let mut near = self.speller.near(word);
        if near.is_empty() {
            near.extend(self.swapped(word).map(|meant| (meant, SWAPPED)));
        }
        near
    }

    /// A kind of file in three letters, two of which changed places: `pfd`.
    fn swapped(&self, word: &str) -> Option<String> {
        let letters: Vec<char> = word.chars().collect();
        let [a, b, c] = letters[..] else { return None };
        let kind = |word: &String| self.meanings(word).iter().any(|m| matches!(m.sense, Sense::Kind(_)));
        [[b, a, c], [a, c, b]].iter().map(|letters| letters.iter().collect::<String>()).find(kind)
    }

    /// What a shortened word stands for.
    pub(crate) fn unshortened<'w>(&'w self, word: &'w str) -> &'w str {
        self.grammar.short.get(word).map_or(word, String::as_str)
    }

    /// A verb with a pronoun at its end: both.
    pub fn with_pronoun(&self, word: &str) -> Option<(&[Meaning], &str)> {
        self.split_pronoun(word).find_map(|(base, pronoun)| {
            // An infinitive loses its last letter before a pronoun.
            let found = self.ordered(base).or_else(|| self.ordered(&format!("{base}e")))?;
            Some((found, pronoun))
        })
    }

    /// A misspelled verb with a pronoun at its end: the verb that is meant, the pronoun, and the cost.
    pub fn near_with_pronoun(&self, word: &str) -> Option<(String, &str, u8)> {
        let near = self.split_pronoun(word).flat_map(|(base, pronoun)| {
            let near = self.near(base).into_iter().chain(self.near(&format!("{base}e")));
            near.filter(|(verb, _)| self.ordered(verb).is_some())
                .map(move |(verb, cost)| (verb, pronoun, cost))
        });
        near.min_by_key(|(_, _, cost)| *cost)
    }

    /// The pronouns that `word` may end with, and what stands before each.
    fn split_pronoun<'w>(&self, word: &'w str) -> impl Iterator<Item = (&'w str, &str)> {
        self.grammar.enclitics.iter().filter_map(move |(ending, pronoun)| {
            let base = word.strip_suffix(ending.as_str()).filter(|base| base.chars().count() > 2)?;
            Some((base, pronoun.as_str()))
        })
    }

    /// What a verb means, in a form that orders.
    fn ordered(&self, verb: &str) -> Option<&[Meaning]> {
        let found = self.meanings(verb);
        found.iter().any(|m| matches!(m.sense, Sense::Act(_)) && m.form == Form::Order).then_some(found)
    }

    /// Whether a path is, or lies below, a folder that everybody has.
    pub fn is_place(&self, path: &str) -> bool {
        self.places.iter().any(|place| {
            path.strip_prefix(place.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// How many words and phrases there are.
    pub fn size(&self) -> usize {
        self.phrases.len()
    }
}

/// Every form that `stem@paradigm` stands for; an ending with `+` orders, one with `^` says what is done.
fn forms(word: &str, paradigms: &BTreeMap<String, Vec<String>>) -> Option<Vec<(String, Form)>> {
    let Some((stem, rest)) = word.split_once('@') else { return Some(vec![(word.to_owned(), Form::Order)]) };
    // "look@v up": what follows the verb stays.
    let (paradigm, after) = rest.split_once(' ').map_or((rest, String::new()), |(p, a)| (p, format!(" {a}")));
    let endings = paradigms.get(paradigm)?;
    let form = |ending: &String| match ending.chars().next() {
        Some('+') => (format!("{stem}{}{after}", &ending[1..]), Form::Order),
        Some('^') => (format!("{stem}{}{after}", &ending[1..]), Form::Done),
        _ => (format!("{stem}{ending}{after}"), Form::Plain),
    };
    Some(endings.iter().map(form).collect())
}

/// A phrase in the pieces a request is cut into, so that "don't" is found however the tokenizer splits it.
fn as_read(phrase: &str, tails: &[String]) -> String {
    let pieces: Vec<String> = tokens(phrase, tails).iter().map(|token| fold(&token.norm)).collect();
    pieces.join(" ")
}

/// A word as it is looked up: small letters, no accents, a plain apostrophe.
pub fn fold(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).filter_map(plain).collect()
}

fn plain(c: char) -> Option<char> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        '’' | '‘' => '\'',
        '\u{301}' | '\u{300}' | '\u{303}' | '\u{308}' => return None,
        other => other,
    })
}
