//! What the journal holds, line by line.

use jiff::Timestamp;
use metnos_executor::{Keep, Op};
use metnos_hands::Fact;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The first line of an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The call.
    pub call_id: String,
    /// The turn it belongs to.
    pub turn: String,
    /// Which intent of the call, from one.
    pub number: u32,
    /// When it was said.
    #[serde(with = "moment")]
    pub at: Timestamp,
    /// For whom.
    pub user: String,
    /// By which executor.
    pub executor: String,
    /// Its version.
    pub version: String,
    /// Where what it takes away is kept.
    pub keeps: Vec<Keep>,
    /// True when somebody agreed that nothing of it is kept once it is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permanent: bool,
}

/// One operation, with what stood where it acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What is about to happen.
    #[serde(flatten)]
    pub op: Op,
    /// The thing it acts on when its turn comes: the source of a move or copy, what is deleted, the file written to.
    pub before: Option<Fact>,
    /// What stood at the destination of a move or copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<Fact>,
    /// What the intent said of `before`; the outcome may know better.
    #[serde(skip)]
    pub foreseen: Option<Fact>,
}

/// The last line of an intent and of a close: how many lines came before, and their digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) lines: u64,
    pub(crate) blake3: String,
}

/// What became of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// It happened.
    pub performed: bool,
    /// What stands there now: at the destination of a move, copy or write, at a new folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Fact>,
    /// What is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Fact>,
    /// What it found where it acts, if that is not what the intent foresaw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Fact>,
}

/// The first line of a close.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// Digests of the intents, in order.
    pub intents: Vec<String>,
    /// Digest of the observed outcome, or why there is none.
    pub outcome: String,
    /// Operations that happened.
    pub performed: u64,
    /// Bytes that are kept.
    pub kept_bytes: u64,
    /// True when the call was cut and all of it was taken back.
    #[serde(default)]
    pub rolled_back: bool,
}

/// How an act was undone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// When.
    #[serde(with = "moment")]
    pub at: Timestamp,
    /// Operations reversed.
    pub reversed: u64,
    /// Operations left as they are, with the reason.
    pub conflicts: Vec<crate::Conflict>,
    /// The numbers of those, from zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<u64>,
}

impl Undone {
    /// True when operation `i`, which acts on `path`, is still to be reversed. A record without numbers tells by
    /// the path.
    pub(crate) fn left(&self, i: usize, path: &Path) -> bool {
        match self.left.is_empty() {
            true => self.conflicts.iter().any(|conflict| conflict.path == path.display().to_string()),
            false => self.left.contains(&(i as u64)),
        }
    }

    /// What undoing came to in the end, when it was tried before.
    pub fn after(mut self, before: Option<&Self>) -> Self {
        self.reversed += before.map_or(0, |before| before.reversed);
        self
    }
}

/// What is left of an act that was let go of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Freed {
    /// When.
    #[serde(with = "moment")]
    pub(crate) at: Timestamp,
    /// Its first intent, if it could be read.
    pub(crate) head: Option<Head>,
    /// Operations that had happened.
    pub(crate) performed: u64,
    /// Bytes that were kept.
    pub(crate) kept_bytes: u64,
    /// How it had been undone before, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undone: Option<Undone>,
    /// True when it had been cut and taken back.
    #[serde(default)]
    pub(crate) rolled_back: bool,
}

/// Moments as text that a person can read.
mod moment {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(at)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
