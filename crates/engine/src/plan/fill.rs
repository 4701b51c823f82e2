//! Values into arguments: each argument takes the value of its role, in its own type.

use super::Step;
use super::choose::stand_in;
use crate::catalog::{Arg, Role, Tool, Type};
use crate::parse::Frame;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A step of `tool` with every value of the frame it takes; the roles used are added to `used`.
pub(super) fn fill(tool: &Tool, frame: &Frame, used: &mut BTreeSet<Role>) -> Step {
    let mut args = Map::new();
    for arg in &tool.args {
        if let Some(value) = value(tool, arg, frame, used) {
            args.insert(arg.name.clone(), value);
        }
    }
    Step { tool: tool.name.as_str().to_owned(), args, dormant: tool.dormant.clone() }
}

fn value(tool: &Tool, arg: &Arg, frame: &Frame, used: &mut BTreeSet<Role>) -> Option<Value> {
    let role = arg.role?;
    if !arg.inside.is_empty() {
        let mut record = Map::new();
        for inner in &arg.inside {
            if let Some(value) = value(tool, inner, frame, used) {
                record.insert(inner.name.clone(), value);
            }
        }
        return (!record.is_empty()).then(|| json!([record]));
    }
    if role == Role::Window {
        let (from, to) = (frame.text(Role::After)?, frame.text(Role::Before)?);
        used.extend([Role::After, Role::Before]);
        return Some(Value::from(format!("{from}/{to}")));
    }
    let own =
        std::iter::once(role).chain(stand_in(tool, role).iter().copied()).find(|role| frame.has(*role))?;
    let value = typed(arg, frame.slots.get(&own)?)?;
    used.insert(own);
    Some(value)
}

/// The value in the type of the argument; nothing when it cannot be.
fn typed(arg: &Arg, value: &Value) -> Option<Value> {
    if !arg.choices.is_empty() {
        let text = value.as_str()?.to_lowercase();
        return arg.choices.iter().find(|choice| **choice == text).map(|choice| Value::from(choice.clone()));
    }
    match (arg.ty, value) {
        (Type::List, Value::Array(_)) => Some(value.clone()),
        (Type::List, one) => Some(json!([one])),
        (Type::Text, Value::Array(list)) => list.first().cloned(),
        (Type::Integer, Value::Number(_))
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_)) => Some(value.clone()),
        (Type::Text, Value::String(_)) | (Type::Mixed, _) => Some(value.clone()),
        _ => None,
    }
}

/// Whether a step has this argument, itself or in one of its records.
pub(super) fn given(step: &Step, name: &str) -> bool {
    let mut records = step.args.values().filter_map(Value::as_array).flatten();
    step.args.contains_key(name) || records.any(|record| record.get(name).is_some())
}

/// The first group of arguments of which none is there: the names to ask for.
pub(crate) fn lacking(tool: &Tool, step: &Step, piped: bool) -> Option<Vec<String>> {
    let group = tool.requires.iter().find(|group| {
        !group.iter().any(|name| {
            given(step, name)
                || piped
                    && tool.args.iter().any(|arg| arg.name == *name && matches!(arg.role, Some(Role::List)))
                || step.args.contains_key("with_step")
                    && tool.args.iter().any(|arg| arg.name == *name && matches!(arg.role, Some(Role::With)))
        })
    })?;
    let first = group
        .iter()
        .find(|name| tool.args.iter().all(|arg| arg.name != **name || arg.role != Some(Role::List)));
    Some(vec![first.or(group.first())?.clone()])
}
