//! What can go wrong with the journal, and what to do about it.

use std::path::{Path, PathBuf};

/// Why the journal could not be written, read or followed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A record could not be kept.
    #[error(transparent)]
    Record(#[from] metnos_memory::Error),
    /// A record is not what was written.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A record is whole and has other parts than this program knows.
    #[error("{} was written by another version of Metnos; metnos upgrade puts the two in step", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A call id that cannot name a folder.
    #[error("{0:?} is not a call id")]
    BadCallId(String),
    /// The cell announced something that is no operation.
    #[error("operation {at} of the intent cannot be read: {reason}")]
    BadOperation {
        /// Which one, from zero.
        at: usize,
        /// Why.
        reason: String,
    },
    /// The cell announced something it may not do.
    #[error("operation {at} of the intent is outside what this call may change: {}", path.display())]
    Outside {
        /// Which one, from zero.
        at: usize,
        /// The path.
        path: PathBuf,
    },
    /// The cell announced to delete more than may be kept.
    #[error("it would delete more than the {} MB that are kept for undo", most / 1_000_000)]
    TooMuch {
        /// Bytes that may be.
        most: u64,
    },
}

impl Error {
    /// What to do next, when there is something to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Record(inner) => inner.hint(),
            Self::Damaged { path, .. } => {
                let act = path.parent().unwrap_or(path).display();
                Some(format!(
                    "this one act can no longer be undone by Metnos; what it kept is still on disk: see {act}. \
                     `metnos undo --forget <turn>` lets go of it"
                ))
            }
            Self::TooMuch { .. } => {
                Some("delete less at once, or raise budget_mb under [undo] in metnos.toml".into())
            }
            _ => None,
        }
    }

    pub(crate) fn io(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let inner = metnos_memory::Error::io(what, path);
        move |source| Self::Record(inner(source))
    }

    pub(crate) fn unread(path: &Path, error: &serde_json::Error) -> Self {
        match error.is_data() {
            true => Self::Foreign { path: path.to_owned() },
            false => Self::damaged(path, "it is no record"),
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
