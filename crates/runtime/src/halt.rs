//! Stop everything: a flag on disk that every Metnos process of this instance looks at before and while
//! it works. The flag is a file whose being there is enough: damaged, unreadable or empty, it stops. Only
//! its certain absence lets work go on.

use crate::call::unrecorded;
use crate::runtime::Runtime;
use metnos_executor::home::Home;
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{Kind, Line};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a stop waits until all work has ended: what a cell is given to end by itself, and some more.
const PATIENCE: Duration = Duration::from_secs(15);

/// Who stopped everything, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    /// Who.
    pub by: String,
    /// When, in text.
    pub at: String,
    /// Why, if it was said.
    #[serde(default)]
    pub reason: Option<String>,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "everything is stopped, by {} at {}", self.by, self.at)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, " ({reason})"))
    }
}

fn flag(state: &Path) -> PathBuf {
    state.join("STOPPED")
}

/// The stop in force, if there is one. What cannot be read is one.
pub fn stopped(home: &Home) -> Option<Stopped> {
    look(&home.state_dir())
}

fn look(state: &Path) -> Option<Stopped> {
    match std::fs::symlink_metadata(flag(state)) {
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => Some(unknown(&e.to_string())),
        Ok(_) => {
            let mut text = String::new();
            let read = File::open(flag(state)).and_then(|f| f.take(64 << 10).read_to_string(&mut text));
            let said = read.map_err(|e| e.to_string()).and_then(|_| {
                serde_json::from_str::<Stopped>(&text).map_err(|_| "its record is damaged".to_owned())
            });
            Some(said.unwrap_or_else(|why| unknown(&why)))
        }
    }
}

fn unknown(why: &str) -> Stopped {
    Stopped { by: "somebody".into(), at: "an unknown time".into(), reason: Some(why.to_owned()) }
}

/// Puts the flag there, durable. It needs nothing but the folder, so that it works when little else does.
pub fn raise(home: &Home, stopped: &Stopped) -> Result<(), Failure> {
    let state = home.state_dir();
    let io = |e: std::io::Error| Failure::io(flag(&state).display(), &e);
    let text = serde_json::to_string(stopped).map_err(|e| Failure::internal(e.to_string()))?;
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(flag(&state))
        .map_err(io)?;
    // From here on it is there, whatever becomes of its text.
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
    File::open(&state).and_then(|dir| dir.sync_all()).map_err(io)
}

/// Waits until no process of this instance is at work; false when one still is.
pub fn wait_until_still(home: &Home) -> Result<bool, Failure> {
    let file = Gate::file(&home.state_dir())?;
    let until = Instant::now() + PATIENCE;
    loop {
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Ok(true);
        }
        if Instant::now() > until {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// While it is held, no process of this instance is at work, and who wants to be waits.
pub(crate) struct Still(#[allow(dead_code, reason = "held, not used")] File);

/// Waits until nobody is at work, and keeps it so; `None` when somebody still was after `patience`.
pub(crate) fn hold_still(state: &Path, patience: Duration) -> Result<Option<Still>, Failure> {
    let file = Gate::file(state)?;
    let until = Instant::now() + patience;
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        if Instant::now() > until {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Some(Still(file)))
}

/// Which calls of this process are at work; shared with other processes by one lock on a file.
pub(crate) struct Gate {
    state: PathBuf,
    lock: File,
    inside: Mutex<usize>,
}

/// A call at work.
pub(crate) struct AtWork<'a>(&'a Gate);

impl Gate {
    pub(crate) fn open(state: &Path) -> Result<Self, Failure> {
        Ok(Self { state: state.to_owned(), lock: Self::file(state)?, inside: Mutex::new(0) })
    }

    fn file(state: &Path) -> Result<File, Failure> {
        let path = state.join("at-work.lock");
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        open.map_err(|e| Failure::io(path.display(), &e))
    }

    /// True once somebody stopped everything.
    pub(crate) fn is_shut(&self) -> bool {
        !lab::without(Layer::Halt)
            && !matches!(std::fs::symlink_metadata(flag(&self.state)), Err(e) if e.kind() == ErrorKind::NotFound)
    }

    /// Refuses while everything is stopped.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.is_shut() {
            false => Ok(()),
            true => {
                let said = look(&self.state).map_or_else(String::new, |stopped| stopped.to_string());
                Err(Failure::new(ErrorClass::PolicyViolation, said)
                    .with_hint("metnos resume lets work go on; what waits for a yes is kept"))
            }
        }
    }

    /// Enters, and looks again: who raises the flag and then finds nobody inside knows that nobody comes.
    pub(crate) fn enter(&self) -> Result<AtWork<'_>, Failure> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        if *inside == 0 {
            flock(&self.lock, FlockOperation::LockShared)
                .map_err(|e| Failure::internal(format!("the lock of work: {e}")))?;
        }
        *inside += 1;
        drop(inside);
        let at_work = AtWork(self);
        self.check().map(|()| at_work)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside.lock().unwrap_or_else(PoisonError::into_inner);
        *inside -= 1;
        if *inside == 0 {
            // It ends with the process anyway.
            let _ = flock(&self.0.lock, FlockOperation::Unlock);
        }
    }
}

impl Runtime {
    /// Records that everything was stopped. The flag is there before: stopping does not wait for the audit.
    pub fn note_stop(&self, stopped: &Stopped) -> Result<(), Failure> {
        self.note_halt("stop", &stopped.by, stopped.reason.as_deref())
    }

    /// Lets work go on. Recorded first: what cannot be recorded does not happen.
    pub fn resume(&self, by: &str) -> Result<bool, Failure> {
        if !self.gate.is_shut() {
            return Ok(false);
        }
        if !crate::guards::Principal::parse(by).is_host() {
            return Err(Failure::new(ErrorClass::PolicyViolation, "only the host lets work go on"));
        }
        self.note_halt("resume", by, None)?;
        let path = flag(&self.home.state_dir());
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        // Somebody may have put a folder there; being there is enough to stop.
        let gone = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        gone.map_err(io)?;
        File::open(self.home.state_dir()).and_then(|dir| dir.sync_all()).map_err(io)?;
        Ok(true)
    }

    fn note_halt(&self, what: &str, by: &str, reason: Option<&str>) -> Result<(), Failure> {
        let mut line = Line::new(Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail = json!({ "what": what, "reason": reason });
        self.audit.append(line).map(|_| ()).map_err(|e| unrecorded(&e))
    }
}
