//! Checks JSON text as it is parsed. This is the hot path: a million entries, no tree.

use super::check;
use super::leaf::{Num, Types, Verdict};
use super::{Schema, Step, Trail, Violation};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

pub(super) fn check(schema: &Schema, text: &[u8]) -> Result<(), Violation> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let mut state = State { trail: Trail::default(), violation: None };
    let parsed = Seed { schema: Some(schema), state: &mut state }.deserialize(&mut reader);
    match parsed.and_then(|()| reader.end()) {
        Ok(()) => Ok(()),
        // The parser only knows that we stopped; why is in the state.
        Err(error) => Err(state
            .violation
            .unwrap_or_else(|| Violation { pointer: String::new(), message: format!("not JSON: {error}") })),
    }
}

struct State<'a> {
    trail: Trail<'a>,
    violation: Option<Violation>,
}

impl<'a> State<'a> {
    fn stop<E: de::Error>(&mut self, violation: Violation) -> E {
        self.violation.get_or_insert(violation);
        E::custom("refused by the schema")
    }

    fn verdict<E: de::Error>(&mut self, verdict: Verdict) -> Result<(), E> {
        verdict.map_err(|message| {
            let violation = self.trail.violation(message);
            self.stop(violation)
        })
    }

    fn enter<E: de::Error>(&mut self) -> Result<(), E> {
        self.trail.enter().map_err(|violation| self.stop(violation))
    }
}

/// Checks the next value against a schema, or only its shape when there is none.
struct Seed<'s, 'a> {
    schema: Option<&'a Schema>,
    state: &'s mut State<'a>,
}

impl<'a> DeserializeSeed<'a> for Seed<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        match self.schema {
            Some(schema) if schema.needs_whole() => {
                let (steps, depth) = (self.state.trail.steps.len(), self.state.trail.depth);
                let whole = Whole { state: self.state }.deserialize(reader)?;
                self.state.trail.steps.truncate(steps);
                self.state.trail.depth = depth;
                let verdict = judge(schema, &whole, &self.state.trail);
                verdict.map_err(|violation| self.state.stop(violation))
            }
            _ => reader.deserialize_any(self),
        }
    }
}

/// The trail of a whole value borrows from it, so it starts afresh from a copy of where we are.
fn judge(schema: &Schema, whole: &Value, here: &Trail<'_>) -> Result<(), Violation> {
    let mut trail = Trail { steps: here.steps.clone(), depth: here.depth };
    check::value(schema, whole, &mut trail)
}

impl<'a> Visitor<'a> for Seed<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.state.verdict(self.schema.map_or(Ok(()), Schema::null))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<(), E> {
        self.state.verdict(self.schema.map_or(Ok(()), |s| s.boolean(flag)))
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<(), E> {
        self.state.verdict(self.schema.map_or(Ok(()), |s| s.number(Num::Int(n.into()))))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<(), E> {
        self.state.verdict(self.schema.map_or(Ok(()), |s| s.number(Num::Int(n.into()))))
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<(), E> {
        self.state.verdict(self.schema.map_or(Ok(()), |s| s.number(Num::Float(n))))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.state.verdict(self.schema.map_or(Ok(()), |s| s.string(text)))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { schema, state } = self;
        if let Some(schema) = schema {
            let choice = schema.chosen("this list", |_| false);
            state.verdict(schema.expect(Types::ARRAY, "array").and(choice))?;
        }
        state.enter()?;
        let items = schema.and_then(|s| s.items.as_deref());
        let most = schema.map_or(u64::MAX, |s| s.max_items);
        let mut count = 0usize;
        loop {
            if count as u64 >= most {
                // One more would be one too many: whatever it is, it need not be looked at.
                if list.next_element::<de::IgnoredAny>()?.is_some() {
                    count += 1;
                }
                break;
            }
            state.trail.steps.push(Step::Index(count));
            if list.next_element_seed(Seed { schema: items, state: &mut *state })?.is_none() {
                state.trail.steps.pop();
                break;
            }
            state.trail.steps.pop();
            count += 1;
        }
        state.trail.leave();
        state.verdict(schema.map_or(Ok(()), |s| s.count(count as u64)))
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { schema, state } = self;
        let path = schema.filter(|s| s.path && !s.types.has(Types::OBJECT));
        if let Some(schema) = schema
            && path.is_none()
        {
            let choice = schema.chosen("this object", |_| false);
            state.verdict(schema.expect(Types::OBJECT, "object").and(choice))?;
        }
        state.enter()?;
        let mut seen = Seen::new(schema.map_or(0, |s| s.properties.len()));
        while let Some(key) = map.next_key_seed(Key)? {
            let position = schema.and_then(|s| s.position(&key));
            let fresh = match position {
                Some(i) => seen.declared(i),
                None => seen.other(key.clone()),
            };
            state.trail.steps.push(Step::Key(key));
            if !fresh {
                state.verdict(Err("is given twice".to_owned()))?;
            }
            if let Some(path) = path {
                let encoded = matches!(state.trail.steps.last(), Some(Step::Key(key)) if key == "path_b64");
                if !encoded {
                    state.verdict(Err(NOT_A_PATH.to_owned()))?;
                }
                map.next_value_seed(Encoded { schema: path, state: &mut *state })?;
            } else {
                let next = match (schema, position) {
                    (Some(schema), Some(i)) => Some(&schema.properties[i].1),
                    (Some(schema), None) if !schema.additional => {
                        let message = match state.trail.steps.last() {
                            Some(Step::Key(key)) => schema.stranger(key),
                            _ => String::new(),
                        };
                        return state.verdict(Err(message));
                    }
                    _ => None,
                };
                map.next_value_seed(Seed { schema: next, state: &mut *state })?;
            }
            state.trail.steps.pop();
        }
        state.trail.leave();
        if path.is_some() && seen.others.is_empty() {
            return state.verdict(Err(NOT_A_PATH.to_owned()));
        }
        let missing =
            schema.and_then(|s| s.required.iter().find(|i| !seen.has(**i)).map(|i| &s.properties[*i].0));
        state.verdict(missing.map_or(Ok(()), |name| Err(format!("{name} is required"))))
    }
}

const NOT_A_PATH: &str = "a path is a string or {\"path_b64\": string}";

/// Which keys of one object went by.
struct Seen<'a> {
    few: u64,
    many: Vec<bool>,
    others: Vec<Cow<'a, str>>,
    /// Used beyond a handful of undeclared keys, so that a hostile object costs no more than its size.
    crowd: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> Seen<'a> {
    fn new(declared: usize) -> Self {
        let many = if declared > 64 { vec![false; declared] } else { Vec::new() };
        Self { few: 0, many, others: Vec::new(), crowd: None }
    }

    fn has(&self, i: usize) -> bool {
        if self.many.is_empty() { self.few >> (i & 63) & 1 == 1 } else { self.many[i] }
    }

    /// Notes a declared key; false when it was there already.
    fn declared(&mut self, i: usize) -> bool {
        let fresh = !self.has(i);
        if self.many.is_empty() {
            self.few |= 1 << (i & 63);
        } else {
            self.many[i] = true;
        }
        fresh
    }

    /// Notes any other key; false when it was there already.
    fn other(&mut self, key: Cow<'a, str>) -> bool {
        const HANDFUL: usize = 16;
        if self.others.len() < HANDFUL {
            let fresh = !self.others.contains(&key);
            self.others.push(key);
            return fresh;
        }
        !self.others.contains(&key) && self.crowd.get_or_insert_default().insert(key)
    }
}

/// A key, borrowed from the text unless it holds an escape.
struct Key;

impl<'a> DeserializeSeed<'a> for Key {
    type Value = Cow<'a, str>;
    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key {
    type Value = Cow<'a, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_borrowed_str<E: de::Error>(self, key: &'a str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }
    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

/// The value of `path_b64`.
struct Encoded<'s, 'a> {
    schema: &'a Schema,
    state: &'s mut State<'a>,
}

impl<'a> DeserializeSeed<'a> for Encoded<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        // Kept whole: it is one name, and anything else is refused with its type.
        let value = Whole { state: &mut *self.state }.deserialize(reader)?;
        let verdict = match &value {
            Value::String(text) => self.schema.path_b64(text),
            other => Err(format!("expected string, found {}", super::leaf::type_name(other))),
        };
        self.state.verdict(verdict)
    }
}

/// Builds the one value that has to be judged as a whole, with the same refusals.
struct Whole<'s, 'a> {
    state: &'s mut State<'a>,
}

impl<'a> DeserializeSeed<'a> for Whole<'_, 'a> {
    type Value = Value;
    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Whole<'_, 'a> {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Value, E> {
        Ok(Number::from_f64(n).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Value, A::Error> {
        self.state.enter()?;
        let mut items = Vec::new();
        while let Some(item) = {
            self.state.trail.steps.push(Step::Index(items.len()));
            list.next_element_seed(Whole { state: &mut *self.state })?
        } {
            self.state.trail.steps.pop();
            items.push(item);
        }
        self.state.trail.steps.pop();
        self.state.trail.leave();
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'a>>(self, mut access: A) -> Result<Value, A::Error> {
        self.state.enter()?;
        let mut map = Map::new();
        while let Some(key) = access.next_key_seed(Key)? {
            let twice = map.contains_key(key.as_ref());
            self.state.trail.steps.push(Step::Key(key.clone()));
            if twice {
                self.state.verdict(Err("is given twice".to_owned()))?;
            }
            let value = access.next_value_seed(Whole { state: &mut *self.state })?;
            self.state.trail.steps.pop();
            map.insert(key.into_owned(), value);
        }
        self.state.trail.leave();
        Ok(Value::Object(map))
    }
}
