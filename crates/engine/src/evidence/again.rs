//! The same request with another value.

use super::Said;
use super::assign::Filled;
use super::noted::is_open;
use super::slot::{self, Slot};
use crate::catalog::{Catalog, Role, Tool, Type};
use crate::plan::Step;
use metnos_language::{Lit, What};
use serde_json::{Value, json};

/// Texts that a person gives in their own words.
const OWN: [Role; 9] = [
    Role::Contains,
    Role::Pattern,
    Role::Patterns,
    Role::Query,
    Role::Queries,
    Role::Names,
    Role::Name,
    Role::Shows,
    Role::SubjectContains,
];
/// A place that costs as much is a guess: any word may name one.
const GUESS: u8 = 3;

/// The steps of the request before, with other values: of what fills a slot, else of what else was said.
pub(super) fn repeated(
    steps: &[Step],
    said: &Said,
    filled: &mut Vec<Filled>,
    catalog: &Catalog,
) -> Option<Vec<Step>> {
    let text = reworded(steps, said, catalog);
    if text.is_some() {
        let guess = |filled: &Filled| {
            let mention = &said.mentions[filled.mention];
            mention.relation.is_none() && mention.cost >= GUESS && matches!(mention.what, What::Place(_))
        };
        filled.retain(|filled| !guess(filled));
    }
    if let Some(steps) = replaced(steps, filled, catalog) {
        return Some(steps);
    }
    let (steps, other) = match recounted(steps, said, catalog) {
        Some((steps, other)) => (steps, Some(other)),
        None => (text?, None),
    };
    filled.extend(other);
    Some(steps)
}

/// The values that fill slots, in the first step that takes each.
fn replaced(steps: &[Step], filled: &[Filled], catalog: &Catalog) -> Option<Vec<Step>> {
    let mut steps = steps.to_vec();
    let mut changed = false;
    for filled in filled.iter().filter(|filled| !filled.slot.not) {
        for step in &mut steps {
            let tool = catalog.get(&step.tool)?;
            if !tool.takes(filled.slot.role) {
                continue;
            }
            // Both ends of a range go where one is said anew.
            for role in [Role::After, Role::Before, Role::SizeMin, Role::SizeMax] {
                if slot::first_of(role) == filled.slot.role
                    && let Some(arg) = tool.arg(role)
                {
                    step.args.remove(&arg.name);
                }
            }
            for (role, value) in &filled.values {
                if let Some(arg) = tool.arg(*role) {
                    let value = if arg.ty == Type::List { json!([value]) } else { value.clone() };
                    let value =
                        step.args.get(&arg.name).and_then(|old| rehoured(old, &value)).unwrap_or(value);
                    step.args.insert(arg.name.clone(), value);
                    changed = true;
                }
            }
            break;
        }
    }
    changed.then_some(steps)
}

/// A number in place of the one that a sum began with: what it was of.
fn recounted(steps: &[Step], said: &Said, catalog: &Catalog) -> Option<(Vec<Step>, Filled)> {
    let mut numbers = said.mentions.iter().enumerate().filter_map(|(at, mention)| match mention.what {
        What::Number(n) => Some((at, n)),
        _ => None,
    });
    let (mention, number) = numbers.next().filter(|_| numbers.next().is_none())?;
    let mut steps = steps.to_vec();
    for step in &mut steps {
        let Some(arg) = catalog.get(&step.tool)?.arg(Role::Expression) else { continue };
        let old = step.args.get(&arg.name)?.as_str()?;
        let rest = old.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if rest.len() == old.len() || rest.is_empty() {
            return None;
        }
        let value = json!(format!("{number}{rest}"));
        step.args.insert(arg.name.clone(), value.clone());
        let slot = Slot { role: Role::Expression, not: false };
        let filled = Filled { slot, values: vec![(Role::Expression, value)], mention, score: 0.0 };
        return Some((steps, filled));
    }
    None
}

/// What no word explains, in place of the one text that was said in a person's own words.
fn reworded(steps: &[Step], said: &Said, catalog: &Catalog) -> Option<Vec<Step>> {
    let is_number = |at: usize| {
        said.mentions.iter().any(|m| m.from <= at && at < m.to && matches!(m.what, What::Number(_)))
    };
    let lattice = &said.lattice;
    let mut open = (0..lattice.tokens.len()).filter(|at| {
        matches!(lattice.tokens[*at].lit, Lit::Word) && is_open(lattice, *at) && !is_number(*at)
    });
    let first = open.next()?;
    let last = open.try_fold(first, |last, at| (at == last + 1).then_some(at))?;
    let text = lattice.text(&said.text, first, last + 1);
    let mut steps = steps.to_vec();
    let own = |tool: &Tool, step: &Step| -> Vec<String> {
        let of = tool.args.iter().filter(|arg| arg.role.is_some_and(|role| OWN.contains(&role)));
        of.filter(|arg| step.args.contains_key(&arg.name)).map(|arg| arg.name.clone()).collect()
    };
    let mut places = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        places.extend(own(catalog.get(&step.tool)?, step).into_iter().map(|name| (at, name)));
    }
    let [(at, name)] = places.as_slice() else { return None };
    let old = steps[*at].args.get_mut(name)?;
    *old = another(old, text)?;
    Some(steps)
}

/// A text in place of another; a pattern stays one.
fn another(old: &Value, text: &str) -> Option<Value> {
    match old {
        Value::Array(old) => match old.as_slice() {
            [old] => Some(json!([another(old, text)?])),
            _ => None,
        },
        Value::String(old) => {
            let (open, end) = (old.starts_with('*'), old.ends_with('*'));
            let star = |is: bool| if is { "*" } else { "" };
            let whole = old.contains('.') && !text.contains('.');
            (!whole).then(|| json!(format!("{}{text}{}", star(open), star(end))))
        }
        _ => None,
    }
}

/// A recurrence with another hour: what came again still does.
fn rehoured(old: &Value, new: &Value) -> Option<Value> {
    let fields: Vec<&str> = old.as_str()?.split(' ').collect();
    let [_, _, day, month, week] = fields.as_slice() else { return None };
    let at = new.as_str()?.strip_prefix("at:")?.split_once('T')?.1;
    let (hour, minute) = at.get(..5)?.split_once(':')?;
    let (hour, minute): (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
    Some(Value::from(format!("{minute} {hour} {day} {month} {week}")))
}
