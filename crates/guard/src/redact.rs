//! Makes a value fit to be written down: secrets become `‹secret:…›`, and what is long is cut, so
//! that an audit line stays small. Secrets are: values of the vault, known token shapes (a data
//! file), values said beside the name of a credential (another), and the fields a schema marks.

use crate::forms;
use crate::said::Said;
use metnos_executor::lab::{self, Layer};
use regex::{Regex, RegexSet};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ops::Range;

const SHAPES: &str = include_str!("../data/token-shapes.toml");

/// Strings are cut to this many characters.
pub const STRING_MAX: usize = 256;
/// Lists are cut to this many items, objects to twice as many fields.
pub const ITEMS_MAX: usize = 20;
/// Nothing deeper is shown.
const DEPTH_MAX: usize = 12;
/// No more than this is shown of one value, whatever its shape.
const TOTAL_MAX: usize = 24 << 10;
/// A vault value shorter than this is replaced only where it stands alone: `a` is no secret in `cat`.
const SUBSTRING_MIN: usize = 4;
/// A token longer than this is still recognised when a long text is cut.
const TOKEN_MAX: usize = 8 << 10;

/// Why the shapes cannot be used. Without them nothing may be written down.
#[derive(Debug, thiserror::Error)]
pub enum RedactError {
    /// The data file does not parse.
    #[error("the list of token shapes: {0}")]
    List(#[from] toml::de::Error),
    /// The words that announce a value do not parse.
    #[error(transparent)]
    Words(#[from] metnos_tongue::TextError),
    /// A pattern does not compile, or has no such group.
    #[error("the token shape {name:?}: {reason}")]
    Shape {
        /// Which one.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shapes {
    shape: Vec<Shape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    pattern: String,
    #[serde(default)]
    group: usize,
}

/// Replaces secrets and cuts what is long.
pub struct Redactor {
    /// Vault values, longest first, so that one inside another does not leave the rest.
    secrets: Vec<String>,
    /// Every way a vault value is written, as one pattern; none when there is no value.
    known: Option<Regex>,
    forms: Vec<String>,
    any: RegexSet,
    shapes: Vec<(Regex, usize)>,
    said: Said,
    /// Values that were said, wherever they stand alone.
    heard: Option<Regex>,
    key: Option<[u8; 32]>,
}

impl Redactor {
    /// A redactor that knows these vault values.
    pub fn new(secrets: Vec<Vec<u8>>) -> Result<Self, RedactError> {
        let list: Shapes = toml::from_str(SHAPES)?;
        let mut shapes = Vec::with_capacity(list.shape.len());
        for shape in &list.shape {
            let wrong = |reason: String| RedactError::Shape { name: shape.name.clone(), reason };
            let regex = Regex::new(&shape.pattern).map_err(|e| wrong(e.to_string()))?;
            if shape.group >= regex.captures_len() {
                return Err(wrong(format!("no group {}", shape.group)));
            }
            shapes.push((regex, shape.group));
        }
        let any = RegexSet::new(list.shape.iter().map(|s| &s.pattern))
            .map_err(|e| RedactError::Shape { name: "all".into(), reason: e.to_string() })?;
        // A secret that is not UTF-8 shows in JSON only in its lossy form.
        let mut secrets: Vec<String> =
            secrets.iter().map(|s| String::from_utf8_lossy(s).trim().to_owned()).collect();
        secrets.retain(|s| !s.is_empty());
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        secrets.dedup();
        let forms = forms::of_all(secrets.iter().filter(|s| s.len() >= SUBSTRING_MIN));
        let known = forms::pattern(&forms)
            .map_err(|e| RedactError::Shape { name: "vault values".into(), reason: e.to_string() })?;
        Ok(Self { secrets, known, forms, any, shapes, said: Said::load()?, heard: None, key: None })
    }

    /// The same with digests made under `key`, so that a short secret cannot be guessed from its
    /// digest by trying.
    pub fn keyed(mut self, key: [u8; 32]) -> Self {
        self.key = Some(key);
        self
    }

    /// The same for whoever heard these values said: they are secret also away from the words that gave them away.
    pub fn hearing(mut self, values: &[String]) -> Result<Self, RedactError> {
        let edge =
            |c: Option<char>| if c.is_some_and(|c| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
        let one = |value: &String| {
            let (first, last) = (edge(value.chars().next()), edge(value.chars().next_back()));
            format!("{first}{}{last}", regex::escape(value))
        };
        // The longest first, so that one inside another does not leave the rest.
        let mut values: Vec<&String> = values.iter().collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let any: Vec<String> = values.into_iter().map(one).collect();
        let wrong =
            |e: regex::Error| RedactError::Shape { name: "what was said".into(), reason: e.to_string() };
        self.heard = if any.is_empty() { None } else { Some(Regex::new(&any.join("|")).map_err(wrong)?) };
        Ok(self)
    }

    /// Where values stand in `text` that are said beside the name of a credential.
    pub fn said_in(&self, text: &str) -> Vec<Range<usize>> {
        self.said.in_text(text)
    }

    /// `value` fit to be written down. `secret` are JSON pointers to fields the schema marks; `*`
    /// stands for every item of a list.
    pub fn redact(&self, value: &Value, secret: &[String]) -> Value {
        if lab::without(Layer::Redaction) {
            return value.clone();
        }
        let pointers = secret.iter().map(|p| p.split('/').skip(1).map(unescape).collect()).collect();
        let mut walk = Walk { redactor: self, pointers, at: Vec::new(), left: TOTAL_MAX };
        walk.value(value)
    }

    /// `text` without secrets, at its full length.
    pub fn redact_text(&self, text: &str) -> String {
        if self.secrets.iter().any(|s| s.len() < SUBSTRING_MIN && s == text) {
            return self.mark(text);
        }
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for at in self.secrets_in(text) {
            out.push_str(text.get(from..at.start).unwrap_or_default());
            out.push_str(&self.mark(text.get(at.clone()).unwrap_or_default()));
            from = at.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
    }

    /// `value` without secrets, at its full length: every text in it, names too. A number that is one becomes a text.
    pub fn redact_whole(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact_text(text),
            Value::Number(number) => {
                let text = number.to_string();
                let safe = self.redact_text(&text);
                if safe != text {
                    *value = Value::String(safe);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_whole(item)),
            Value::Object(fields) => {
                let old = std::mem::take(fields);
                for (key, mut value) in old {
                    self.redact_whole(&mut value);
                    fields.insert(self.redact_text(&key), value);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Where vault values stand in `text`, however they are written: in order, and apart.
    pub fn known_in(&self, text: &str) -> Vec<Range<usize>> {
        self.known
            .as_ref()
            .map(|known| known.find_iter(text).map(|m| m.range()).collect())
            .unwrap_or_default()
    }

    /// Every way a vault value is written, the longest first.
    pub fn known_forms(&self) -> &[String] {
        &self.forms
    }

    /// Where secrets stand in `text`, vault values and known shapes: in order, and apart.
    pub fn secrets_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.known_in(text);
        for at in self.any.matches(text).into_iter() {
            let Some((regex, group)) = self.shapes.get(at) else { continue };
            let groups = regex.captures_iter(text).filter_map(|c| c.get(*group));
            // What was replaced before is not replaced again.
            found.extend(groups.filter(|m| !m.as_str().starts_with("‹secret:")).map(|m| m.range()));
        }
        found.extend(self.said_in(text));
        found.extend(self.heard.iter().flat_map(|heard| heard.find_iter(text)).map(|m| m.range()));
        found.sort_by_key(|at| (at.start, at.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for at in found.into_iter().filter(|at| !at.is_empty()) {
            match apart.last_mut() {
                Some(last) if at.start < last.end => last.end = last.end.max(at.end),
                _ => apart.push(at),
            }
        }
        apart
    }

    fn mark(&self, secret: &str) -> String {
        format!("‹secret:{}›", self.digest(secret.as_bytes()))
    }

    fn digest(&self, bytes: &[u8]) -> String {
        let hash = match &self.key {
            Some(key) => blake3::keyed_hash(key, bytes),
            None => blake3::hash(bytes),
        };
        hash.to_hex().chars().take(8).collect()
    }

    /// `text` without secrets and cut. Of a long text only as much is searched as can show.
    fn short(&self, text: &str) -> String {
        if text.len() <= STRING_MAX {
            return cut(self.redact_text(text), 0, "");
        }
        let longest = self.forms.first().map_or(0, String::len).max(TOKEN_MAX);
        // Every mark is at least sixteen characters, so so many secrets fill what is shown.
        let window = (STRING_MAX * 4).saturating_add(longest.saturating_mul(STRING_MAX / 16 + 1));
        let searched = text.get(..floor(text, window)).unwrap_or(text);
        cut(self.redact_text(searched), text.len(), &self.digest(text.as_bytes()))
    }
}

/// The largest index up to `at` that does not split a character.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// Cuts what was redacted; a mark is kept whole. `full` and `digest` describe the original.
fn cut(text: String, full: usize, digest: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(STRING_MAX) else { return text };
    let shown = text.get(..end).unwrap_or_default();
    let shown = match shown.rfind('‹') {
        Some(open) if !shown.get(open..).is_some_and(|mark| mark.contains('›')) => {
            shown.get(..open).unwrap_or_default()
        }
        _ => shown,
    };
    let full = if full == 0 { text.len() } else { full };
    let digest = if digest.is_empty() { String::new() } else { format!(" blake3:{digest}") };
    format!("{shown}…‹{full} bytes{digest}›")
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// One value being made fit.
struct Walk<'r> {
    redactor: &'r Redactor,
    pointers: Vec<Vec<String>>,
    at: Vec<String>,
    left: usize,
}

impl Walk<'_> {
    fn value(&mut self, value: &Value) -> Value {
        if self.is_secret() && !value.is_null() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            return Value::String(self.redactor.mark(&text));
        }
        if self.left == 0 || self.at.len() > DEPTH_MAX {
            return Value::String("…".into());
        }
        match value {
            Value::String(text) => self.text(text),
            Value::Number(number) => {
                let text = number.to_string();
                let safe = self.redactor.redact_text(&text);
                self.spend(text.len());
                if safe == text { value.clone() } else { Value::String(safe) }
            }
            Value::Array(items) => self.array(items),
            Value::Object(fields) => self.object(fields),
            Value::Null | Value::Bool(_) => {
                self.spend(5);
                value.clone()
            }
        }
    }

    fn text(&mut self, text: &str) -> Value {
        let safe = self.redactor.short(text);
        self.spend(safe.len());
        Value::String(safe)
    }

    fn array(&mut self, items: &[Value]) -> Value {
        let mut out = Vec::with_capacity(items.len().min(ITEMS_MAX + 1));
        for (n, item) in items.iter().take(ITEMS_MAX).enumerate() {
            self.at.push(n.to_string());
            out.push(self.value(item));
            self.at.pop();
        }
        if items.len() > ITEMS_MAX {
            out.push(Value::String(format!("… {} in all", items.len())));
        }
        Value::Array(out)
    }

    fn object(&mut self, fields: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        let mut same: HashMap<String, u32> = HashMap::new();
        for (key, value) in fields.iter().take(2 * ITEMS_MAX) {
            let mut safe = self.redactor.short(key);
            self.spend(safe.len());
            // Two keys that look alike after redaction are still two.
            let seen = same.entry(safe.clone()).or_insert(0);
            *seen += 1;
            if *seen > 1 {
                safe = format!("{safe} ({seen})");
            }
            self.at.push(key.clone());
            let value = self.value(value);
            self.at.pop();
            out.insert(safe, value);
        }
        if fields.len() > 2 * ITEMS_MAX {
            out.insert("…".into(), Value::String(format!("{} in all", fields.len())));
        }
        Value::Object(out)
    }

    fn is_secret(&self) -> bool {
        let fits = |p: &Vec<String>| {
            p.len() == self.at.len() && p.iter().zip(&self.at).all(|(want, have)| want == "*" || want == have)
        };
        !self.at.is_empty() && self.pointers.iter().any(fits)
    }

    fn spend(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes.saturating_add(4));
    }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
