//! Why an executor is not loaded.

use serde::{Deserialize, Serialize};

/// The part of an executor that a check stumbled over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// `manifest.toml`.
    Manifest,
    /// `main.py`.
    Code,
    /// `schema.json`.
    Schema,
    /// `tests/birth.toml`.
    BirthTests,
    /// `profile.lock`.
    Lock,
    /// `manifest.sig`.
    Signature,
    /// The record of the default version.
    Current,
    /// The record of the host.
    Host,
    /// The host program itself.
    HostBinary,
    /// A signed record that is older than the newest one known.
    Counter,
    /// The name or version, which differ from the folder's or from the grammar.
    Name,
    /// A name that a more trusted root already owns.
    Root,
    /// The signed history of its states.
    Lifecycle,
    /// There is no such executor or version; nothing is wrong with any other.
    Absent,
}

impl Part {
    /// The word used in audit lines and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Code => "code",
            Self::Schema => "schema",
            Self::BirthTests => "birth_tests",
            Self::Lock => "lock",
            Self::Signature => "signature",
            Self::Current => "current",
            Self::Host => "host",
            Self::HostBinary => "host_binary",
            Self::Counter => "counter",
            Self::Name => "name",
            Self::Root => "root",
            Self::Lifecycle => "lifecycle",
            Self::Absent => "absent",
        }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A check that failed: which part, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{part}: {reason}")]
pub struct Refusal {
    /// The part.
    pub part: Part,
    /// In words for the person.
    pub reason: String,
}

impl Refusal {
    /// A refusal of `part` because of `reason`.
    pub fn new(part: Part, reason: impl Into<String>) -> Self {
        Self { part, reason: reason.into() }
    }

    pub(crate) fn io(part: Part, what: &str, error: &std::io::Error) -> Self {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => format!("{what} is missing"),
            _ => format!("{what}: {error}"),
        };
        Self::new(part, reason)
    }
}
