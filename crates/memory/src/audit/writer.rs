//! The one who writes: seals lines, makes them durable, then moves the head.

use super::chain::{Hash, hash, hex, sign_checkpoint};
use super::head::{Found, Head, SLOT};
use super::line::{Kind, LINE_MAX, Line, Sealed};
use super::tail::{Looked, Tail, look};
use super::{CHECKPOINT_EVERY, Seq, files, recover};
use crate::{Error, Result, Signer, durable};
use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde_json::json;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The state of one process's appender.
pub(super) struct Writer {
    dir: PathBuf,
    state: PathBuf,
    signer: Arc<dyn Signer>,
    clock: fn() -> Timestamp,
    /// Held, exclusively, around every write of any process.
    lock: File,
    head: File,
    /// The slot as this process last saw it: another content means another process wrote.
    slot: Vec<u8>,
    /// The folder's change time, for the same reason.
    stamp: (i64, i64),
    tail: Tail,
    file: Option<File>,
    /// Calls this process opened.
    mine: HashSet<String>,
    /// This process, as later starts can recognise it.
    me: String,
    /// Why nothing more may be written.
    stopped: Option<String>,
}

/// The lock, until it is dropped.
struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        // Nothing can be done about a failure; the kernel releases it with the descriptor.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

impl Writer {
    pub(super) fn open(
        dir: &Path,
        state: &Path,
        signer: Arc<dyn Signer>,
        clock: fn() -> Timestamp,
    ) -> Result<Self> {
        durable::create_dir(dir)?;
        durable::create_dir(state)?;
        let lock = lock_file(state)?;
        let head = head_file(state)?;
        let tail = Tail { seq: 0, hash: super::chain::GENESIS, file: None, length: 0, open: 0 };
        let mut writer = Self {
            dir: dir.to_owned(),
            state: state.to_owned(),
            signer,
            clock,
            lock,
            head,
            slot: Vec::new(),
            stamp: (0, 0),
            tail,
            file: None,
            mine: HashSet::new(),
            me: recover::this_process(),
            stopped: None,
        };
        let _held = writer.hold()?;
        let notes = writer.refresh()?;
        if !notes.is_empty() {
            writer.write_held(notes)?;
        }
        Ok(writer)
    }

    /// Writes `lines` with one sync. A line that cannot be kept fails alone.
    pub(super) fn write(&mut self, lines: Vec<Line>) -> Result<Vec<Result<Seq>>> {
        if let Some(reason) = &self.stopped {
            return Err(Error::AuditStopped { reason: reason.clone() });
        }
        let _held = self.hold()?;
        let mut all = if self.changed()? { self.refresh()? } else { Vec::new() };
        let notes = all.len();
        all.extend(lines);
        let mut answers = self.write_held(all)?;
        answers.drain(..notes);
        Ok(answers)
    }

    /// How many `open` lines have no `close`, whoever wrote them.
    pub(super) fn open_calls(&mut self) -> Result<u64> {
        let _held = self.hold()?;
        if self.changed()? {
            let notes = self.refresh()?;
            self.write_held(notes)?;
        }
        Ok(self.tail.open)
    }

    /// Makes the head durable too.
    pub(super) fn sync_head(&self) -> Result<()> {
        self.head.sync_data().map_err(Error::io("sync the head in", &self.state))
    }

    fn hold(&self) -> Result<Held> {
        let held = self.lock.try_clone().map_err(Error::io("lock the audit in", &self.state))?;
        flock(&held, FlockOperation::LockExclusive)
            .map_err(|e| Error::io("lock the audit in", &self.state)(e.into()))?;
        Ok(Held(held))
    }

    /// Whether anything is not as this process left it.
    fn changed(&self) -> Result<bool> {
        let mut slot = [0; SLOT];
        let same_slot = self.head.read_exact_at(&mut slot, 0).is_ok() && slot.as_slice() == self.slot;
        let same_file = match &self.file {
            None => true,
            Some(file) => {
                let meta = file.metadata().map_err(Error::io("look at", &self.dir))?;
                meta.len() == self.tail.length && meta.nlink() > 0
            }
        };
        let head_linked = self.head.metadata().is_ok_and(|m| m.nlink() > 0);
        Ok(!(same_slot && same_file && head_linked && self.stamp == stamp(&self.dir)?))
    }

    /// Finds the end of the chain again, moves a torn line aside, and says what to note.
    fn refresh(&mut self) -> Result<Vec<Line>> {
        let known = (self.tail.seq, self.tail.hash);
        self.head = head_file(&self.state)?;
        let mut text = Vec::new();
        (&self.head).read_to_end(&mut text).map_err(Error::io("read the head in", &self.state))?;
        let found = Head::read(&text, self.signer.as_ref());
        let Looked { tail, torn, damage, newer } = look(&self.dir, &found)?;
        self.tail = tail;
        self.slot = text;
        let mut notes = Vec::new();
        if let Some(torn) = torn {
            notes.push(self.move_aside(torn)?);
        }
        if newer > 0 {
            let mut note = Line::new(Kind::Recovery);
            note.detail = json!({"what": "lines after the head", "lines": newer});
            notes.push(note);
        }
        // What this process wrote or saw does not go away by itself, whatever the head says.
        if known.0 > self.tail.seq || (known.0 == self.tail.seq && known.1 != self.tail.hash) {
            let mut note = Line::new(Kind::Damage);
            note.detail = json!({ "what": "the chain was rolled back while it was open", "from": known.0, "to": self.tail.seq });
            notes.push(note);
        }
        if let Some(what) = damage {
            let mut note = Line::new(Kind::Damage);
            let head = match &found {
                Found::Sound(head) => json!({"seq": head.seq, "hash": hex(&head.hash), "file": head.file}),
                Found::Forged => json!("forged"),
                Found::Missing => json!("missing"),
            };
            note.detail = json!({"what": what, "head": head});
            notes.push(note);
        }
        self.file = match &self.tail.file {
            Some(name) => Some(day_file(&self.dir, name)?),
            None => None,
        };
        if found == Found::Missing && self.tail.file.is_none() {
            // From now on a missing head means that somebody removed it.
            self.move_head();
            self.sync_head()?;
            durable::sync_dir(&self.state)?;
        }
        self.stamp = stamp(&self.dir)?;
        Ok(notes)
    }

    /// Moves the bytes a crash cut into a file of their own and takes them off the day file.
    fn move_aside(&self, torn: Range<u64>) -> Result<Line> {
        let name = self.tail.file.clone().unwrap_or_default();
        let path = self.dir.join(&name);
        let mut source =
            OpenOptions::new().read(true).write(true).open(&path).map_err(Error::io("open", &path))?;
        let free = (1_u32..).map(|n| format!("{name}.torn-{n}")).find(|n| !self.dir.join(n).exists());
        let aside = free.unwrap_or_else(|| format!("{name}.torn-0"));
        let length = torn.end.saturating_sub(torn.start);
        std::io::Seek::seek(&mut source, std::io::SeekFrom::Start(torn.start))
            .map_err(Error::io("read", &path))?;
        durable::write(&self.dir, &aside, |out| std::io::copy(&mut (&source).take(length), out).map(|_| ()))?;
        source
            .set_len(torn.start)
            .and_then(|()| source.sync_all())
            .map_err(Error::io("take a torn line off", &path))?;
        let mut note = Line::new(Kind::Recovery);
        note.detail = json!({"what": "torn line", "file": aside, "bytes": length});
        Ok(note)
    }

    /// Seals and writes `lines`; the lock is held and the tail is right.
    fn write_held(&mut self, lines: Vec<Line>) -> Result<Vec<Result<Seq>>> {
        let time = (self.clock)();
        let mut batch =
            Batch { text: Vec::new(), seq: self.tail.seq, hash: self.tail.hash, time: time.to_string() };
        let mut open = self.tail.open;
        let mut answers = Vec::with_capacity(lines.len());
        for mut line in lines {
            let due = batch.seq.saturating_add(1).is_multiple_of(CHECKPOINT_EVERY);
            if due && line.kind != Kind::Checkpoint {
                batch.add(Line::new(Kind::Checkpoint), self.signer.as_ref())?;
            }
            line.writer = (line.kind == Kind::Open).then(|| self.me.clone());
            let (kind, call_id) = (line.kind, line.call_id.clone());
            let answer = batch.add(line, self.signer.as_ref());
            if answer.is_ok() {
                open = self.count_open(open, kind, call_id);
            }
            answers.push(answer);
        }
        if !batch.text.is_empty() {
            self.put(&batch, time)?;
            self.tail.open = open;
            self.move_head();
        }
        Ok(answers)
    }

    fn count_open(&mut self, open: u64, kind: Kind, call_id: Option<String>) -> u64 {
        match (kind, call_id) {
            (Kind::Open, Some(id)) => {
                if self.mine.insert(id) {
                    open.saturating_add(1)
                } else {
                    open
                }
            }
            // A close of a call this process never opened must not hide one that is open.
            (Kind::Close, Some(id)) if self.mine.remove(&id) => open.saturating_sub(1),
            (Kind::Interrupted, Some(id)) => {
                self.mine.remove(&id);
                open.saturating_sub(1)
            }
            _ => open,
        }
    }

    /// One write, one sync. After a failure the file is as before, or nothing is ever written again.
    fn put(&mut self, batch: &Batch, time: Timestamp) -> Result<()> {
        let today = files::name_of(time);
        // A clock that went back does not reopen an older day.
        let new_day = self.tail.file.as_ref().is_none_or(|current| *current < today);
        if new_day || self.file.is_none() {
            self.file = Some(day_file(&self.dir, &today)?);
            durable::sync_dir(&self.dir)?;
            self.stamp = stamp(&self.dir)?;
            self.tail.file = Some(today);
            self.tail.length = 0;
        }
        let Some(file) = &mut self.file else {
            return Err(Error::AuditStopped { reason: "no day file".into() });
        };
        if let Err(source) = file.write_all(&batch.text).and_then(|()| file.sync_data()) {
            let undone = file.set_len(self.tail.length).and_then(|()| file.sync_all());
            if let Err(e) = undone {
                self.stopped = Some(format!("{source}; and taking it back: {e}"));
            }
            return Err(Error::io("write the audit in", &self.dir)(source));
        }
        self.tail.length = self.tail.length.saturating_add(batch.text.len() as u64);
        self.tail.seq = batch.seq;
        self.tail.hash = batch.hash;
        Ok(())
    }

    /// Says in the head where the chain ends. It may lag, so a failure here fails nothing: the
    /// next write sees a slot it does not know and looks again.
    fn move_head(&mut self) {
        let head = Head {
            seq: self.tail.seq,
            hash: self.tail.hash,
            file: self.tail.file.clone().unwrap_or_default(),
            length: self.tail.length,
            open: self.tail.open,
        };
        let slot = head.slot(self.signer.as_ref());
        self.slot = if self.head.write_all_at(&slot, 0).is_ok() { slot } else { Vec::new() };
    }
}

/// Lines sealed together.
struct Batch {
    text: Vec<u8>,
    seq: u64,
    hash: Hash,
    time: String,
}

impl Batch {
    fn add(&mut self, mut line: Line, signer: &dyn Signer) -> Result<Seq> {
        let seq = self.seq.saturating_add(1);
        if line.kind == Kind::Checkpoint {
            line.detail = json!({"signature": sign_checkpoint(signer, seq, &self.hash)});
        }
        line.bound();
        let sealed = Sealed { seq, prev: hex(&self.hash), time: self.time.clone(), line };
        let bytes = serde_json::to_vec(&sealed)
            .map_err(|e| Error::BadValue { what: "audit line", value: e.to_string() })?;
        if bytes.len() > LINE_MAX {
            return Err(Error::LineTooLong { bytes: bytes.len() });
        }
        self.hash = hash(&bytes);
        self.seq = seq;
        self.text.extend_from_slice(&bytes);
        self.text.push(b'\n');
        Ok(seq)
    }
}

/// The file whose lock says whose turn it is.
pub(super) fn lock_file(state: &Path) -> Result<File> {
    let path = state.join("audit.lock");
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(Error::io("open", &path))
}

fn head_file(state: &Path) -> Result<File> {
    let path = head_path(state);
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(Error::io("open", &path))
}

/// Where the head is kept.
pub(super) fn head_path(state: &Path) -> PathBuf {
    state.join("audit.head")
}

fn day_file(dir: &Path, name: &str) -> Result<File> {
    let path = dir.join(name);
    OpenOptions::new().append(true).create(true).mode(0o600).open(&path).map_err(Error::io("open", &path))
}

fn stamp(dir: &Path) -> Result<(i64, i64)> {
    let meta = std::fs::metadata(dir).map_err(Error::io("look at", dir))?;
    Ok((meta.mtime(), meta.mtime_nsec()))
}
