//! The languages that come along: the folders below `data`.

use crate::lexicon::{Lexicon, LexiconError};
use fst::Set;
use std::sync::{Arc, LazyLock};

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Whether a word is right as it stands: one that people use, whether a lexicon knows what it means or not.
pub fn is_common(language: &str, word: &str) -> bool {
    let words =
        COMMON.iter().find(|(name, _)| *name == language).and_then(|(_, bytes)| Set::new(*bytes).ok());
    words.is_some_and(|words| words.contains(word))
}

/// Every language there is.
#[derive(Debug)]
pub struct Lexicons(Vec<Lexicon>);

impl Lexicons {
    /// Those that come along. One copy serves all who ask for it.
    pub fn shipped() -> Result<Arc<Self>, LexiconError> {
        static SHIPPED: LazyLock<Result<Arc<Lexicons>, Arc<LexiconError>>> = LazyLock::new(|| {
            let all = LANGUAGES.iter().map(|(language, files)| Lexicon::read(language, files));
            all.collect::<Result<Vec<_>, _>>().map(|all| Arc::new(Lexicons(all))).map_err(Arc::new)
        });
        match &*SHIPPED {
            Ok(all) => Ok(Arc::clone(all)),
            Err(_) => LANGUAGES
                .iter()
                .map(|(language, files)| Lexicon::read(language, files))
                .collect::<Result<Vec<_>, _>>()
                .map(|all| Arc::new(Self(all))),
        }
    }

    /// The lexicon of a language.
    pub fn get(&self, language: &str) -> Option<&Lexicon> {
        self.0.iter().find(|lexicon| lexicon.language == language)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Lexicon> {
        self.0.iter()
    }
}
