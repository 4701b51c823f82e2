//! The shape of a plan, and its text: `find_files|sort_entries{by=size,order=desc}`.

use crate::catalog::{Catalog, Role, Tool};
use crate::plan::Step;
use metnos_vocab::Class;
use serde_json::Value;
use std::fmt;

/// One step of a shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Part {
    /// The executor.
    pub tool: String,
    /// The arguments that a word of the request decides, with their values; which of several destinations it has.
    pub fixed: Vec<(String, String)>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Shape {
    /// Steps; `back` where they go on with what was answered before.
    Steps {
        /// Whether it points back.
        back: bool,
        /// What is done.
        parts: Vec<Part>,
    },
    /// The request before, with other values.
    Again,
    /// A sentence is the answer.
    Say,
    /// Nothing does it.
    Gap,
}

/// Arguments whose value says what is asked, not of what.
const ASKED: [Role; 10] = [
    Role::Stat,
    Role::SetOp,
    Role::Aggregate,
    Role::Health,
    Role::Dimension,
    Role::TextOp,
    Role::LoadBy,
    Role::SpaceBy,
    Role::SortBy,
    Role::GroupBy,
];
/// Which of these is given says which of several things an executor does.
pub(crate) const MANNER: [Role; 4] = [Role::DstDir, Role::OutPath, Role::Content, Role::NameTemplate];
/// Stands for a field that only the data knows.
pub(crate) const COLUMN: &str = "*";
/// The field of what was put into classes.
pub(crate) const LABEL: &str = "label";
/// The reference to what was answered before.
pub(crate) const TURN: &str = "from_turn";

impl Shape {
    /// The shape of a plan.
    pub fn of(steps: &[Step], catalog: &Catalog) -> Self {
        let tools: Vec<Option<&Tool>> = steps.iter().map(|step| catalog.get(&step.tool)).collect();
        let mut parts: Vec<Part> = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            let Some(tool) = tools[i] else { continue };
            let changes = tools[i + 1..].iter().flatten().any(|later| later.class == Class::Changer);
            if fetches(i, &tools, catalog) || narrows(step, tool, &tools[..i], changes) {
                continue;
            }
            let part = Part { tool: family(tool, catalog), fixed: fixed(step, tool, &tools[..i]) };
            if parts.last() != Some(&part) {
                parts.push(part);
            }
        }
        // A plan that only fetches asks to see what it fetched.
        if parts.is_empty() {
            parts.extend(steps.last().map(|step| Part { tool: step.tool.clone(), fixed: Vec::new() }));
        }
        Self::Steps { back: steps.iter().any(|step| step.args.contains_key(TURN)), parts }
    }

    /// Its steps; none where it has none.
    pub fn parts(&self) -> &[Part] {
        match self {
            Self::Steps { parts, .. } => parts,
            Self::Again | Self::Say | Self::Gap => &[],
        }
    }

    /// Whether it goes on with what was answered before.
    pub fn is_back(&self) -> bool {
        matches!(self, Self::Steps { back: true, .. })
    }

    /// The names of what it shares with other shapes, so that evidence for one is evidence for them.
    pub fn factors(&self, catalog: &Catalog) -> Vec<String> {
        let parts = self.parts();
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            let families = ["whole", "deed", "main", "object", "first", "last", "then", "steps", "back"];
            return families.map(|family| format!("{family}:{self}")).to_vec();
        };
        let class = |part: &Part| catalog.get(&part.tool).map(|tool| tool.class);
        let named = |wanted: Class| {
            let of = parts.iter().filter(|part| class(part) == Some(wanted)).map(Part::to_string);
            of.collect::<Vec<_>>().join("|")
        };
        let deeds = named(Class::Changer);
        let main = parts.iter().rev().find(|part| class(part) == Some(Class::Changer)).unwrap_or(first);
        let object = catalog.get(&main.tool).map_or("", Tool::object);
        vec![
            format!("whole:{self}"),
            format!("deed:{}", if deeds.is_empty() { "none" } else { &deeds }),
            format!("main:{main}"),
            format!("object:{object}"),
            format!("first:{first}"),
            format!("last:{last}"),
            format!("then:{}", named(Class::Processor)),
            format!("steps:{}", parts.len().min(4)),
            format!("back:{}", self.is_back()),
        ]
    }
}

/// Executors that do the same to other formats are one: which it is follows from what they are given.
fn family(tool: &Tool, catalog: &Catalog) -> String {
    let same = |other: &&Tool| {
        other.verb() == tool.verb()
            && other.object() == tool.object()
            && !other.qualifier().is_empty()
            && other.open == tool.open
            && (tool.open
                || other.gives.keys().eq(tool.gives.keys())
                    && other.args.iter().map(|arg| arg.role).eq(tool.args.iter().map(|arg| arg.role)))
    };
    let first = catalog.tools().find(same).filter(|_| !tool.qualifier().is_empty());
    first.unwrap_or(tool).name.as_str().to_owned()
}

/// Whether a step only fetches what a later one of the same object works on.
fn fetches(i: usize, tools: &[Option<&Tool>], catalog: &Catalog) -> bool {
    let usual = |tool: &&Tool| {
        let source = catalog.source(tool.object()).is_some_and(|source| source.name == tool.name);
        source || tool.class == Class::Producer && tool.verb() == "get" && tool.takes(Role::Paths)
    };
    let Some(tool) = tools[i].filter(usual) else { return false };
    let later = &tools[i + 1..];
    let compared = later.iter().flatten().any(|tool| tool.takes(Role::SetOp));
    let works_on = |later: &&Tool| {
        // What reads or sends files by their paths works on files, whatever it is called after.
        let of_files =
            tool.object() == "files" && (later.takes(Role::Paths) || later.along.as_deref() == Some("files"));
        let takes = of_files
            || later.takes(Role::Paths)
            || later.takes(Role::Ids)
            || later.takes(Role::List)
            || later.takes(Role::Pids);
        let same = later.object() == tool.object() || later.object() == "files" && tool.object() == "dirs";
        of_files || takes && same && later.class != Class::Processor
    };
    !compared && later.iter().flatten().any(works_on)
}

/// Whether a step only narrows by a field that its producer is known to give. Which of what was labelled is meant is
/// asked, unless it is changed: then never all of it.
fn narrows(step: &Step, tool: &Tool, before: &[Option<&Tool>], changes: bool) -> bool {
    let field = tool.arg(Role::WhereField).and_then(|arg| step.args.get(&arg.name)).and_then(Value::as_str);
    field.is_some_and(|field| is_known(field, before) && (changes || field != LABEL))
}

fn is_known(field: &str, before: &[Option<&Tool>]) -> bool {
    let given = before.iter().flatten().any(|tool| tool.gives.contains_key(field) && !tool.open);
    // After an earlier turn nothing says what the records are; these are fields of files and messages.
    given
        || matches!(field, LABEL | "copy")
        || before.is_empty() && matches!(field, "kind" | "ext" | "name" | "path" | "size" | "mtime" | "from")
}

fn fixed(step: &Step, tool: &Tool, before: &[Option<&Tool>]) -> Vec<(String, String)> {
    let mut fixed = Vec::new();
    for arg in &tool.args {
        let (Some(role), Some(value)) = (arg.role, step.args.get(&arg.name)) else { continue };
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if MANNER.contains(&role) {
            fixed.push((arg.name.clone(), "…".to_owned()));
        } else if matches!(role, Role::SortBy | Role::GroupBy) && !is_fixed(&text, before) {
            fixed.push((arg.name.clone(), COLUMN.to_owned()));
        } else if ASKED.contains(&role)
            || role == Role::Order && fixed.iter().any(|(_, by): &(String, String)| by != COLUMN)
        {
            fixed.push((arg.name.clone(), text));
        }
    }
    fixed
}

/// Fields that words of a language stand for; others are columns of some table.
fn is_fixed(field: &str, before: &[Option<&Tool>]) -> bool {
    const WORDS: [&str; 14] = [
        "size", "mtime", "name", "date", "count", "value", "kind", "ext", "month", "year", "day", "sender",
        "dir", "domain",
    ];
    let table = before.iter().flatten().any(|tool| tool.open && tool.class == Class::Producer);
    WORDS.contains(&field) && !(table && matches!(field, "date" | "name" | "value" | "size"))
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        if self.fixed.is_empty() {
            return Ok(());
        }
        let pairs: Vec<String> = self.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, "{{{}}}", pairs.join(","))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Again => f.write_str("again"),
            Self::Say => f.write_str("say"),
            Self::Gap => f.write_str("gap"),
            Self::Steps { back, parts } => {
                if *back {
                    f.write_str("^")?;
                }
                let parts: Vec<String> = parts.iter().map(Part::to_string).collect();
                f.write_str(&parts.join("|"))
            }
        }
    }
}
