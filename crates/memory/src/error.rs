//! Everything that can go wrong while keeping records, and what to do about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a record could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was being done, naming the file.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database refused.
    #[error("{what}: {source}")]
    Sqlite {
        /// What was being done.
        what: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The database was written by a newer Metnos.
    #[error("{} has schema version {found}; this binary knows up to {known}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version this binary knows.
        known: i64,
    },
    /// The file is not a database, or no longer a sound one.
    #[error("{} is damaged: {reason}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What SQLite found.
        reason: String,
    },
    /// Another process still reads what should go.
    #[error("{} is being read by another process", path.display())]
    InUse {
        /// The database.
        path: PathBuf,
    },
    /// This call id was already used for something else.
    #[error("call {call_id} was already used for another request")]
    Conflict {
        /// The id.
        call_id: String,
    },
    /// No such call was begun.
    #[error("call {call_id} is not known")]
    UnknownCall {
        /// The id.
        call_id: String,
    },
    /// No such turn was logged.
    #[error("turn {id} is not known")]
    UnknownTurn {
        /// The id.
        id: String,
    },
    /// A call id that cannot name a file.
    #[error("{call_id:?} is not a call id")]
    BadCallId {
        /// What was given.
        call_id: String,
    },
    /// A stored value this binary cannot read.
    #[error("{what} holds a value that cannot be read: {value}")]
    BadValue {
        /// Table and column, or file.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// It cannot be told what in a text is secret, so it is not written.
    #[error("what is secret cannot be told: {reason}")]
    Unsealed {
        /// Why not.
        reason: String,
    },
    /// An audit line that stays too long after its free parts were replaced by digests.
    #[error("an audit line of {bytes} bytes is too long to be kept")]
    LineTooLong {
        /// Its length.
        bytes: usize,
    },
    /// An earlier write failed and could not be taken back, so nothing more is written.
    #[error("the audit stopped after a failed write: {reason}")]
    AuditStopped {
        /// The failure.
        reason: String,
    },
    /// The failure of a write that several callers shared.
    #[error(transparent)]
    Shared(Arc<Error>),
}

impl Error {
    /// What to do next, when there is something to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Newer { known, .. } => Some(format!(
                "run the newer metnos again, or restore a copy of the database of version {known} or older"
            )),
            Self::Corrupt { path, .. } => Some(format!(
                "move {} aside and start again (audit and journal are kept elsewhere), or restore a copy of it",
                path.display()
            )),
            Self::InUse { .. } => Some("try again in a moment".into()),
            Self::Conflict { .. } => Some("use a new call id for a new request".into()),
            Self::AuditStopped { .. } => {
                Some("free space or repair the disk, restart, then run `metnos audit verify`".into())
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                Some("free some space on that file system".into())
            }
            Self::Shared(inner) => inner.hint(),
            _ => None,
        }
    }

    /// The failure of doing `what` with `path`.
    pub fn io(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let what = format!("{what} {}", path.display());
        move |source| Self::Io { what, source }
    }
}
