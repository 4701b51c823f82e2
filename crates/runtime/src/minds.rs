//! The models behind the executors that understand, as the runtime sees them: a role, a prompt, a shape.
//!
//! The runtime names no model. Whoever opens it may bind one; without one the deterministic half of an
//! executor is all there is, and what it cannot do is refused with the way to bind a model.

use metnos_executor::Failure;
use serde_json::Value;

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Small answers, often.
    Fast,
    /// Judging what another one proposed.
    Middle,
    /// The best there is; only when a person asked for it.
    Frontier,
}

impl Role {
    /// As it is written in `metnos.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Middle => "middle",
            Self::Frontier => "frontier",
        }
    }
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    /// What the model is to do. Nothing that came from data.
    pub system: &'a str,
    /// What it is to do it with, framed as data.
    pub user: &'a str,
}

/// Models that can be asked.
pub trait Minds: Send + Sync {
    /// Whether somebody stands behind this role.
    fn has(&self, role: Role) -> bool;

    /// Asks once. The answer should have the shape of `schema`; whoever asks checks it again. It is not waited for
    /// once `stopped` says so.
    fn ask(&self, role: Role, prompt: &Prompt<'_>, schema: &Value, stopped: &dyn Fn() -> bool) -> Told;
}

/// What a model answered, and what that took.
pub struct Told {
    /// The answer, or why there is none.
    pub answer: Result<Value, Failure>,
    /// What it took, whatever came of it.
    pub used: Used,
}

impl Told {
    /// Nobody was asked.
    pub(crate) fn unasked(why: Failure) -> Self {
        Self { answer: Err(why), used: Used::default() }
    }
}

/// What questions to models took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Tokens of the questions.
    pub tokens_in: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
    /// In millionths.
    pub cost: u64,
}

/// The next step for somebody who has no model.
pub(crate) fn how_to_bind(role: Role) -> String {
    format!("no model is bound: name one under [tiers.{}] in metnos.toml", role.word())
}
