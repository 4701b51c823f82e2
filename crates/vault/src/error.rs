//! Everything that can go wrong with the vault, and what to do about it. No text holds a value.

use crate::{Missing, Name};
use std::io;
use std::path::{Path, PathBuf};

/// Why the vault does not give or take a credential.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The file system said no.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The kernel gave no randomness.
    #[error("no randomness: {0}")]
    Random(String),
    /// Others can read the key.
    #[error("{} can be read by others (mode {mode:04o})", path.display())]
    KeyOpen {
        /// Which file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Somebody else owns the key.
    #[error("{} belongs to another user", path.display())]
    KeyForeign {
        /// Which file.
        path: PathBuf,
    },
    /// Not a key.
    #[error("{} is not a key of the vault", path.display())]
    KeyMalformed {
        /// Which file.
        path: PathBuf,
    },
    /// There are credentials and no key to them.
    #[error("the key of the vault, {}, is not there", path.display())]
    KeyLost {
        /// Where it should be.
        path: PathBuf,
    },
    /// The key is not the one the file was written with.
    #[error("{} was written with another key than {}", path.display(), key.display())]
    KeyOther {
        /// The file.
        path: PathBuf,
        /// Where the key came from.
        key: PathBuf,
    },
    /// The index is not there, while credentials are.
    #[error("the index of the vault, {}, is not there", path.display())]
    IndexLost {
        /// Where it should be.
        path: PathBuf,
    },
    /// A file is not what was written.
    #[error("{}{} was changed from outside", of(name.as_ref()), path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// The credential in it; none for the index.
        name: Option<Name>,
    },
    /// A file is another one than belongs here: older, or of another credential.
    #[error("{}{} holds version {found}, expected {expected}", of(Some(name)), path.display())]
    Misplaced {
        /// Which file.
        path: PathBuf,
        /// The credential that belongs in it.
        name: Name,
        /// The version it claims to be.
        found: u64,
        /// The version the index names.
        expected: u64,
    },
    /// The index names a file that is not there.
    #[error("{}{} is not there", of(Some(name)), path.display())]
    Lost {
        /// Which file.
        path: PathBuf,
        /// The credential that belongs in it.
        name: Name,
    },
    /// The index is older than what is known to have been there.
    #[error("{} was put back to an older state ({found}, at least {known} was there)", path.display())]
    RolledBack {
        /// The index.
        path: PathBuf,
        /// Its generation.
        found: u64,
        /// A generation that was there.
        known: u64,
    },
    /// Written by a later Metnos.
    #[error("{} has format {found}; this binary knows up to {known}", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: u16,
        /// The newest this binary knows.
        known: u16,
    },
    /// Not a name. It is not repeated here: what stands in the wrong place may be the secret.
    #[error("this is not the name of a credential or field")]
    BadName,
    /// A credential without any field.
    #[error("a credential has at least one field")]
    NoFields,
    /// A field that comes twice.
    #[error("the field {name} comes twice")]
    Twice {
        /// Which one.
        name: Name,
    },
    /// More than the vault takes.
    #[error("too many {what}: at most {most}")]
    TooBig {
        /// Of what.
        what: &'static str,
        /// The bound.
        most: usize,
    },
    /// No such credential.
    #[error("there is no credential {name}")]
    Unknown {
        /// Which one.
        name: Name,
    },
    /// The credential is kept for other executors.
    #[error("the credential {name} is not for {executor}")]
    NotBound {
        /// Which one.
        name: Name,
        /// Who asked.
        executor: String,
    },
    /// Credentials a call needs are not there yet: ask the person for them.
    #[error("{0}")]
    Missing(Missing),
    /// The data file with the forms does not parse.
    #[error("the list of forms: {0}")]
    Forms(String),
}

impl VaultError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }

    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        let again = |name: &Name| format!("store it again: `metnos credentials set {name}`");
        match self {
            Self::KeyOpen { path, .. } => Some(format!("chmod 600 {}", path.display())),
            Self::KeyForeign { path } => Some(format!("chown it to this account: {}", path.display())),
            Self::KeyMalformed { .. } | Self::KeyLost { .. } => Some(
                "restore it from a copy; without it the credentials cannot be read and must be stored again"
                    .to_owned(),
            ),
            Self::KeyOther { key, .. } => {
                Some(format!("use the key the vault was made with; {} is another one", key.display()))
            }
            Self::IndexLost { path } | Self::RolledBack { path, .. } | Self::Damaged { path, name: None } => {
                let dir = path.parent().unwrap_or(path);
                Some(format!("restore {} as a whole from one copy, into an empty folder", dir.display()))
            }
            Self::Damaged { name: Some(name), .. }
            | Self::Misplaced { name, .. }
            | Self::Lost { name, .. } => Some(again(name)),
            Self::Newer { .. } => Some("use the version of Metnos that wrote it, or a later one".to_owned()),
            Self::BadName => Some("a name has 1 to 64 of the characters a-z 0-9 _ -".to_owned()),
            Self::Unknown { .. } => Some("`metnos credentials list` shows all names".to_owned()),
            Self::NotBound { name, .. } => Some(format!("change who may receive {name}, or use another one")),
            Self::Missing(missing) => missing.forms.first().map(|form| again(&form.name)),
            _ => None,
        }
    }
}

fn of(name: Option<&Name>) -> String {
    name.map(|name| format!("the credential {name}: ")).unwrap_or_default()
}
