//! The small closed words of the policy.

use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter, Result as Written};

/// How much a session may do without a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// New senders and guests.
    ReadOnly,
    /// Daily use.
    Supervised,
    /// Explicit admin sessions.
    Full,
}

/// A word that names no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a level: expected read-only, supervised or full")]
pub struct NotALevel(pub String);

impl Level {
    /// All of them, from the narrowest.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::Supervised, Self::Full];

    /// The word people read and write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Supervised => "supervised",
            Self::Full => "full",
        }
    }
}

impl std::str::FromStr for Level {
    type Err = NotALevel;

    fn from_str(text: &str) -> Result<Self, NotALevel> {
        match text.trim().to_ascii_lowercase().as_str() {
            "read-only" | "readonly" | "read_only" => Ok(Self::ReadOnly),
            "supervised" => Ok(Self::Supervised),
            "full" => Ok(Self::Full),
            _ => Err(NotALevel(text.to_owned())),
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        f.pad(self.as_str())
    }
}

/// What the policy answers. `Ord` follows strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Go on.
    Allow,
    /// Only after a person's yes.
    Ask,
    /// No.
    Deny,
}

impl Decision {
    /// The word used in tables and audit lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl Display for Decision {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        f.pad(self.as_str())
    }
}

/// How often a capability asks. `Ord` follows strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// No grant is ever needed, and none helps.
    None,
    /// Per target, until granted.
    Target,
    /// Every time; no grant lifts it.
    Always,
}

impl Class {
    /// The word used in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Target => "target",
            Self::Always => "always",
        }
    }
}

/// What a grant of a capability is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// Nothing in particular.
    None,
    /// A path and what lies below it.
    Path,
    /// A host, or every host of a domain.
    Host,
    /// Exactly this text.
    Exact,
}

impl TargetKind {
    /// The word used in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Path => "path",
            Self::Host => "host",
            Self::Exact => "exact",
        }
    }
}

/// Where a path lies, from the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In Metnos's own workspace.
    Workspace,
    /// In the folders the person opened.
    Territory,
    /// Anywhere else.
    Outside,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Workspace, Self::Territory, Self::Outside];

    /// How the name of a row goes on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workspace => "in the workspace",
            Self::Territory => "in the territory",
            Self::Outside => "outside the territory",
        }
    }
}
