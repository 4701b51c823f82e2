//! A shape from a JSON schema, for those who describe their answers that way.

use crate::shape::{Field, Shape};
use serde_json::Value;

/// How long a text or a list may be that says nothing about it.
const LETTERS: usize = 4000;
const ITEMS: usize = 64;

impl Shape {
    /// The shape a schema describes; `None` for what a shape cannot say.
    pub fn of_schema(schema: &Value) -> Option<Self> {
        let most = |key: &str, otherwise: usize| {
            schema[key].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(otherwise)
        };
        match schema["type"].as_str()? {
            "string" => match schema["enum"].as_array() {
                Some(words) => Some(Self::Choice(
                    words.iter().map(|w| w.as_str().map(str::to_owned)).collect::<Option<_>>()?,
                )),
                None => Some(Self::Text(most("maxLength", LETTERS))),
            },
            "integer" => Some(Self::Integer(
                schema["minimum"].as_i64().unwrap_or(i64::MIN),
                schema["maximum"].as_i64().unwrap_or(i64::MAX),
            )),
            "number" => Some(Self::Number),
            "boolean" => Some(Self::Bool),
            "array" => {
                let inner = Self::of_schema(&schema["items"])?;
                Some(Self::List(Box::new(inner), most("minItems", 0), most("maxItems", ITEMS)))
            }
            "object" => {
                let required = |name: &str| {
                    schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name))
                };
                let field = |(name, inner): (&String, &Value)| {
                    let shape = Self::of_schema(inner)?;
                    Some(Field { name: name.clone(), shape, required: required(name) })
                };
                Some(Self::Record(
                    schema["properties"].as_object()?.iter().map(field).collect::<Option<_>>()?,
                ))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_the_schema_fits_the_shape_and_nothing_else_does() {
        let shape = Shape::of_schema(&json!({
            "type": "object", "required": ["label"],
            "properties": {
                "label": { "type": "string", "enum": ["a", "b"] },
                "found": { "type": "array", "maxItems": 2, "items": { "type": "string", "maxLength": 3 } },
            },
        }))
        .unwrap();
        assert!(shape.check(&json!({ "label": "a", "found": ["x"] })).is_ok());
        for wrong in [json!({ "label": "c" }), json!({}), json!({ "label": "a", "found": ["long"] })] {
            assert!(shape.check(&wrong).is_err(), "{wrong}");
        }
        assert!(Shape::of_schema(&json!({ "anyOf": [] })).is_none());
    }
}
