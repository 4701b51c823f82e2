//! Grants: a yes that holds for more than once.

use super::Ask;
use crate::moment;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A yes bound to a person, a channel, a capability, an executor and a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Its id.
    pub id: String,
    /// Whose turns it holds for.
    pub user: String,
    /// On which channel.
    pub channel: String,
    /// For which capability.
    pub capability: String,
    /// Which executor may use it; one that names none holds for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// A path and what lies below it, a host or `*.domain`, or the exact text.
    pub target: String,
    /// In which turns.
    pub scope: GrantScope,
    /// When it was given.
    #[serde(with = "moment")]
    pub created_at: Timestamp,
    /// From when it no longer holds.
    #[serde(default, with = "moment::optional")]
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    #[serde(default, with = "moment::optional")]
    pub revoked_at: Option<Timestamp>,
    /// Who gave it.
    pub by: String,
}

/// In which turns a grant holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// In this session.
    Session(String),
    /// In every turn.
    Always,
    /// In the firings of one schedule, as long as its plan and executors stay what was approved.
    Schedule {
        /// Which schedule.
        schedule: String,
        /// The hash of the approved plan.
        plan_hash: String,
        /// The digests of its executors.
        digests: Vec<String>,
        /// The most items one step may delete or move without another question.
        item_cap: usize,
    },
}

impl Grant {
    /// Whether it is in force at `now`. One given later than now is not: a clock set back would
    /// otherwise bring expired ones back to life.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none()
            && self.created_at <= now
            && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Whether it holds for `ask`, at `now`, in `session`.
    pub fn covers(&self, ask: &Ask<'_>, now: Timestamp, session: &str) -> bool {
        let bound = |granted: &str, asked: &str| !granted.is_empty() && granted == asked;
        self.is_live(now)
            && bound(&self.user, ask.user)
            && bound(&self.channel, ask.channel)
            && bound(&self.capability, ask.capability)
            && self.executor.as_deref().is_none_or(|executor| bound(executor, ask.executor))
            && ask.target.is_within(&self.target)
            && match &self.scope {
                GrantScope::Always => true,
                GrantScope::Session(id) => bound(id, session),
                GrantScope::Schedule { schedule, plan_hash, digests, .. } => ask.run.is_some_and(|run| {
                    bound(schedule, run.schedule)
                        && bound(plan_hash, run.plan_hash)
                        && digests.iter().any(|digest| bound(digest, run.digest))
                }),
            }
    }

    /// The item cap it carries, if it is a schedule's.
    pub fn item_cap(&self) -> Option<usize> {
        match self.scope {
            GrantScope::Schedule { item_cap, .. } => Some(item_cap),
            _ => None,
        }
    }
}
