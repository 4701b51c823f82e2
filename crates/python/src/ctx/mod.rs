//! What the host lets Python do, the same for both runtimes.

mod dispatch;
mod raise;

pub(crate) use dispatch::{CallError, METHODS, Reply, call};
pub(crate) use raise::{Raised, class_of_exception, final_for_python};

use metnos_executor::Failure;
use std::ffi::OsString;
use std::path::Path;

/// The world outside the interpreter. Each method is one `ctx` call in Python; a failure arrives there
/// as an exception that can be caught, except the ones that end the call at once: `cancelled`,
/// `interrupted`, `limit_exceeded` and `sandbox_unavailable`.
pub trait Ctx {
    /// The content of a text file.
    fn read_text(&mut self, path: &Path) -> Result<String, Failure>;
    /// The content of any file.
    fn read_bytes(&mut self, path: &Path) -> Result<Vec<u8>, Failure>;
    /// Declares the write, waits until it may happen, and does it.
    fn write_text(&mut self, path: &Path, text: &str) -> Result<(), Failure>;
    /// The members of a directory.
    fn list_dir(&mut self, path: &Path) -> Result<Vec<Named>, Failure>;
    /// What a path is.
    fn stat(&mut self, path: &Path) -> Result<Stat, Failure>;
    /// The moment of the call, ISO 8601 with zone.
    fn now(&mut self) -> Result<String, Failure>;
    /// How far the run is; also how a *stop* reaches it.
    fn progress(&mut self, done: u64, total: Option<u64>) -> Result<(), Failure>;
    /// Gets a page through the egress proxy, which may refuse.
    fn fetch(&mut self, url: &str) -> Result<Fetched, Failure>;
    /// The fields of a credential that the manifest names.
    fn credential(&mut self, name: &str) -> Result<Vec<(String, String)>, Failure> {
        Err(Failure::new(
            metnos_executor::ErrorClass::Unauthorized,
            format!("no credential {name} came with this call"),
        ))
    }
    /// Keeps a line for whoever looks into the call later. Also what `print` becomes.
    fn log(&mut self, text: &str);
}

/// What kind of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, not followed.
    Link,
    /// A device, a socket, a pipe.
    Other,
}

impl Kind {
    /// The word Python sees.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Dir => "dir",
            Self::Link => "link",
            Self::Other => "other",
        }
    }
}

/// One member of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name, without the directory.
    pub name: OsString,
    /// What it is.
    pub kind: Kind,
}

/// What a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Bytes.
    pub size: u64,
    /// Last change, ISO 8601 with zone.
    pub mtime: String,
}

/// The answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// HTTP status.
    pub status: u16,
    /// As the server declared it; empty when it did not.
    pub content_type: String,
    /// Decoded to text.
    pub text: String,
}
