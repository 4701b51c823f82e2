//! The slots of a shape: the arguments of its steps, and of the step that looks up what they work on.

use crate::catalog::{Catalog, Role, Tool};
use crate::shape::{MANNER, Part, Shape};
use metnos_vocab::Class;

/// A place for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// What the value is for.
    pub role: Role,
    /// Whether what it says is left out.
    pub not: bool,
}

/// The executors of a shape, and what looks up what they work on.
#[derive(Clone, Debug)]
pub struct Layout<'c> {
    /// What looks things up, each with the step of the shape that works on them, where nothing before it gives them.
    pub sources: Vec<(usize, &'c Tool)>,
    /// What tells of things that are named outright, where the step that works on them takes no names.
    pub named: Option<&'c Tool>,
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
        let sources = if back { Vec::new() } else { sources(&parts, catalog) };
        let named = sources.iter().find_map(|(at, source)| named(parts[*at], source, catalog));
        Some(Self { sources, named, parts, back })
    }

    /// The step that says what is asked: the last that changes something, else the first.
    pub fn main(&self) -> Option<&'c Tool> {
        let changer = self.parts.iter().rev().find(|(tool, _)| tool.class == Class::Changer);
        changer.or(self.parts.first()).map(|(tool, _)| *tool)
    }

    /// Every executor, in order.
    pub fn tools(&self) -> impl Iterator<Item = &'c Tool> {
        let sources = self.sources.iter().map(|(_, tool)| *tool);
        sources.chain(self.named).chain(self.parts.iter().map(|(tool, _)| *tool))
    }

    /// Whether the shape says that this argument is given.
    fn has(&self, name: &str) -> bool {
        self.parts.iter().flat_map(|(_, part)| &part.fixed).any(|(fixed, _)| fixed == name)
    }

    /// Every slot, each once: of several destinations only what the shape has.
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
                if let Some(role) = arg.role.filter(|role| !MANNER.contains(role) || self.has(&arg.name)) {
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

/// What looks things up for each step that works on things which no step before it gives.
fn sources<'c>(parts: &[(&'c Tool, &Part)], catalog: &'c Catalog) -> Vec<(usize, &'c Tool)> {
    let mut sources: Vec<(usize, &Tool)> = Vec::new();
    let mut given: Option<&Tool> = None;
    for (at, (tool, _)) in parts.iter().enumerate() {
        if tool.class == Class::Producer && !works_on_things(tool) {
            given = Some(tool);
            continue;
        }
        // A place that is made for what comes later is not looked up.
        if makes(tool) && at + 1 < parts.len() {
            continue;
        }
        let object = match given {
            None => parts[at..].iter().find_map(|(tool, _)| object_of(tool, catalog)),
            Some(given) => object_of(tool, catalog).filter(|object| !is_given(tool, object, given)),
        };
        let Some(source) = object.and_then(|object| catalog.source(object)) else { continue };
        if source.name != tool.name {
            sources.push((at, source));
        }
        given = Some(if tool.class == Class::Producer { tool } else { source });
    }
    sources
}

/// Whether an executor can work on what another one gives: things of its own, or files by their paths.
fn is_given(tool: &Tool, object: &str, given: &Tool) -> bool {
    let own = [Role::Paths, Role::Ids, Role::Pids].iter().any(|role| tool.takes(*role));
    let changes = tool.class == Class::Changer;
    let files = object == "files" && (given.open || given.gives.contains_key("path"));
    !own || !changes || given.object() == object || files
}

/// Whether an executor makes a place, which what comes later may go into.
pub(crate) fn makes(tool: &Tool) -> bool {
    tool.class == Class::Changer && tool.verb() == "create" && tool.takes(Role::Paths)
}

/// What tells of things that are named, where they are put somewhere as they are.
fn named<'c>((tool, part): (&Tool, &Part), source: &Tool, catalog: &'c Catalog) -> Option<&'c Tool> {
    let arg = tool.arg(Role::DstDir).filter(|_| tool.class == Class::Changer)?;
    let puts = part.fixed.iter().any(|(name, _)| *name == arg.name) && !tool.takes(Role::Paths);
    let tells = |other: &&Tool| {
        other.object() == source.object() && other.verb() == "get" && other.takes(Role::Paths)
    };
    catalog.tools().find(tells).filter(|_| puts)
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
