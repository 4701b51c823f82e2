//! The slots of a shape: the arguments of its steps, and of the step that looks up what they work on.

use crate::catalog::{Catalog, Role, Tool};
use crate::shape::{Part, Shape};
use metnos_vocab::Class;

/// A place for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// What the value is for.
    pub role: Role,
    /// Whether what it says is left out.
    pub not: bool,
}

/// The executors of a shape, and the one that looks up what they work on.
#[derive(Clone, Debug)]
pub struct Layout<'c> {
    /// What looks things up, where no step of the shape does.
    pub source: Option<&'c Tool>,
    /// The steps of the shape.
    pub parts: Vec<(&'c Tool, &'c Part)>,
    /// Goes on with what was answered before.
    pub back: bool,
}

/// What things can be told apart by, and told to be left out by.
const NARROWING: [Role; 7] =
    [Role::Kind, Role::Patterns, Role::SizeMin, Role::After, Role::From, Role::Contains, Role::Place];
/// Roles that have no value of their own: lists that are piped in, and what words decide elsewhere.
const UNSAID: [Role; 4] = [Role::List, Role::With, Role::Messages, Role::Negate];

impl<'c> Layout<'c> {
    /// The executors of a shape; nothing where one is not in the catalog.
    pub fn new(shape: &'c Shape, catalog: &'c Catalog) -> Option<Self> {
        let parts: Vec<(&Tool, &Part)> =
            shape.parts().iter().map(|part| Some((catalog.get(&part.tool)?, part))).collect::<Option<_>>()?;
        let back = shape.is_back();
        let source = if back { None } else { source(&parts, catalog) };
        Some(Self { source, parts, back })
    }

    /// The step that says what is asked: the last that changes something, else the first.
    pub fn main(&self) -> Option<&'c Tool> {
        let changer = self.parts.iter().rev().find(|(tool, _)| tool.class == Class::Changer);
        changer.or(self.parts.first()).map(|(tool, _)| *tool)
    }

    /// Every executor, in order.
    pub fn tools(&self) -> impl Iterator<Item = &'c Tool> {
        self.source.into_iter().chain(self.parts.iter().map(|(tool, _)| *tool))
    }

    /// Every slot, each once.
    pub fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut add = |role: Role, not: bool| {
            let slot = Slot { role: first_of(role), not };
            if !UNSAID.contains(&role) && !slots.contains(&slot) {
                slots.push(slot);
            }
        };
        for tool in self.tools() {
            for arg in tool.args.iter().flat_map(|arg| std::iter::once(arg).chain(&arg.inside)) {
                if let Some(role) = arg.role {
                    add(role, false);
                }
            }
        }
        let lists = self.tools().any(|tool| tool.pipes);
        if lists || self.back {
            for role in [Role::Kind, Role::Patterns, Role::From, Role::Place] {
                add(role, true);
            }
        }
        if self.back {
            NARROWING.iter().for_each(|role| add(*role, false));
            add(Role::Index, false);
            for role in [Role::WhereField, Role::WhereValue, Role::WhereMin] {
                add(role, false);
            }
        }
        slots
    }
}

/// Of the two ends of a range the first stands for both.
pub(crate) fn first_of(role: Role) -> Role {
    match role {
        Role::SizeMax => Role::SizeMin,
        Role::Before => Role::After,
        Role::WhereMax => Role::WhereMin,
        Role::WhereBefore => Role::WhereAfter,
        other => other,
    }
}

fn source<'c>(parts: &[(&'c Tool, &Part)], catalog: &'c Catalog) -> Option<&'c Tool> {
    let (first, _) = parts.first()?;
    if first.class == Class::Producer && !works_on_things(first) {
        return None;
    }
    let object = parts.iter().find_map(|(tool, _)| object_of(tool, catalog))?;
    let source = catalog.source(object)?;
    (source.name != first.name).then_some(source)
}

fn works_on_things(tool: &Tool) -> bool {
    [Role::List, Role::Paths, Role::Ids, Role::Pids].iter().any(|role| tool.takes(*role))
}

/// The object of the things that an executor works on.
pub(crate) fn object_of<'c>(tool: &'c Tool, catalog: &'c Catalog) -> Option<&'c str> {
    if !works_on_things(tool) {
        return None;
    }
    if let Some(along) = &tool.along {
        return Some(along);
    }
    if catalog.source(tool.object()).is_some() {
        return Some(tool.object());
    }
    tool.takes(Role::Paths).then_some("files")
}

impl Slot {
    /// Its name among features.
    pub fn key(self) -> String {
        format!("{}{:?}", if self.not { "!" } else { "" }, self.role)
    }
}
