//! Weighted rules of one yes-or-no dimension, read from a data file.

use super::text::head;
use crate::numbers::words::data;
use metnos_executor::Failure;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Bytes of a header that are looked at.
const HEADER_BYTES: usize = 4096;

#[derive(Deserialize)]
struct File {
    label: String,
    other: String,
    threshold: f64,
    rule: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    why: String,
    weight: f64,
    pattern: Option<String>,
    #[serde(default)]
    fields: Vec<String>,
    header: Option<String>,
    #[serde(default)]
    case: bool,
}

struct Rule {
    why: String,
    weight: f64,
    pattern: Option<Regex>,
    fields: Vec<String>,
    header: Option<String>,
}

/// The rules of one dimension.
pub(crate) struct Rules {
    /// What an entry is when the rules speak for it.
    pub(crate) label: String,
    /// What it is otherwise.
    pub(crate) other: String,
    threshold: f64,
    rules: Vec<Rule>,
}

/// What the rules found.
pub(crate) struct Verdict {
    /// Did the weights reach the threshold?
    pub(crate) yes: bool,
    /// How strongly the rules speak for the label: 0 to 1, a half at the threshold.
    pub(crate) score: f64,
    /// Which rules spoke, the heaviest first.
    pub(crate) why: Vec<String>,
}

impl Rules {
    /// The rules of `dimension`, if it is one of ours.
    pub(crate) fn of(dimension: &str) -> Result<Option<Self>, Failure> {
        let text = match dimension {
            "spam" => include_str!("../../data/classify/spam.toml"),
            "newsletter" => include_str!("../../data/classify/newsletter.toml"),
            "invoice" => include_str!("../../data/classify/invoice.toml"),
            _ => return Ok(None),
        };
        let file: File = data(text, "the rules of a dimension")?;
        let mut rules = Vec::with_capacity(file.rule.len());
        for row in file.rule {
            let pattern = match &row.pattern {
                Some(pattern) => Some(
                    RegexBuilder::new(pattern)
                        .case_insensitive(!row.case)
                        .build()
                        .map_err(|e| Failure::internal(format!("rule {:?} of {dimension}: {e}", row.why)))?,
                ),
                None => None,
            };
            rules.push(Rule {
                why: row.why,
                weight: row.weight,
                pattern,
                fields: row.fields,
                header: row.header,
            });
        }
        Ok(Some(Self { label: file.label, other: file.other, threshold: file.threshold, rules }))
    }

    /// Weighs one entry.
    pub(crate) fn weigh(&self, entry: &Map<String, Value>, texts: &[(&str, &str)]) -> Verdict {
        let mut spoke: Vec<&Rule> = self.rules.iter().filter(|rule| rule.matches(entry, texts)).collect();
        let sum: f64 = spoke.iter().map(|rule| rule.weight).sum();
        spoke.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let score = (sum / (2.0 * self.threshold)).clamp(0.0, 1.0);
        let mut why: Vec<String> = spoke.into_iter().map(|rule| rule.why.clone()).collect();
        why.dedup();
        Verdict { yes: sum >= self.threshold, score: (score * 100.0).round().abs() / 100.0, why }
    }
}

impl Rule {
    fn matches(&self, entry: &Map<String, Value>, texts: &[(&str, &str)]) -> bool {
        if let Some(name) = &self.header {
            return header(entry, name).is_some_and(|value| {
                self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(head(value, HEADER_BYTES)))
            });
        }
        let Some(pattern) = &self.pattern else { return false };
        texts
            .iter()
            .filter(|(field, _)| self.fields.is_empty() || self.fields.iter().any(|name| name == field))
            .any(|(_, text)| pattern.is_match(text))
    }
}

/// The header `name`: under `headers` (an object, or a list of name and value), or as a field of
/// the entry written with dashes or underscores.
fn header<'e>(entry: &'e Map<String, Value>, name: &str) -> Option<&'e str> {
    let same = |key: &str| key.replace('_', "-").eq_ignore_ascii_case(name);
    let inside = match entry.get("headers") {
        Some(Value::Object(headers)) => headers.iter().find(|(key, _)| same(key)).and_then(|(_, v)| first(v)),
        Some(Value::Array(headers)) => headers
            .iter()
            .find(|h| h.get("name").and_then(Value::as_str).is_some_and(same))
            .and_then(|h| h.get("value").and_then(first)),
        _ => None,
    };
    inside.or_else(|| entry.iter().find(|(key, _)| same(key)).and_then(|(_, value)| first(value)))
}

fn first(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(list) => list.first().and_then(Value::as_str),
        _ => None,
    }
}
