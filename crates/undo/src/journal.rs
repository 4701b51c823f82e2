//! One folder per call: `1.jsonl`, `2.jsonl`… what it is about to do, `closed.jsonl` what came of it,
//! `undoing` and `undone.json` the way back. Each file is whole or absent and knows its own digest; a
//! folder without `closed.jsonl` whose lock is free was cut by a crash.

use crate::file::{digest, first_line, whole, write};
use crate::holder;
use crate::note::Notes;
use crate::observe::{Planned, Trust, observe};
use crate::record::{Closed, Head, Seen, Step, Undone};
use crate::{Error, Result};
use metnos_executor::{Op, Permit};
use metnos_hands::made;
use metnos_memory::durable;
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::BufRead;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const CLOSED: &str = "closed.jsonl";
const UNDOING: &str = "undoing";
const UNDONE: &str = "undone.json";
const LOCK: &str = "lock";
/// What the lock of a call that ended holds.
const ENDED: &[u8] = b"ended\n";

/// `state/journal`, open.
pub struct Journal {
    dir: PathBuf,
}

/// A call that has said what it is about to do and has not ended yet.
pub struct Open {
    dir: PathBuf,
    number: u32,
    /// Held until the call ends or its process dies.
    lock: File,
}

/// Where an act stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// At work, or cut by a crash that nobody has looked at yet.
    Open,
    /// It happened and can be undone.
    Done,
    /// It was cut and taken back.
    RolledBack,
    /// Undoing it was begun.
    Undoing,
    /// It was undone.
    Undone,
    /// Its records cannot be read.
    Damaged(String),
}

/// One entry of the journal.
#[derive(Clone, Debug)]
pub struct Act {
    /// The call.
    pub call_id: String,
    /// Its first intent, if it can be read.
    pub head: Option<Head>,
    /// Where it stands.
    pub state: State,
    /// How it ended.
    pub closed: Option<Closed>,
    /// How it was undone.
    pub undone: Option<Undone>,
}

impl Journal {
    /// Opens the journal in `dir`, creating it.
    pub fn open(dir: &Path) -> Result<Self> {
        durable::create_dir(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// The record of a call that is about to change something.
    pub fn begin(&self, call_id: &str) -> Result<Open> {
        let dir = self.folder(call_id)?;
        durable::create_dir(&dir)?;
        durable::sync_dir(&self.dir)?;
        let lock = lock_file(&dir)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|e| Error::io("lock", &dir)(e.into()))?;
        std::fs::write(dir.join(LOCK), holder::this()).map_err(Error::io("write", &dir))?;
        Ok(Open { dir, number: 0, lock })
    }

    /// Everything there is, the newest first.
    pub fn acts(&self) -> Result<Vec<Act>> {
        let mut acts = Vec::new();
        for item in std::fs::read_dir(&self.dir).map_err(Error::io("read", &self.dir))? {
            let name = item.map_err(Error::io("read", &self.dir))?.file_name();
            if let Some(call_id) = name.to_str().filter(|name| is_call_id(name)) {
                acts.push(self.act(call_id)?);
            }
        }
        let when = |act: &Act| act.head.as_ref().map(|head| head.at);
        acts.sort_by(|a, b| when(b).cmp(&when(a)).then_with(|| b.call_id.cmp(&a.call_id)));
        Ok(acts)
    }

    /// One of them.
    pub fn act(&self, call_id: &str) -> Result<Act> {
        let dir = self.folder(call_id)?;
        let mut act =
            Act { call_id: call_id.into(), head: None, state: State::Open, closed: None, undone: None };
        if let Err(e) = fill(&mut act, &dir) {
            act.state = State::Damaged(e.to_string());
        }
        Ok(act)
    }

    /// Calls whose undoing was begun and not ended.
    pub fn unfinished(&self) -> Result<Vec<String>> {
        let begun = |id: &String| {
            self.folder(id).is_ok_and(|dir| dir.join(UNDOING).exists() && !dir.join(UNDONE).exists())
        };
        Ok(self.names()?.into_iter().filter(begun).collect())
    }

    /// Every call there is a folder for. Reads no record: this is part of every start.
    fn names(&self) -> Result<Vec<String>> {
        let failed = || Error::io("read", &self.dir);
        let mut names = Vec::new();
        for item in std::fs::read_dir(&self.dir).map_err(failed())? {
            let name = item.map_err(failed())?.file_name();
            names.extend(name.to_str().filter(|name| is_call_id(name)).map(str::to_owned));
        }
        Ok(names)
    }

    /// Calls that a crash cut: open, and nobody holds their lock. Each comes locked.
    pub fn cut(&self) -> Result<Vec<(String, Open)>> {
        let mut cut = Vec::new();
        for call_id in self.names()? {
            let dir = self.folder(&call_id)?;
            // Also one whose records are damaged is given, if it was cut: whoever asked cannot read it
            // and leaves it. One that ended and lost its close is no crash.
            if dir.join(CLOSED).exists()
                || dir.join(UNDOING).exists()
                || dir.join(UNDONE).exists()
                || has_ended(&dir)
            {
                continue;
            }
            let lock = lock_file(&dir)?;
            if holder::gone(&lock, &dir.join(LOCK)) {
                let number = intents(&dir)?.len() as u32;
                cut.push((call_id, Open { dir, number, lock }));
            }
        }
        Ok(cut)
    }

    /// What a call did, operation by operation, and where what it took away is kept.
    pub fn read(&self, call_id: &str) -> Result<Vec<(Step, Seen, PathBuf)>> {
        let dir = self.folder(call_id)?;
        let path = dir.join(CLOSED);
        let Some((closed, seen)) = whole::<Closed, Seen>(&path)? else {
            return Err(Error::damaged(&path, "it is gone"));
        };
        vouch(&dir, &closed)?;
        let steps = steps(&dir)?;
        if seen.len() != steps.len() {
            let reason = format!("{} outcomes for {} operations", seen.len(), steps.len());
            return Err(Error::damaged(&path, reason));
        }
        Ok(steps.into_iter().zip(seen).map(together).collect())
    }

    /// The folders in which things of this call are kept.
    pub fn kept_in(&self, call_id: &str) -> Result<Vec<PathBuf>> {
        kept_in(&self.folder(call_id)?)
    }

    /// Says that undoing is begun, so that a crash in between is followed by its end.
    pub fn undoing(&self, call_id: &str) -> Result<()> {
        Ok(durable::write(&self.folder(call_id)?, UNDOING, |out| out.write_all(b"\n"))?)
    }

    /// Says how undoing ended.
    pub fn undone(&self, call_id: &str, undone: &Undone) -> Result<()> {
        let dir = self.folder(call_id)?;
        write(&dir, UNDONE, undone, std::iter::empty::<Result<Seen>>()).map(|_| ())
    }

    /// Lets go of a call: its records go, what it kept goes.
    pub fn forget(&self, call_id: &str) -> Result<()> {
        let dir = self.folder(call_id)?;
        for kept in self.kept_in(call_id).unwrap_or_default() {
            remove_tree(&kept)?;
        }
        remove_tree(&dir)?;
        Ok(durable::sync_dir(&self.dir)?)
    }

    fn folder(&self, call_id: &str) -> Result<PathBuf> {
        match is_call_id(call_id) {
            true => Ok(self.dir.join(call_id)),
            false => Err(Error::BadCallId(call_id.chars().take(80).collect())),
        }
    }
}

impl Open {
    /// The lock, to be held by whoever acts for this call: as long as one of them lives, it is not over.
    pub fn lock(&self) -> Result<File> {
        self.lock.try_clone().map_err(Error::io("share the lock of", &self.dir))
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
        let ops = lines.split(b'\n').enumerate().map(|(at, line)| {
            let line = line.map_err(Error::io("read the intent for", &self.dir))?;
            let op: Op = serde_json::from_slice(&line)
                .map_err(|e| Error::BadOperation { at, reason: e.to_string() })?;
            notes.note(op, at, allowed)
        });
        write(&self.dir, &format!("{}.jsonl", self.number), head, ops)
    }

    /// Looks at what came of it all and records it. `outcome` is the digest of the answer.
    pub fn close(&self, outcome: &str) -> Result<Closed> {
        let seen = observe(&steps(&self.dir)?, Trust::Told)?;
        self.end(outcome, false, &seen)
    }

    /// What happened so far, as the disk tells it.
    pub fn so_far(&self) -> Result<Vec<(Step, Seen, PathBuf)>> {
        let steps = steps(&self.dir)?;
        let seen = observe(&steps, Trust::Disk)?;
        Ok(steps.into_iter().zip(seen).map(together).collect())
    }

    /// Records that the call was cut and taken back; `left` are the operations that stay performed.
    pub fn rolled_back(&self, seen: &[Seen]) -> Result<Closed> {
        self.end("interrupted", true, seen)
    }

    /// The folder of its records.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn end(&self, outcome: &str, rolled_back: bool, seen: &[Seen]) -> Result<Closed> {
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
        Ok(closed)
    }
}

/// What the records of a call say, each of them checked.
fn fill(act: &mut Act, dir: &Path) -> Result<()> {
    act.head = first_line::<Head>(&dir.join("1.jsonl"))?;
    act.closed = first_line::<Closed>(&dir.join(CLOSED))?;
    act.undone = first_line::<Undone>(&dir.join(UNDONE))?;
    let undoing = dir.join(UNDOING).exists();
    act.state = match &act.closed {
        Some(closed) => {
            vouch(dir, closed)?;
            match closed.rolled_back {
                _ if act.undone.is_some() => State::Undone,
                true => State::RolledBack,
                false if undoing => State::Undoing,
                false => State::Done,
            }
        }
        None if undoing || act.undone.is_some() || has_ended(dir) => {
            return Err(Error::damaged(&dir.join(CLOSED), "it is gone"));
        }
        None => {
            for path in intents(dir)? {
                digest(&path)?;
            }
            State::Open
        }
    };
    Ok(())
}

/// An operation with what it really found when its turn came, and what became of it.
fn together((planned, seen): (Planned, Seen)) -> (Step, Seen, PathBuf) {
    let Planned { mut step, kept, .. } = planned;
    if seen.found.is_some() {
        step.before = seen.found;
    }
    (step, seen, kept)
}

/// The intents of a call, in order.
fn intents(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        (1u32..).map(|n| dir.join(format!("{n}.jsonl"))).take_while(|p| p.exists()).collect();
    found.shrink_to_fit();
    Ok(found)
}

/// Every operation of a call, and where what it takes away is kept.
fn steps(dir: &Path) -> Result<Vec<Planned>> {
    let mut all = Vec::new();
    for path in intents(dir)? {
        let Some((head, steps)) = whole::<Head, Step>(&path)? else { continue };
        let permit = Permit { number: head.number, keeps: head.keeps };
        for (i, step) in steps.into_iter().enumerate() {
            let on = match &step.op {
                Op::MakeDir { path } | Op::Delete { path } | Op::RemoveDir { path } => path,
                Op::Write { dst, .. } | Op::Copy { dst, .. } | Op::Move { dst, .. } => dst,
            };
            // Without a place to keep things nothing can have been taken away.
            let kept = permit.kept(&on.0, i).unwrap_or_else(|| dir.join("nowhere"));
            all.push(Planned { step, kept, intent: head.number });
        }
    }
    Ok(all)
}

/// That the intents are those whose outcome was recorded.
fn vouch(dir: &Path, closed: &Closed) -> Result<()> {
    for (n, noted) in (1u32..).zip(&closed.intents) {
        let path = dir.join(format!("{n}.jsonl"));
        if digest(&path)? != *noted {
            return Err(Error::damaged(&path, "it is not the intent whose outcome was recorded"));
        }
    }
    Ok(())
}

fn kept_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut dirs = Vec::new();
    for path in intents(dir)? {
        if let Some(head) = first_line::<Head>(&path)? {
            dirs.extend(head.keeps.into_iter().map(|keep| keep.dir.0));
        }
    }
    dirs.sort();
    dirs.dedup();
    Ok(dirs)
}

fn has_ended(dir: &Path) -> bool {
    std::fs::read(dir.join(LOCK)).is_ok_and(|text| text == ENDED)
}

/// A handle that can lock and read, never write: a cell gets a copy of it.
fn lock_file(dir: &Path) -> Result<File> {
    let path = dir.join(LOCK);
    let made = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    made.and_then(|_| File::open(&path)).map_err(Error::io("open", &path))
}

fn remove_tree(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", dir)(e)),
        _ => Ok(()),
    }
}

/// A call id names a folder, so it holds nothing but letters, digits, `-` and `_`.
fn is_call_id(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
