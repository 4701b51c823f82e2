//! One language as data: which words carry which sense.
//!
//! A lexicon is a file: categories of senses, each with the words and phrases that carry it. The code knows
//! the categories, never the words; a new language is a new file.

mod load;
mod name;
mod senses;

pub use load::LexiconError;
pub use name::Name;
pub use senses::{ExtensionOf, NounSense, OrderSense, Senses, VerbSense};

use crate::shortcut::Literals;
use metnos_language::Speller;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// What a word can mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sense {
    /// The category: `verb`, `noun`, `month` …
    pub cat: Name,
    /// The sense inside the category.
    pub id: Name,
    /// Whether this form can open a command.
    pub command: bool,
    /// Whether this form says what is done to something.
    pub participle: bool,
    /// Whether this form, which says what is done, is an order where a sentence begins with it.
    pub opens: bool,
}

impl Sense {
    /// A sense that is no order.
    pub(crate) fn plain(cat: &str, id: &str) -> Self {
        Self::of(cat.into(), id.into())
    }

    fn of(cat: Name, id: Name) -> Self {
        Self { cat, id, command: false, participle: false, opens: false }
    }

    /// The sense of a word that only binds others.
    pub(crate) fn binding() -> Self {
        Self::plain("stop", "stop")
    }
}

/// A phrase and its senses.
#[derive(Clone, Debug)]
pub(crate) struct Phrase {
    pub(crate) words: Vec<Name>,
    pub(crate) senses: Vec<Sense>,
}

/// A phrase with something in between: "let … know".
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) head: Vec<Name>,
    pub(crate) tail: Vec<Name>,
    /// Whether the tail still means what it means alone.
    pub(crate) speaks: bool,
    pub(crate) sense: Sense,
}

/// The words of one language.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// The name of its file.
    pub language: String,
    /// Endings split off a word.
    pub tails: Vec<String>,
    /// Words that say there is more than one, or just one, and endings that do.
    pub(crate) plural_words: Vec<String>,
    /// Words that say that none is left out.
    pub(crate) all_words: Vec<String>,
    /// Words that say nothing of what is meant, where something is changed.
    pub(crate) idle_words: Vec<String>,
    /// Words after which a thing is named.
    pub(crate) articles: Vec<String>,
    /// Words after which it is said what a reminder is for.
    pub(crate) deed_words: Vec<String>,
    /// Words after which a fact is told.
    pub(crate) fact_words: Vec<String>,
    /// Words that bind a time to what stands before it.
    pub(crate) binding_words: Vec<String>,
    /// Feasts, and words that say that a time comes again or every second time.
    pub(crate) time_words: Vec<String>,
    /// Words that tell to do something no longer.
    pub(crate) ceasing_words: Vec<String>,
    /// Words that say what things do not have.
    pub(crate) lacking_words: Vec<String>,
    /// Words with which it is told of things which ones they are.
    pub(crate) relative_words: Vec<String>,
    /// Words for taking something away that do not say where it goes.
    pub(crate) erasing_words: Vec<String>,
    /// Short words before a name, written with a point.
    pub(crate) title_words: Vec<String>,
    /// Whether days and months may have an article before them.
    pub(crate) articled_dates: bool,
    /// Whether in 5/6 the day always comes first.
    pub(crate) day_first: bool,
    /// Endings of words that say what somebody does, and are no names.
    pub(crate) deed_endings: Vec<String>,
    pub(crate) singular_words: Vec<String>,
    /// Words before a noun that point to one thing, and nouns that mean many things though they are one.
    pub(crate) pointing: Vec<String>,
    pub(crate) mass_words: Vec<String>,
    pub(crate) plural_endings: Vec<String>,
    /// Pronouns written at the end of a verb, longest first, and what they stand for.
    pub(crate) enclitics: Vec<(String, String)>,
    /// Letters with marks, and how they are written without.
    pub(crate) folds: BTreeMap<char, char>,
    /// Phrases by first word, longest first.
    pub(crate) phrases: BTreeMap<Name, Vec<Phrase>>,
    /// Phrases with something in between, by first word, longest first.
    pub(crate) broken: BTreeMap<Name, Vec<Broken>>,
    /// Its words, to be searched by nearness; made when a request is not understood.
    pub(crate) speller: OnceLock<Option<Speller>>,
}

/// Every language there is, and what its senses mean in the catalog. One copy serves all who ask for it.
#[derive(Clone, Debug)]
pub struct Lexicons {
    lexicons: Arc<[Lexicon]>,
    /// What senses mean.
    pub senses: Arc<Senses>,
    /// Phrases that need no reading.
    pub(crate) literals: Arc<Literals>,
    /// Of everything they were read from.
    pub(crate) digest: String,
}

static ALL: LazyLock<Option<Lexicons>> = LazyLock::new(|| Lexicons::read().ok());

/// The digest of a text, as it is kept.
pub(crate) fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
}

impl Lexicons {
    /// The languages that ship.
    pub fn shipped() -> Result<Self, LexiconError> {
        // Whoever asks first reads them, and whoever asks meanwhile waits.
        match &*ALL {
            Some(all) => Ok(all.clone()),
            None => Self::read(),
        }
    }

    /// Begins to read those that ship, beside whatever else is done at a start.
    pub fn prepare() {
        std::thread::spawn(|| LazyLock::force(&ALL).is_some());
    }

    fn read() -> Result<Self, LexiconError> {
        let mut all = Self::from_sources(load::SHIPPED)?;
        all.literals = Arc::new(Literals::shipped()?);
        for (_, text) in Literals::sources() {
            all.digest.push_str(&digest(text));
        }
        Ok(all)
    }

    /// Lexicons from `(language, text of its file)`, without phrases that need no reading.
    pub fn from_sources<'s>(sources: &[(&'s str, &'s str)]) -> Result<Self, LexiconError> {
        // Each is long; they are read side by side.
        let lexicons = std::thread::scope(|scope| {
            let read = |(name, text): &(&'s str, &'s str)| {
                let (name, text) = (*name, *text);
                scope.spawn(move || Lexicon::read(name, text))
            };
            let all: Vec<_> = sources.iter().map(read).collect();
            all.into_iter().map(|one| one.join().unwrap_or(Err(LexiconError::Lost))).collect::<Result<_, _>>()
        })?;
        let mut digests = digest(Senses::source());
        for (name, text) in sources {
            digests.push_str(name);
            digests.push_str(&digest(text));
        }
        let (senses, literals) = (Arc::new(Senses::shipped()?), Arc::default());
        Ok(Self { lexicons, senses, literals, digest: digests })
    }

    /// The texts that ship, for tools that look at them.
    pub fn sources() -> &'static [(&'static str, &'static str)] {
        load::SHIPPED
    }

    /// Every one of them.
    pub(crate) fn all(&self) -> &[Lexicon] {
        &self.lexicons
    }

    /// The lexicon of `language`.
    pub fn get(&self, language: &str) -> Option<&Lexicon> {
        self.lexicons.iter().find(|lexicon| lexicon.language == language)
    }

    /// The lexicon that knows most of the words; the first of them when all know as many.
    pub fn detect(&self, text: &str) -> Option<&Lexicon> {
        let mut best: Option<(usize, &Lexicon)> = None;
        for lexicon in &*self.lexicons {
            let known = lexicon.knows(text);
            if best.is_none_or(|(most, _)| known > most) {
                best = Some((known, lexicon));
            }
        }
        best.map(|(_, lexicon)| lexicon)
    }

    /// Whether the words themselves say which language they are in: one lexicon knows more of them than every other.
    pub fn is_told(&self, text: &str) -> bool {
        let mut known: Vec<usize> = self.lexicons.iter().map(|lexicon| lexicon.knows(text)).collect();
        known.sort_unstable();
        match &known[..] {
            [.., next, most] => most > next,
            _ => true,
        }
    }
}

impl Lexicon {
    /// How much of a text it knows, in letters.
    fn knows(&self, text: &str) -> usize {
        crate::text::tokens(text, &self.tails)
            .iter()
            .take(200)
            .filter(|token| {
                self.phrases.contains_key(token.norm.as_str()) || self.enclitic(&token.norm).is_some()
            })
            .map(|token| token.norm.chars().count().min(6))
            .sum()
    }

    /// Its words, to be searched by nearness.
    pub(crate) fn speller(&self) -> Option<&Speller> {
        let words = || {
            let phrases = self.phrases.values().flatten().flat_map(|phrase| &phrase.words);
            let broken =
                self.broken.values().flatten().flat_map(|phrase| phrase.head.iter().chain(&phrase.tail));
            phrases.chain(broken).map(|word| word.as_str().to_owned())
        };
        self.speller.get_or_init(|| Speller::new(words()).ok()).as_ref()
    }

    /// Whether a word stands in it, alone, in a phrase, or with a pronoun at its end.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.phrases.contains_key(word)
            || self.speller().is_some_and(|speller| speller.knows(word))
            || self.enclitic(word).is_some()
    }

    pub(crate) fn single(&self, word: &str) -> Option<&Phrase> {
        self.phrases.get(word)?.last().filter(|phrase| phrase.words.len() == 1)
    }

    /// Whether an order begins with this word.
    fn orders(&self, word: &str) -> bool {
        let order = |phrase: &Phrase| phrase.senses.iter().any(|s| s.cat == "verb" && s.command);
        self.phrases.get(word).is_some_and(|phrases| phrases.iter().any(order))
    }

    /// Whether this phrase carries a sense of `cat`.
    pub(crate) fn carries(&self, text: &str, cat: &str) -> bool {
        let words: Vec<&str> = text.split(' ').collect();
        self.phrase(&words).is_some_and(|phrase| phrase.senses.iter().any(|s| s.cat == cat))
    }

    /// The phrase of exactly these words.
    pub(crate) fn phrase(&self, words: &[&str]) -> Option<&Phrase> {
        let phrases = self.phrases.get(*words.first()?)?;
        phrases.iter().find(|phrase| phrase.words.iter().map(Name::as_str).eq(words.iter().copied()))
    }

    /// The verb inside a word that ends in a pronoun, and what the pronoun stands for.
    pub(crate) fn enclitic(&self, word: &str) -> Option<(String, &str)> {
        self.enclitics.iter().find_map(|(tail, meaning)| {
            let base = word.strip_suffix(tail.as_str())?;
            (base.chars().count() > 2 && self.orders(base)).then(|| (base.to_owned(), meaning.as_str()))
        })
    }
}
