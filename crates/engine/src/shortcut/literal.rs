//! The closed table of phrases: looked up before anything is read.
//!
//! `data/literal/<language>.toml`. What it says is what the planner says of the same words at any moment and in any
//! conversation; a test holds every phrase to that.

use super::normal;
use crate::catalog::Catalog;
use crate::plan::{Plan, Step};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/literals.rs"));

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the phrases of {language}: {error}")]
pub struct LiteralError {
    language: String,
    error: toml::de::Error,
}

/// The phrases of every language.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    phrases: HashMap<String, Vec<Entry>>,
}

/// What one phrase asks for in one language.
#[derive(Clone, Debug)]
struct Entry {
    language: String,
    tool: String,
    args: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    say: Vec<Say>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Say {
    tool: String,
    #[serde(default)]
    args: Map<String, Value>,
    phrases: Vec<String>,
}

impl Literals {
    /// The table that ships.
    pub fn shipped() -> Result<Self, LiteralError> {
        let mut table = Self::default();
        for (language, text) in SHIPPED {
            let file: File = toml::from_str(text)
                .map_err(|error| LiteralError { language: (*language).to_owned(), error })?;
            for say in file.say {
                for phrase in say.phrases {
                    table.phrases.entry(normal(&phrase)).or_default().push(Entry {
                        language: (*language).to_owned(),
                        tool: say.tool.clone(),
                        args: say.args.clone(),
                    });
                }
            }
        }
        Ok(table)
    }

    /// The texts that ship.
    pub(crate) fn sources() -> &'static [(&'static str, &'static str)] {
        SHIPPED
    }

    /// Every phrase with its language, in order.
    pub fn phrases(&self) -> Vec<(&str, &str)> {
        let each = |(phrase, entries): (&'_ String, &'_ Vec<Entry>)| (phrase.clone(), entries.len());
        let order: BTreeMap<String, usize> = self.phrases.iter().map(each).collect();
        let known = order.keys().filter_map(|phrase| self.phrases.get_key_value(phrase));
        known
            .flat_map(|(phrase, all)| all.iter().map(|one| (phrase.as_str(), one.language.as_str())))
            .collect()
    }

    /// The plan of a phrase, if the catalog has what it asks for.
    pub(super) fn plan(&self, text: &str, language: Option<&str>, catalog: &Catalog) -> Option<(Plan, &str)> {
        let entries = self.phrases.get(&normal(text))?;
        let entry =
            entries.iter().find(|entry| language.is_none_or(|language| language == entry.language))?;
        let dormant = catalog.get(&entry.tool)?.dormant.clone();
        let step = Step { tool: entry.tool.clone(), args: entry.args.clone(), dormant };
        Some((Plan::of(vec![step]), &entry.language))
    }
}
