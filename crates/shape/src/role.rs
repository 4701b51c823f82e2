//! What a model is asked for.

use serde::{Deserialize, Serialize};

/// The role a caller names; configuration binds it to a model or leaves it unbound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Small answers, often.
    Fast,
    /// Judging what another one proposed.
    Middle,
    /// Whole plans.
    Wise,
    /// The best there is; only when a person asked for it, never instead of another.
    Frontier,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Middle, Self::Wise, Self::Frontier];

    /// As it is written in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Middle => "middle",
            Self::Wise => "wise",
            Self::Frontier => "frontier",
        }
    }
}
