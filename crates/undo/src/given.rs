//! What came back as another thing. Between file systems giving back means copying, and a folder that was
//! removed is made again: the content is the same, the number in the file system is not. Earlier calls know
//! what they left by that number, so each new one is recorded, and they are undone in turn.

use crate::record::Seen;
use crate::{Error, Result};
use metnos_hands::{Fact, Kind};
use metnos_memory::durable;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The file in the folder of the journal.
const NAME: &str = "given.jsonl";
/// Once it is larger, what belongs to calls that were let go of is left out.
const LARGE: u64 = 1 << 20;

/// A thing that was given back as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// As it stood before the call that took it away.
    pub was: Fact,
    /// As it stands since that call was undone.
    pub now: Fact,
}

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    call: String,
    #[serde(flatten)]
    given: Given,
}

impl Given {
    /// That `was` came back as `now`, if that is so.
    pub(crate) fn of(was: Fact, now: Fact) -> Option<Self> {
        let same = match was.kind {
            Kind::Dir => now.kind == Kind::Dir,
            _ => now.looks_like(&was),
        };
        (same && !now.is(&was)).then_some(Self { was, now })
    }
}

/// Everything that was ever given back as another thing, in order.
#[derive(Default)]
pub(crate) struct Successors {
    lines: Vec<Given>,
    /// By the number it had.
    by: HashMap<u64, Vec<usize>>,
}

impl Successors {
    /// A line that a crash spoilt is passed over: what it told of is then not known, and left alone.
    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(NAME);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(e) => return Err(Error::io("read", &path)(e)),
        };
        let mut all = Self::default();
        for line in lines(&text) {
            all.by.entry(line.given.was.ino).or_default().push(all.lines.len());
            all.lines.push(line.given);
        }
        Ok(all)
    }

    /// What `left` is by now, after all that was given back since.
    fn now(&self, left: Fact) -> Fact {
        let (mut now, mut from) = (left, 0);
        // Each step goes further down the file, so this ends.
        while let Some(at) = self.next(&now, from) {
            (now, from) = (self.lines[at].now, at + 1);
        }
        now
    }

    fn next(&self, thing: &Fact, from: usize) -> Option<usize> {
        let at = self.by.get(&thing.ino)?.iter().rev().find(|at| self.lines[**at].was.is_unchanged(thing))?;
        (*at >= from).then_some(*at)
    }

    /// An outcome in terms of what stands there by now.
    pub(crate) fn applied(&self, mut seen: Seen) -> Seen {
        seen.after = seen.after.map(|after| self.now(after));
        seen
    }
}

/// Adds to the file, and waits until that is on disk. One that became large loses what belongs to calls that
/// are no longer held.
pub(crate) fn append(dir: &Path, call: &str, given: &[Given], is_held: &dyn Fn(&str) -> bool) -> Result<()> {
    let path = dir.join(NAME);
    // One at a time, also between processes: the lock goes with the handle.
    let folder = File::open(dir).map_err(Error::io("open", dir))?;
    flock(&folder, FlockOperation::LockExclusive).map_err(|e| Error::io("lock", dir)(e.into()))?;
    let new = given.iter().map(|given| Line { call: call.to_owned(), given: *given });
    if std::fs::metadata(&path).is_ok_and(|meta| meta.len() > LARGE) {
        let text = std::fs::read(&path).map_err(Error::io("read", &path))?;
        let all = lines(&text).filter(|line| is_held(&line.call)).chain(new);
        return Ok(durable::write(dir, NAME, |out| {
            let mut all = all;
            all.try_for_each(|line| put(&mut *out, &line))
        })?);
    }
    let mut text = Vec::new();
    let appended = new.into_iter().try_for_each(|line| put(&mut text, &line)).and_then(|()| {
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        // A line that a crash cut must not spoil the next.
        file.write_all(b"\n")?;
        file.write_all(&text)?;
        file.sync_all()
    });
    appended.map_err(Error::io("write", &path))?;
    Ok(durable::sync_dir(dir)?)
}

fn put(mut out: impl Write, line: &Line) -> std::io::Result<()> {
    serde_json::to_writer(&mut out, line)?;
    out.write_all(b"\n")
}

fn lines(text: &[u8]) -> impl Iterator<Item = Line> + '_ {
    text.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}
