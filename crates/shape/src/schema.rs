//! A shape as a JSON schema, for servers that take no grammar.

use crate::Shape;
use serde_json::{Map, Value, json};

pub(crate) fn schema(shape: &Shape) -> Value {
    match shape {
        Shape::Text(most) => json!({ "type": "string", "maxLength": most }),
        Shape::Moment => json!({
            "type": "string",
            "pattern": "^[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](Z|[+-][0-2][0-9]:[0-5][0-9]))?$",
        }),
        Shape::Choice(words) => json!({ "type": "string", "enum": words }),
        Shape::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::List(of, least, most) => {
            json!({ "type": "array", "items": schema(of), "minItems": least, "maxItems": most })
        }
        Shape::Record(fields) => {
            let properties: Map<String, Value> =
                fields.iter().map(|field| (field.name.clone(), schema(&field.shape))).collect();
            let required: Vec<&str> =
                fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
            json!({
                "type": "object", "properties": properties, "required": required,
                "additionalProperties": false,
            })
        }
        Shape::OneOf(shapes) => json!({ "anyOf": shapes.iter().map(schema).collect::<Vec<_>>() }),
    }
}
