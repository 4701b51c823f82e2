//! A file that is named without a folder is looked for: the plan finds it by its name, and the run settles which is meant.

use super::{Plan, Step};
use crate::catalog::{Catalog, Role};
use serde_json::{Value, json};

/// References to earlier steps.
const REFERENCES: [&str; 2] = ["from_step", "with_step"];

/// The plan with files that are only named looked for. `text` is the request as it was written.
pub(super) fn looked_for(mut plan: Plan, text: &str, catalog: &Catalog) -> Plan {
    let mut at = 0;
    while at < plan.steps.len() {
        if let Some((find, step)) = found_first(&plan.steps, at, text, catalog) {
            for later in &mut plan.steps[at..] {
                shift(later, at);
            }
            plan.steps[at] = step;
            plan.steps.insert(at, find);
            at += 1;
        }
        at += 1;
    }
    plan
}

/// The step that looks for the file of another step, and that step working on what was found.
fn found_first(steps: &[Step], at: usize, text: &str, catalog: &Catalog) -> Option<(Step, Step)> {
    let step = &steps[at];
    let tool = catalog.get(&step.tool).filter(|tool| tool.takes(Role::List))?;
    let arg = tool.arg(Role::Paths)?;
    let [path] = step.args.get(&arg.name)?.as_array()?.as_slice() else { return None };
    let name = path.as_str()?.strip_prefix("~/").filter(|name| is_bare(name, text))?;
    let made = |step: &Step| step.args.values().any(|value| value == path);
    if steps[..at].iter().any(made) || step.args.contains_key(REFERENCES[0]) {
        return None;
    }
    let find = catalog.source("files")?;
    let (place, patterns) = (find.arg(Role::Place)?, find.arg(Role::Patterns)?);
    let mut args = serde_json::Map::new();
    args.insert(place.name.clone(), json!("~"));
    args.insert(patterns.name.clone(), json!([name]));
    let find = Step { tool: find.name.as_str().to_owned(), args, dormant: None };
    let mut step = step.clone();
    step.args.remove(&arg.name);
    step.args.insert(REFERENCES[0].to_owned(), json!(at + 1));
    step.args.insert("pick".to_owned(), json!("one"));
    Some((find, step))
}

/// Whether the request names a file and no folder of it.
fn is_bare(name: &str, text: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let whole = name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty());
    let before = |at: usize| text[..at].chars().next_back().unwrap_or(' ');
    whole
        && !name.contains(['/', '*', '{'])
        && text.match_indices(&name).next().is_some_and(|(at, _)| before(at) != '/')
}

/// References to steps from `at` on point one further.
fn shift(step: &mut Step, at: usize) {
    for name in REFERENCES {
        let Some(Value::Number(of)) = step.args.get(name) else { continue };
        if let Some(of) = of.as_u64().filter(|of| *of > at as u64) {
            step.args.insert(name.to_owned(), json!(of + 1));
        }
    }
}
