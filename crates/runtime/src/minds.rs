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

    /// Asks once. The answer should have the shape of `schema`; whoever asks checks it again.
    fn ask(&self, role: Role, prompt: &Prompt<'_>, schema: &Value) -> Result<Value, Failure>;
}

/// The next step for somebody who has no model.
pub(crate) fn how_to_bind(role: Role) -> String {
    format!("no model is bound: name one under [tiers.{}] in metnos.toml", role.word())
}
