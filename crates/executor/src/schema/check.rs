//! Checks a value that is already in memory.

use super::leaf::{Num, Types, Verdict, same, type_name};
use super::{Schema, Step, Trail, Violation};
use serde_json::{Map, Value};
use std::borrow::Cow;

pub(super) fn value<'a>(
    schema: &'a Schema,
    value: &'a Value,
    trail: &mut Trail<'a>,
) -> Result<(), Violation> {
    let leaf = |verdict: Verdict, trail: &Trail<'a>| verdict.map_err(|message| trail.violation(message));
    match value {
        Value::Null => leaf(schema.null(), trail)?,
        Value::Bool(flag) => leaf(schema.boolean(*flag), trail)?,
        Value::Number(number) => leaf(schema.number(Num::of(number)), trail)?,
        Value::String(text) => leaf(schema.string(text), trail)?,
        Value::Array(items) => array(schema, items, value, trail)?,
        Value::Object(map) => object(schema, map, value, trail)?,
    }
    alternatives(schema, value, trail)
}

fn array<'a>(
    schema: &'a Schema,
    items: &'a [Value],
    whole: &Value,
    trail: &mut Trail<'a>,
) -> Result<(), Violation> {
    schema
        .expect(Types::ARRAY, "array")
        .and_then(|()| schema.chosen("this list", |v| same(v, whole)))
        .map_err(|m| trail.violation(m))?;
    trail.enter()?;
    for (i, item) in items.iter().enumerate() {
        // The cap is judged where it bites, as in a stream, not after the rest was checked.
        if i as u64 >= schema.max_items {
            break;
        }
        trail.steps.push(Step::Index(i));
        match &schema.items {
            Some(schema) => self::value(schema, item, trail)?,
            None => shape(item, trail)?,
        }
        trail.steps.pop();
    }
    trail.leave();
    schema.count(items.len() as u64).map_err(|m| trail.violation(m))
}

fn object<'a>(
    schema: &'a Schema,
    map: &'a Map<String, Value>,
    whole: &Value,
    trail: &mut Trail<'a>,
) -> Result<(), Violation> {
    if schema.path && !schema.types.has(Types::OBJECT) {
        return path_object(schema, map, trail);
    }
    schema
        .expect(Types::OBJECT, "object")
        .and_then(|()| schema.chosen("this object", |v| same(v, whole)))
        .map_err(|m| trail.violation(m))?;
    trail.enter()?;
    for (key, item) in map {
        trail.steps.push(Step::Key(Cow::Borrowed(key)));
        match schema.position(key) {
            Some(i) => value(&schema.properties[i].1, item, trail)?,
            None if schema.additional => shape(item, trail)?,
            None => return Err(trail.violation(schema.stranger(key))),
        }
        trail.steps.pop();
    }
    trail.leave();
    match schema.required().find(|name| !map.contains_key(*name)) {
        Some(name) => Err(trail.violation(format!("{name} is required"))),
        None => Ok(()),
    }
}

fn path_object<'a>(
    schema: &Schema,
    map: &'a Map<String, Value>,
    trail: &mut Trail<'a>,
) -> Result<(), Violation> {
    trail.enter()?;
    let mut found = false;
    for (key, item) in map {
        trail.steps.push(Step::Key(Cow::Borrowed(key)));
        if key != "path_b64" {
            return Err(trail.violation("a path is a string or {\"path_b64\": string}"));
        }
        let verdict = match item {
            Value::String(text) => schema.path_b64(text),
            other => Err(format!("expected string, found {}", type_name(other))),
        };
        verdict.map_err(|m| trail.violation(m))?;
        found = true;
        trail.steps.pop();
    }
    trail.leave();
    if found { Ok(()) } else { Err(trail.violation("a path is a string or {\"path_b64\": string}")) }
}

/// What no schema describes may be anything, but not bottomless.
fn shape<'a>(item: &'a Value, trail: &mut Trail<'a>) -> Result<(), Violation> {
    match item {
        Value::Array(items) => {
            trail.enter()?;
            for (i, item) in items.iter().enumerate() {
                trail.steps.push(Step::Index(i));
                shape(item, trail)?;
                trail.steps.pop();
            }
            trail.leave();
        }
        Value::Object(map) => {
            trail.enter()?;
            for (key, item) in map {
                trail.steps.push(Step::Key(Cow::Borrowed(key)));
                shape(item, trail)?;
                trail.steps.pop();
            }
            trail.leave();
        }
        _ => {}
    }
    Ok(())
}

fn alternatives<'a>(schema: &'a Schema, whole: &'a Value, trail: &mut Trail<'a>) -> Result<(), Violation> {
    let mut reasons = Vec::new();
    for branch in &schema.any_of {
        let (steps, depth) = (trail.steps.len(), trail.depth);
        match value(branch, whole, trail) {
            Ok(()) => return Ok(()),
            Err(reason) => reasons.push((branch, reason)),
        }
        trail.steps.truncate(steps);
        trail.depth = depth;
    }
    if reasons.is_empty() {
        return Ok(());
    }
    // When the type leaves one alternative only, its own reason is the useful one.
    let mut fitting = reasons.iter().filter(|(branch, _)| branch.welcomes(whole));
    match (fitting.next(), fitting.next()) {
        (Some((_, reason)), None) => Err(reason.clone()),
        _ => {
            let words: Vec<&str> = reasons.iter().map(|(_, reason)| reason.message.as_str()).collect();
            Err(trail.violation(format!("fits none of the alternatives ({})", words.join("; "))))
        }
    }
}

impl Schema {
    fn welcomes(&self, value: &Value) -> bool {
        let one = match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(_) => Types::INTEGER,
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) if self.path => Types::STRING,
            Value::Object(_) => Types::OBJECT,
        };
        self.types.has(one)
    }

    /// The sentence about a key nobody declared.
    pub(super) fn stranger(&self, key: &str) -> String {
        match metnos_vocab::nearest(key, self.properties().map(|(name, _)| name)) {
            Some(near) => format!("is not an argument or field; nearest: {near:?}"),
            None => "is not an argument or field".to_owned(),
        }
    }
}
