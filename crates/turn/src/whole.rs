//! A list that other steps work on is asked for whole: a cap is for the eye, and the largest of a part is not the largest.

use metnos_engine::Plan;
use metnos_engine::catalog::{Role, Tool};
use serde_json::{Map, Value};

/// Lifts the cap of step `number` when another step works on its list and the plan says no cap.
pub(crate) fn lift(plan: &Plan, number: usize, tool: &Tool, args: &mut Map<String, Value>) {
    let feeds = |step: &metnos_engine::Step| {
        ["from_step", "with_step"]
            .iter()
            .any(|key| step.args.get(*key).and_then(Value::as_u64) == Some(number as u64))
    };
    if let Some(cap) = tool.arg(Role::AtMost)
        && !args.contains_key(&cap.name)
        && plan.steps.iter().skip(number).any(feeds)
    {
        args.insert(cap.name.clone(), 0.into());
    }
}
