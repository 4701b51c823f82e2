//! What narrows a list: what was said to be left out, and what tells things apart.

use super::build::{Builder, From, refer};
use super::slot::Slot;
use crate::catalog::{Role, Tool};
use crate::plan::Step;
use crate::shape::Part;
use metnos_vocab::Class;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What chooses among the things in a place.
const CHOOSING: [Role; 6] =
    [Role::Kind, Role::Patterns, Role::SizeMin, Role::After, Role::Contains, Role::AtMost];

impl Builder<'_> {
    /// Whether something chooses among the things in a place.
    pub(super) fn chooses(&self) -> bool {
        self.filled.iter().any(|filled| filled.slot.not || CHOOSING.contains(&filled.slot.role))
    }

    /// Whether what is sorted is changed then: all of it in some order would be no other thing, so the first are meant.
    /// What is written down, or gets names one after the other, keeps its order.
    pub(super) fn is_cut(later: &[(&Tool, &Part)]) -> bool {
        let ordered = |tool: &Tool, part: &Part| {
            let args = [Role::OutPath, Role::NameTemplate].into_iter().filter_map(|role| tool.arg(role));
            args.into_iter().any(|arg| part.fixed.iter().any(|(name, _)| *name == arg.name))
        };
        later.iter().any(|(tool, part)| tool.class == Class::Changer && !ordered(tool, part))
    }

    /// What is said to be left out, and what else tells the things apart: a filter each.
    pub(super) fn narrowed(&mut self, mut from: From, back: bool) -> From {
        let kinds = self.all(Slot { role: Role::Kind, not: false }, Role::Kind);
        if kinds.len() > 1 {
            from = self.filter(from, json!({"where_field": "kind", "where_in": kinds}));
        }
        if back {
            if let [kind] = kinds.as_slice() {
                from = self.filter(from, json!({"where_field": "kind", "where_value": kind}));
            }
            for pattern in self.all(Slot { role: Role::Patterns, not: false }, Role::Patterns) {
                from = self.filter(from, named(&pattern));
            }
            let sizes = self.range(Role::SizeMin, Role::SizeMax);
            if !sizes.is_empty() {
                from = self.filter(from, bounds("size", &sizes, ["where_min", "where_max"]));
            }
            let days = self.range(Role::After, Role::Before);
            if !days.is_empty() {
                from = self.filter(from, bounds(self.dated(), &days, ["where_after", "where_before"]));
            }
            for name in self.all(Slot { role: Role::From, not: false }, Role::From) {
                from = self.filter(from, json!({"where_field": "from", "where_contains": name}));
            }
            let changes = self.layout.parts.iter().any(|(tool, _)| tool.class == Class::Changer);
            if changes && self.last.is_some_and(|last| last.copies) && from == From::Turn {
                from = self.filter(from, json!({"where_field": "copy", "where_min": 2}));
            }
        }
        let denied = |role: Role| Slot { role, not: true };
        for kind in self.all(denied(Role::Kind), Role::Kind) {
            from = self.filter(from, json!({"where_field": "kind", "where_value": kind, "negate": true}));
        }
        for pattern in self.all(denied(Role::Patterns), Role::Patterns) {
            let mut args = named(&pattern);
            args["negate"] = json!(true);
            from = self.filter(from, args);
        }
        for place in self.all(denied(Role::Place), Role::Place) {
            let name = place.as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
            from = self.filter(from, json!({"where_field": "path", "where_contains": name, "negate": true}));
        }
        for name in self.all(denied(Role::From), Role::From) {
            from = self.filter(from, json!({"where_field": "from", "where_contains": name, "negate": true}));
        }
        from
    }

    /// The field that tells when the things of the conversation were changed, or came.
    pub(super) fn dated(&self) -> &'static str {
        if self.last.is_some_and(|last| last.object == "messages") { "date" } else { "mtime" }
    }

    pub(super) fn filter(&mut self, from: From, args: Value) -> From {
        let Some(tool) = self.catalog.processor(Role::WhereField) else { return from };
        let Value::Object(args) = args else { return from };
        let mut step = Step { tool: tool.name.as_str().to_owned(), args, dormant: None };
        refer(&mut step, from);
        if from == From::Turn {
            self.indexed(&mut step);
        }
        self.steps.push(step);
        From::Step(self.steps.len())
    }

    fn range(&self, low: Role, high: Role) -> Vec<(bool, Value)> {
        let slot = Slot { role: low, not: false };
        let lows = self.all(slot, low).into_iter().map(|value| (false, value));
        lows.chain(self.all(slot, high).into_iter().map(|value| (true, value))).collect()
    }
}

/// A condition on names, from a pattern.
fn named(pattern: &Value) -> Value {
    let pattern = pattern.as_str().unwrap_or_default();
    if let Some(ending) = pattern.strip_prefix("*.").filter(|ending| !ending.contains('*')) {
        return json!({"where_field": "ext", "where_value": ending});
    }
    let (open, bare) = (pattern.starts_with('*'), pattern.trim_matches('*'));
    match (open, pattern.ends_with('*')) {
        (false, true) => json!({"where_field": "name", "where_starts_with": bare}),
        (false, false) => json!({"where_field": "name", "where_value": bare}),
        _ => json!({"where_field": "name", "where_contains": bare}),
    }
}

fn bounds(field: &str, ends: &[(bool, Value)], names: [&str; 2]) -> Value {
    let mut args = BTreeMap::from([("where_field".to_owned(), json!(field))]);
    for (high, value) in ends {
        args.insert(names[usize::from(*high)].to_owned(), value.clone());
    }
    json!(args)
}
