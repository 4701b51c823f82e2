//! A plan is checked before anything of it runs, whoever made it.

use crate::offer::{PICK, picked_from};
use metnos_engine::{Catalog, Plan};
use serde_json::Value;

/// Most steps of a turn.
const STEPS: usize = 12;
/// Most steps in a row by one executor.
const IN_A_ROW: usize = 3;

/// Why a plan may not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Invalid {
    #[error("a plan without steps")]
    Empty,
    #[error("{0} steps; a turn has at most {STEPS}")]
    TooLong(usize),
    #[error("step {step}: there is no executor {tool}")]
    Unknown { step: usize, tool: String },
    #[error("step {step}: {tool} has no argument {argument}")]
    Argument { step: usize, tool: String, argument: String },
    #[error("step {step}: {argument} must point to an earlier step")]
    Forward { step: usize, argument: String },
    #[error("step {step}: pick is \"one\", of the list of an earlier step")]
    Pick { step: usize },
    #[error("step {step}: {tool} more than {IN_A_ROW} times in a row")]
    Repeated { step: usize, tool: String },
}

/// Names that are references, not arguments of the executor.
const REFERENCES: [&str; 5] = ["from_step", "with_step", "from_turn", "index", PICK];

pub(crate) fn validate(plan: &Plan, catalog: &Catalog) -> Result<(), Invalid> {
    if plan.steps.is_empty() {
        return Err(Invalid::Empty);
    }
    if plan.steps.len() > STEPS {
        return Err(Invalid::TooLong(plan.steps.len()));
    }
    for (n, step) in plan.steps.iter().enumerate() {
        let (number, tool) = (n + 1, step.tool.clone());
        let Some(known) = catalog.get(&tool) else { return Err(Invalid::Unknown { step: number, tool }) };
        for (argument, value) in &step.args {
            let reference = REFERENCES.contains(&argument.as_str());
            if !reference && !known.args.iter().any(|arg| arg.name == *argument) {
                return Err(Invalid::Argument { step: number, tool, argument: argument.clone() });
            }
            if argument == PICK && picked_from(step).is_none() {
                return Err(Invalid::Pick { step: number });
            }
            let points = matches!(argument.as_str(), "from_step" | "with_step");
            let back = value.as_u64().is_some_and(|to| to >= 1 && to < number as u64);
            if (points && !back) || !refers_back(value, number) {
                return Err(Invalid::Forward { step: number, argument: argument.clone() });
            }
        }
        let before = plan.steps[..n].iter().rev().take_while(|earlier| earlier.tool == tool).count();
        if before >= IN_A_ROW {
            return Err(Invalid::Repeated { step: number, tool });
        }
    }
    Ok(())
}

/// Whether every `${stepN…}` in a value names a step before `number`.
fn refers_back(value: &Value, number: usize) -> bool {
    match value {
        Value::String(text) => text.match_indices("${step").all(|(at, found)| {
            let digits: String = text[at + found.len()..].chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<usize>().is_ok_and(|to| to >= 1 && to < number)
        }),
        Value::Array(items) => items.iter().all(|item| refers_back(item, number)),
        Value::Object(map) => map.values().all(|value| refers_back(value, number)),
        _ => true,
    }
}
