//! What a person types at the prompt, turned into arguments: JSON, or `name=value` pairs typed by
//! the executor's own schema.

use metnos_executor::Failure;
use serde_json::{Map, Value};

/// Arguments from the rest of a prompt line. `properties` is the schema's `Input` properties.
pub(crate) fn arguments(text: &str, properties: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Map::new());
    }
    if text.starts_with('{') {
        return metnos_runtime::input::parse_args(text.as_bytes());
    }
    let mut args = Map::new();
    for word in words(text)? {
        let Some((key, value)) = word.split_once('=') else {
            return Err(
                Failure::wrong_args(format!("{word}: expected name=value")).with_hint(known(properties))
            );
        };
        let Some(schema) = properties.get(key) else {
            return Err(Failure::wrong_args(format!("no argument called {key}")).with_hint(known(properties)));
        };
        args.insert(key.to_owned(), typed(value, schema));
    }
    Ok(args)
}

fn known(properties: &Map<String, Value>) -> String {
    format!("arguments: {}", properties.keys().cloned().collect::<Vec<_>>().join(", "))
}

/// The value as the schema wants it; what cannot be converted stays text and the schema says why.
fn typed(value: &str, schema: &Value) -> Value {
    let is = |name: &str| match schema.get("type") {
        Some(Value::String(kind)) => kind == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|k| k == name),
        _ => false,
    };
    if is("array") {
        let items = schema.get("items").cloned().unwrap_or_default();
        return Value::Array(value.split(',').map(|part| typed(part.trim(), &items)).collect());
    }
    if is("boolean") {
        match value {
            "true" | "yes" | "sì" | "si" => return Value::Bool(true),
            "false" | "no" => return Value::Bool(false),
            _ => {}
        }
    }
    if (is("integer") || is("number"))
        && let Ok(number @ Value::Number(_)) = serde_json::from_str(value)
    {
        return number;
    }
    Value::String(value.to_owned())
}

/// Splits at spaces, keeping quoted parts together.
fn words(text: &str) -> Result<Vec<String>, Failure> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in text.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    if quote.is_some() {
        return Err(Failure::wrong_args("a quote is not closed"));
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn parse(text: &str) -> Value {
        let properties = json!({ "patterns": { "type": "array", "items": { "type": "string" } },
            "max_results": { "type": "integer" }, "hidden": { "type": "boolean" }, "base_path": { "type": "string" } });
        let Value::Object(properties) = properties else { return Value::Null };
        Value::Object(arguments(text, &properties).unwrap())
    }

    #[test]
    fn pairs_are_typed_by_the_schema() {
        assert_eq!(
            parse(r#"patterns=*.pdf,*.txt max_results=5 hidden=yes base_path="~/My Files""#),
            json!({ "patterns": ["*.pdf", "*.txt"], "max_results": 5, "hidden": true, "base_path": "~/My Files" })
        );
    }

    #[test]
    fn json_is_taken_as_it_is() {
        assert_eq!(parse(r#"{"max_results": 1}"#), json!({ "max_results": 1 }));
    }
}
