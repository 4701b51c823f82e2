//! The rules by which a plan is compared with the expected one: lists without order, text without case, paths with
//! it, dates as instants, trailing presentation ignored. Written down in `tests/data/README.md`.

use serde_json::Value;

const UNASKED: [&str; 2] = ["render_entries", "describe_entries"];
const PATHS: [&str; 7] = ["base_path", "path", "paths", "dst", "dst_dir", "patterns", "query"];

/// Why an answer is not the expected one; `None` when it is.
pub(crate) fn judge(expect: &Value, answer: &Value) -> Option<String> {
    let (want, got) = (expect["kind"].as_str()?, answer["kind"].as_str().unwrap_or_default());
    if want != got {
        return Some(format!("kind {got}, expected {want}"));
    }
    if got == "ask" {
        let list = |v: &Value| match v {
            Value::Array(a) => a.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let (asked, wanted) = (list(&answer["missing"]), list(&expect["missing"]));
        return (!wanted.is_empty() && !asked.iter().any(|a| wanted.contains(a)))
            .then(|| format!("asked for {asked:?}"));
    }
    if got != "plan" {
        return None;
    }
    let steps = answer["plan"]["steps"].as_array().cloned().unwrap_or_default();
    let mut alternatives: Vec<&Value> =
        expect["any_of"].as_array().map(|a| a.iter().collect()).unwrap_or_default();
    if expect["tools"].is_array() {
        alternatives.insert(0, expect);
    }
    let mut why = None;
    for alternative in alternatives {
        match compare(alternative, &steps) {
            None => return None,
            reason => why = why.or(reason),
        }
    }
    why
}

fn compare(want: &Value, steps: &[Value]) -> Option<String> {
    let tools = want["tools"].as_array()?;
    let mut steps = steps.to_vec();
    while steps.len() > tools.len()
        && steps.last().and_then(|s| s["tool"].as_str()).is_some_and(|t| UNASKED.contains(&t))
    {
        steps.pop();
    }
    let got: Vec<&Value> = steps.iter().map(|s| &s["tool"]).collect();
    if got != tools.iter().collect::<Vec<_>>() {
        return Some(format!("tools {got:?}"));
    }
    for (i, (args, step)) in want["args"].as_array()?.iter().zip(&steps).enumerate() {
        for (name, value) in args.as_object()? {
            if !same(value, &step["args"][name], name) {
                return Some(format!("step {}: {name}={} expected {value}", i + 1, step["args"][name]));
            }
        }
        for name in want["absent"][i].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let got = &step["args"][name];
            if !(got.is_null() || *got == 0 || *got == "" || got.as_array().is_some_and(Vec::is_empty)) {
                return Some(format!("step {}: {name}={got}, expected none", i + 1));
            }
        }
    }
    None
}

fn same(want: &Value, got: &Value, name: &str) -> bool {
    match want {
        Value::Bool(_) => want == got,
        Value::Number(n) => got.as_f64().is_some() && got.as_f64() == n.as_f64(),
        Value::String(text) => {
            let got = match got {
                Value::Array(list) if list.len() == 1 => &list[0],
                other => other,
            };
            got.as_str().is_some_and(|got| same_text(text.trim(), got.trim(), name))
        }
        Value::Array(list) => {
            let mut left = got.as_array().cloned().unwrap_or_else(|| vec![got.clone()]);
            list.len() == left.len()
                && list.iter().all(|want| {
                    left.iter().position(|got| same(want, got, name)).map(|at| left.remove(at)).is_some()
                })
        }
        Value::Object(map) => {
            map.iter().all(|(key, value)| got.get(key).is_some_and(|got| same(value, got, key)))
        }
        Value::Null => got.is_null(),
    }
}

fn same_text(want: &str, got: &str, name: &str) -> bool {
    if let (Some(a), Some(b)) = (instant(want), instant(got)) {
        return a == b;
    }
    let trim =
        |text: &str| if text.len() > 1 { text.trim_end_matches('/').to_owned() } else { text.to_owned() };
    let (mut want, mut got) = (trim(want), trim(got));
    if name == "expression" {
        (want, got) = (want.replace(' ', ""), got.replace(' ', ""));
    }
    if !PATHS.contains(&name) {
        (want, got) = (want.to_lowercase(), got.to_lowercase());
    }
    want == got
}

/// A date or date-time: whether it is a moment of a task, and which.
fn instant(text: &str) -> Option<(bool, String)> {
    let at = text.starts_with("at:");
    let bare = text.trim_start_matches("at:");
    if let Ok(stamp) = bare.parse::<jiff::Timestamp>() {
        return Some((at, stamp.to_string()));
    }
    let date: jiff::civil::Date = (bare.len() == 10).then(|| bare.parse().ok()).flatten()?;
    Some((at, date.to_string()))
}
