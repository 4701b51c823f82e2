//! An answer, read: checked against the pool, step by step, and the best plan of it.

use super::Draft;
use crate::Catalog;
use crate::catalog::{Role, Tool};
use crate::plan::{Maker, Plan, Step};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// How many of a list are meant: said of no value, so nothing of it can be made up.
pub(super) const PICK: &str = "pick";

/// What an answer says.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposed {
    /// Steps that may run, the best first; several where none of them is the better reading.
    Plans(Vec<Plan>),
    /// Nothing in the pool does it.
    Nothing,
}

pub(super) fn read(
    catalog: &Catalog,
    draft: &Draft,
    request: &str,
    answer: &str,
) -> Result<Proposed, String> {
    let value = draft.constraint.read(answer).map_err(|misfit| misfit.to_string())?;
    let plans = value["plans"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (mut found, mut wrong) = (Vec::new(), None);
    for plan in plans {
        match steps(catalog, plan) {
            Ok(steps) => found.push(steps),
            Err(why) => wrong = wrong.or(Some(why)),
        }
    }
    let Some(best) = found.iter().map(|steps| rank(steps, request)).min() else {
        return wrong.map_or(Ok(Proposed::Nothing), Err);
    };
    found.retain(|steps| rank(steps, request) == best);
    found.dedup();
    let plan = |steps| Plan { steps, source: Maker::Model, ..Plan::default() };
    Ok(Proposed::Plans(found.into_iter().map(plan).collect()))
}

/// Of several plans: what can run, what was said rather than made up, what is short. Two that are equal in this are two
/// readings, and whoever asked chooses.
fn rank(steps: &[Step], request: &str) -> (bool, usize, usize) {
    let asleep = steps.iter().any(|step| step.dormant.is_some());
    let request = request.to_lowercase();
    let mut values = Vec::new();
    let args = steps.iter().flat_map(|step| &step.args).filter(|(name, _)| *name != PICK);
    args.for_each(|(_, value)| texts(value, &mut values));
    let made_up = values.iter().filter(|value| !said(value, &request)).count();
    (asleep, made_up, steps.len())
}

/// The arguments of a step of which nothing was said. What is chosen from a closed list, a number or a
/// moment is not said in the same words, and is not counted.
pub fn made_up(tool: &Tool, args: &Map<String, Value>, request: &str) -> Vec<String> {
    let request = request.to_lowercase();
    let free = |name: &str| tool.args.iter().any(|arg| arg.name == name && arg.choices.is_empty());
    let stray = |value: &Value| {
        let mut all = Vec::new();
        texts(value, &mut all);
        let speaks = |text: &&str| text.contains(char::is_alphabetic) && !starts_a_date(text);
        let mut all = all.into_iter().filter(speaks).peekable();
        all.peek().is_some() && !all.any(|text| text.contains("${") || said(text, &request))
    };
    args.iter().filter(|(name, value)| free(name) && stray(value)).map(|(name, _)| name.clone()).collect()
}

/// `2026-11-15…`
fn starts_a_date(text: &str) -> bool {
    text.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

fn texts<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        _ => {}
    }
}

/// Whether any word of a value was said.
fn said(value: &str, request: &str) -> bool {
    let words = value.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).any(|word| request.contains(&word))
}

fn steps(catalog: &Catalog, plan: &Value) -> Result<Vec<Step>, String> {
    let mut out: Vec<Step> = Vec::new();
    // The fields each step gives, as far as they are known.
    let mut given: Vec<BTreeSet<String>> = Vec::new();
    for (n, step) in plan["steps"].as_array().into_iter().flatten().enumerate() {
        let name = step["tool"].as_str().unwrap_or_default();
        let tool = catalog.get(name).ok_or_else(|| format!("step {}: there is no {name}", n + 1))?;
        let args = without_defaults(tool, step["args"].as_object().cloned().unwrap_or_default());
        let fields = check(tool, &args, &given).map_err(|why| format!("step {}: {name}: {why}", n + 1))?;
        given.push(fields);
        out.push(Step { tool: name.to_owned(), args, dormant: tool.dormant.clone() });
    }
    Ok(out)
}

/// What says nothing is not said: a value that is there anyway, an empty text, an empty list.
fn without_defaults(tool: &Tool, args: Map<String, Value>) -> Map<String, Value> {
    let says = |name: &str, value: &Value| {
        let arg = tool.args.iter().find(|arg| arg.name == name);
        let default = arg.and_then(|arg| arg.default.as_ref()) == Some(value);
        let optional = arg.is_some_and(|arg| !arg.required);
        let place = arg.is_some_and(|arg| arg.role == Some(Role::Place));
        let empty = *value == "" || value.as_array().is_some_and(Vec::is_empty);
        !(optional && !place && (default || empty))
    };
    args.into_iter().filter(|(name, value)| says(name, value)).collect()
}

/// Whether a step can work on what comes before it; gives the fields it passes on.
fn check(
    tool: &Tool,
    args: &Map<String, Value>,
    given: &[BTreeSet<String>],
) -> Result<BTreeSet<String>, String> {
    let from = source(args, "from_step", given)?;
    source(args, "with_step", given)?;
    if args.contains_key("from_step") && args.contains_key("from_turn") {
        return Err("from_step and from_turn at once".to_owned());
    }
    let list = tool.arg(Role::List).map(|arg| arg.name.as_str());
    let with = tool.arg(Role::With).map(|arg| arg.name.as_str());
    let there = |name: &String| {
        let piped =
            Some(name.as_str()) == list && (args.contains_key("from_step") || args.contains_key("from_turn"));
        let second = Some(name.as_str()) == with && args.contains_key("with_step");
        piped || second || args.contains_key(name)
    };
    if let Some(group) = tool.requires.iter().find(|group| !group.iter().any(there)) {
        return Err(format!("{} is missing", group.join(" or ")));
    }
    if let Some(fields) = from.filter(|fields| !fields.is_empty()) {
        if !tool.needs.is_empty() && !tool.needs.iter().any(|need| fields.contains(need)) {
            return Err(format!("the list has no {}", tool.needs.join(" or ")));
        }
        for arg in &tool.args {
            let names_a_field = matches!(arg.role, Some(Role::SortBy | Role::WhereField | Role::Field));
            let value = args.get(&arg.name).and_then(Value::as_str).filter(|_| names_a_field);
            if let Some(value) = value.filter(|v| !fields.contains(*v)) {
                let known: Vec<&str> = fields.iter().map(String::as_str).collect();
                return Err(format!("the list has no {value}, only {}", known.join(", ")));
            }
        }
    }
    let own = tool.fields().map(str::to_owned);
    Ok(match (tool.keeps, from) {
        _ if tool.open => BTreeSet::new(),
        (true, Some(fields)) if !fields.is_empty() => own.chain(fields.iter().cloned()).collect(),
        // What is kept of a list that nobody knows is not known either.
        (true, _) => BTreeSet::new(),
        (false, _) => own.collect(),
    })
}

/// The fields of the step that an argument refers to.
fn source<'g>(
    args: &Map<String, Value>,
    name: &str,
    given: &'g [BTreeSet<String>],
) -> Result<Option<&'g BTreeSet<String>>, String> {
    let Some(value) = args.get(name) else { return Ok(None) };
    let at = value.as_u64().and_then(|n| usize::try_from(n).ok()?.checked_sub(1));
    let fields = at.and_then(|at| given.get(at));
    fields.map(Some).ok_or_else(|| format!("{name} must be the number of an earlier step"))
}
