//! References between steps: `from_step`, `with_step`, `from_turn`, `index`, and `${stepN.field}`.

use crate::{Got, Source};
use serde_json::{Map, Value};

/// A step with its references resolved.
pub(crate) struct Resolved {
    pub(crate) args: Map<String, Value>,
    pub(crate) entries: Option<Source>,
    pub(crate) with: Option<Source>,
}

/// A reference that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) argument: String,
}

/// Resolves the arguments of a step against what earlier ones gave. An argument that refers to a value
/// nobody gave is left out; `required` says which may not be.
pub(crate) fn resolve(
    args: &Map<String, Value>,
    results: &[Got],
    required: &dyn Fn(&str) -> bool,
) -> Result<Resolved, Lost> {
    let mut out = Resolved { args: Map::new(), entries: None, with: None };
    let index = args.get("index").and_then(Value::as_i64);
    for (name, value) in args {
        let step = || value.as_u64().and_then(|n| usize::try_from(n).ok()).map(Source::Step);
        match name.as_str() {
            "from_step" => out.entries = step(),
            "with_step" => out.with = step(),
            "from_turn" => out.entries = Some(index.map_or(Source::Turn, Source::OneOfTurn)),
            "index" if args.contains_key("from_turn") => {}
            _ => match fill(value, results) {
                Some(value) => {
                    out.args.insert(name.clone(), value);
                }
                None if required(name) => return Err(Lost { argument: name.clone() }),
                None => {}
            },
        }
    }
    Ok(out)
}

/// A value with every `${stepN.field}` in it replaced; `None` when one leads nowhere.
pub(crate) fn fill(value: &Value, results: &[Got]) -> Option<Value> {
    match value {
        Value::String(text) => fill_text(text, results),
        Value::Array(items) => {
            items.iter().map(|item| fill(item, results)).collect::<Option<_>>().map(Value::Array)
        }
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| Some((key.clone(), fill(value, results)?)))
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object),
        other => Some(other.clone()),
    }
}

fn fill_text(text: &str, results: &[Got]) -> Option<Value> {
    // A reference that is the whole text keeps the type of what it refers to.
    if let Some(path) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && !path.contains('}')
    {
        return look(path, results);
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (path, after) = after.split_once('}')?;
        out.push_str(before);
        match look(path, results)? {
            Value::String(text) => out.push_str(&text),
            other => out.push_str(&other.to_string()),
        }
        rest = after;
    }
    out.push_str(rest);
    Some(Value::String(out))
}

/// `step2.ok_count`, `step1.metadata.timezone`.
fn look(path: &str, results: &[Got]) -> Option<Value> {
    let mut parts = path.split('.');
    let step: usize = parts.next()?.strip_prefix("step")?.parse().ok()?;
    let got = results.get(step.checked_sub(1)?)?;
    let first = parts.next()?;
    let mut value = match first {
        "ok_count" => Value::from(got.ok_count),
        "fail_count" => Value::from(got.fail_count),
        "count" => Value::from(got.count),
        field => got.fields.get(field)?.clone(),
    };
    for part in parts {
        value = value.get_mut(part)?.take();
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn results() -> Vec<Got> {
        let fields = json!({ "value": 7, "metadata": { "zone": "Europe/Rome" } });
        vec![Got { ok_count: 3, fields: fields.as_object().cloned().unwrap_or_default(), ..Got::default() }]
    }

    #[test]
    fn a_reference_keeps_its_type_alone_and_becomes_text_in_a_text() {
        assert_eq!(fill(&json!("${step1.value}"), &results()), Some(json!(7)));
        assert_eq!(fill(&json!("${step1.ok_count} of ${step1.value}"), &results()), Some(json!("3 of 7")));
        assert_eq!(fill(&json!(["${step1.metadata.zone}"]), &results()), Some(json!(["Europe/Rome"])));
        for lost in ["${step2.value}", "${step0.value}", "${step1.nothing}", "${nonsense}", "a ${step1.value"]
        {
            assert_eq!(fill(&json!(lost), &results()), None, "{lost}");
        }
    }

    #[test]
    fn a_lost_reference_drops_what_is_optional_and_stops_what_is_not() {
        let args = json!({ "from_step": 1, "limit": "${step9.value}" });
        let args = args.as_object().cloned().unwrap_or_default();
        let optional = resolve(&args, &results(), &|_| false);
        assert!(optional.is_ok_and(|step| step.args.is_empty() && step.entries == Some(Source::Step(1))));
        assert!(resolve(&args, &results(), &|name| name == "limit").is_err());
    }

    #[test]
    fn one_of_the_last_list_is_named_by_its_number() {
        let args = json!({ "from_turn": -1, "index": 2 });
        let step = resolve(&args.as_object().cloned().unwrap_or_default(), &[], &|_| true);
        assert!(step.is_ok_and(|step| step.entries == Some(Source::OneOfTurn(2)) && step.args.is_empty()));
    }
}
