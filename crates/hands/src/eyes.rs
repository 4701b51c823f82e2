//! Looking at many things, one folder after another.

use crate::fact::Fact;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// How many folders are held open: a move looks at two in turn, and at what it keeps.
const FOLDERS: usize = 4;

/// Looks at what stands at paths. A folder is opened once while it is looked into again and again, so
/// these eyes are for a moment in which nobody here moves folders.
#[derive(Debug, Default)]
pub struct Eyes {
    /// The one opened last is the last.
    folders: Vec<(OsString, OwnedFd)>,
}

impl Eyes {
    /// What stands at `path`; `None` when nothing does. No link is followed, also none on the way: once
    /// a folder is swapped for a link, nothing stands below it any more.
    pub fn at(&mut self, path: &Path) -> io::Result<Option<Fact>> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(Some(Fact::of(File::open(path)?)?));
        };
        match self.folder(parent.as_os_str()).and_then(|dir| Fact::named(dir, name)) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    fn folder(&mut self, path: &OsStr) -> rustix::io::Result<&OwnedFd> {
        let at = match self.folders.iter().position(|(known, _)| known == path) {
            Some(at) => at,
            None => {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
                let dir = openat2(CWD, path, flags, Mode::empty(), resolve)?;
                if self.folders.len() == FOLDERS {
                    self.folders.remove(0);
                }
                self.folders.push((path.to_owned(), dir));
                self.folders.len() - 1
            }
        };
        self.folders.get(at).map(|(_, dir)| dir).ok_or(Errno::BADF)
    }
}
