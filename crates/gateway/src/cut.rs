//! Turns whose process died. Each running turn holds a lock; who finds one open and its lock free tells what came of it.

use crate::conduct::Gateway;
use crate::story::Beat;
use metnos_executor::Failure;
use metnos_memory::db::Turn;
use metnos_runtime::guards::{Approval, Standing};
use metnos_turn::{Entry, Event, Status};
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A turn that was cut off.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Cut {
    /// Which one.
    pub turn: String,
    /// What was asked.
    pub request: String,
    /// When.
    pub at: String,
    /// The steps that were done, in words.
    pub done: Vec<String>,
    /// The executor at work when it was cut off.
    pub cut: Option<String>,
    /// What to do next.
    pub next: String,
}

/// Held while a turn runs; the system lets go of it when the process ends, however it ends.
pub(crate) struct Running {
    _file: File,
    path: PathBuf,
}

impl Running {
    /// Takes the lock of a turn; nothing when somebody has it.
    pub(crate) fn take(turns: &Path, turn: &str) -> std::io::Result<Option<Self>> {
        let path = turns.join(format!("{turn}.lock"));
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                return Ok(None);
            }
            // Whoever had it removes it when they let go: a file without its name keeps nobody out.
            if is_at(&file, &path)? {
                return Ok(Some(Self { _file: file, path }));
            }
        }
    }

    /// Whether somebody holds the lock of a turn.
    fn is_held(turns: &Path, turn: &str) -> bool {
        let file = File::open(turns.join(format!("{turn}.lock")));
        file.is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Still held here, so what is removed is nobody else's.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether this file is the one of this name.
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    let held = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(there) => Ok((held.dev(), held.ino()) == (there.dev(), there.ino())),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

impl Gateway {
    /// Closes the turns of this caller, or of all, that were cut off, and tells of each once. Nothing of them runs again.
    pub fn cut_off(&self, caller: Option<&str>) -> Result<Vec<Cut>, Failure> {
        let mut found = Vec::new();
        for turn in self.db(|db| db.open_turns(caller))? {
            let dir = self.scratch().dir();
            let lock = Running::take(dir, &turn.id).map_err(|e| Failure::io(dir.display(), &e))?;
            let Some(_held) = lock else { continue };
            // One that was cut before its question was answered waits for the answer still.
            if let Some(status) = self.waits_still(&turn.id)? {
                self.wait_on(&turn.id, status, turn.shown)?;
                continue;
            }
            // It may have ended since it was looked at.
            if !self.db(|db| db.interrupt_turn(&turn.id, jiff::Timestamp::now()))? {
                continue;
            }
            found.push(told(&turn, &self.told_entries(&turn.id).unwrap_or_default()));
        }
        Ok(found)
    }
}

impl Gateway {
    /// How a turn stands, in a word: one without an end runs, or was cut off.
    pub fn standing(&self, turn: &Turn) -> String {
        match &turn.status {
            Some(status) => status.clone(),
            None if Running::is_held(self.scratch().dir(), &turn.id) => "running".into(),
            None => "interrupted".into(),
        }
    }

    /// What a turn waits for, if the last that it said is a question which nobody has answered yet.
    fn waits_still(&self, turn: &str) -> Result<Option<Status>, Failure> {
        let story = self.story(turn, 0)?;
        let ending = match story.last().and_then(|moment| moment.beats.last()) {
            Some(Beat::Asks { .. } | Beat::Offers { .. }) => return Ok(Some(Status::Asks)),
            Some(Beat::Ends { ending }) => ending,
            _ => return Ok(None),
        };
        let text = |key: &str| ending.get(key).and_then(|value| value.as_str());
        if text("status") == Some(Status::Asks.word()) {
            return Ok(Some(Status::Asks));
        }
        let Some(id) = text("approval") else { return Ok(None) };
        let pending = |question: Approval| question.standing == Standing::Pending;
        Ok(self.runtime.approval(id)?.is_some_and(pending).then_some(Status::Waits))
    }

    /// Whether a turn that was cut off left nothing behind, so that it may be begun anew.
    pub fn left_nothing(&self, turn: &str) -> Result<bool, Failure> {
        let beats = self.story(turn, 0)?.into_iter().flat_map(|moment| moment.beats);
        let begun: Vec<String> = beats
            .filter_map(|beat| match beat {
                Beat::Begins { tool, .. } => Some(tool),
                _ => None,
            })
            .collect();
        // A step that waited for a yes begins once more than it is told.
        let calls = begun.len() + 1;
        let harmless =
            |tool: &String| (1..=calls).all(|n| self.runtime.left_nothing(tool, &format!("{turn}-{n}")));
        Ok(begun.iter().all(harmless))
    }
}

fn told(turn: &Turn, log: &[Entry]) -> Cut {
    let tool = |entry: &Entry| Some(entry.effects.last()?.get("tool")?.as_str()?.to_owned());
    let mut done = Vec::new();
    let mut before: Option<String> = None;
    for entry in log {
        if let (Event::Done { got, .. }, Some(name)) = (&entry.event, before.take()) {
            done.push(format!("{name}: {} ok, {} failed", got.ok_count, got.fail_count));
        }
        before = tool(entry);
    }
    let next = match (&before, done.is_empty()) {
        (None, true) => "nothing was begun; ask again".to_owned(),
        _ => format!(
            "a change that was cut is taken back; metnos undo --list shows what stands, metnos turns {} the rest; then ask again",
            turn.id
        ),
    };
    Cut {
        turn: turn.id.clone(),
        request: turn.request.clone(),
        at: turn.began_at.clone(),
        done,
        cut: before,
        next,
    }
}
