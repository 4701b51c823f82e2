//! Values out of the text of an entry, from a model. What does not stand in the text was not found there.

use super::{Half, only, record, unfit};
use metnos_executor::Failure;
use serde_json::{Map, Value, json};

/// Values of one field.
const VALUES: usize = 20;
/// Letters of a value.
const LETTERS: usize = 200;

const TASK: &str = "prompts/extract.txt";

pub(super) struct Extract {
    fields: Vec<String>,
}

impl Extract {
    pub(super) fn new(args: &Map<String, Value>) -> Self {
        let fields = args.get("fields").and_then(Value::as_array);
        let fields = fields.into_iter().flatten().filter_map(Value::as_str);
        Self { fields: fields.map(|field| field.trim().to_lowercase()).collect() }
    }
}

impl Half for Extract {
    fn shape(&self) -> Value {
        let values =
            json!({"type": "array", "maxItems": VALUES, "items": {"type": "string", "maxLength": LETTERS}});
        let fields: Map<String, Value> = self.fields.iter().map(|f| (f.clone(), values.clone())).collect();
        let names: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        record(fields.into(), &names)
    }

    fn task(&self, lang: &str) -> String {
        metnos_tongue::text(lang, TASK).replace("{fields}", &self.fields.join(", "))
    }

    fn fit(&self, entry: &mut Map<String, Value>, answer: &Value, text: &str) -> Result<(), Failure> {
        let names: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        let answer = only(answer, &names)?;
        let mut places = Vec::new();
        let mut values: Vec<(&String, Vec<Value>)> = Vec::new();
        for field in &self.fields {
            let Some(Value::Array(said)) = answer.get(field) else {
                return Err(unfit(format!("no {field}")));
            };
            let mut kept = Vec::new();
            for value in said.iter().take(VALUES) {
                let Some(value) = value.as_str().map(str::trim) else { return Err(unfit("not a text")) };
                let fits = !value.is_empty() && value.chars().count() <= LETTERS;
                if let Some(at) = text.find(value).filter(|_| fits) {
                    let line = text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
                    places.push(json!({"field": field, "value": value, "line": line, "at": at}));
                    kept.push(Value::from(value));
                }
            }
            values.push((field, kept));
        }
        for (field, kept) in values {
            if let Some(old) = entry.insert(field.clone(), kept.first().cloned().unwrap_or_default()) {
                entry.insert(format!("original_{field}"), old);
            }
            entry.insert(format!("{field}s"), kept.into());
        }
        entry.insert("found".into(), places.into());
        Ok(())
    }
}
