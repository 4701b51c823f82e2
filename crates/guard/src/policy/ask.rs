//! What the policy is asked.

use super::{Place, Target};
use serde::Serialize;

/// One capability that one step wants to use on one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ask<'a> {
    /// Which capability.
    pub capability: &'a str,
    /// The executor that would use it.
    pub executor: &'a str,
    /// For the capabilities on files: where the path lies.
    pub place: Option<Place>,
    /// On what.
    pub target: Target<'a>,
    /// For whom.
    pub user: &'a str,
    /// On which channel the turn came in.
    pub channel: &'a str,
    /// True when it reaches the person who asked and nobody else.
    pub to_self: bool,
    /// True when it can be undone.
    pub reversible: bool,
    /// True when doing it twice is doing it once.
    pub idempotent: bool,
    /// True when it changes the world.
    pub side_effects: bool,
    /// The firing of a schedule this step belongs to.
    pub run: Option<Run<'a>>,
}

/// One firing of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Run<'a> {
    /// Which schedule.
    pub schedule: &'a str,
    /// The hash of the plan that runs.
    pub plan_hash: &'a str,
    /// The digest of the executor of this step.
    pub digest: &'a str,
}

impl<'a> Ask<'a> {
    /// An ask that changes nothing and has no target, to be filled in.
    pub fn new(capability: &'a str, executor: &'a str, user: &'a str, channel: &'a str) -> Self {
        Self {
            capability,
            executor,
            place: None,
            target: Target::None,
            user,
            channel,
            to_self: false,
            reversible: false,
            idempotent: false,
            side_effects: false,
            run: None,
        }
    }

    /// Whether it leaves something that neither undo nor repetition makes good.
    pub fn is_lasting(&self) -> bool {
        self.side_effects && !self.idempotent && !self.reversible
    }
}
