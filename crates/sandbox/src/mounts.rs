//! What a cell can see and ask of the kernel. Two calls with equal mounts can use the same warm cell, so this value is
//! also the key of the pool.

use metnos_executor::wire::Calls;
use std::path::PathBuf;

/// A path of the real disk that exists inside the cell, at the same place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bind {
    /// Absolute, resolved.
    pub path: PathBuf,
    /// Read-write, or read-only.
    pub write: bool,
}

/// A core path inside a bind, covered so that it looks empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mask {
    /// Exists on the real disk; a mask never creates anything.
    pub path: PathBuf,
    /// Covered by an empty read-only directory, or by an empty file.
    pub dir: bool,
}

/// The whole view of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mounts {
    /// Parents before children.
    pub binds: Vec<Bind>,
    /// After the binds.
    pub masks: Vec<Mask>,
    /// Where the system keeps CPython and its libraries, read-only.
    pub system: bool,
    /// Size of the private `/tmp`.
    pub tmp_mb: u64,
    /// Size of the private layer over what it may change; nothing where it has none.
    pub layer_mb: u64,
    /// Which system calls it has.
    pub calls: Calls,
    /// True when it is for one call alone: none like it is kept ready.
    pub once: bool,
}

impl Mounts {
    /// Sorts and removes what is said twice, so that equal views compare equal.
    pub fn tidy(mut self) -> Self {
        self.binds.sort();
        // The same path read-only and read-write is read-write.
        self.binds.dedup_by(|later, first| {
            let same = later.path == first.path;
            first.write |= same && later.write;
            same
        });
        self.masks.sort();
        self.masks.dedup();
        self
    }

    /// A short name for audit lines and `doctor`.
    pub fn class(&self) -> &'static str {
        match (self.system, self.binds.is_empty(), self.binds.iter().any(|b| b.write)) {
            (true, ..) => "cpython",
            (false, true, _) => "pure",
            (false, false, false) => "read",
            (false, false, true) => "write",
        }
    }
}
