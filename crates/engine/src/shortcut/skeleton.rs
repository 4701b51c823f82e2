//! What a request has in common with others that ask for the same with other values.
//!
//! The skeleton is everything in the frames the planner looks at; the values are what it only carries from a frame to
//! an argument. Equal values are one value, so that "from A to A" is another skeleton than "from A to B".

use super::value::{Parts, number};
use crate::catalog::Role;
use crate::parse::Frame;
use crate::plan::{Planner, Reading};
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// The roles whose values belong to one request: places, names, dates, people, texts, amounts.
const CARRIED: &[Role] = &[
    Role::After,
    Role::AtMost,
    Role::Attendees,
    Role::Before,
    Role::Body,
    Role::Calendar,
    Role::Command,
    Role::Contains,
    Role::Content,
    Role::Dst,
    Role::DstDir,
    Role::DstFolder,
    Role::Emails,
    Role::End,
    Role::Expression,
    Role::FirstText,
    Role::Folder,
    Role::From,
    Role::Ids,
    Role::Limit,
    Role::Location,
    Role::Minutes,
    Role::Name,
    Role::NameTemplate,
    Role::Names,
    Role::OutPath,
    Role::Paths,
    Role::Pattern,
    Role::Patterns,
    Role::People,
    Role::PersonName,
    Role::Phones,
    Role::Pids,
    Role::Place,
    Role::Queries,
    Role::Query,
    Role::Question,
    Role::Repo,
    Role::SecondText,
    Role::Shows,
    Role::SizeMax,
    Role::SizeMin,
    Role::Start,
    Role::Subject,
    Role::SubjectContains,
    Role::Text,
    Role::Title,
    Role::To,
    Role::ToUser,
    Role::Urls,
    Role::Width,
];

/// The skeleton of one request and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// Its key for plans that do not look at the conversation.
    pub(super) alone: String,
    /// Its key for those that do.
    pub(super) within: String,
    pub(super) values: Vec<Value>,
}

impl Skeleton {
    /// The keys a shape for it may have.
    pub fn keys(&self) -> [&str; 2] {
        [&self.alone, &self.within]
    }

    pub(super) fn of(planner: &Planner, reading: &Reading) -> Option<Self> {
        if !reading.is_open() {
            return None;
        }
        let mut writer = Writer { planner, text: String::with_capacity(512), values: Vec::new() };
        for frame in &reading.frames {
            let mut frame = frame.clone();
            writer.constant(&frame);
            writer.carried(&mut frame);
        }
        let Writer { mut text, values, .. } = writer;
        let alone = digest(&text);
        let _ = write!(text, "|{:?}{:?}", reading.turn, reading.unsure);
        Some(Self { alone, within: digest(&text), values })
    }

    /// The same reading with marks in the places of the values.
    pub(super) fn marked(&self, planner: &Planner, reading: &Reading) -> Reading {
        let mut marked = reading.clone();
        let mut writer = Writer { planner, text: String::new(), values: Vec::new() };
        marked.frames.iter_mut().for_each(|frame| writer.carried(frame));
        marked
    }
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
}

/// Goes through frames: writes what stays, collects what is carried and leaves marks in its place.
struct Writer<'p> {
    planner: &'p Planner,
    text: String,
    values: Vec<Value>,
}

impl Writer<'_> {
    /// Everything of a frame but its values.
    fn constant(&mut self, frame: &Frame) {
        let nouns: Vec<&str> = frame.nouns.iter().map(|noun| noun.id.as_str()).collect();
        let order = frame.order.as_ref().map(|o| (&o.field, &o.order));
        let _ = write!(
            self.text,
            "#{:?}{nouns:?}{:?}{:?}{:?}{:?}{order:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}",
            frame.verb,
            frame.object,
            frame.kinds,
            frame.stats,
            frame.field,
            frame.group,
            frame.folders,
            frame.content,
            frame.qualifiers,
            frame.verbs,
            frame.tool,
            frame.extract,
            frame.anaphor,
            frame.beside,
            [frame.there, frame.only, frame.singular, frame.listing, frame.these, frame.one, frame.apart],
        );
    }

    /// The values of a frame, in an order that is always the same.
    fn carried(&mut self, frame: &mut Frame) {
        for (role, value) in &mut frame.slots {
            self.value(Some(*role), value);
        }
        for (role, value) in &mut frame.excluded {
            self.text.push('-');
            self.value(Some(*role), value);
        }
        for place in frame.also.iter_mut().chain(&mut frame.loose) {
            self.text.push('+');
            self.words(place);
        }
        self.text.push_str(if frame.loose.is_empty() { "" } else { "loose" });
        if let Some(sets) = &mut frame.sets {
            self.text.push_str(sets.op);
            self.words(&mut sets.first);
            self.words(&mut sets.second);
        }
        if let Some((field, role, value)) = &mut frame.column {
            let _ = write!(self.text, "c{field:?}{role:?}");
            self.value(None, value);
        }
        if let Some(limit) = frame.order.as_mut().and_then(|order| order.limit.as_mut()) {
            self.text.push('l');
            let mut value = Value::from(*limit);
            self.leaf(&mut value);
            *limit = value.as_u64().unwrap_or(*limit);
        }
    }

    fn value(&mut self, role: Option<Role>, value: &mut Value) {
        let _ = write!(self.text, "{role:?}=");
        if role.is_some_and(|role| !CARRIED.contains(&role) || self.chosen(role)) {
            let _ = write!(self.text, "{value};");
            return;
        }
        match value {
            Value::Array(items) => {
                let _ = write!(self.text, "{}", items.len());
                items.iter_mut().for_each(|item| self.leaf(item));
            }
            one => self.leaf(one),
        }
        self.text.push(';');
    }

    /// Whether some executor takes only certain values of a role: then the planner looks at them.
    fn chosen(&self, role: Role) -> bool {
        self.planner.catalog.tools().flat_map(|tool| &tool.args).any(|arg| {
            let one_of = |arg: &crate::catalog::Arg| arg.role == Some(role) && !arg.choices.is_empty();
            one_of(arg) || arg.inside.iter().any(one_of)
        })
    }

    fn words(&mut self, text: &mut String) {
        let mut value = Value::from(std::mem::take(text));
        self.leaf(&mut value);
        if let Value::String(marked) = value {
            *text = marked;
        }
    }

    fn leaf(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                let senses = &self.planner.lexicons.senses;
                let Some(parts) = Parts::of(text, senses) else {
                    let _ = write!(self.text, "{text:?},");
                    return;
                };
                let (before, after) = (parts.before.to_owned(), parts.after.to_owned());
                let core = Value::from(parts.core);
                let hole = self.hole(core);
                let marked = Parts { before: &before, core: "", after: &after }.marked(hole);
                let _ = write!(self.text, "{before:?}{hole}{after:?},");
                *text = marked;
            }
            Value::Number(n) => {
                let whole = Number::is_u64(n);
                let hole = self.hole(Value::Number(n.clone()));
                let _ = write!(self.text, "{}{hole},", if whole { 'n' } else { 'f' });
                *value = number(hole, whole);
            }
            other => {
                let _ = write!(self.text, "{other},");
            }
        }
    }

    /// The number of a value: the one it has already, or a new one.
    fn hole(&mut self, value: Value) -> usize {
        match self.values.iter().position(|known| *known == value) {
            Some(at) => at,
            None => {
                self.values.push(value);
                self.values.len() - 1
            }
        }
    }
}
