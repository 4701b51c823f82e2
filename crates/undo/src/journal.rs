//! One folder per call: `1.jsonl`, `2.jsonl`… what it is about to do, `closed.jsonl` what came of it,
//! `undoing` and `undone.json` the way back, `freed.json` its end. Each file is whole or absent and knows
//! its own digest. How far a call is, the shelf says on which its folder stands.

use crate::file::{digest, first_line, whole, write};
use crate::given::{self, Given, Successors};
use crate::open::{INTERRUPTED, Open, has_ended, lock_file};
use crate::record::{Closed, Freed, Head, Seen, Step, Undone};
use crate::shelf::{Shelf, Shelves};
use crate::steps::{intents, kept_in, steps, together, vouch};
use crate::{Error, Result, holder};
use metnos_memory::durable;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub(crate) const CLOSED: &str = "closed.jsonl";
const UNDOING: &str = "undoing";
const UNDONE: &str = "undone.json";
const FREED: &str = "freed.json";
pub(crate) const LOCK: &str = "lock";

/// `state/journal`, open.
pub struct Journal {
    shelves: Shelves,
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
    /// Some of it was undone; what stood in the way of the rest may be gone when it is tried again.
    Partly,
    /// What it kept was let go of: it can no longer be undone.
    Freed(jiff::Timestamp),
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
        Ok(Self { shelves: Shelves::open(dir, belongs)? })
    }

    /// The record of a call that is about to change something.
    pub fn begin(&self, call_id: &str) -> Result<Open> {
        let (dir, lock) = self.shelves.begin(call_id, Open::hold)?;
        Ok(Open::new(self.shelves.clone(), call_id, dir, lock))
    }

    /// Everything there is, the newest first.
    pub fn acts(&self) -> Result<Vec<Act>> {
        self.on(&Shelf::ALL)
    }

    /// The ids of what there is before `before`, the latest name first. Reads no record.
    pub fn ids_before(&self, before: Option<&str>) -> Result<Vec<String>> {
        let mut names = BTreeSet::new();
        for shelf in &Shelf::ALL {
            let found = self.shelves.names(*shelf)?;
            names.extend(found.into_iter().filter(|name| before.is_none_or(|before| name.as_str() < before)));
        }
        Ok(names.into_iter().rev().collect())
    }

    /// What is over and was not let go of, the newest first.
    pub fn held(&self) -> Result<Vec<Act>> {
        self.on(&[Shelf::Done, Shelf::Undone])
    }

    fn on(&self, shelves: &[Shelf]) -> Result<Vec<Act>> {
        let mut names = BTreeSet::new();
        for shelf in shelves {
            names.extend(self.shelves.names(*shelf)?);
        }
        let mut acts = Vec::new();
        for call_id in names {
            // One that was forgotten meanwhile is no longer there.
            acts.extend(self.find(&call_id)?);
        }
        let when = |act: &Act| act.head.as_ref().map(|head| head.at);
        acts.sort_by(|a, b| when(b).cmp(&when(a)).then_with(|| b.call_id.cmp(&a.call_id)));
        Ok(acts)
    }

    /// One of them, if it is there.
    pub fn look(&self, call_id: &str) -> Result<Option<Act>> {
        self.find(call_id)
    }

    /// One of them.
    pub fn act(&self, call_id: &str) -> Result<Act> {
        let gone = || Error::damaged(Path::new(call_id), "it is gone");
        self.find(call_id)?.ok_or_else(gone)
    }

    fn find(&self, call_id: &str) -> Result<Option<Act>> {
        let Some((shelf, dir)) = self.shelves.find(call_id)? else { return Ok(None) };
        let mut act =
            Act { call_id: call_id.into(), head: None, state: State::Open, closed: None, undone: None };
        let filled = fill(&mut act, shelf, &dir).or_else(|e| match self.shelves.find(call_id)? {
            // It was just put further on.
            Some((now, dir)) if now != shelf => fill(&mut act, now, &dir),
            _ => Err(e),
        });
        if let Err(e) = filled {
            if self.shelves.find(call_id)?.is_none() {
                // It was just forgotten.
                return Ok(None);
            }
            act.state = State::Damaged(e.to_string());
        }
        Ok(Some(act))
    }

    /// Calls whose undoing was begun and not ended.
    pub fn unfinished(&self) -> Result<Vec<String>> {
        let mut begun = Vec::new();
        for call_id in self.shelves.names(Shelf::Undoing)? {
            match self.shelves.place(Shelf::Undoing, &call_id)?.join(UNDONE).exists() {
                true => self.over(&call_id)?,
                false => begun.push(call_id),
            }
        }
        Ok(begun)
    }

    /// Calls that a crash cut: open, and nobody holds their lock. Each comes locked.
    pub fn cut(&self) -> Result<Vec<(String, Open)>> {
        self.clear_unseen()?;
        let mut cut = Vec::new();
        for call_id in self.shelves.names(Shelf::Open)? {
            let dir = self.shelves.place(Shelf::Open, &call_id)?;
            let lock = match lock_file(&dir) {
                Ok(lock) => lock,
                // It ended, and its folder went on, while this looked.
                Err(_) if !dir.is_dir() => continue,
                Err(e) => return Err(e),
            };
            if !holder::gone(&lock, &dir.join(LOCK)) || !dir.is_dir() {
                continue;
            }
            if dir.join(CLOSED).exists() {
                // All is recorded, only its folder did not go on.
                self.shelves.put(&call_id, Shelf::Open, Shelf::Done)?;
                continue;
            }
            // Also one whose records are damaged is given, if it was cut: whoever asked cannot read it
            // and leaves it. One that ended and lost its close is no crash.
            if !has_ended(&dir) {
                let number = intents(&dir)?.len() as u32;
                cut.push((call_id.clone(), Open::cut(self.shelves.clone(), &call_id, dir, number, lock)));
            }
        }
        Ok(cut)
    }

    /// Removes what calls left that died before they had said anything; one that begins right now is left alone.
    fn clear_unseen(&self) -> Result<()> {
        for dir in self.shelves.unseen()? {
            let held = std::fs::read(dir.join(LOCK)).unwrap_or_default();
            let dead = match File::open(dir.join(LOCK)) {
                Ok(lock) if !held.is_empty() => holder::gone(&lock, &dir.join(LOCK)),
                _ => dir.metadata().and_then(|meta| meta.modified()).is_ok_and(is_old),
            };
            if dead {
                let _ = std::fs::remove_dir_all(&dir);
            }
        }
        Ok(())
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
        let since = Successors::read(self.shelves.dir())?;
        let seen = seen.into_iter().map(|seen| since.applied(seen));
        Ok(steps.into_iter().zip(seen).map(together).collect())
    }

    /// Records what came back as another thing when `call_id` was reversed, so that the calls before it
    /// know it as what they left. To be said before it is said that the undo ended.
    pub fn gave(&self, call_id: &str, given: &[Given]) -> Result<()> {
        if given.is_empty() {
            return Ok(());
        }
        let is_held =
            |id: &str| matches!(self.shelves.find(id), Ok(Some((shelf, _))) if shelf < Shelf::Freed);
        given::append(self.shelves.dir(), call_id, given, &is_held)
    }

    /// The folders in which things of this call are kept.
    pub fn kept_in(&self, call_id: &str) -> Result<Vec<PathBuf>> {
        kept_in(&self.folder(call_id)?)
    }

    /// Says that undoing is begun, so that a crash in between is followed by its end.
    pub fn undoing(&self, call_id: &str) -> Result<()> {
        let Some((shelf, dir)) = self.shelves.find(call_id)? else { return Err(nowhere(call_id)) };
        if shelf >= Shelf::Undoing {
            return Ok(());
        }
        durable::write(&dir, UNDOING, |out| out.write_all(b"\n"))?;
        self.shelves.put(call_id, shelf, Shelf::Undoing)?;
        self.shelves.sync(shelf, Shelf::Undoing)
    }

    /// Says how undoing ended, for now: what was left is tried again, and this record replaced whole.
    pub fn undone(&self, call_id: &str, undone: &Undone) -> Result<()> {
        self.undoing(call_id)?;
        let dir = self.folder(call_id)?;
        write(&dir, UNDONE, undone, std::iter::empty::<Result<Seen>>())?;
        match self.shelves.find(call_id)? {
            Some((Shelf::Undone, _)) => Ok(()),
            _ => self.over(call_id),
        }
    }

    fn over(&self, call_id: &str) -> Result<()> {
        self.shelves.put(call_id, Shelf::Undoing, Shelf::Undone)?;
        self.shelves.sync(Shelf::Undoing, Shelf::Undone)
    }

    /// Lets go of what a call kept. Its place in the list stays, and says when that was.
    pub fn free(&self, call_id: &str, at: jiff::Timestamp) -> Result<()> {
        let Some((shelf, dir)) = self.shelves.find(call_id)? else { return Err(nowhere(call_id)) };
        if shelf != Shelf::Freed {
            let act = self.act(call_id)?;
            let end = act.closed.as_ref();
            let freed = Freed {
                at,
                head: act.head,
                performed: end.map_or(0, |end| end.performed),
                kept_bytes: end.map_or(0, |end| end.kept_bytes),
                undone: act.undone,
                rolled_back: end.is_some_and(|end| end.rolled_back),
            };
            write(&dir, FREED, &freed, std::iter::empty::<Result<Seen>>())?;
            self.shelves.put(call_id, shelf, Shelf::Freed)?;
            // Before anything of it goes, the list says so.
            self.shelves.sync(shelf, Shelf::Freed)?;
        }
        let dir = self.shelves.place(Shelf::Freed, call_id)?;
        for kept in kept_in(&dir).unwrap_or_default() {
            remove_tree(&kept)?;
        }
        // The first intent goes last: it says where things are kept.
        let mut records = intents(&dir)?;
        records.reverse();
        let others = [CLOSED, UNDOING, UNDONE, LOCK].map(|name| dir.join(name));
        for path in others.into_iter().chain(records) {
            remove_file(&path)?;
        }
        Ok(())
    }

    /// Calls that were being let go of when that was cut.
    pub fn half_freed(&self) -> Result<Vec<String>> {
        let mut names = self.shelves.names(Shelf::Freed)?;
        names.retain(|id| self.shelves.place(Shelf::Freed, id).is_ok_and(|dir| dir.join("1.jsonl").exists()));
        Ok(names)
    }

    /// Forgets a call altogether: its records go, what it kept goes.
    pub fn forget(&self, call_id: &str) -> Result<()> {
        let Some((shelf, dir)) = self.shelves.find(call_id)? else { return Ok(()) };
        for kept in kept_in(&dir).unwrap_or_default() {
            remove_tree(&kept)?;
        }
        // Nobody finds half of it.
        remove_tree(&self.shelves.hide(call_id, &dir)?)?;
        self.shelves.sync(shelf, Shelf::Open)
    }

    fn folder(&self, call_id: &str) -> Result<PathBuf> {
        self.shelves.find(call_id)?.map(|(_, dir)| dir).ok_or_else(|| nowhere(call_id))
    }
}

/// Whether something is too old to be just beginning.
fn is_old(made: SystemTime) -> bool {
    made.elapsed().is_ok_and(|age| age > Duration::from_secs(3600))
}

fn nowhere(call_id: &str) -> Error {
    Error::damaged(Path::new(call_id), "the journal does not know it")
}

/// Where a folder belongs that stands on no shelf.
fn belongs(dir: &Path) -> Shelf {
    if dir.join(UNDONE).exists() {
        Shelf::Undone
    } else if dir.join(UNDOING).exists() {
        Shelf::Undoing
    } else if dir.join(CLOSED).exists() || has_ended(dir) {
        Shelf::Done
    } else {
        Shelf::Open
    }
}

/// What the records of a call say, each of them checked. On its shelf it must have all that led there.
fn fill(act: &mut Act, shelf: Shelf, dir: &Path) -> Result<()> {
    if shelf == Shelf::Freed {
        let path = dir.join(FREED);
        let freed = first_line::<Freed>(&path)?.ok_or_else(|| Error::damaged(&path, "it is gone"))?;
        act.closed = Some(Closed {
            intents: Vec::new(),
            outcome: "freed".into(),
            performed: freed.performed,
            kept_bytes: freed.kept_bytes,
            rolled_back: freed.rolled_back,
        });
        act.head = freed.head;
        act.undone = freed.undone;
        act.state = State::Freed(freed.at);
        return Ok(());
    }
    act.head = first_line::<Head>(&dir.join("1.jsonl"))?;
    act.closed = first_line::<Closed>(&dir.join(CLOSED))?;
    act.undone = first_line::<Undone>(&dir.join(UNDONE))?;
    let Some(closed) = &act.closed else {
        if shelf != Shelf::Open || has_ended(dir) {
            return Err(Error::damaged(&dir.join(CLOSED), "it is gone"));
        }
        for path in intents(dir)? {
            digest(&path)?;
        }
        act.state = State::Open;
        return Ok(());
    };
    vouch(dir, closed)?;
    if shelf >= Shelf::Undoing && !dir.join(UNDOING).exists() {
        return Err(Error::damaged(&dir.join(UNDOING), "it is gone"));
    }
    if shelf == Shelf::Undone && act.undone.is_none() {
        return Err(Error::damaged(&dir.join(UNDONE), "it is gone"));
    }
    act.state = match (shelf, &act.undone) {
        (Shelf::Undoing | Shelf::Undone, Some(undone)) if !undone.conflicts.is_empty() => State::Partly,
        (Shelf::Undoing | Shelf::Undone, Some(_)) => State::Undone,
        (Shelf::Undoing, None) => State::Undoing,
        _ if closed.rolled_back => State::RolledBack,
        // Somebody agreed to that. What was cut is kept: nobody agreed to a half.
        _ if closed.outcome != INTERRUPTED && act.head.as_ref().is_some_and(|head| head.permanent) => {
            State::Freed(act.head.as_ref().map_or_else(Default::default, |head| head.at))
        }
        _ => State::Done,
    };
    Ok(())
}

fn remove_tree(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", dir)(e)),
        _ => Ok(()),
    }
}

fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", path)(e)),
        _ => Ok(()),
    }
}
