//! Rules: a "never this" that a person said when rejecting.

use super::{Ask, Target};
use crate::moment;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Something a person never wants done. It wins over every grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// Whose turns it holds for.
    pub user: String,
    /// What must not be used.
    pub on: RuleOn,
    /// On what: a path and what lies below it, a host or `*.domain`, or the exact text. Without one,
    /// on anything.
    #[serde(default)]
    pub target: Option<String>,
    /// When it was said.
    #[serde(with = "moment")]
    pub created_at: Timestamp,
    /// When it was taken back.
    #[serde(default, with = "moment::optional")]
    pub revoked_at: Option<Timestamp>,
    /// The rule in words, as the person reads it.
    pub text: String,
}

/// What a rule forbids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOn {
    /// A capability, whoever uses it.
    Capability(String),
    /// An executor, whatever it uses.
    Executor(String),
}

/// How far a rule reaches into what is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// What is asked can reach down into what is forbidden.
    Above,
    /// It is what is forbidden.
    Hit,
}

impl Rule {
    /// Whether it is in force at `now`.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none_or(|revoked_at| now < revoked_at)
    }

    /// Whether it forbids `ask` at `now`.
    pub fn forbids(&self, ask: &Ask<'_>, now: Timestamp) -> bool {
        self.reach(ask, now) == Some(Reach::Hit)
    }

    pub(super) fn reach(&self, ask: &Ask<'_>, now: Timestamp) -> Option<Reach> {
        let names = match &self.on {
            RuleOn::Capability(name) => name == ask.capability,
            RuleOn::Executor(name) => name == ask.executor,
        };
        if !names || self.user != ask.user || !self.is_live(now) {
            return None;
        }
        match (self.target.as_deref(), &self.on, ask.target) {
            (None, _, _) => Some(Reach::Hit),
            // An executor also uses capabilities that have no target; those are not what was meant.
            (Some(_), RuleOn::Executor(_), Target::None) => None,
            (Some(forbidden), _, target) if target.is_hit_by(forbidden) => Some(Reach::Hit),
            (Some(forbidden), _, target) if target.is_above(forbidden) => Some(Reach::Above),
            _ => None,
        }
    }
}
