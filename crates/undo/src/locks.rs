//! Changes of the same paths happen one after the other, whichever process makes them. The kernel
//! gives a lock back when its holder dies, so no crash can leave one behind.

use crate::{Error, Result};
use metnos_memory::durable;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a waiting turn looks again.
const LOOK: Duration = Duration::from_millis(10);

/// The folder of locks.
pub struct Locks {
    dir: PathBuf,
}

/// The right to change some paths. Given back when dropped.
#[derive(Debug)]
pub struct Turn {
    /// Held, exclusively.
    file: File,
    path: PathBuf,
}

impl Turn {
    /// The lock, to be held by whoever acts in this turn.
    pub fn lock(&self) -> Result<File> {
        self.file.try_clone().map_err(Error::io("share", &self.path))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // A file that stays is only an unlocked one, which counts for nothing.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Locks {
    /// The locks in `dir`, which is made.
    pub fn open(dir: &Path) -> Result<Self> {
        durable::create_dir(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Waits until nobody else changes these paths or anything above or below them; `None` when
    /// `give_up` says so first.
    pub fn take(&self, name: &str, paths: &[PathBuf], give_up: &dyn Fn() -> bool) -> Result<Option<Turn>> {
        loop {
            if let Some(turn) = self.attempt(name, paths)? {
                return Ok(Some(turn));
            }
            if give_up() {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The names of those who have a turn now, on these paths, or on any.
    pub fn held(&self, paths: Option<&[PathBuf]>) -> Vec<String> {
        let items = std::fs::read_dir(&self.dir).into_iter().flatten().flatten().map(|item| item.path());
        let turns = items.filter(|path| path.extension() == Some(OsStr::new("turn")));
        let is_held = |path: &PathBuf| {
            let Ok(mut file) = File::open(path) else { return false };
            let mut text = Vec::new();
            flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
                && file.read_to_end(&mut text).is_ok()
                && paths.is_none_or(|paths| {
                    let mut held = text.split(|b| *b == 0).filter(|p| !p.is_empty());
                    held.any(|p| overlaps(Path::new(OsStr::from_bytes(p)), paths))
                })
        };
        let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
        turns.filter(is_held).filter_map(name).collect()
    }

    fn attempt(&self, name: &str, paths: &[PathBuf]) -> Result<Option<Turn>> {
        // Looking at the others and joining them is one step.
        let door = self.file("door")?;
        let failed = |e: Errno| Error::io("lock", &self.dir)(e.into());
        flock(&door, FlockOperation::LockExclusive).map_err(failed)?;
        for item in std::fs::read_dir(&self.dir).map_err(Error::io("read", &self.dir))?.flatten() {
            let path = item.path();
            if path.extension() != Some(OsStr::new("turn")) {
                continue;
            }
            let Ok(mut file) = File::open(&path) else { continue };
            match flock(&file, FlockOperation::NonBlockingLockShared) {
                // Its holder died: it counts for nothing.
                Ok(()) => drop(std::fs::remove_file(&path)),
                Err(Errno::WOULDBLOCK) => {
                    let mut text = Vec::new();
                    file.read_to_end(&mut text).map_err(Error::io("read", &path))?;
                    let held = text.split(|b| *b == 0).filter(|p| !p.is_empty());
                    if held.map(|p| Path::new(OsStr::from_bytes(p))).any(|held| overlaps(held, paths)) {
                        return Ok(None);
                    }
                }
                Err(e) => return Err(failed(e)),
            }
        }
        let path = self.dir.join(format!("{name}.turn"));
        let mut text_file = self.file(&format!("{name}.turn"))?;
        // What is shared with a cell can lock and read, never write.
        let file = File::open(&path).map_err(Error::io("open", &path))?;
        flock(&file, FlockOperation::LockExclusive).map_err(failed)?;
        let text: Vec<u8> = paths.iter().flat_map(|p| [p.as_os_str().as_bytes(), &[0]].concat()).collect();
        text_file.set_len(0).and_then(|()| text_file.write_all(&text)).map_err(Error::io("write", &path))?;
        Ok(Some(Turn { file, path }))
    }

    fn file(&self, name: &str) -> Result<File> {
        let path = self.dir.join(name);
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(Error::io("open", &path))
    }
}

fn overlaps(held: &Path, wanted: &[PathBuf]) -> bool {
    wanted.iter().any(|path| path.starts_with(held) || held.starts_with(path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_above_and_below_wait_and_others_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let locks = Locks::open(dir.path()).unwrap();
        let at_once = |name: &str, path: &str| locks.take(name, &[path.into()], &|| true).unwrap();
        let first = at_once("a", "/home/u/docs").unwrap();
        assert!(at_once("b", "/home/u/docs/x").is_none());
        assert!(at_once("c", "/home").is_none());
        assert!(at_once("d", "/home/u/docs2").is_some());
        drop(first);
        assert!(at_once("e", "/home/u/docs/x").is_some());
    }

    #[test]
    fn a_lock_whose_holder_died_counts_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("dead.turn"), b"/a\0").unwrap();
        let locks = Locks::open(dir.path()).unwrap();
        assert!(locks.take("b", &["/a".into()], &|| true).unwrap().is_some());
        assert!(!dir.path().join("dead.turn").exists());
    }
}
