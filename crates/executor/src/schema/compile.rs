//! From the text of `schema.json` to compiled schemas.

use super::leaf::{Num, Types};
use super::{Schema, SchemaError, Schemas};
use serde_json::{Map, Value};

/// No schema nests deeper; real ones stay below ten.
const NESTING_MAX: usize = 40;

const KEYWORDS: [&str; 17] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "default",
    "description",
    "anyOf",
    "format",
    "secret",
];
pub(super) fn schemas(bytes: &[u8]) -> Result<Schemas, SchemaError> {
    // The tree would keep the last of two equal keys in silence; the stream refuses them.
    let anything = Schema::anything();
    anything
        .check_slice(bytes)
        .map_err(|violation| SchemaError { pointer: violation.pointer, message: violation.message })?;
    let whole: Value = serde_json::from_slice(bytes).map_err(|e| error(&[], format!("not JSON: {e}")))?;
    let top = object(&whole, &[])?;
    known_keys(top, &["definitions"], &[])?;
    let steps = vec!["definitions".to_owned()];
    let definitions = top.get("definitions").ok_or_else(|| error(&[], "definitions is required"))?;
    let definitions = object(definitions, &steps)?;
    known_keys(definitions, &["Input", "Output"], &steps)?;
    let one = |name: &str| {
        let mut steps = vec!["definitions".to_owned(), name.to_owned()];
        let source = definitions.get(name).ok_or_else(|| error(&steps, "is required"))?;
        let compiled = schema(source, &mut steps)?;
        if compiled.types != Types::OBJECT {
            return Err(error(&steps, "must have \"type\": \"object\""));
        }
        Ok(compiled)
    };
    let (input, output) = (one("Input")?, one("Output")?);
    if input.additional {
        let steps = ["definitions".to_owned(), "Input".to_owned()];
        return Err(error(&steps, "must have \"additionalProperties\": false"));
    }
    Ok(Schemas { input, output })
}

pub(super) fn schema(source: &Value, steps: &mut Vec<String>) -> Result<Schema, SchemaError> {
    if steps.len() > NESTING_MAX {
        return Err(error(steps, format!("nested deeper than {NESTING_MAX} levels")));
    }
    let map = object(source, steps)?;
    for key in map.keys() {
        if !KEYWORDS.contains(&key.as_str()) {
            let near = metnos_vocab::nearest(key, KEYWORDS);
            let hint = near.map(|near| format!("; nearest: {near:?}")).unwrap_or_default();
            return Err(error(
                steps,
                format!("{:?} is not a keyword of the subset{hint}", super::shown(key)),
            ));
        }
    }
    let mut compiled = Schema { source: source.clone(), ..Schema::anything() };
    if let Some(value) = map.get("type") {
        compiled.types = types(value, steps)?;
    }
    properties(&mut compiled, map, steps)?;
    if let Some(value) = map.get("items") {
        compiled.items = Some(Box::new(below("items", steps, |steps| schema(value, steps))?));
    }
    if let Some(value) = map.get("anyOf") {
        compiled.any_of = below("anyOf", steps, |steps| alternatives(value, steps))?;
    }
    if let Some(value) = map.get("enum") {
        match value.as_array() {
            Some(choices) if !choices.is_empty() => compiled.choices = Some(choices.clone()),
            _ => return Err(error(steps, "enum must be a list that is not empty")),
        }
    }
    bounds(&mut compiled, map, steps)?;
    match map.get("format") {
        None => {}
        Some(Value::String(format)) if format == "path" => {
            if !compiled.types.has(Types::STRING) {
                return Err(error(steps, "\"format\": \"path\" stands on strings only"));
            }
            compiled.path = true;
        }
        Some(_) => return Err(error(steps, "the only format is \"path\"")),
    }
    compiled.secret = flag(map, "secret", steps)?.unwrap_or(false);
    if map.get("description").is_some_and(|d| !d.is_string()) {
        return Err(error(steps, "description must be a string"));
    }
    if let Some(default) = map.get("default") {
        compiled.check(default).map_err(|violation| error(steps, format!("default: {violation}")))?;
        compiled.default = Some(default.clone());
    }
    let inner = compiled.properties.iter().map(|(_, s)| s).chain(compiled.items.as_deref());
    compiled.defaults_below = inner.into_iter().any(|s| s.default.is_some() || s.defaults_below);
    Ok(compiled)
}

impl Schema {
    fn anything() -> Self {
        Self {
            source: Value::Object(Map::new()),
            types: Types::ANY,
            properties: Vec::new(),
            required: Vec::new(),
            additional: true,
            items: None,
            choices: None,
            minimum: None,
            maximum: None,
            min_length: 0,
            max_length: u64::MAX,
            min_items: 0,
            max_items: u64::MAX,
            default: None,
            any_of: Vec::new(),
            path: false,
            secret: false,
            defaults_below: false,
        }
    }
}

fn types(value: &Value, steps: &[String]) -> Result<Types, SchemaError> {
    let one = |name: &Value| {
        let text = name.as_str().unwrap_or_default();
        let found = Types::NAMES.iter().find(|(known, _)| *known == text);
        found.map(|(_, types)| *types).ok_or_else(|| {
            let names = Types::NAMES.map(|(name, _)| name);
            let near = metnos_vocab::nearest(text, names).map(|n| format!("; nearest: {n:?}"));
            error(steps, format!("{name} is not a type{}", near.unwrap_or_default()))
        })
    };
    match value {
        Value::Array(names) if !names.is_empty() => {
            names.iter().try_fold(Types::NONE, |all, name| Ok(all.with(one(name)?)))
        }
        Value::String(_) => one(value),
        _ => Err(error(steps, "type must be a name or a list of names")),
    }
}

fn properties(
    compiled: &mut Schema,
    map: &Map<String, Value>,
    steps: &mut Vec<String>,
) -> Result<(), SchemaError> {
    if let Some(value) = map.get("properties") {
        compiled.properties = below("properties", steps, |steps| {
            let mut all = Vec::new();
            for (name, source) in object(value, steps)? {
                all.push((name.clone(), below(name, steps, |steps| schema(source, steps))?));
            }
            all.sort_by(|(a, _), (b, _)| a.cmp(b));
            Ok(all)
        })?;
    }
    if let Some(value) = map.get("required") {
        let names = value.as_array().ok_or_else(|| error(steps, "required must be a list of names"))?;
        for name in names {
            let position = name.as_str().and_then(|name| compiled.position(name));
            let position = position.ok_or_else(|| {
                error(steps, format!("required names {name}, which is not among the properties"))
            })?;
            compiled.required.push(position);
        }
    }
    compiled.additional = flag(map, "additionalProperties", steps)?.unwrap_or(true);
    Ok(())
}

fn alternatives(value: &Value, steps: &mut Vec<String>) -> Result<Vec<Schema>, SchemaError> {
    let branches = value.as_array().filter(|b| !b.is_empty());
    let branches = branches.ok_or_else(|| error(steps, "anyOf must be a list that is not empty"))?;
    let one = |(i, source): (usize, &Value)| below(&i.to_string(), steps, |steps| schema(source, steps));
    branches.iter().enumerate().map(one).collect()
}

fn bounds(compiled: &mut Schema, map: &Map<String, Value>, steps: &[String]) -> Result<(), SchemaError> {
    let number = |key: &str| match map.get(key) {
        None => Ok(None),
        Some(Value::Number(n)) => Ok(Some(Num::of(n))),
        Some(_) => Err(error(steps, format!("{key} must be a number"))),
    };
    compiled.minimum = number("minimum")?;
    compiled.maximum = number("maximum")?;
    let count = |key: &str, absent: u64| match map.get(key) {
        None => Ok(absent),
        Some(n) => n.as_u64().ok_or_else(|| error(steps, format!("{key} must be a whole number from 0"))),
    };
    compiled.min_length = count("minLength", 0)?;
    compiled.max_length = count("maxLength", u64::MAX)?;
    compiled.min_items = count("minItems", 0)?;
    compiled.max_items = count("maxItems", u64::MAX)?;
    if compiled.min_length > compiled.max_length || compiled.min_items > compiled.max_items {
        return Err(error(steps, "the minimum is above the maximum"));
    }
    Ok(())
}

fn flag(map: &Map<String, Value>, key: &str, steps: &[String]) -> Result<Option<bool>, SchemaError> {
    match map.get(key) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(error(steps, format!("{key} must be true or false"))),
    }
}

fn known_keys(map: &Map<String, Value>, known: &[&str], steps: &[String]) -> Result<(), SchemaError> {
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(error(
            steps,
            format!("{:?} does not belong here; expected {}", super::shown(key), known.join(", ")),
        )),
    }
}

fn object<'v>(value: &'v Value, steps: &[String]) -> Result<&'v Map<String, Value>, SchemaError> {
    let found = super::leaf::type_name(value);
    value.as_object().ok_or_else(|| error(steps, format!("expected object, found {found}")))
}

fn below<T>(
    step: &str,
    steps: &mut Vec<String>,
    f: impl FnOnce(&mut Vec<String>) -> Result<T, SchemaError>,
) -> Result<T, SchemaError> {
    steps.push(step.to_owned());
    let result = f(steps);
    steps.pop();
    result
}

fn error(steps: &[String], message: impl Into<String>) -> SchemaError {
    let escaped: Vec<String> =
        steps.iter().map(|s| super::shown(s).replace('~', "~0").replace('/', "~1")).collect();
    SchemaError { pointer: escaped.join("/"), message: message.into() }
}
