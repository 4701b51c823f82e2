//! `[plan]`: what the planner is told about an executor that its name and schema do not say.

use super::Incoherence;
use crate::document::{Field, ManifestError, Problem, Table};
use crate::schema::Schema;
use metnos_vocab::{Object, Role, nearest};
use std::collections::BTreeMap;

type Read<T> = Result<T, ManifestError>;

/// `[plan]`. What it leaves out the planner takes from the names of arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Plan {
    /// What arguments are for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Role>,
    /// Fields of which at least one must be in the records that come in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Groups of arguments of which at least one must be given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Vec<String>>,
    /// Keeps whatever fields came in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
    /// The object of the records that go along with what it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub along: Option<String>,
    /// Never works on all there is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bounded: bool,
}

pub(super) fn plan(table: &Table<'_>) -> Read<Plan> {
    table.only(&["args", "needs", "requires", "keeps", "along", "bounded"])?;
    let mut plan = Plan::default();
    if let Some(args) = table.get("args") {
        for field in args.table()?.fields() {
            plan.args.insert(field.key().to_owned(), field.parsed()?);
        }
    }
    if let Some(field) = table.get("needs") {
        plan.needs = named(&field, "the names of fields")?;
    }
    if let Some(field) = table.get("requires") {
        let group = |group: &Field<'_>| named(group, "the names of arguments of which one must be given");
        plan.requires = field.list()?.iter().map(group).collect::<Read<_>>()?;
    }
    let flag = |key: &str| table.get(key).map_or(Ok(false), |field| field.flag());
    (plan.keeps, plan.bounded) = (flag("keeps")?, flag("bounded")?);
    if let Some(field) = table.get("along") {
        plan.along = Some(object(&field)?.as_str().to_owned());
    }
    Ok(plan)
}

/// Names, at least one.
fn named(field: &Field<'_>, what: &str) -> Read<Vec<String>> {
    let names = field.texts()?;
    match names.is_empty() || names.iter().any(String::is_empty) {
        true => Err(field.wrong(what)),
        false => Ok(names),
    }
}

fn object(field: &Field<'_>) -> Read<Object> {
    let text = field.text()?;
    Object::parse(text).ok_or_else(|| {
        let names = || Object::all().map(Object::as_str);
        let known = match nearest(text, names()) {
            Some(near) => format!("an object (nearest: {near:?})"),
            None => format!("an object, one of {}", names().collect::<Vec<_>>().join(" ")),
        };
        field.error(Problem::Wrong { found: format!("{text:?}"), expected: known })
    })
}

/// Whether every argument it speaks of is one of the schema, alone or in the records of a list.
pub(super) fn coherent(plan: &Plan, input: &Schema) -> Result<(), Incoherence> {
    let known = |name: &str| {
        let inside = |schema: &Schema| schema.items().is_some_and(|items| items.property(name).is_some());
        input.property(name).is_some() || input.properties().any(|(_, schema)| inside(schema))
    };
    let missing = |place: String, name: &str| {
        Err(Incoherence { place, message: super::coherence::missing(name, input) })
    };
    if let Some(name) = plan.args.keys().find(|name| !known(name)) {
        return missing("[plan.args]".to_owned(), name);
    }
    for (n, group) in plan.requires.iter().enumerate() {
        if let Some(name) = group.iter().find(|name| !known(name)) {
            return missing(format!("[plan] requires[{n}]"), name);
        }
    }
    // What goes along, and what is chosen, is a list.
    let needs_list =
        [("needs", !plan.needs.is_empty()), ("keeps", plan.keeps), ("along", plan.along.is_some())];
    match needs_list.into_iter().find(|(_, said)| *said && input.property("entries").is_none()) {
        Some((key, _)) => Err(Incoherence {
            place: format!("[plan] {key}"),
            message: "it speaks of records that come in, and Input has no \"entries\"".to_owned(),
        }),
        None => Ok(()),
    }
}
