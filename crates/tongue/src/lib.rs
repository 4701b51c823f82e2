//! The texts of every language. A language is a folder: those that come along are built in, and more of them, or
//! other words for those, lie in the configuration folder. Nobody else knows which languages there are.
//!
//! What a language does not say is said in English, line by line. What a folder says wrongly, such as a sentence
//! without its values, counts as not said; [`check`] names it.

mod check;
mod executors;
mod folder;
mod lines;
mod overlay;

pub use check::{Check, Finding, Wrong, check};
pub use executors::{Said, executor};
pub use folder::{COMMON, Folder, FolderError, MOST, read};
pub use overlay::slots;

use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toml::Table;

/// The language that everything is said in: what another one lacks is said in it.
pub const FALLBACK: &str = "en";
/// The same as it stands in a configuration.
pub const FALLBACK_WRITTEN: &str = "\"en\"";
/// Where the texts lie inside the folder of a language; beside it are the words that are read.
pub const TEXTS: &str = "texts/";
/// What the language itself is called, and how it writes numbers and dates.
pub const ABOUT: &str = "texts/language.toml";

type Shipped = (&'static str, &'static [(&'static str, &'static str)]);
const SHIPPED: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

static ALL: OnceLock<Known> = OnceLock::new();

/// Every language, and the folders that are none.
struct Known {
    languages: Vec<Tongue>,
    broken: Vec<FolderError>,
}

/// A file that English itself cannot be read from.
#[derive(Debug, thiserror::Error)]
#[error("{file} of {language}: {error}")]
pub struct TextError {
    /// The file.
    pub file: String,
    /// The language.
    pub language: &'static str,
    /// What is wrong.
    pub error: Box<toml::de::Error>,
}

/// What a language says of itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Its own name.
    pub name: String,
    /// How it is called, in small letters, here and elsewhere.
    pub called: Vec<String>,
    /// Decimal mark.
    pub decimal: String,
    /// Mark between groups of three digits.
    pub group: String,
    /// Whether in 5/6 the day comes first.
    pub day_first: bool,
    /// Words of it that are words of English too.
    #[serde(default)]
    pub also_english: Vec<String>,
}

/// A language.
#[derive(Debug)]
pub struct Tongue {
    /// Its code: `en`.
    pub code: &'static str,
    /// What it says of itself.
    pub about: About,
    /// Whether it comes along.
    pub shipped: bool,
    /// The folder of the configuration that has words for it.
    pub folder: Option<PathBuf>,
    /// Its files, the ones that hold first.
    layers: Vec<BTreeMap<&'static str, &'static str>>,
}

/// Takes in the folders of languages below `folder`, one for each. Before anything is said: later it does nothing.
pub fn open(folder: &Path) {
    ALL.get_or_init(|| known(Some(folder)));
}

fn here() -> &'static Known {
    ALL.get_or_init(|| known(None))
}

fn known(folder: Option<&Path>) -> Known {
    let mut languages: Vec<Tongue> = Vec::with_capacity(SHIPPED.len());
    for (code, files) in SHIPPED {
        languages.extend(Tongue::of(code, files.iter().copied().collect()));
    }
    let mut broken = Vec::new();
    for found in folder.map(folder::below).unwrap_or_default() {
        match found.and_then(|found| add(&mut languages, found)) {
            Ok(()) => {}
            Err(error) => broken.push(error),
        }
    }
    languages.sort_by_key(|tongue| (tongue.code != FALLBACK, tongue.code));
    Known { languages, broken }
}

/// The texts of a folder stay for as long as the process runs.
fn add(languages: &mut Vec<Tongue>, found: Folder) -> Result<(), FolderError> {
    let Folder { code, path, files } = found;
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let files: BTreeMap<&'static str, &'static str> =
        files.into_iter().map(|(name, text)| (leak(name), leak(text))).collect();
    if let Some(tongue) = languages.iter_mut().find(|tongue| tongue.code == code) {
        tongue.layers.insert(0, files);
        tongue.folder = Some(path);
        return Ok(());
    }
    let tongue = Tongue::of(leak(code), files).ok_or_else(|| FolderError::About { path: path.clone() })?;
    languages.push(Tongue { shipped: false, folder: Some(path), ..tongue });
    Ok(())
}

impl Tongue {
    fn of(code: &'static str, files: BTreeMap<&'static str, &'static str>) -> Option<Self> {
        let about = toml::from_str(files.get(ABOUT)?).ok()?;
        Some(Self { code, about, shipped: true, folder: None, layers: vec![files] })
    }

    /// One of its own files, by its path in the folder.
    pub fn file(&self, path: &str) -> Option<&'static str> {
        self.layers.iter().find_map(|layer| layer.get(path).copied())
    }

    /// The names of its own files.
    pub fn files(&self) -> impl Iterator<Item = &'static str> {
        let mut names: Vec<&'static str> =
            self.layers.iter().flat_map(|layer| layer.keys().copied()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// A table of texts, with the English line where it has none.
    fn table(&self, file: &str) -> Table {
        let path = format!("{TEXTS}{file}");
        let english = english().file(&path).and_then(|text| text.parse().ok()).unwrap_or_default();
        if self.code == FALLBACK && self.layers.len() == 1 {
            return english;
        }
        self.layers.iter().rev().fold(english, |base, layer| {
            let own = layer.get(path.as_str()).and_then(|text| text.parse::<Table>().ok());
            own.map_or(base.clone(), |own| overlay::lay(base, own))
        })
    }
}

/// Every language there is, English first.
pub fn all() -> &'static [Tongue] {
    &here().languages
}

/// Their codes.
pub fn codes() -> Vec<&'static str> {
    all().iter().map(|tongue| tongue.code).collect()
}

/// Their own names; each is understood as well as the code.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|tongue| tongue.about.name.as_str()).collect()
}

/// The folders of the configuration that are no language, and why.
pub fn broken() -> &'static [FolderError] {
    &here().broken
}

/// The short form of a tag: `it` of `it-CH` and `IT_it.UTF-8`.
pub fn short(tag: &str) -> String {
    tag.split(['-', '_', '.', '@']).next().unwrap_or_default().to_lowercase()
}

/// The language of a tag, if there is one.
pub fn known_as(tag: &str) -> Option<&'static Tongue> {
    let short = short(tag);
    all().iter().find(|tongue| tongue.code == short)
}

/// The language of a tag, or English.
pub fn of(tag: &str) -> &'static Tongue {
    known_as(tag).unwrap_or_else(english)
}

/// The language that somebody calls so: by its code or by a name.
pub fn called(name: &str) -> Option<&'static Tongue> {
    let name = name.trim().to_lowercase();
    let is = |tongue: &&Tongue| {
        tongue.code == name || tongue.about.name.to_lowercase() == name || tongue.about.called.contains(&name)
    };
    all().iter().find(is)
}

fn english() -> &'static Tongue {
    static NONE: OnceLock<Tongue> = OnceLock::new();
    let found = here().languages.iter().find(|tongue| tongue.code == FALLBACK);
    // Without English nothing is built; a test reads it.
    found.unwrap_or_else(|| {
        NONE.get_or_init(|| Tongue {
            code: FALLBACK,
            about: About {
                name: String::new(),
                called: Vec::new(),
                decimal: ".".into(),
                group: ",".into(),
                day_first: false,
                also_english: Vec::new(),
            },
            shipped: true,
            folder: None,
            layers: Vec::new(),
        })
    })
}

/// A text of a language (`help.txt`), or the English one.
pub fn text(tag: &str, file: &str) -> &'static str {
    let path = format!("{TEXTS}{file}");
    of(tag).file(&path).or_else(|| english().file(&path)).unwrap_or_default()
}

/// A text of a language (`phrases.txt`), if it has it.
pub fn own(tag: &str, file: &str) -> Option<&'static str> {
    known_as(tag)?.file(&format!("{TEXTS}{file}"))
}

/// A table of one language, with the English line where it has none.
pub fn table<T: DeserializeOwned>(tag: &str, file: &str) -> Result<T, TextError> {
    let tongue = of(tag);
    let read = |tongue: &Tongue| T::deserialize(toml::Value::Table(tongue.table(file)));
    let found = read(tongue).or_else(|_| read(english()));
    found.map_err(|error| TextError { file: file.to_owned(), language: FALLBACK, error: Box::new(error) })
}

/// A table of every language, English first.
pub fn tables<T: DeserializeOwned>(file: &str) -> Result<Vec<(&'static str, T)>, TextError> {
    all().iter().map(|tongue| Ok((tongue.code, table(tongue.code, file)?))).collect()
}
