//! From what a person wrote to the one path it means: absolute, without links and without `..`.
//!
//! The walk is done component by component, as the kernel does it, so that `..` after a link goes
//! where the kernel would go, and links the kernel conjures up (`/proc/self/root`) are refused.

use rustix::fs::{PROC_SUPER_MAGIC, statfs};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const LINKS_MAX: u32 = 40;
/// As long a path as the kernel takes.
const PATH_MAX: usize = 4096;

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Absolute, without links and `..`, whether it exists or not.
    pub path: PathBuf,
    /// Whether something is there.
    pub exists: bool,
    /// Device and inode of what is there.
    pub id: Option<(u64, u64)>,
    /// Whether that is a folder.
    pub is_dir: bool,
    /// The components at the end of `path` that do not exist.
    pub missing: Vec<OsString>,
}

/// Why a path means nothing that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Nothing was written.
    #[error("an empty path names nothing")]
    Empty,
    /// A byte no path can hold.
    #[error("{} holds a NUL byte", path.display())]
    Nul {
        /// What was written.
        path: PathBuf,
    },
    /// Longer than any path can be.
    #[error("the path is {bytes} bytes long; the most is {PATH_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A relative path without an absolute folder to start from.
    #[error("{} is relative, and there is no folder to start from", path.display())]
    NoBase {
        /// What was written.
        path: PathBuf,
    },
    /// `~` without a home, or the home of somebody else.
    #[error("{} names a home that is not known", path.display())]
    NoHome {
        /// What was written.
        path: PathBuf,
    },
    /// Links that lead to each other.
    #[error("{} leads through more than {LINKS_MAX} links", path.display())]
    Loop {
        /// What was written.
        path: PathBuf,
    },
    /// A link the kernel conjures up; it leads where no name does.
    #[error("{} is a link into a process", path.display())]
    MagicLink {
        /// The link.
        path: PathBuf,
    },
    /// `..` after something that does not exist: nobody can say what it means.
    #[error("{} goes up from {}, which does not exist", path.display(), missing.display())]
    UpFromMissing {
        /// What was written.
        path: PathBuf,
        /// What does not exist.
        missing: PathBuf,
    },
    /// Something below a file.
    #[error("{} is not a folder", path.display())]
    NotADirectory {
        /// The file.
        path: PathBuf,
    },
    /// The system refused to look.
    #[error("{}: {source}", path.display())]
    Io {
        /// At what.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}

impl ResolveError {
    /// What to do next, when there is something to do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoHome { .. } => Some("write the path in full, or ./~name for a file of that name"),
            Self::UpFromMissing { .. } => Some("write the path without `..`"),
            Self::MagicLink { .. } => Some("use the path the link stands for"),
            Self::NoBase { .. } => Some("write the path in full"),
            _ => None,
        }
    }
}

/// What `path` means, seen from `base`; `~` is the home in the environment.
pub fn resolve(path: &Path, base: &Path) -> Result<Resolved, ResolveError> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    resolve_in(path, base, &home)
}

/// What `path` means, seen from `base`, for somebody whose home is `home`.
pub fn resolve_in(path: &Path, base: &Path, home: &Path) -> Result<Resolved, ResolveError> {
    let full = absolute(path, base, home)?;
    let mut walk =
        Walk { written: path, at: PathBuf::from("/"), left: steps(&full), missing: Vec::new(), links: 0 };
    walk.run()?;
    let mut resolved = walk.at;
    let meta = match walk.missing.is_empty() {
        true => std::fs::symlink_metadata(&resolved).ok(),
        false => None,
    };
    resolved.extend(&walk.missing);
    Ok(Resolved {
        path: resolved,
        exists: meta.is_some(),
        id: meta.as_ref().map(|m| (m.dev(), m.ino())),
        is_dir: meta.is_some_and(|m| m.is_dir()),
        missing: walk.missing,
    })
}

/// `path` in full, as written: links and `..` are not followed.
pub fn absolute(path: &Path, base: &Path, home: &Path) -> Result<PathBuf, ResolveError> {
    let bytes = path.as_os_str().as_bytes();
    let owned = || path.to_owned();
    if bytes.is_empty() {
        return Err(ResolveError::Empty);
    }
    if bytes.len() > PATH_MAX {
        return Err(ResolveError::TooLong { bytes: bytes.len() });
    }
    if bytes.contains(&0) {
        return Err(ResolveError::Nul { path: owned() });
    }
    if bytes.starts_with(b"~") {
        let rest = path.strip_prefix("~").ok().filter(|_| home.is_absolute());
        return rest.map(|rest| home.join(rest)).ok_or_else(|| ResolveError::NoHome { path: owned() });
    }
    let full = base.join(path);
    if full.is_absolute() { Ok(full) } else { Err(ResolveError::NoBase { path: owned() }) }
}

/// One step of the walk.
enum Step {
    Up,
    Into(OsString),
}

fn steps(path: &Path) -> VecDeque<Step> {
    path.components()
        .filter_map(|c| match c {
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Into(name.to_owned())),
            _ => None,
        })
        .collect()
}

struct Walk<'p> {
    written: &'p Path,
    /// Where we are; exists, and holds no link.
    at: PathBuf,
    left: VecDeque<Step>,
    missing: Vec<OsString>,
    links: u32,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), ResolveError> {
        while let Some(step) = self.left.pop_front() {
            match step {
                Step::Up if self.missing.is_empty() => {
                    self.at.pop();
                }
                Step::Up => {
                    let mut missing = self.at.clone();
                    missing.extend(&self.missing);
                    return Err(ResolveError::UpFromMissing { path: self.written.to_owned(), missing });
                }
                Step::Into(name) if !self.missing.is_empty() => self.missing.push(name),
                Step::Into(name) => self.enter(name)?,
            }
        }
        Ok(())
    }

    fn enter(&mut self, name: OsString) -> Result<(), ResolveError> {
        let next = self.at.join(&name);
        match std::fs::symlink_metadata(&next) {
            Ok(meta) if meta.is_symlink() => self.follow(next),
            Ok(meta) if !meta.is_dir() && !self.left.is_empty() => {
                Err(ResolveError::NotADirectory { path: next })
            }
            Ok(_) => {
                self.at = next;
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {
                self.missing.push(name);
                Ok(())
            }
            Err(source) => Err(ResolveError::Io { path: next, source }),
        }
    }

    fn follow(&mut self, link: PathBuf) -> Result<(), ResolveError> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(ResolveError::Loop { path: self.written.to_owned() });
        }
        let failed = |source: std::io::Error| ResolveError::Io { path: link.clone(), source };
        if statfs(&self.at).map_err(|e| failed(e.into()))?.f_type == PROC_SUPER_MAGIC {
            return Err(ResolveError::MagicLink { path: link });
        }
        let target = std::fs::read_link(&link).map_err(failed)?;
        if target.is_absolute() {
            self.at = PathBuf::from("/");
        }
        for step in steps(&target).into_iter().rev() {
            self.left.push_front(step);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
