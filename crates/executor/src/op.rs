//! What a changer is about to do, said exactly before it is done.
//!
//! A changer computes its operations, sends them as an intent, and performs them only after the
//! daemon has made the intent durable and answered *go*. Each operation names resolved paths.

use crate::path::BytePath;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What may already stand at the destination of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// Nothing: the write fails if something is there.
    #[default]
    Create,
    /// A file, which is replaced as a whole.
    Overwrite,
    /// A file, which grows.
    Append,
}

/// One operation on the file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Create a directory whose parent exists.
    MakeDir {
        /// The directory.
        path: BytePath,
    },
    /// Move or rename; never replaces.
    Move {
        /// From.
        src: BytePath,
        /// To.
        dst: BytePath,
    },
    /// Copy a regular file; never replaces.
    Copy {
        /// From.
        src: BytePath,
        /// To.
        dst: BytePath,
    },
    /// Write content to a file.
    Write {
        /// The file.
        dst: BytePath,
        /// What may stand there.
        mode: WriteMode,
    },
    /// Make a symbolic link where nothing is.
    Link {
        /// The link.
        dst: BytePath,
        /// Where it leads, as it is written.
        target: BytePath,
    },
    /// Remove a file or a symbolic link (the link, never its target).
    Delete {
        /// The file.
        path: BytePath,
    },
    /// Remove a directory that is empty when its turn comes.
    RemoveDir {
        /// The directory.
        path: BytePath,
    },
}

/// Where what a call takes away is kept until it is undone or forgotten: things below `root` go to
/// `dir`, which is on the same mount if it can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// A root of the territory.
    pub root: BytePath,
    /// The call's own folder there.
    pub dir: BytePath,
}

/// What comes with *go*: the number of the intent in its call, and where to keep what it takes away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permit {
    /// From one.
    pub number: u32,
    /// One for each root that the call may change.
    pub keeps: Vec<Keep>,
}

impl Permit {
    /// Where what operation `i` takes away from `path` is kept; `None` when nothing says where.
    pub fn kept(&self, path: &Path, i: usize) -> Option<PathBuf> {
        let over = self.keeps.iter().filter(|keep| path.starts_with(&keep.root.0));
        let keep = over.max_by_key(|keep| keep.root.0.as_os_str().len())?;
        Some(keep.dir.0.join(format!("{}-{i}", self.number)))
    }
}

/// The operations of one call, in the order they will be performed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// In order of execution.
    pub ops: Vec<Op>,
}
