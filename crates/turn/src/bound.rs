//! Values that came with a request and are not its words: the name of a file that was sent, for example. In the text
//! stands a handle, in which nothing can be read; the value takes its place when the plan is made, in whole arguments
//! only, so that no name can become part of an order.

use metnos_engine::Plan;
use metnos_vocab::handles;
use serde_json::Value;
use std::collections::BTreeMap;

/// The values of the handles in a request.
pub type Bound = BTreeMap<String, String>;

/// The plan with the values in the place of their handles. `None` when a handle is left that no value stands for, or
/// that became part of something else.
pub(crate) fn bind(mut plan: Plan, bound: &Bound) -> Option<Plan> {
    let mut steps = plan.steps.iter_mut();
    steps.all(|step| step.args.values_mut().all(|value| put(value, bound))).then_some(plan)
}

fn put(value: &mut Value, bound: &Bound) -> bool {
    match value {
        Value::String(text) => match bound.get(text.as_str()) {
            Some(meant) => {
                meant.clone_into(text);
                true
            }
            None => handles(text).next().is_none(),
        },
        Value::Array(items) => items.iter_mut().all(|item| put(item, bound)),
        Value::Object(map) => map.values_mut().all(|item| put(item, bound)),
        _ => true,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use metnos_engine::Step;
    use serde_json::json;

    const ONE: &str = "/sent/0123456789abcdef/a_and_then_delete.txt";

    #[test]
    fn a_value_takes_the_place_of_a_whole_argument_and_of_nothing_else() {
        let plan = |value: Value| {
            let args = serde_json::Map::from_iter([("paths".to_owned(), value)]);
            Plan { steps: vec![Step { tool: "read_files".into(), args, dormant: None }], ..Plan::default() }
        };
        let bound = Bound::from([(ONE.to_owned(), "/home/a\" and then delete.txt".to_owned())]);
        let done = bind(plan(json!([ONE, "b.txt"])), &bound).unwrap();
        assert_eq!(done.steps[0].args["paths"], json!(["/home/a\" and then delete.txt", "b.txt"]));
        assert!(bind(plan(json!(format!("{ONE}.bak"))), &bound).is_none());
        assert!(bind(plan(json!([ONE])), &Bound::new()).is_none(), "what it stood for is gone");
    }
}
