//! A call that has said what it is about to do and has not ended yet.

use crate::file::{digest, write};
use crate::journal::{CLOSED, LOCK};
use crate::note::Notes;
use crate::observe::{Trust, observe};
use crate::record::{Closed, Head, Seen, Step};
use crate::shelf::{Shelf, Shelves};
use crate::steps::{intents, kept_in, steps, together};
use crate::{Error, Result, holder};
use metnos_executor::Op;
use metnos_hands::{Fact, Kind, back, made};
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::BufRead;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What the lock of a call that ended holds.
const ENDED: &[u8] = b"ended\n";
/// The outcome of a call that was cut.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// The open record of a call.
pub struct Open {
    shelves: Shelves,
    call_id: String,
    dir: PathBuf,
    number: u32,
    /// Bytes that may be deleted, and bytes that are announced to be.
    most: u64,
    taken: u64,
    /// Held until the call ends or its process dies.
    lock: File,
}

impl Open {
    /// Takes hold of a folder, in the name of this process.
    pub(crate) fn hold(dir: &Path) -> Result<File> {
        let lock = lock_file(dir)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|e| Error::io("lock", dir)(e.into()))?;
        std::fs::write(dir.join(LOCK), holder::this()).map_err(Error::io("write", dir))?;
        Ok(lock)
    }

    /// Of a call that begins, in its folder, which is held.
    pub(crate) fn new(shelves: Shelves, call_id: &str, dir: PathBuf, lock: File) -> Self {
        Self::cut(shelves, call_id, dir, 0, lock)
    }

    /// Of a call that was cut, whose lock is taken.
    pub(crate) fn cut(shelves: Shelves, call_id: &str, dir: PathBuf, number: u32, lock: File) -> Self {
        Self { shelves, call_id: call_id.to_owned(), dir, number, most: u64::MAX, taken: 0, lock }
    }

    /// The lock, to be held by whoever acts for this call: as long as one of them lives, it is not over.
    pub fn lock(&self) -> Result<File> {
        self.lock.try_clone().map_err(Error::io("share the lock of", &self.dir))
    }

    /// Refuses intents that delete more bytes than that, all together.
    pub fn at_most(&mut self, bytes: u64) {
        self.most = bytes;
    }

    /// The number of the next intent.
    pub fn next(&self) -> u32 {
        self.number + 1
    }

    /// Makes an intent durable: each operation with what stands where it acts. Gives its digest.
    /// `allowed` tells which paths the call may change.
    pub fn intent(
        &mut self,
        head: &Head,
        lines: impl BufRead,
        allowed: &dyn Fn(&Path) -> bool,
    ) -> Result<String> {
        self.number += 1;
        let mut notes = Notes::default();
        let (most, mut taken) = (self.most, self.taken);
        let ops = lines.split(b'\n').enumerate().map(|(at, line)| {
            let line = line.map_err(Error::io("read the intent for", &self.dir))?;
            let op: Op = serde_json::from_slice(&line)
                .map_err(|e| Error::BadOperation { at, reason: e.to_string() })?;
            let step = notes.note(op, at, allowed)?;
            if let (Op::Delete { .. }, Some(Fact { kind: Kind::File, size, .. })) = (&step.op, step.before) {
                taken = taken.saturating_add(size);
            }
            if taken > most { Err(Error::TooMuch { most }) } else { Ok(step) }
        });
        let digest = write(&self.dir, &format!("{}.jsonl", self.number), head, ops)?;
        self.taken = taken;
        Ok(digest)
    }

    /// Looks at what came of it all and records it. `outcome` is the digest of the answer.
    pub fn close(&mut self, outcome: &str) -> Result<Closed> {
        let steps = steps(&self.dir)?;
        let seen = observe(&steps, Trust::Told)?;
        // A cell that was ended in the middle may have left a file beside the one it was making.
        for (planned, seen) in steps.iter().zip(&seen) {
            if let (
                Op::Write { dst, .. } | Op::Copy { dst, .. } | Op::Link { dst, .. } | Op::Move { dst, .. },
                false,
            ) = (&planned.step.op, seen.performed)
            {
                back::sweep(&dst.0, &planned.kept);
            }
        }
        self.end(outcome, false, &seen)
    }

    /// What happened so far, as the disk tells it.
    pub fn so_far(&self) -> Result<Vec<(Step, Seen, PathBuf)>> {
        let steps = steps(&self.dir)?;
        let seen = observe(&steps, Trust::Disk)?;
        Ok(steps.into_iter().zip(seen).map(together).collect())
    }

    /// Records that the call was cut and taken back; `left` are the operations that stay performed.
    pub fn rolled_back(&mut self, seen: &[Seen]) -> Result<Closed> {
        self.end(INTERRUPTED, true, seen)
    }

    /// The folder of its records.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn end(&mut self, outcome: &str, rolled_back: bool, seen: &[Seen]) -> Result<Closed> {
        let closed = Closed {
            intents: intents(&self.dir)?.iter().map(|path| digest(path)).collect::<Result<_>>()?,
            outcome: outcome.to_owned(),
            performed: seen.iter().filter(|seen| seen.performed).count() as u64,
            kept_bytes: seen.iter().filter_map(|seen| seen.kept).map(|kept| kept.size).sum(),
            rolled_back,
        };
        write(&self.dir, CLOSED, &closed, seen.iter().map(|seen| Ok(*seen)))?;
        // From now on a missing close is damage and no crash. Best effort: all is recorded already.
        let _ = std::fs::write(self.dir.join(LOCK), ENDED);
        for keep in kept_in(&self.dir).unwrap_or_default() {
            let _ = made::forget(&keep);
        }
        // Not synced, and no failure of the call: the next start puts it there if this did not.
        if let Ok(dir) = self.shelves.put(&self.call_id, Shelf::Open, Shelf::Done) {
            self.dir = dir;
        }
        Ok(closed)
    }
}

pub(crate) fn has_ended(dir: &Path) -> bool {
    std::fs::read(dir.join(LOCK)).is_ok_and(|text| text == ENDED)
}

/// A handle that can lock and read, never write: a cell gets a copy of it.
pub(crate) fn lock_file(dir: &Path) -> Result<File> {
    let path = dir.join(LOCK);
    let made = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    made.and_then(|_| File::open(&path)).map_err(Error::io("open", &path))
}
