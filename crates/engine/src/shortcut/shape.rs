//! A plan with holes in the places of the values of one request.

use super::Skeleton;
use super::value::hole;
use crate::plan::Plan;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Opens a hole inside a text.
pub(super) const TEXT: char = '\u{e000}';
/// Opens a hole that is a whole number.
pub(super) const NUMBER: char = '\u{e002}';
/// Closes a hole.
pub(super) const END: char = '\u{e001}';

/// What requests of one skeleton have as their plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The skeleton it belongs to.
    pub key: String,
    /// The plan; a hole is a number between two marks.
    pub plan: Plan,
}

impl Shape {
    /// The shape of a plan that was made with marks for values; nothing when a mark came out as something else.
    pub(super) fn of(key: String, marked: &Plan, holes: usize) -> Option<Self> {
        let mut plan = marked.clone();
        for value in plan.steps.iter_mut().flat_map(|step| step.args.values_mut()) {
            open(value, holes);
        }
        (plan.steps.len() <= 64).then_some(Self { key, plan })
    }

    /// The plan for the values of `skeleton`; nothing when it is another skeleton.
    pub fn fill(&self, skeleton: &Skeleton) -> Option<Plan> {
        if !skeleton.keys().contains(&self.key.as_str()) {
            return None;
        }
        let mut plan = self.plan.clone();
        for value in plan.steps.iter_mut().flat_map(|step| step.args.values_mut()) {
            close(value, &skeleton.values)?;
        }
        Some(plan)
    }

    /// The plan for the eye: holes as `⟨1⟩`.
    pub fn shown(&self) -> Plan {
        let mut plan = self.plan.clone();
        for value in plan.steps.iter_mut().flat_map(|step| step.args.values_mut()) {
            show(value);
        }
        plan
    }
}

fn inside<'v>(value: &'v mut Value, each: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| inside(item, each)),
        Value::Object(map) => map.values_mut().for_each(|item| inside(item, each)),
        leaf => each(leaf),
    }
}

fn open(value: &mut Value, holes: usize) {
    inside(value, &mut |leaf| {
        if let Some(hole) = hole(leaf, holes) {
            *leaf = Value::from(format!("{NUMBER}{hole}{END}"));
        }
    });
}

fn show(value: &mut Value) {
    inside(value, &mut |leaf| {
        if let Value::String(text) = leaf {
            *text = text.replace([TEXT, NUMBER], "⟨").replace(END, "⟩");
        }
    });
}

fn close(value: &mut Value, values: &[Value]) -> Option<()> {
    let mut whole = Some(());
    inside(value, &mut |leaf| {
        let Value::String(text) = &*leaf else { return };
        match filled(text, values) {
            Some(Some(value)) => *leaf = value,
            Some(None) => {}
            None => whole = None,
        }
    });
    whole
}

/// The text with its holes filled; `Some(None)` when it has none, `None` when one has no value.
fn filled(text: &str, values: &[Value]) -> Option<Option<Value>> {
    if let Some(hole) = text.strip_prefix(NUMBER).and_then(|rest| rest.strip_suffix(END)) {
        return Some(Some(values.get(hole.parse::<usize>().ok()?)?.clone()));
    }
    if !text.contains(TEXT) {
        return Some(None);
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(TEXT) {
        let (hole, after) = after.split_once(END)?;
        out.push_str(before);
        out.push_str(values.get(hole.parse::<usize>().ok()?)?.as_str()?);
        rest = after;
    }
    out.push_str(rest);
    Some(Some(out.into()))
}
