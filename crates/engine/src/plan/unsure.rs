//! What a pronoun may not point to: the list before a turn that was not understood, or what a turn has made of it.

use super::answer::{Answer, Gap, Plan};
use super::{Planner, Step};
use crate::catalog::{Role, Tool};
use crate::parse::Frame;
use metnos_vocab::Class;

/// Why it is not sure what "them" means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsure {
    /// The last turn was not understood; it may have been about the list.
    Lost,
    /// The last turn made something else of the list: an archive, copies.
    Made,
}

/// What a turn of the conversation leaves unsure.
pub(super) fn after(planner: &Planner, answer: &Answer, before: Option<Unsure>) -> Option<Unsure> {
    match answer {
        Answer::Gap(_) => Some(Unsure::Lost),
        Answer::Plan(plan) => {
            let last = plan.steps.last().and_then(|step| planner.catalog.get(&step.tool));
            last.is_some_and(makes).then_some(Unsure::Made)
        }
        _ => before,
    }
}

/// Whether what an executor answers with is not what it was given.
fn makes(tool: &Tool) -> bool {
    tool.class == Class::Changer && (tool.takes(Role::Dst) || tool.takes(Role::OutPath))
}

/// The plan, or a gap where it would change a list that may not be the one that is meant.
pub(super) fn settled(planner: &Planner, plan: Plan, frames: &[Frame], unsure: Option<Unsure>) -> Answer {
    let changes = |step: &Step| {
        let tool = planner.catalog.get(&step.tool);
        tool.is_none_or(|tool| tool.class == Class::Changer && tool.along.is_none())
    };
    let back = plan.steps.iter().any(|step| step.args.contains_key("from_turn"));
    // "zip them … and move it": of what was made there is one.
    let one = frames.iter().all(|frame| frame.anaphor.is_none() || frame.one);
    let meant = match unsure {
        None => true,
        Some(Unsure::Lost) => false,
        Some(Unsure::Made) => one,
    };
    if back && !meant && plan.steps.iter().any(changes) {
        return Answer::Gap(Gap::new("it is not clear which of them are meant", Vec::new()));
    }
    Answer::Plan(plan)
}
