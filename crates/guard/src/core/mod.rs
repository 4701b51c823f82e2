//! Core paths: what no profile, autonomy or approval can grant.
//!
//! The list is one data file. A verdict is about a canonical path ([`mod@crate::resolve`]) and knows
//! five ways of reaching a core path: by its name, in another case, through a symbolic link that
//! stands on the way to it, through another mount of the same files, and by a hard link to a file in it.

mod alias;
mod expand;
mod links;
mod list;
mod look;
mod mounts;
mod paths;

#[cfg(test)]
mod tests;

pub use expand::Expansion;
pub use look::Look;
pub(crate) use paths::inside;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folders the patterns of the list stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreVars {
    /// The home of the account Metnos runs as.
    pub user_home: PathBuf,
    /// Configuration, keys, vault.
    pub metnos_config: PathBuf,
    /// Databases, journal, undo.
    pub metnos_state: PathBuf,
    /// Signed executors.
    pub metnos_executors: PathBuf,
    /// Audit.
    pub metnos_audit: PathBuf,
    /// What is kept for undo.
    pub metnos_undo: PathBuf,
    /// The roots of the territory.
    pub roots: Vec<PathBuf>,
}

/// What somebody wants to do with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Look at it or into it.
    Read,
    /// Change it or create in it.
    Write,
    /// Give it another name or none.
    RenameOrRemove,
}

/// Whether a path may be touched at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first Law has nothing against it.
    Free,
    /// Never.
    Core {
        /// The core path it touches.
        entry: PathBuf,
        /// Why that one is core.
        reason: String,
    },
}

impl Verdict {
    /// Whether the first Law forbids it.
    pub fn is_core(&self) -> bool {
        matches!(self, Self::Core { .. })
    }
}

/// Which file or folder a name led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The file system.
    pub dev: u64,
    /// The inode in it.
    pub ino: u64,
    /// Whether it is a folder.
    pub is_dir: bool,
}

impl Identity {
    /// What stands at `path` itself, links not followed.
    pub fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::symlink_metadata(path).ok()?;
        Some(Self { dev: meta.dev(), ino: meta.ino(), is_dir: meta.is_dir() })
    }
}

/// Why the list cannot be used. Without it nothing may run.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// The data file does not parse.
    #[error("the list of core paths: {0}")]
    List(#[from] toml::de::Error),
    /// A pattern that stands for no absolute path.
    #[error("core path {at:?} does not lead to an absolute path")]
    NotAbsolute {
        /// The pattern.
        at: String,
    },
    /// The mounts of this process cannot be read, so bind mounts cannot be recognised.
    #[error("cannot read the mounts of this process: {0}")]
    Mounts(std::io::Error),
}

/// One core path.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Where it is: as the list says, and where links on the way lead.
    paths: Vec<PathBuf>,
    reason: String,
    /// Trees below it that are not core.
    except: Vec<PathBuf>,
    /// Whether hard links to the files in it are core as well.
    by_identity: bool,
}

/// The core paths of this instance.
#[derive(Debug)]
pub struct CorePaths {
    version: u32,
    entries: Vec<Entry>,
    aliases: alias::Aliases,
    links: links::Links,
}

impl CorePaths {
    /// Reads the list for an instance whose folders are `vars`.
    pub fn load(vars: &CoreVars) -> Result<Self, CoreError> {
        list::load(vars)
    }

    /// The version of the core table, which profile locks are made over.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Every core path, as the list says and as it resolves.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().flat_map(|e| &e.paths).map(PathBuf::as_path)
    }

    /// What stands at the core paths now. Verdicts about many paths share one look.
    pub fn look(&self) -> Result<Look<'_>, CoreError> {
        Look::take(self)
    }

    /// Whether `path`, canonical, may be touched. If that cannot be told, it may not.
    pub fn verdict(&self, path: &Path, act: Act) -> Verdict {
        match self.look() {
            Ok(look) => look.verdict(path, act),
            Err(error) => Verdict::Core { entry: path.to_owned(), reason: error.to_string() },
        }
    }
}
