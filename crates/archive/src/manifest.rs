//! What an archive says it holds.

use metnos_executor::BytePath;
use serde::{Deserialize, Serialize};

/// The format this crate writes and the only one it reads.
pub const FORMAT: u32 = 1;
/// The name of the manifest: the last file of an archive.
pub const MANIFEST: &str = "MANIFEST.json";

/// The list of everything in an archive, in its order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Which format.
    pub format: u32,
    /// The version of Metnos that wrote it.
    pub metnos: String,
    /// When, in text.
    pub at: String,
    /// What else is said of it.
    #[serde(flatten)]
    pub said: Said,
    /// What is in it.
    pub entries: Vec<Entry>,
}

/// What an archive says of the house it was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// True when keys and credentials are not in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keyless: bool,
    /// The public key of the house.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// How far it had come.
    #[serde(default)]
    pub holds: Holds,
}

/// How far a house had come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holds {
    /// Lines of the audit.
    pub audit_lines: u64,
    /// Turns.
    pub turns: u64,
    /// Credentials.
    pub credentials: u64,
}

impl Manifest {
    /// The bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.size).fold(0, u64::saturating_add)
    }

    /// How many files it holds.
    pub fn files(&self) -> usize {
        self.entries.iter().filter(|entry| entry.kind == Kind::File).count()
    }
}

/// What a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link.
    Link,
}

/// One thing in an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its place, below one of the folders of a house.
    pub path: BytePath,
    /// What it is.
    pub kind: Kind,
    /// Bytes; 0 for what is no file.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// Modification, seconds and nanoseconds: undo knows what it keeps by it.
    pub mtime: (i64, u32),
    /// The digest of a file, or of where a link leads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blake3: String,
}
