//! References between steps: `from_step`, `with_step`, `from_turn`, `index`, and `${stepN.field}`; and texts
//! that somebody has to compose: `${FILLER:what}`.

use crate::offer::PICK;
use crate::{Got, Source};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const FILLER: &str = "${FILLER:";
/// What is counted, not read.
const COUNTS: [&str; 3] = ["ok_count", "fail_count", "count"];

/// A step with its references resolved.
pub(crate) struct Resolved {
    pub(crate) args: Map<String, Value>,
    pub(crate) entries: Option<Source>,
    pub(crate) with: Option<Source>,
    /// Arguments whose value an earlier step answered; counts of its items are not such.
    pub(crate) derived: Vec<String>,
}

/// What references refer to.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// What the steps before gave.
    pub(crate) results: &'a [Got],
    /// The texts that were composed, by what was wanted.
    pub(crate) composed: &'a BTreeMap<String, String>,
    /// What was chosen of the lists of which one thing is meant, by their step.
    pub(crate) picks: &'a BTreeMap<usize, u64>,
}

/// A text that was not composed yet, if a step needs one.
pub(crate) fn uncomposed(args: &Map<String, Value>, known: Known<'_>) -> Option<String> {
    fn first(value: &Value, known: Known<'_>) -> Option<String> {
        match value {
            Value::String(text) => text
                .split(FILLER)
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(what, _)| what.to_owned())
                .find(|what| !known.composed.contains_key(what)),
            Value::Array(items) => items.iter().find_map(|item| first(item, known)),
            Value::Object(map) => map.values().find_map(|value| first(value, known)),
            _ => None,
        }
    }
    args.values().find_map(|value| first(value, known))
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
    known: Known<'_>,
    required: &dyn Fn(&str) -> bool,
) -> Result<Resolved, Lost> {
    let mut out = Resolved { args: Map::new(), entries: None, with: None, derived: Vec::new() };
    let index = args.get("index").and_then(Value::as_i64);
    let picks = args.contains_key(PICK);
    for (name, value) in args {
        let step = || value.as_u64().and_then(|n| usize::try_from(n).ok()).map(Source::Step);
        match name.as_str() {
            "from_step" => {
                let chosen = value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|_| picks);
                let chosen = chosen.and_then(|n| known.picks.get(&n).map(|at| Source::OneOfStep(n, *at)));
                out.entries = chosen.or_else(step);
            }
            PICK => {}
            "with_step" => out.with = step(),
            "from_turn" => out.entries = Some(index.map_or(Source::Turn, Source::OneOfTurn)),
            "index" if args.contains_key("from_turn") => {}
            _ => match fill(value, known) {
                Some(filled) => {
                    if answers(value) {
                        out.derived.push(name.clone());
                    }
                    out.args.insert(name.clone(), filled);
                }
                None if required(name) => return Err(Lost { argument: name.clone() }),
                None => {}
            },
        }
    }
    Ok(out)
}

/// A value with every `${stepN.field}` in it replaced; `None` when one leads nowhere.
pub(crate) fn fill(value: &Value, known: Known<'_>) -> Option<Value> {
    match value {
        Value::String(text) => fill_text(text, known),
        Value::Array(items) => {
            items.iter().map(|item| fill(item, known)).collect::<Option<_>>().map(Value::Array)
        }
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| Some((key.clone(), fill(value, known)?)))
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object),
        other => Some(other.clone()),
    }
}

/// Whether a value holds a reference to what a step answered, other than how many items it handled.
fn answers(value: &Value) -> bool {
    let field = |path: &str| path.split('.').nth(1).is_some_and(|field| !COUNTS.contains(&field));
    match value {
        Value::String(text) => {
            text.split("${step").skip(1).any(|rest| rest.split('}').next().is_some_and(field))
        }
        Value::Array(items) => items.iter().any(answers),
        Value::Object(map) => map.values().any(answers),
        _ => false,
    }
}

fn fill_text(text: &str, known: Known<'_>) -> Option<Value> {
    // A reference that is the whole text keeps the type of what it refers to.
    if let Some(path) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && !path.contains('}')
    {
        return look(path, known);
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (path, after) = after.split_once('}')?;
        out.push_str(before);
        match look(path, known)? {
            Value::String(text) => out.push_str(&text),
            other => out.push_str(&other.to_string()),
        }
        rest = after;
    }
    out.push_str(rest);
    Some(Value::String(out))
}

/// `step2.ok_count`, `step1.metadata.timezone`, `FILLER:a note to Anna`.
fn look(path: &str, known: Known<'_>) -> Option<Value> {
    if let Some(what) = path.strip_prefix("FILLER:") {
        return known.composed.get(what).cloned().map(Value::String);
    }
    let mut parts = path.split('.');
    let step: usize = parts.next()?.strip_prefix("step")?.parse().ok()?;
    let got = known.results.get(step.checked_sub(1)?)?;
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

    static NOTHING: BTreeMap<String, String> = BTreeMap::new();
    static NO_PICKS: BTreeMap<usize, u64> = BTreeMap::new();

    fn known(results: &[Got]) -> Known<'_> {
        Known { results, composed: &NOTHING, picks: &NO_PICKS }
    }

    #[test]
    fn a_text_is_composed_once_and_put_in_its_place() {
        let args = json!({ "a": ["x ${FILLER:a note} y"], "b": "${FILLER:a note}" });
        let args = args.as_object().cloned().unwrap_or_default();
        assert_eq!(uncomposed(&args, known(&[])).as_deref(), Some("a note"));
        let composed = BTreeMap::from([("a note".to_owned(), "hello ${step1.value}".to_owned())]);
        let known = Known { results: &results(), composed: &composed, picks: &NO_PICKS };
        assert_eq!(uncomposed(&args, known), None);
        let filled = resolve(&args, known, &|_| true).map(|step| Value::Object(step.args));
        // What was composed is text, whatever it looks like.
        let wanted = json!({ "a": ["x hello ${step1.value} y"], "b": "hello ${step1.value}" });
        assert_eq!(filled, Ok(wanted));
    }

    fn results() -> Vec<Got> {
        let fields = json!({ "value": 7, "metadata": { "zone": "Europe/Rome" } });
        vec![Got { ok_count: 3, fields: fields.as_object().cloned().unwrap_or_default(), ..Got::default() }]
    }

    #[test]
    fn a_reference_keeps_its_type_alone_and_becomes_text_in_a_text() {
        assert_eq!(fill(&json!("${step1.value}"), known(&results())), Some(json!(7)));
        assert_eq!(
            fill(&json!("${step1.ok_count} of ${step1.value}"), known(&results())),
            Some(json!("3 of 7"))
        );
        assert_eq!(fill(&json!(["${step1.metadata.zone}"]), known(&results())), Some(json!(["Europe/Rome"])));
        for lost in ["${step2.value}", "${step0.value}", "${step1.nothing}", "${nonsense}", "a ${step1.value"]
        {
            assert_eq!(fill(&json!(lost), known(&results())), None, "{lost}");
        }
    }

    #[test]
    fn a_lost_reference_drops_what_is_optional_and_stops_what_is_not() {
        let args = json!({ "from_step": 1, "limit": "${step9.value}" });
        let args = args.as_object().cloned().unwrap_or_default();
        let optional = resolve(&args, known(&results()), &|_| false);
        assert!(optional.is_ok_and(|step| step.args.is_empty() && step.entries == Some(Source::Step(1))));
        assert!(resolve(&args, known(&results()), &|name| name == "limit").is_err());
    }

    #[test]
    fn what_a_step_answered_is_told_from_what_was_counted() {
        let args = json!({ "a": "${step1.value}", "b": ["${step1.ok_count}"], "c": ["x ${step1.metadata.zone}"], "d": 1 });
        let step = resolve(&args.as_object().cloned().unwrap_or_default(), known(&results()), &|_| true);
        assert_eq!(step.map(|step| step.derived), Ok(vec!["a".to_owned(), "c".to_owned()]));
    }

    #[test]
    fn one_thing_of_a_list_is_the_one_that_was_chosen_of_it() {
        let args = json!({ "from_step": 1, "pick": "one", "dst_dir": "x" });
        let args = args.as_object().cloned().unwrap_or_default();
        let whole = resolve(&args, known(&results()), &|_| true);
        assert!(whole.is_ok_and(|step| step.entries == Some(Source::Step(1)) && step.args.len() == 1));
        let picks = BTreeMap::from([(1, 3)]);
        let chosen = Known { picks: &picks, ..known(&[]) };
        let one = resolve(&args, chosen, &|_| true);
        assert!(one.is_ok_and(|step| step.entries == Some(Source::OneOfStep(1, 3))));
        let all = json!({ "from_step": 1 }).as_object().cloned().unwrap_or_default();
        let all = resolve(&all, chosen, &|_| true);
        assert!(all.is_ok_and(|step| step.entries == Some(Source::Step(1))), "others mean all of it");
    }

    #[test]
    fn one_of_the_last_list_is_named_by_its_number() {
        let args = json!({ "from_turn": -1, "index": 2 });
        let step = resolve(&args.as_object().cloned().unwrap_or_default(), known(&[]), &|_| true);
        assert!(step.is_ok_and(|step| step.entries == Some(Source::OneOfTurn(2)) && step.args.is_empty()));
    }
}
