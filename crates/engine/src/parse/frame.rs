//! What a clause asks for, before any executor is chosen.

use crate::catalog::Role;
use serde_json::Value;
use std::collections::BTreeMap;

/// One clause, understood: a verb, nouns, values with their roles, and what was not understood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The sense of the main verb.
    pub(crate) verb: Option<String>,
    /// The senses of the nouns, in order.
    pub(crate) nouns: Vec<Noun>,
    /// The object the nouns and verb agree on.
    pub(crate) object: String,
    /// Values by role.
    pub(crate) slots: BTreeMap<Role, Value>,
    /// Arguments for which two values were said.
    pub(crate) clashes: Vec<Role>,
    /// How the names begin, of things that only such names tell apart.
    pub(crate) begins: Option<String>,
    /// Values that are excluded.
    pub(crate) excluded: Vec<(Role, Value)>,
    /// Several kinds at once.
    pub(crate) kinds: Vec<String>,
    /// Patterns of things that are meant beside those of the kinds.
    pub(crate) beside: Vec<String>,
    /// Computations asked for, in order.
    pub(crate) stats: Vec<String>,
    /// The field they are about.
    pub(crate) field: Option<String>,
    /// Order and limit.
    pub(crate) order: Option<Order>,
    /// How many of the first are meant, where no order was said.
    pub(crate) first: Option<u64>,
    /// What the records are grouped by.
    pub(crate) group: Vec<String>,
    /// What folders are made by.
    pub(crate) folders: Vec<String>,
    /// Places beside the first.
    pub(crate) also: Vec<String>,
    /// File names said without a place.
    pub(crate) loose: Vec<String>,
    /// The field of the records that is meant, not the records.
    pub(crate) content: Option<String>,
    /// Qualifiers that the words ask for.
    pub(crate) qualifiers: Vec<String>,
    /// Verbs that the nouns ask for.
    pub(crate) verbs: Vec<String>,
    /// One executor outside the pattern.
    pub(crate) tool: Option<String>,
    /// Two places and what is asked of them.
    pub(crate) sets: Option<Sets>,
    /// Whether it is about the rows of a table.
    pub(crate) table: bool,
    /// Whether rows or columns are named, which are parts of one.
    pub(crate) rows: bool,
    /// A condition on a column.
    pub(crate) column: Option<(String, Role, Value)>,
    /// Conditions on other columns, which hold as well.
    pub(crate) columns: Vec<(String, Role, Value)>,
    /// The condition is one that does not hold.
    pub(crate) column_not: bool,
    /// The fields to extract.
    pub(crate) extract: Vec<String>,
    /// What the clause points back to.
    pub(crate) anaphor: Option<Anaphor>,
    /// Names what it points back to: "those PDFs".
    pub(crate) these: bool,
    /// Points back to one thing, not to several.
    pub(crate) one: bool,
    /// Two questions in one, which are asked one by one.
    pub(crate) apart: bool,
    /// Points back to a place.
    pub(crate) there: bool,
    /// Only takes up what the next clause does something with.
    pub(crate) fetches: bool,
    /// Narrows the earlier result.
    pub(crate) only: bool,
    /// One thing is meant, not several.
    pub(crate) singular: bool,
    /// One thing is meant that an article points to.
    pub(crate) lone: bool,
    /// It is said that none is left out.
    pub(crate) every: bool,
    /// A list is saved, not the things on it.
    pub(crate) listing: bool,
    /// What it is about came from what went before.
    pub(crate) hinted: bool,
    /// Words that nothing explained.
    pub(crate) leftover: Vec<String>,
    /// Words that were explained, and by what; also those that leave something out, by `VAGUE`.
    pub(crate) used: Vec<(String, &'static str)>,
    /// Says what is wanted or is to stay, and does nothing.
    pub(crate) stays: Option<String>,
    /// Whether there is nothing but values: the earlier request with other ones.
    pub(crate) bare: bool,
}

/// A noun of the clause.
#[derive(Clone, Debug)]
pub(crate) struct Noun {
    pub(crate) id: String,
}

/// An order, as files name their fields.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) field: String,
    pub(crate) order: String,
    pub(crate) limit: Option<u64>,
}

/// A question about two lists.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    pub(crate) op: &'static str,
    pub(crate) first: String,
    pub(crate) second: String,
}

/// What a pronoun stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anaphor {
    /// The whole last list.
    List,
    /// One of it, counted from 1; -1 is the last.
    Index(i64),
}

impl Frame {
    pub(crate) fn has(&self, role: Role) -> bool {
        self.slots.contains_key(&role)
    }

    pub(crate) fn set(&mut self, role: Role, value: impl Into<Value>) {
        let value = value.into();
        self.clash(role, &value);
        self.slots.insert(role, value);
    }

    /// Says anew what was said: another form of the same value.
    pub(crate) fn reset(&mut self, role: Role, value: impl Into<Value>) {
        self.slots.insert(role, value.into());
    }

    /// Sets what is not set yet.
    pub(crate) fn keep(&mut self, role: Role, value: impl Into<Value>) {
        let value = value.into();
        self.clash(role, &value);
        self.slots.entry(role).or_insert(value);
    }

    /// Notes a second value for an argument that holds one.
    fn clash(&mut self, role: Role, value: &Value) {
        if !value.is_array() && self.slots.get(&role).is_some_and(|known| known != value) {
            self.clashes.push(role);
        }
    }

    /// Adds to a list, making it one.
    pub(crate) fn push(&mut self, role: Role, value: impl Into<Value>) {
        let value = value.into();
        match self.slots.entry(role).or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(list) if !list.contains(&value) => list.push(value),
            _ => {}
        }
    }

    pub(crate) fn text(&self, role: Role) -> Option<&str> {
        self.slots.get(&role).and_then(Value::as_str)
    }

    pub(crate) fn list(&self, role: Role) -> Vec<String> {
        match self.slots.get(&role) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        }
    }
}
