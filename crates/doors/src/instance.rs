//! One daemon a home: a lock that the system lets go of however the process ends, and a note that says where it is.

use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the lock of a daemon that is gone is waited for.
const PARTING: Duration = Duration::from_secs(3);

/// Where a daemon is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Serving {
    /// Its process.
    pub pid: u32,
    /// Where it is spoken to.
    pub url: String,
    /// Where it listens on this machine itself: no proxy and no other name stands between.
    pub listens: String,
}

/// Held while a daemon runs.
pub struct Instance {
    _lock: File,
    note: PathBuf,
}

fn lock(home: &Home) -> Result<File, Failure> {
    let path = home.state_dir().join("serve.lock");
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|e| Failure::io(path.display(), &e))
}

fn is_alive(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

fn note(home: &Home) -> PathBuf {
    home.state_dir().join("serve.json")
}

impl Instance {
    /// Becomes the daemon of this home, unless there is one.
    pub fn take(home: &Home) -> Result<Self, Failure> {
        let lock = lock(home)?;
        let until = Instant::now() + PARTING;
        // One that was killed a moment ago may still be held by what it had started.
        while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            if Instant::now() < until && read(home).is_none_or(|there| !is_alive(there.pid)) {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
            let at = read(home)
                .map(|there| format!(" at {} (process {})", there.url, there.pid))
                .unwrap_or_default();
            return Err(Failure::new(ErrorClass::Conflict, format!("Metnos already runs{at}")).with_hint(
                "metnos login-link opens it; Ctrl-C where it runs, or systemctl --user stop metnos, ends it",
            ));
        }
        let note = note(home);
        // Of one that died.
        let _ = std::fs::remove_file(&note);
        Ok(Self { _lock: lock, note })
    }

    /// Says where it is spoken to.
    pub fn announce(&self, url: &str, listens: &str) -> Result<(), Failure> {
        let serving = Serving { pid: std::process::id(), url: url.to_owned(), listens: listens.to_owned() };
        let text = serde_json::to_vec(&serving).map_err(|e| Failure::internal(e.to_string()))?;
        let fresh = self.note.with_extension("new");
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &self.note))
            .map_err(|e| Failure::io(self.note.display(), &e))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.note);
    }
}

impl Serving {
    /// The daemon of this home, if one runs.
    pub fn find(home: &Home) -> Option<Self> {
        let lock = lock(home).ok()?;
        match flock(&lock, FlockOperation::NonBlockingLockShared) {
            // Nobody holds it: what the note says is old.
            Ok(()) => None,
            Err(_) => read(home),
        }
    }
}

fn read(home: &Home) -> Option<Serving> {
    serde_json::from_slice(&std::fs::read(note(home)).ok()?).ok()
}
