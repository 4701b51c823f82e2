//! What goes into an executor and what comes out: a closed subset of JSON Schema.
//!
//! A schema is compiled once; any keyword outside the subset is an error with its JSON pointer.
//! The same rules check a value in memory ([`Schema::check`]) and JSON text as it streams by
//! ([`Schema::check_slice`]), which never builds a tree of it.

mod check;
mod compile;
mod leaf;
mod quick;
mod stream;

use leaf::{Num, Types};
use serde_json::{Map, Value};
use std::fmt;

/// No document nests deeper than this.
pub const DEPTH_MAX: usize = 64;

/// `Input` and `Output` of one executor.
#[derive(Clone, Debug)]
pub struct Schemas {
    /// What a call may pass.
    pub input: Schema,
    /// What it answers.
    pub output: Schema,
}

/// One compiled schema.
#[derive(Clone, Debug)]
pub struct Schema {
    source: Value,
    types: Types,
    /// Sorted by name, so that a key is found by bisection.
    properties: Vec<(String, Schema)>,
    /// Positions in `properties`.
    required: Vec<usize>,
    additional: bool,
    items: Option<Box<Schema>>,
    choices: Option<Vec<Value>>,
    minimum: Option<Num>,
    maximum: Option<Num>,
    min_length: u64,
    max_length: u64,
    min_items: u64,
    max_items: u64,
    default: Option<Value>,
    any_of: Vec<Schema>,
    path: bool,
    secret: bool,
    /// True when something at or below here has a default.
    defaults_below: bool,
}

/// Why a schema file is not a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("schema.json: {}{message}", located(.pointer))]
pub struct SchemaError {
    /// Where, as a JSON pointer without the leading slash.
    pub pointer: String,
    /// What is wrong there.
    pub message: String,
}

/// Why a value does not satisfy a schema, in clear words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", located(.pointer))]
pub struct Violation {
    /// Where, as a JSON pointer without the leading slash; empty for the whole.
    pub pointer: String,
    /// What was expected and what was found.
    pub message: String,
}

fn located(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}

impl Schemas {
    /// Reads `schema.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, SchemaError> {
        compile::schemas(bytes)
    }
}

impl Schema {
    /// Compiles one schema, as the host does with the one that came in a request.
    pub fn parse(source: &Value) -> Result<Self, SchemaError> {
        compile::schema(source, &mut Vec::new())
    }

    /// Checks a value in memory.
    pub fn check(&self, value: &Value) -> Result<(), Violation> {
        check::value(self, value, &mut Trail::default())
    }

    /// Checks JSON text without building a tree of it. Also refuses what a tree would hide:
    /// duplicate keys, trailing bytes, nesting deeper than [`DEPTH_MAX`].
    pub fn check_slice(&self, text: &[u8]) -> Result<(), Violation> {
        if quick::accepts(self, text) { Ok(()) } else { stream::check(self, text) }
    }

    /// Puts in the defaults of absent properties, also inside nested objects.
    pub fn fill_defaults(&self, object: &mut Map<String, Value>) {
        if !self.defaults_below {
            return;
        }
        for (name, schema) in &self.properties {
            match object.get_mut(name) {
                Some(value) => schema.fill_below(value),
                None => {
                    if let Some(default) = &schema.default {
                        object.insert(name.clone(), default.clone());
                    }
                }
            }
        }
    }

    fn fill_below(&self, value: &mut Value) {
        match value {
            Value::Object(object) => self.fill_defaults(object),
            Value::Array(items) if self.defaults_below => {
                if let Some(schema) = &self.items {
                    items.iter_mut().for_each(|item| schema.fill_below(item));
                }
            }
            _ => {}
        }
    }

    /// The schema of a declared property.
    pub fn property(&self, name: &str) -> Option<&Schema> {
        self.position(name).map(|i| &self.properties[i].1)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.properties.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()
    }

    /// Every declared property, sorted by name.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Schema)> {
        self.properties.iter().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The names that must be present.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.required.iter().map(|i| self.properties[*i].0.as_str())
    }

    /// The schema of each item of a list.
    pub fn items(&self) -> Option<&Schema> {
        self.items.as_deref()
    }

    /// True for a string that names a path.
    pub fn is_path(&self) -> bool {
        self.path
    }

    /// True when a path may stand here: itself, in the items of a list, or in an alternative.
    pub fn holds_paths(&self) -> bool {
        self.path
            || self.items.as_ref().is_some_and(|items| items.holds_paths())
            || self.any_of.iter().any(Schema::holds_paths)
    }

    /// True when a list may stand here.
    pub fn is_list(&self) -> bool {
        self.types.has(Types::ARRAY) && (self.items.is_some() || self.types == Types::ARRAY)
    }

    /// True when the value must never be written to a log.
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// What the file says, word for word.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The default, when there is one.
    pub fn default_value(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Alternatives and compound choices need the whole value before they can be judged.
    fn needs_whole(&self) -> bool {
        let compound = |v: &Value| v.is_array() || v.is_object();
        !self.any_of.is_empty() || self.choices.as_ref().is_some_and(|c| c.iter().any(compound))
    }
}

/// Where the check stands in the document, and how deep.
#[derive(Default)]
struct Trail<'a> {
    steps: Vec<Step<'a>>,
    depth: usize,
}

#[derive(Clone)]
enum Step<'a> {
    Index(usize),
    Key(std::borrow::Cow<'a, str>),
}

impl Trail<'_> {
    fn violation(&self, message: impl Into<String>) -> Violation {
        let steps: Vec<String> = self.steps.iter().map(Step::to_string).collect();
        Violation { pointer: steps.join("/"), message: message.into() }
    }

    /// Goes into a list or an object.
    fn enter(&mut self) -> Result<(), Violation> {
        if self.depth >= DEPTH_MAX {
            return Err(self.violation(format!("nested deeper than {DEPTH_MAX} levels")));
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Index(i) => write!(f, "{i}"),
            Step::Key(key) => f.write_str(&shown(key).replace('~', "~0").replace('/', "~1")),
        }
    }
}

/// A word from data, short and without control characters, for a message.
fn shown(word: &str) -> String {
    const MOST: usize = 60;
    let mut text: String =
        word.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if word.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
