//! The languages that come along, the folders below `data`, and those of the configuration folder.

use crate::lexicon::{Lexicon, LexiconError};
use fst::Set;
use metnos_tongue::Tongue;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Whether a word is right as it stands: one that people use, whether a lexicon knows what it means or not.
pub fn is_common(language: &str, word: &str) -> bool {
    static ADDED: LazyLock<BTreeMap<&str, Set<Vec<u8>>>> = LazyLock::new(|| {
        let added = metnos_tongue::all().iter().filter(|tongue| tongue.folder.is_some());
        added
            .filter_map(|tongue| Some((tongue.code, automaton(tongue.file(metnos_tongue::COMMON)?)?)))
            .collect()
    });
    let words =
        COMMON.iter().find(|(name, _)| *name == language).and_then(|(_, bytes)| Set::new(*bytes).ok());
    words.is_some_and(|words| words.contains(word))
        || ADDED.get(language).is_some_and(|words| words.contains(word))
}

fn automaton(text: &str) -> Option<Set<Vec<u8>>> {
    let mut words: Vec<&str> = text.lines().map(str::trim).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    Set::from_iter(words).ok()
}

/// The lexicon of a folder of the configuration; none where it cannot be read, which `metnos lang check` tells.
fn added(tongue: &Tongue) -> Option<Lexicon> {
    tongue.folder.as_ref()?;
    let words = |name: &&str| !name.starts_with(metnos_tongue::TEXTS) && name.ends_with(".toml");
    let files: Vec<&str> = tongue.files().filter(words).filter_map(|name| tongue.file(name)).collect();
    Lexicon::read(tongue.code, &files).ok().filter(|lexicon| lexicon.size() > 0)
}

/// Every language there is.
#[derive(Debug)]
pub struct Lexicons(Vec<Lexicon>);

impl Lexicons {
    /// Those that come along, and those of the configuration folder. One copy serves all who ask for it.
    pub fn shipped() -> Result<Arc<Self>, LexiconError> {
        static SHIPPED: LazyLock<Result<Arc<Lexicons>, Arc<LexiconError>>> = LazyLock::new(|| {
            let all = LANGUAGES.iter().map(|(language, files)| Lexicon::read(language, files));
            let mut all = all.collect::<Result<Vec<_>, _>>().map_err(Arc::new)?;
            for lexicon in metnos_tongue::all().iter().filter_map(added) {
                all.retain(|known| known.language != lexicon.language);
                all.push(lexicon);
            }
            Ok(Arc::new(Lexicons(all)))
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
