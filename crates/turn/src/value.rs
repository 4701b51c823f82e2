//! The one value that an answer is about, as it is said, and values put into sentences.

use crate::Got;
use crate::refer::{Known, fill};
use metnos_engine::Plan;
use serde_json::Value;
use std::collections::BTreeMap;

/// The value that a step which is an answer is all about, said as it is.
pub(crate) fn spoken(plan: &Plan, results: &[Got], step: usize, last: usize) -> Option<String> {
    let got = results.get(step.checked_sub(1)?)?;
    let value = value_of(got);
    if got.count > 0 && value.is_none() || total_of(got).is_some() {
        return None;
    }
    let planned = (step == last)
        .then(|| {
            fill(
                &Value::String(plan.final_message.clone()),
                Known { results, composed: &BTreeMap::new(), picks: &BTreeMap::new() },
            )
        })
        .flatten();
    let told = value.or(planned.as_ref())?;
    match told {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) if value.is_some() => {
            let bytes =
                plan.steps.get(step - 1).is_some_and(|step| step.args.get("field") == Some(&"size".into()));
            Some(number.as_f64().filter(|_| bytes).and_then(readable).unwrap_or_else(|| number.to_string()))
        }
        _ => None,
    }
}

/// `4.5 MB (4500000 B)`; nothing for what needs no other unit.
pub(crate) fn readable(bytes: f64) -> Option<String> {
    let units = ["kB", "MB", "GB", "TB", "PB"];
    let (mut short, mut unit) = (bytes / 1000.0, units.into_iter());
    let mut name = unit.next()?;
    while short >= 999.95 {
        (short, name) = (short / 1000.0, unit.next()?);
    }
    (short >= 1.0).then(|| format!("{short:.1} {name} ({bytes:.0} B)"))
}

/// The one value an answer is about, if it is about one.
pub(crate) fn value_of(got: &Got) -> Option<&Value> {
    // A picture is shown in letters where there are only letters.
    let named = ["plain", "text", "content", "value"].into_iter().find_map(|key| got.fields.get(key));
    named.filter(|_| got.count <= 1 && total_of(got).is_none())
}

/// The bytes and files that a list of sizes comes to: told beside the list, not in its place.
pub(crate) fn total_of(got: &Got) -> Option<(f64, u64)> {
    let files = got.fields.get("metadata")?.get("files")?.as_u64()?;
    Some((got.fields.get("value")?.as_f64()?, files))
}

pub(crate) fn put(template: &str, values: &[(&str, &str)]) -> String {
    let (mut out, mut rest) = (String::with_capacity(template.len()), template);
    // One pass, so that a value that looks like a slot stays what it is.
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((key, after)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match values.iter().find(|(name, _)| *name == key) {
            Some((_, value)) => out.push_str(value),
            None => {
                out.push('{');
                out.push_str(key);
                out.push('}');
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
