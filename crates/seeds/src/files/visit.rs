//! What a walk shows and what may be done with it.

use crate::call::Call;
use metnos_executor::{Failure, failure::class_of};
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use std::ffi::CStr;
use std::io;

/// What a visitor wants after it saw an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on; enter it if it is a directory.
    Go,
    /// End the walk here.
    Stop,
}

/// One name met in a walk. Nothing of it is copied until somebody asks.
pub(crate) struct Entry<'a> {
    /// The name as its directory spells it.
    pub name: &'a [u8],
    /// What it is; a symbolic link is a link.
    pub kind: FileType,
    /// Path of its directory, without a slash at the end.
    pub dir: &'a [u8],
    /// How many leading bytes of `dir` are the base of the walk.
    pub base_len: usize,
    /// Directories between it and the base: 0 for a member of the base.
    pub depth: usize,
    /// Its directory, open.
    pub(super) at: BorrowedFd<'a>,
    /// How to reach it from there.
    pub(super) at_name: &'a CStr,
}

impl Entry<'_> {
    /// Size, times, mode and identity, of the link itself if it is one.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(rustix::fs::statat(self.at, self.at_name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Opens it for reading. Not through a link, and without waiting if it became a pipe.
    pub(crate) fn open(&self) -> io::Result<std::fs::File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(rustix::fs::openat(self.at, self.at_name, flags, Mode::empty())?.into())
    }

    /// Writes its whole path into `path`, replacing what was there.
    pub(crate) fn path_into(&self, path: &mut Vec<u8>) {
        path.clear();
        path.extend_from_slice(self.dir);
        path.push(b'/');
        path.extend_from_slice(self.name);
    }

    /// Its whole path, readable, for messages.
    pub(crate) fn shown(&self) -> String {
        let mut path = Vec::new();
        self.path_into(&mut path);
        String::from_utf8_lossy(&path).into_owned()
    }

    /// The path of its directory below the base: empty for a member of the base.
    pub(crate) fn relative_dir(&self) -> &[u8] {
        let rest = self.dir.get(self.base_len..).unwrap_or_default();
        rest.strip_prefix(b"/").unwrap_or(rest)
    }
}

/// What is done with a walk.
pub(crate) trait Visit {
    /// A name was met.
    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure>;
    /// A directory was opened and its names follow; `path` is whole.
    fn enter(&mut self, _call: &mut Call<'_>, _path: &[u8], _stat: &Stat) -> Result<(), Failure> {
        Ok(())
    }
    /// Everything below the directory entered last was seen.
    fn leave(&mut self, _call: &mut Call<'_>, _path: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}

/// How to walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Also names that begin with a dot.
    pub hidden: bool,
    /// Each directory in the order of its names, instead of the order of the disk.
    pub sorted: bool,
    /// Below the first level too.
    pub recursive: bool,
}

/// What a walk can tell when it is over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// Names met, the skipped dot names not included.
    pub seen: u64,
    /// Mount points of pseudo filesystems that were not entered.
    pub pseudo: u64,
    /// True when the visitor ended it.
    pub stopped: bool,
}

/// Notes a member that could not be looked at: it vanished, or may not be read.
pub(crate) fn note(call: &mut Call<'_>, entry: &Entry<'_>, error: &io::Error) {
    let index = call.items().saturating_add(call.outcome.fail_count);
    call.outcome.fail(index, entry.shown(), class_of(error), error.to_string());
}
