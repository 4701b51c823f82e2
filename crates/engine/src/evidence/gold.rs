//! What a plan that a person wrote says about slots: the values by role, and what is left out.

use super::slot::{Slot, first_of};
use crate::catalog::{Catalog, Role};
use crate::plan::Step;
use serde_json::Value;

/// A value that a plan gives to a role.
#[derive(Clone, Debug)]
pub struct Given {
    /// The slot it stands in.
    pub slot: Slot,
    /// Its own role: one of the two that a range has.
    pub role: Role,
    /// The value; of a list one element.
    pub value: Value,
}

/// Every value of a plan.
pub fn given(steps: &[Step], catalog: &Catalog) -> Vec<Given> {
    let mut out = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Some(tool) = catalog.get(&step.tool) else { continue };
        let records = tool.args.iter().filter(|arg| arg.role == Some(Role::Messages));
        let inner = records.filter_map(|arg| Some((arg, step.args.get(&arg.name)?.get(0)?.as_object()?)));
        let inner: Vec<_> =
            inner.flat_map(|(arg, record)| arg.inside.iter().map(move |a| (a, record))).collect();
        for (arg, args) in tool.args.iter().map(|arg| (arg, &step.args)).chain(inner) {
            let (Some(role), Some(value)) = (arg.role, args.get(&arg.name)) else { continue };
            add(&mut out, role, value, false);
        }
        if let Some(index) = step.args.get("index") {
            add(&mut out, Role::Index, index, false);
        }
        let text = |name: &str| step.args.get(name).and_then(Value::as_str);
        if let Some(field) = text("where_field") {
            let before: Vec<_> = steps[..at].iter().filter_map(|step| catalog.get(&step.tool)).collect();
            let table = before.iter().any(|tool| tool.open);
            if !table {
                narrowing(&mut out, field, step);
            }
        }
    }
    out
}

fn add(out: &mut Vec<Given>, role: Role, value: &Value, not: bool) {
    let slot = Slot { role: first_of(role), not };
    match value {
        Value::Array(items) => {
            out.extend(items.iter().map(|item| Given { slot, role, value: item.clone() }));
        }
        one => out.push(Given { slot, role, value: one.clone() }),
    }
}

/// A condition on a known field, as the slot that would have said it.
fn narrowing(out: &mut Vec<Given>, field: &str, step: &Step) {
    let not = step.args.get("negate") == Some(&Value::Bool(true));
    let get = |name: &str| step.args.get(name);
    match field {
        "kind" => {
            for value in [get("where_value"), get("where_in")].into_iter().flatten() {
                add(out, Role::Kind, value, not);
            }
        }
        "ext" => {
            let values = [get("where_value"), get("where_in")].into_iter().flatten();
            for value in values.flat_map(|v| v.as_array().cloned().unwrap_or_else(|| vec![v.clone()])) {
                if let Some(ending) = value.as_str() {
                    add(out, Role::Patterns, &Value::from(format!("*.{ending}")), not);
                }
            }
        }
        "name" => {
            let patterns =
                [("where_contains", "*", "*"), ("where_starts_with", "", "*"), ("where_value", "", "")];
            for (arg, before, after) in patterns {
                if let Some(name) = get(arg).and_then(Value::as_str) {
                    add(out, Role::Patterns, &Value::from(format!("{before}{name}{after}")), not);
                }
            }
        }
        "path" => {
            if let Some(place) = get("where_contains").and_then(Value::as_str) {
                add(out, Role::Place, &Value::from(format!("~/{place}")), not);
            }
        }
        "from" => {
            if let Some(name) = get("where_contains").or(get("where_value")) {
                add(out, Role::From, name, not);
            }
        }
        "size" => {
            for (arg, role) in [("where_min", Role::SizeMin), ("where_max", Role::SizeMax)] {
                if let Some(value) = get(arg) {
                    add(out, role, value, not);
                }
            }
        }
        "mtime" | "date" => {
            for (arg, role) in [("where_after", Role::After), ("where_before", Role::Before)] {
                if let Some(value) = get(arg) {
                    add(out, role, value, not);
                }
            }
        }
        _ => {}
    }
}

/// Whether the values of a mention are what a plan gives to its slot.
pub fn is_given(slot: Slot, values: &[(Role, Value)], given: &[Given]) -> bool {
    let mut any = false;
    for (role, value) in values {
        let mut of = given.iter().filter(|given| given.slot == slot && given.role == *role).peekable();
        if of.peek().is_none() {
            continue;
        }
        any = true;
        if !of.any(|given| same(&given.value, value)) {
            return false;
        }
    }
    any
}

/// Equal but for capitals and the slash at the end; a template is in the folder it makes.
fn same(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::String(want), Value::String(got)) => {
            let plain = |text: &str| text.trim_end_matches('/').to_lowercase();
            let instant = |text: &str| text.trim_start_matches("at:").parse::<jiff::Timestamp>().ok();
            if let (Some(a), Some(b)) = (instant(want), instant(got)) {
                return a == b;
            }
            let squeezed = |text: &str| text.replace(' ', "");
            plain(want) == plain(got)
                || got.starts_with('{') && want.contains(got.as_str())
                || squeezed(want) == squeezed(got)
                || want.contains("{name}") && want.replace("{name}", "") == *got
                || want.contains("{counter}") && want.split("{counter}").next() == Some(got.as_str())
        }
        (Value::Number(want), Value::Number(got)) => want.as_f64() == got.as_f64(),
        (Value::String(want), Value::Number(got)) => want.trim_start_matches('0') == got.to_string(),
        _ => want == got,
    }
}
