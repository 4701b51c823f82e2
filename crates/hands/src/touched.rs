//! Directories whose names changed, synced once for a whole batch.

use crate::place::failed;
use metnos_executor::Failure;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Directories in which a name appeared, and in which one went.
#[derive(Debug, Default)]
pub struct Touched {
    gained: BTreeSet<PathBuf>,
    lost: BTreeSet<PathBuf>,
}

impl Touched {
    /// A name appeared.
    pub fn gain(&mut self, path: &Path) {
        note(&mut self.gained, path);
    }

    /// A name went.
    pub fn lose(&mut self, path: &Path) {
        note(&mut self.lost, path);
    }

    /// A directory went: nothing in it is left to sync.
    pub(crate) fn forget(&mut self, dir: &Path) {
        self.gained.remove(dir);
        self.lost.remove(dir);
    }

    /// Waits until every name that appeared is on disk: also those of folders on the way to a file, before the only
    /// other copy of it may go.
    pub fn sync_gained(&mut self) -> Result<(), Failure> {
        std::mem::take(&mut self.gained).iter().try_for_each(|dir| sync_dir(dir))
    }

    /// Waits until all of it is on disk, one sync a directory: where names appeared first, so that a
    /// crash in between shows a thing twice rather than never.
    pub fn sync(&mut self) -> Result<(), Failure> {
        let mut first = Ok(());
        let gained = std::mem::take(&mut self.gained);
        let lost: Vec<_> = std::mem::take(&mut self.lost).difference(&gained).cloned().collect();
        for dir in gained.into_iter().chain(lost) {
            let synced = sync_dir(&dir);
            if first.is_ok() {
                first = synced;
            }
        }
        first
    }
}

/// Looked up before it is cloned: a batch mostly stays in a few directories.
fn note(dirs: &mut BTreeSet<PathBuf>, path: &Path) {
    let dir = path.parent().unwrap_or(path);
    if !dirs.contains(dir) {
        dirs.insert(dir.to_path_buf());
    }
}

/// Syncs one directory. One that vanished, or gave its place to a link, has nothing left to sync. A directory we may change but
/// not read, and file systems that cannot sync one, leave the moment to the kernel.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Failure> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(dir, flags, Mode::empty()) {
        Ok(fd) => match rustix::fs::fsync(&fd) {
            Ok(()) | Err(Errno::INVAL | Errno::ROFS) => Ok(()),
            Err(e) => Err(failed(dir, e)),
        },
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS | Errno::PERM) => Ok(()),
        Err(e) => Err(failed(dir, e)),
    }
}
