//! Which executors a query may need, ranked: lexical, typed, deterministic, no vectors.
//!
//! Works on any catalog, also one nobody here has seen. A tool is known by the words of its name, of its description and
//! of its arguments, each also by the senses the lexicons give it, so that "elimina" meets `remove`; words weigh by how
//! rare they are in that catalog. Where a name has the form verb, object, qualifier, these count as such. Affinity
//! breaks ties only: it adds at most [`AFFINITY`]. Equal scores are ordered by name.

mod index;
mod query;
mod words;

use crate::Lexicons;
use crate::catalog::Tool;
use index::Index;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most that routing words can add.
pub const AFFINITY: f32 = 3.0;

/// What an executor must reach to be called near: more than a verb that asks for anything.
const NEAR: f32 = 6.0;

/// An executor as a catalog file describes it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Routing words.
    #[serde(default)]
    pub affinity: Vec<String>,
    /// Its arguments, by name.
    #[serde(default)]
    pub args: BTreeMap<String, serde_json::Value>,
}

impl From<&Tool> for Candidate {
    fn from(tool: &Tool) -> Self {
        Self {
            name: tool.name.as_str().to_owned(),
            description: tool.scope.values().cloned().collect::<Vec<_>>().join(" "),
            affinity: tool.affinity.values().flatten().cloned().collect(),
            args: tool.args.iter().map(|arg| (arg.name.clone(), serde_json::Value::Null)).collect(),
        }
    }
}

/// A catalog made ready to be ranked.
#[derive(Clone, Debug)]
pub struct Prefilter<'a> {
    lexicons: &'a Lexicons,
    index: Index,
}

impl<'a> Prefilter<'a> {
    /// Makes `catalog` ready.
    pub fn new(catalog: &[Candidate], lexicons: &'a Lexicons) -> Self {
        Self { lexicons, index: Index::new(catalog, lexicons) }
    }

    /// The names of the catalog, best first; what nothing speaks for is left out.
    pub fn rank(&self, query: &str) -> Vec<&str> {
        self.best(query, usize::MAX)
    }

    /// The best `most` of them.
    pub fn best(&self, query: &str, most: usize) -> Vec<&str> {
        self.scored(query, most).into_iter().map(|(_, name)| name).collect()
    }

    /// The best `most` of those that something in the query really speaks for.
    pub fn near(&self, query: &str, most: usize) -> Vec<&str> {
        let near = self.scored(query, most).into_iter().filter(|(score, _)| *score >= NEAR);
        near.map(|(_, name)| name).collect()
    }

    fn scored(&self, query: &str, most: usize) -> Vec<(f32, &str)> {
        self.index.score(&query::read(query, self.lexicons), most)
    }
}

/// One answer of `metnos prefilter`: the query, the names and the time it took.
#[derive(Clone, Debug, Serialize)]
pub struct Ranked<'a> {
    /// The query.
    pub query: &'a str,
    /// Best first.
    pub ranked: Vec<&'a str>,
    /// Measured by the caller, who has a clock.
    pub micros: u64,
}
