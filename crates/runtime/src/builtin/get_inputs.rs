//! `get_inputs`: what the person was asked for, one entry a field. The turn asks, before the step; here each answer is
//! checked once more and handed on. A secret is refused: what is answered is written down.

use super::{Builtin, Plan, Report, Wish};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "get_inputs",
    schema: include_str!("get_inputs.json"),
    pattern: "get_inputs(fields=[{name:\"birthday\",kind:\"date\"}])",
    out: "entries=[{name,value}]",
    changes: false,
    needs: None,
    list: false,
    plan,
};

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Text,
    Secret,
    Number,
    Choice,
    Date,
    Path,
    YesNo,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    #[serde(default)]
    kind: Kind,
    #[serde(default)]
    options: Vec<String>,
}

fn parsed<T: serde::de::DeserializeOwned>(wish: &Wish<'_>, name: &str) -> Result<Vec<T>, Failure> {
    let given = wish.args.get(name).cloned().unwrap_or(Value::Array(Vec::new()));
    serde_json::from_value(given).map_err(|e| Failure::wrong_args(e.to_string()))
}

fn plan(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let fields: Vec<Field> = parsed(wish, "fields")?;
    if let Some(secret) = fields.iter().find(|field| matches!(field.kind, Kind::Secret)) {
        let text = runtime.say(wish.lang, "inputs_secret", &[("name", &secret.name)]);
        return Err(Failure::new(ErrorClass::PolicyViolation, text)
            .with_hint("set_credentials, or: metnos credentials set <name>"));
    }
    let values: Vec<String> = parsed(wish, "values")?;
    if values.len() != fields.len() {
        let text = runtime.say(wish.lang, "inputs_conversation", &[]);
        return Err(Failure::wrong_args(text).with_hint("metnos ask \"ask me for …\""));
    }
    let values = fields
        .iter()
        .zip(&values)
        .map(|(field, text)| value(runtime, wish, field, text))
        .collect::<Result<Vec<_>, _>>()?;
    let shown = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => runtime.say(wish.lang, if *yes { "inputs_yes" } else { "inputs_no" }, &[]),
        other => other.to_string(),
    };
    let line =
        |(field, value): (&Field, &Value)| format!("{}: {}", field.name.replace('_', " "), shown(value));
    let summary = fields.iter().zip(&values).map(line).collect::<Vec<_>>().join("; ");
    let names: Vec<String> = fields.into_iter().map(|field| field.name).collect();
    Ok(Plan::look("dialog:user", move |_| report(&names, &values, summary)))
}

fn report(names: &[String], values: &[Value], summary: String) -> Result<Report, Failure> {
    let pairs = || names.iter().zip(values);
    let entries: Vec<Value> = pairs()
        .map(|(name, value)| json!({ "name": name, "value": value, "_origin": Origin::User.as_str() }))
        .collect();
    let answers: Map<String, Value> = pairs().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut outcome = Outcome { ok_count: entries.len() as u64, ..Outcome::default() };
    outcome.fields.insert("answers".into(), Value::Object(answers));
    outcome.fields.insert("summary".into(), summary.into());
    Report::of(outcome, ListName::Entries, &entries)
}

/// An answer as what its field takes.
fn value(runtime: &Runtime, wish: &Wish<'_>, field: &Field, text: &str) -> Result<Value, Failure> {
    let wrong = || Failure::wrong_args(format!("{}: {text}", field.name));
    match field.kind {
        Kind::Text => Ok(text.into()),
        Kind::Secret => Err(wrong()),
        Kind::Number => match text.parse::<i64>() {
            Ok(whole) => Ok(whole.into()),
            Err(_) => {
                let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                number.map(Value::Number).ok_or_else(wrong)
            }
        },
        Kind::Choice => field.options.iter().find(|one| *one == text).map(|one| json!(one)).ok_or_else(wrong),
        Kind::Date => {
            text.parse::<jiff::civil::Date>().map(|day| day.to_string().into()).map_err(|_| wrong())
        }
        Kind::YesNo => text.parse::<bool>().map(Value::Bool).map_err(|_| wrong()),
        Kind::Path => {
            let path = runtime.named(wish.caller, Path::new(text), wish.base)?;
            Ok(path.to_str().ok_or_else(wrong)?.into())
        }
    }
}
