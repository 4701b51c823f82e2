//! How much room is taken by what is kept.

use crate::runtime::Runtime;
use std::path::Path;

/// What is kept, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Kept {
    /// The lists of turns.
    pub turns: u64,
    /// What is kept for undo, in this house and in the roots.
    pub undo: u64,
    /// The daemon's log.
    pub logs: u64,
    /// The databases.
    pub database: u64,
    /// The audit.
    pub audit: u64,
}

impl Runtime {
    /// How much is kept. What cannot be looked at counts as nothing: this is for the eye.
    pub fn kept_sizes(&self) -> Kept {
        let state = self.home.state_dir();
        let mut undo = bytes(&self.home.undo_dir());
        for root in self.roots() {
            undo = undo.saturating_add(bytes(&root.join(".metnos-undo")));
        }
        let mut database = 0_u64;
        for item in std::fs::read_dir(&state).into_iter().flatten().flatten() {
            let name = item.file_name();
            if name.to_str().is_some_and(|name| name.contains(".sqlite")) {
                database = database.saturating_add(item.metadata().map_or(0, |meta| meta.len()));
            }
        }
        Kept {
            turns: bytes(&state.join("turns")),
            undo,
            logs: bytes(&state.join("logs")),
            database,
            audit: bytes(&self.home.audit_dir()),
        }
    }
}

/// The bytes of a file, or of all files below a folder. No link is followed.
pub(crate) fn bytes(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else { return 0 };
    if !meta.is_dir() {
        return if meta.is_file() { meta.len() } else { 0 };
    }
    let items = std::fs::read_dir(path).into_iter().flatten().flatten();
    items.map(|item| bytes(&item.path())).fold(0, u64::saturating_add)
}
