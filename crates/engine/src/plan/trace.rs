//! Nothing that was said may get lost where something is changed: a plan that drops a word does more than was asked.

use super::Step;
use super::compose::{Build, Stop, UNCLEAR};
use crate::catalog::{Role, Tool};
use crate::lexicon::NounSense;
use crate::parse::Frame;
use metnos_vocab::Class;
use serde_json::Value;

/// Values that say which things are meant.
const SAID: [Role; 17] = [
    Role::Place,
    Role::Paths,
    Role::Patterns,
    Role::SizeMin,
    Role::SizeMax,
    Role::After,
    Role::Before,
    Role::Contains,
    Role::From,
    Role::SubjectContains,
    Role::Query,
    Role::Folder,
    Role::Name,
    Role::Names,
    Role::Urls,
    Role::Sheet,
    Role::Location,
];

impl Build<'_> {
    /// Refuses the steps of a clause that change something, where a value that says which things are meant is in none.
    pub(super) fn traced(&self, frame: &Frame, from: usize) -> Result<(), Stop> {
        let steps = self.steps.get(from..).unwrap_or_default();
        let tool = steps.last().and_then(|step| self.planner.catalog.get(&step.tool));
        if tool.is_none_or(|tool| tool.class != Class::Changer) {
            return self.placed(frame, steps);
        }
        // Whoever works on images need not be told that they are.
        let own = |kind: &str| tool.is_some_and(|tool| tool.object().trim_end_matches('s') == kind);
        // What was shown before is of the kinds that it was looked for by.
        let shown = |kind: &String| {
            let back = steps.iter().any(|step| step.args.contains_key("from_turn"));
            back && self.turns.iter().any(|earlier| earlier.frame.kinds.contains(kind))
        };
        let kinds = frame.kinds.iter().filter(|kind| !own(kind) && !shown(kind));
        let slots = frame.slots.iter().filter(|(role, _)| SAID.contains(role)).map(|(_, value)| value);
        let mut said: Vec<Value> =
            slots.chain(frame.excluded.iter().map(|(_, value)| value)).cloned().collect();
        said.extend(frame.also.iter().chain(kinds).map(|text| Value::from(text.clone())));
        let steps: Vec<&Step> = steps.iter().flat_map(|step| self.fed_by(step)).collect();
        // "the duplicates over 5 MB": what tells the things from others is not dropped for another condition.
        let of = |step: &&Step| self.planner.catalog.get(&step.tool).map(Tool::qualifier);
        let told = |qualifier: &String| steps.iter().any(|step| of(step) == Some(qualifier.as_str()));
        // The lines of a table are its rows, which a condition on a column tells apart.
        let tells = |field: &String| steps.iter().any(|step| step.args.values().any(|arg| arg == field));
        let rows = frame.table && frame.column.as_ref().is_some_and(|(field, _, _)| tells(field));
        let told = rows || frame.qualifiers.iter().all(told);
        let empties = |step: &&Step| {
            let args = self.planner.catalog.get(&step.tool).into_iter().flat_map(|tool| &tool.args);
            let mut args = args.filter(|arg| matches!(arg.role, Some(Role::Empty | Role::SizeMax)));
            args.any(|arg| step.args.contains_key(&arg.name))
        };
        let told = told && (!frame.has(Role::Empty) || steps.iter().any(empties));
        match told && said.iter().all(|value| steps.iter().any(|step| holds(step, value))) {
            true => Ok(()),
            false => Err(Stop::Gap(UNCLEAR.to_owned())),
        }
    }

    /// Refuses to look anywhere else than where it was said, and to leave where it should go unsaid.
    fn placed(&self, frame: &Frame, steps: &[Step]) -> Result<(), Stop> {
        let places = [Role::Place, Role::DstDir, Role::OutPath];
        let mut said = places.iter().filter_map(|role| frame.slots.get(role));
        let steps: Vec<&Step> = steps.iter().flat_map(|step| self.fed_by(step)).collect();
        match steps.is_empty() || said.all(|place| steps.iter().any(|step| holds(step, place))) {
            true => Ok(()),
            false => Err(Stop::Gap(UNCLEAR.to_owned())),
        }
    }

    /// A step and those whose records it works on.
    pub(super) fn fed_by<'s>(&'s self, step: &'s Step) -> impl Iterator<Item = &'s Step> {
        std::iter::successors(Some(step), |step| {
            let before = step.args.get("from_step").and_then(Value::as_u64)?;
            self.steps.get(usize::try_from(before).ok()?.checked_sub(1)?)
        })
    }

    /// Whether a part of files is spoken of (rows, columns, words, metadata, copies), where whole files would be changed; or
    /// of contacts, where they would be deleted.
    pub(super) fn speaks_of_parts(&self, frame: &Frame, tool: &Tool) -> bool {
        let files = matches!(tool.object(), "files" | "dirs") && tool.qualifier().is_empty();
        let senses = &self.planner.lexicons.senses;
        let nouns = || frame.nouns.iter().filter_map(|noun| senses.noun.get(&noun.id));
        // What is in an archive is taken out of it; what is in another file is a part of it.
        let inside = frame.has(Role::Paths) && tool.verb() != "extract";
        let inner = |noun: &NounSense| noun.part || noun.acting.is_some() && inside;
        let other = frame.qualifiers.iter().any(|qualifier| qualifier != tool.qualifier());
        let exact = frame.has(Role::Paths) && (other || frame.column.is_some() || frame.field.is_some());
        // "Anna's phone number": what a contact has is not the contact.
        let field = |noun: &NounSense| noun.part && noun.object.as_deref() == Some(tool.object());
        if tool.verb() == "delete" && tool.object() == "contacts" && nouns().any(field) {
            return true;
        }
        tool.class == Class::Changer && files && (exact || frame.rows || nouns().any(inner))
    }
}

/// Whether the arguments of a step hold a value: all of a list, and of a pattern what is no wildcard.
fn holds(step: &Step, value: &Value) -> bool {
    match value {
        Value::String(text) => step.args.values().any(|arg| inside(arg, text.trim_matches(['*', '.']))),
        Value::Array(list) => list.iter().all(|value| holds(step, value)),
        Value::Number(_) => step.args.values().any(|arg| arg == value),
        _ => true,
    }
}

/// Whether a text stands in an argument.
fn inside(arg: &Value, text: &str) -> bool {
    match arg {
        Value::String(own) => own.contains(text),
        Value::Array(list) => list.iter().any(|value| inside(value, text)),
        Value::Object(map) => map.values().any(|value| inside(value, text)),
        _ => false,
    }
}
