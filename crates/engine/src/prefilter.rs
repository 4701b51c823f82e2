//! Which executors a query may need, ranked: lexical, typed, deterministic, no vectors.
//!
//! Works on any catalog, also one nobody here has seen: names are split into their tokens, descriptions and routing
//! words weigh by how rare their words are in that catalog. Affinity breaks ties only: it adds at most [`AFFINITY`].
//! Equal scores are ordered by name.

use crate::Lexicons;
use crate::catalog::{Role, Tool};
use crate::parse::items;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most that routing words can add.
pub const AFFINITY: f64 = 3.0;

/// What an executor must reach to be called near: more than a verb that asks for anything.
const NEAR: f64 = 4.0;

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
            affinity: tool.affinity.clone(),
            args: tool.args.iter().map(|arg| (arg.name.clone(), serde_json::Value::Null)).collect(),
        }
    }
}

/// A catalog made ready to be ranked.
#[derive(Clone, Debug)]
pub struct Prefilter<'a> {
    lexicons: &'a Lexicons,
    rows: Vec<Row>,
    rare: BTreeMap<String, f64>,
}

#[derive(Clone, Debug)]
struct Row {
    name: String,
    parts: Vec<String>,
    words: BTreeSet<String>,
    affinity: BTreeSet<String>,
    args: BTreeSet<String>,
}

/// What the words of a query ask for.
#[derive(Debug, Default)]
struct Evidence {
    verbs: BTreeSet<String>,
    objects: BTreeSet<String>,
    qualifiers: BTreeSet<String>,
    tools: BTreeSet<String>,
    roles: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl<'a> Prefilter<'a> {
    /// Makes `catalog` ready.
    pub fn new(catalog: &[Candidate], lexicons: &'a Lexicons) -> Self {
        let rows: Vec<Row> = catalog.iter().map(row).collect();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for row in &rows {
            for word in row.words.iter().chain(&row.parts).chain(&row.affinity).collect::<BTreeSet<_>>() {
                *seen.entry(word.clone()).or_default() += 1;
            }
        }
        let all = rows.len().max(1) as f64;
        let rare = seen.into_iter().map(|(word, n)| (word, (1.0 + all / n as f64).ln())).collect();
        Self { lexicons, rows, rare }
    }

    /// The names of the catalog, best first; what nothing speaks for is left out.
    pub fn rank(&self, query: &str) -> Vec<&str> {
        self.scored(query).into_iter().map(|(_, name)| name).collect()
    }

    /// The best `most` of those that something in the query really speaks for.
    pub fn near(&self, query: &str, most: usize) -> Vec<&str> {
        let scored = self.scored(query).into_iter().filter(|(score, _)| *score >= NEAR);
        scored.map(|(_, name)| name).take(most).collect()
    }

    fn scored(&self, query: &str) -> Vec<(f64, &str)> {
        let evidence = self.evidence(query);
        let mut scored: Vec<(f64, &str)> = self
            .rows
            .iter()
            .map(|row| (self.score(row, &evidence), row.name.as_str()))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        // Companion producers: what acts on a list needs the executor that finds one.
        let top: Vec<&str> = scored.iter().map(|(_, name)| *name).collect();
        for (score, name) in &mut scored {
            let mut parts = name.split('_');
            if let (Some("find"), Some(object)) = (parts.next(), parts.next())
                && evidence.objects.contains(object)
                && top.iter().any(|other| other.split('_').nth(1) == Some(object))
            {
                *score += 0.5;
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scored
    }

    fn evidence(&self, query: &str) -> Evidence {
        let mut found = Evidence { words: words(query), ..Evidence::default() };
        let Some(lexicon) = self.lexicons.detect(query) else { return found };
        let senses = &self.lexicons.senses;
        for item in items(query, lexicon).iter().take(400) {
            for sense in &item.senses {
                match sense.cat.as_str() {
                    "verb" => {
                        let mut verb = senses.verb.get(&sense.id);
                        while let Some(v) = verb {
                            if v.query {
                                found.verbs.extend(["find", "get", "list"].map(str::to_owned));
                            }
                            found.verbs.extend(v.verb.clone());
                            found.objects.extend(v.object.clone());
                            found.qualifiers.extend(v.qualifier.clone());
                            found.tools.extend(v.tool.clone());
                            found.roles.extend(v.set.keys().map(role_name));
                            verb = v.fallback.as_deref();
                        }
                    }
                    "noun" => {
                        if let Some(noun) = senses.noun.get(&sense.id) {
                            found.objects.extend(noun.object.clone());
                            found.qualifiers.extend(noun.qualifier.clone());
                            found.verbs.extend(noun.verb.clone());
                            found.tools.extend(noun.tool.clone());
                            found.roles.extend(noun.set.keys().map(role_name));
                        }
                    }
                    "flag" => {
                        found.roles.extend(senses.flag.get(&sense.id).map(|flag| role_name(&flag.role)))
                    }
                    "stat" | "super" | "order" | "group" | "output" | "extract_field" | "neg" => {
                        let verb = match sense.cat.as_str() {
                            "stat" => "compute",
                            "super" | "order" => "sort",
                            "group" => "group",
                            "output" => "render",
                            "extract_field" => "extract",
                            _ => "filter",
                        };
                        found.roles.insert(format!("verb:{verb}"));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn score(&self, row: &Row, evidence: &Evidence) -> f64 {
        let mut score = 0.0;
        if evidence.tools.contains(&row.name) {
            score += 12.0;
        }
        let verb = row.parts.first().is_some_and(|verb| evidence.verbs.contains(verb));
        let object = row.parts.get(1).is_some_and(|object| evidence.objects.contains(object));
        score += 3.0 * f64::from(u8::from(verb))
            + 4.0 * f64::from(u8::from(object))
            + 3.0 * f64::from(u8::from(verb && object));
        // Processors are asked for by what they do to a list, not by its object.
        if row.parts.first().is_some_and(|verb| evidence.roles.contains(&format!("verb:{verb}"))) {
            score += 3.0;
        }
        match row.parts.get(2) {
            Some(qualifier) if evidence.qualifiers.contains(qualifier) => score += 4.0,
            Some(qualifier) if evidence.words.contains(qualifier) => score += 3.0,
            Some(_) => score -= 1.5,
            None => {}
        }
        score += row.args.iter().filter(|arg| evidence.roles.contains(*arg)).count() as f64 * 0.5;
        let rarity = |word: &String| self.rare.get(word).copied().unwrap_or(0.0);
        score += evidence.words.iter().filter(|word| row.words.contains(*word)).map(rarity).sum::<f64>();
        score += evidence.words.iter().filter(|word| row.parts.contains(word)).map(rarity).sum::<f64>();
        let affinity: f64 =
            evidence.words.iter().filter(|word| row.affinity.contains(*word)).map(rarity).sum();
        score + affinity.min(AFFINITY)
    }
}

fn role_name(role: &Role) -> String {
    serde_json::to_value(role).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

fn row(candidate: &Candidate) -> Row {
    Row {
        name: candidate.name.clone(),
        parts: candidate.name.split('_').map(str::to_owned).collect(),
        words: words(&candidate.description),
        affinity: candidate.affinity.iter().flat_map(|word| words(word)).collect(),
        args: candidate.args.keys().cloned().collect(),
    }
}

/// The words of a text, each also by its stem, so that "invoices" meets "invoice".
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let plain = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    plain.take(2000).map(stem).collect()
}

/// The first letters of a word without its last ending: the same rule for every language.
fn stem(word: &str) -> String {
    let n = word.chars().count();
    let keep = match n {
        0..=4 => n,
        5..=7 => n - 1,
        _ => n - 2,
    };
    word.chars().take(keep.max(3)).collect()
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
