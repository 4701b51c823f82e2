//! A label for an entry, from a model: one of the classes, or a short name where there are none.

use super::{Half, only, record, unfit};
use metnos_executor::Failure;
use serde_json::{Map, Value, json};

/// Letters of a label that a model makes up.
const LETTERS: usize = 40;
/// Words of it: a label is a name, not a sentence.
const WORDS: usize = 3;

const TASK: &str = "prompts/classify.txt";

pub(super) struct Classify {
    dimension: String,
    classes: Vec<String>,
}

impl Classify {
    pub(super) fn new(args: &Map<String, Value>) -> Self {
        let dimension =
            args.get("dimension").and_then(Value::as_str).unwrap_or_default().trim().to_lowercase();
        let classes = args.get("classes").and_then(Value::as_array);
        let classes = classes.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        Self { dimension, classes }
    }
}

impl Half for Classify {
    fn shape(&self) -> Value {
        let label = if self.classes.is_empty() {
            json!({"type": "string", "minLength": 1, "maxLength": LETTERS})
        } else {
            json!({"type": "string", "enum": self.classes})
        };
        record(json!({ "label": label }), &["label"])
    }

    fn task(&self, lang: &str) -> String {
        let classes = if self.classes.is_empty() { "-".to_owned() } else { self.classes.join(", ") };
        let dimension = if self.dimension.is_empty() { "-" } else { &self.dimension };
        metnos_tongue::text(lang, TASK).replace("{dimension}", dimension).replace("{classes}", &classes)
    }

    fn fit(&self, entry: &mut Map<String, Value>, answer: &Value, _text: &str) -> Result<(), Failure> {
        let label = only(answer, &["label"])?.get("label").and_then(Value::as_str).map(str::trim);
        let label = label.ok_or_else(|| unfit("there is no label"))?;
        let label = if self.classes.is_empty() {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-');
            let fits = (1..=LETTERS).contains(&label.chars().count())
                && label.split_whitespace().count() <= WORDS
                && label.chars().all(plain);
            if !fits {
                return Err(unfit("the label is no short name"));
            }
            label.to_lowercase()
        } else {
            let known = self.classes.iter().find(|class| class.eq_ignore_ascii_case(label));
            known.ok_or_else(|| unfit("the label is none of the classes"))?.clone()
        };
        if !self.dimension.is_empty() {
            entry.insert(self.dimension.clone(), label.clone().into());
        }
        entry.insert("label".into(), label.into());
        entry.insert("why".into(), json!(["model"]));
        Ok(())
    }
}
