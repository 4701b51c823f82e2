//! What executors are for, in languages that their manifests do not speak: a manifest is signed, so the words for it
//! lie beside it.

use crate::{Tongue, all};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a language says of an executor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// What it is for.
    pub scope: String,
    /// What it is not for, and what is.
    #[serde(default)]
    pub not: String,
    /// Words of requests that lead to it.
    #[serde(default)]
    pub affinity: Vec<String>,
}

const FILE: &str = "texts/executors.toml";

type Table = BTreeMap<&'static str, BTreeMap<String, Said>>;

/// What a language itself says of an executor; English is not taken for another.
pub fn executor(tongue: &Tongue, name: &str) -> Option<&'static Said> {
    static READ: OnceLock<Table> = OnceLock::new();
    let read = || {
        let one = |tongue: &Tongue| {
            let layers = tongue.layers.iter().rev().filter_map(|layer| layer.get(FILE)?.parse().ok());
            let lines = layers.flat_map(|table: toml::Table| table);
            (tongue.code, lines.filter_map(|(name, said)| Some((name, said.try_into().ok()?))).collect())
        };
        all().iter().map(one).collect()
    };
    READ.get_or_init(read).get(tongue.code)?.get(name)
}
