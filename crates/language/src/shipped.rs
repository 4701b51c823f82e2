//! The languages that come along, the folders below `data`, and those of the configuration folder.

use crate::lattice::Lattice;
use crate::lexicon::{Lexicon, LexiconError};
use crate::token::Lit;
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

/// So many words tell which language a text is in.
const LOOKED_AT: usize = 200;

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

    /// The language that knows most of the words of a text, among `of`; the first of them when all know as many.
    pub fn detect<'l>(&self, text: &str, of: impl Iterator<Item = &'l str>) -> Option<&Lexicon> {
        let mut best: Option<(usize, &Lexicon)> = None;
        for lexicon in of.filter_map(|language| self.get(language)) {
            let lattice = Lattice::new(text, lexicon);
            let known = |at: &usize| {
                let token = &lattice.tokens[*at];
                token.lit == Lit::Word
                    && (lattice.at(*at).iter().any(|edge| edge.cost == 0)
                        || is_common(&lexicon.language, &token.norm))
            };
            let letters = |at: usize| lattice.tokens[at].norm.chars().count().min(6);
            let known = (0..lattice.tokens.len().min(LOOKED_AT)).filter(known).map(letters).sum();
            if best.is_none_or(|(most, _)| known > most) {
                best = Some((known, lexicon));
            }
        }
        best.map(|(_, lexicon)| lexicon)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Lexicon> {
        self.0.iter()
    }
}
