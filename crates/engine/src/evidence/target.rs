//! What points back works on the things that were answered: the same deed for mails is another executor than for files.

use super::Last;
use super::slot::object_of;
use crate::catalog::{Catalog, Role, Tool};
use crate::shape::{Part, Shape};
use metnos_vocab::Class;

/// A shape that points back, with executors for the things of the last answer; none where what it changes is nothing of
/// these.
pub(super) fn of_things(shape: &Shape, last: &Last, catalog: &Catalog) -> Option<Shape> {
    if last.object.is_empty() {
        return Some(shape.clone());
    }
    let mut parts = Vec::new();
    // What reads things gives others, which later steps work on.
    let mut open = true;
    for part in shape.parts() {
        let tool = catalog.get(&part.tool)?;
        let other = object_of(tool, catalog).filter(|object| open && !is_met(tool, object, last, catalog));
        parts.push(match other {
            None => part.clone(),
            Some(_) => match sibling(tool, &last.object, catalog) {
                Some(tool) => moved(part, tool),
                None if tool.class == Class::Changer => return None,
                None => part.clone(),
            },
        });
        open &= tool.class == Class::Processor && !tool.takes(Role::Paths);
    }
    Some(Shape::Steps { back: true, parts })
}

/// Whether an executor for these things works on those of the last answer.
fn is_met(tool: &Tool, object: &str, last: &Last, catalog: &Catalog) -> bool {
    let steps = || last.steps.iter().filter_map(|step| catalog.get(&step.tool));
    let paths = || steps().any(|step| step.open || step.gives.contains_key("path"));
    object == last.object && sibling(tool, &last.object, catalog).is_none_or(|own| own.name == tool.name)
        || object == "files" && paths() && sibling(tool, &last.object, catalog).is_none()
}

/// The executor that does the same to other things.
fn sibling<'c>(tool: &Tool, object: &str, catalog: &'c Catalog) -> Option<&'c Tool> {
    let same = |other: &&Tool| {
        other.verb() == tool.verb()
            && other.object() == object
            && other.class == tool.class
            && other.qualifier().is_empty()
            && tool.qualifier().is_empty()
    };
    catalog.tools().find(same)
}

/// A part with another executor, which keeps what that one takes.
fn moved(part: &Part, tool: &Tool) -> Part {
    let takes = |name: &str| tool.args.iter().any(|arg| arg.name == name);
    let fixed = part.fixed.iter().filter(|(name, _)| takes(name)).cloned().collect();
    Part { tool: tool.name.as_str().to_owned(), fixed }
}
