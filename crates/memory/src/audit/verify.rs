//! Reads the whole chain, one line at a time, and says everything that is wrong and where.
//!
//! A line names the hash of the one before, so one line alone cannot tell which of the two was
//! changed; the line after it can. Hence the window of three.

use super::chain::{End, GENESIS, Hash, Link, checkpoint_holds, hash, next_line};
use super::files;
use super::head::{Found, Head};
use super::writer::{head_path, lock_file};
use crate::{Error, Result, Signer};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// A line known from elsewhere: a copied checkpoint, or a number kept in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its number.
    pub seq: u64,
    /// Its hash, when that is known too.
    pub hash: Option<[u8; 32]>,
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The bytes are not those that were written.
    #[error("this line was edited")]
    Edited,
    /// These bytes are no audit line.
    #[error("this is not an audit line")]
    NotALine,
    /// Lines are missing just before this one.
    #[error("lines {from} to {to} are missing before this one")]
    Missing {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// The line belongs elsewhere.
    #[error("this line is out of place: number {expected} was expected")]
    OutOfPlace {
        /// What belongs here.
        expected: u64,
    },
    /// The line stands here a second time.
    #[error("this line is a copy of the one before")]
    Copied,
    /// The line is not part of the chain.
    #[error("this line was inserted")]
    Inserted,
    /// The end of the chain was removed.
    #[error("lines {from} to {to} were removed from the end")]
    Truncated {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// The first line of a day file was written on another day.
    #[error("this file holds the lines of another day")]
    WrongDay,
    /// The head is gone though there are lines.
    #[error("the head is missing")]
    HeadMissing,
    /// The head is not signed by this instance.
    #[error("the head is not signed by this instance")]
    HeadForged,
    /// A checkpoint is not signed by this instance.
    #[error("this checkpoint is not signed by this instance")]
    CheckpointForged,
    /// A line known from elsewhere has other bytes here.
    #[error("this line is not the one known from elsewhere")]
    NotTheAnchor,
    /// Damage that an earlier start found and noted.
    #[error("an earlier start found the chain damaged: {0}")]
    Noted(String),
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The day file, or `audit.head`.
    pub file: String,
    /// The line in it, from one; zero for the head.
    pub line: u64,
    /// The number the line carries, or should.
    pub seq: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if let Some(seq) = self.seq {
            write!(f, " (number {seq})")?;
        }
        write!(f, ": {}", self.fault)
    }
}

/// What the whole chain looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines read.
    pub lines: u64,
    /// Day files read.
    pub files: u64,
    /// Signed checkpoints that hold.
    pub checkpoints: u64,
    /// The number of the last checkpoint that holds.
    pub last_checkpoint: Option<u64>,
    /// The number and hash of the last line.
    pub last: Option<(u64, [u8; 32])>,
    /// Sound lines after the head: a crash, or lines nobody signed yet.
    pub after_head: u64,
    /// Bytes of a line a crash cut, to be moved aside by the next start.
    pub torn_bytes: u64,
    /// What is wrong, in order; the first [`Report::SHOWN`].
    pub findings: Vec<Finding>,
    /// How many things are wrong.
    pub found: u64,
}

impl Report {
    /// The most findings spelled out.
    pub const SHOWN: usize = 100;

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.found == 0
    }

    fn add(&mut self, finding: Finding) {
        self.found = self.found.saturating_add(1);
        if self.findings.len() < Self::SHOWN {
            self.findings.push(finding);
        }
    }
}

/// What the window needs of a line.
#[derive(Clone)]
struct Seen {
    file: usize,
    line: u64,
    /// Number and stated hash of the line before, when it is a line.
    link: Option<(u64, Option<Hash>)>,
    hash: Hash,
    damage: bool,
    reported: bool,
}

pub(super) fn verify(dir: &Path, state: &Path, signer: &dyn Signer, anchors: &[Anchor]) -> Result<Report> {
    let (head, sizes) = snapshot(dir, state, signer)?;
    let mut walk = Walk {
        names: sizes.iter().map(|(name, _)| name.clone()).collect(),
        head: match &head {
            Found::Sound(head) => Some(head.clone()),
            _ => None,
        },
        anchors,
        report: Report { files: sizes.len() as u64, ..Report::default() },
        expected: 1,
        before: None,
        current: None,
    };
    let mut buffer = Vec::new();
    let mut torn = None;
    for (at, (name, size)) in sizes.iter().enumerate() {
        let path = dir.join(name);
        let file = File::open(&path).map_err(Error::io("read", &path))?;
        let mut source = BufReader::with_capacity(1 << 20, file.take(*size));
        let mut number = 0_u64;
        while let Some((end, taken)) =
            next_line(&mut source, &mut buffer).map_err(Error::io("read", &path))?
        {
            number = number.saturating_add(1);
            if end == End::Torn && at + 1 == sizes.len() {
                torn = Some((at, number, taken));
                break;
            }
            let whole = end == End::Whole;
            walk.line(at, number, if whole { &buffer } else { b"" }, signer);
        }
    }
    walk.end(&head, torn);
    Ok(walk.report)
}

/// The head and how far every file reaches, seen together while nobody writes.
fn snapshot(dir: &Path, state: &Path, signer: &dyn Signer) -> Result<(Found, Vec<(String, u64)>)> {
    // Without a state folder there is no writer to wait for, and nothing is created here.
    let lock = if state.is_dir() { Some(lock_file(state)?) } else { None };
    if let Some(lock) = &lock {
        flock(lock, FlockOperation::LockExclusive)
            .map_err(|e| Error::io("lock the audit in", state)(e.into()))?;
    }
    let path = head_path(state);
    let text = match File::open(&path) {
        Ok(file) => {
            let mut text = Vec::new();
            file.take(64 << 10).read_to_end(&mut text).map_err(Error::io("read", &path))?;
            text
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(Error::io("read", &path)(e)),
    };
    let mut sizes = Vec::new();
    for name in files::list(dir)? {
        let path = dir.join(&name);
        let size = std::fs::metadata(&path).map_err(Error::io("look at", &path))?.len();
        sizes.push((name, size));
    }
    Ok((Head::read(&text, signer), sizes))
}

/// The window as it moves along the chain.
struct Walk<'a> {
    names: Vec<String>,
    head: Option<Head>,
    anchors: &'a [Anchor],
    report: Report,
    expected: u64,
    before: Option<Seen>,
    current: Option<Seen>,
}

impl Walk<'_> {
    /// Takes in the next line; an empty one stands for bytes that are no line.
    fn line(&mut self, file: usize, line: u64, bytes: &[u8], signer: &dyn Signer) {
        let link = Link::parse(bytes);
        let seen = Seen {
            file,
            line,
            link: link.as_ref().map(|l| (l.seq, l.prev())),
            hash: hash(bytes),
            damage: link.as_ref().is_some_and(|l| l.kind == "damage"),
            reported: false,
        };
        self.report.lines = self.report.lines.saturating_add(1);
        let mut extra = Vec::new();
        if let Some(link) = &link {
            if link.kind == "checkpoint" {
                if checkpoint_holds(signer, bytes, link.seq, &link.prev().unwrap_or(GENESIS)) {
                    self.report.checkpoints = self.report.checkpoints.saturating_add(1);
                    self.report.last_checkpoint = Some(link.seq);
                } else {
                    extra.push(Fault::CheckpointForged);
                }
            }
            if seen.damage {
                extra.push(Fault::Noted(what_was_noted(bytes)));
            }
            if line == 1 && self.day_differs(file, bytes) {
                extra.push(Fault::WrongDay);
            }
        }
        let judged = self.current.take();
        self.judge(judged, Some(&seen));
        for fault in extra {
            self.report.add(self.finding(&seen, fault));
        }
        self.current = Some(seen);
    }

    /// Decides about `current`, knowing the line before and the line after.
    fn judge(&mut self, current: Option<Seen>, next: Option<&Seen>) {
        let Some(mut current) = current else { return };
        let Some((seq, prev)) = current.link else {
            let expected = self.expected;
            self.note(&mut current, Fault::NotALine, Some(expected));
            self.expected = self.expected.saturating_add(1);
            self.before = Some(current);
            return;
        };
        let last = self.before.as_ref().map_or(GENESIS, |b| b.hash);
        let follows = prev == Some(last);
        let numbered = seq == self.expected || (current.damage && seq > self.expected);
        let intact = self.is_intact(&current, seq, next);
        let after_no_line = self.before.as_ref().is_some_and(|b| b.link.is_none());
        let mut next_expected = seq.saturating_add(1);
        if follows && numbered {
            // Sound, as far as what came before goes.
        } else if follows {
            self.note(&mut current, Fault::Edited, Some(seq));
            next_expected = self.expected.saturating_add(1);
        } else if after_no_line {
            // What stands before was reported; this line is where the chain goes on.
            next_expected = if intact { next_expected } else { self.expected.saturating_add(1) };
        } else if numbered {
            match self.before.take() {
                Some(mut before) if intact => {
                    let seq = before.link.map(|(seq, _)| seq);
                    self.note(&mut before, Fault::Edited, seq);
                    self.before = Some(before);
                }
                before => {
                    self.before = before;
                    self.note(&mut current, Fault::Edited, Some(seq));
                }
            }
        } else if seq > self.expected && intact {
            let fault = Fault::Missing { from: self.expected, to: seq.saturating_sub(1) };
            self.note(&mut current, fault, Some(seq));
        } else {
            next_expected = self.out_of_place(&mut current, seq, prev, intact, next);
        }
        self.check_known(&mut current, seq, next.is_none());
        self.expected = next_expected;
        self.before = Some(current);
    }

    /// A line that neither follows nor has the number that comes next. Gives the next number.
    fn out_of_place(
        &mut self,
        current: &mut Seen,
        seq: u64,
        prev: Option<Hash>,
        intact: bool,
        next: Option<&Seen>,
    ) -> u64 {
        let expected = self.expected;
        if seq > expected {
            let swapped = next.and_then(|n| n.link).is_some_and(|(next, _)| next == expected);
            self.note(current, Fault::OutOfPlace { expected }, Some(seq));
            return if swapped { seq.saturating_add(1) } else { expected.saturating_add(1) };
        }
        match self.before.take() {
            Some(before) if before.hash == current.hash => {
                self.before = Some(before);
                self.note(current, Fault::Copied, Some(seq));
            }
            Some(mut before) if intact && before.link.is_some_and(|(_, p)| p == prev) => {
                let number = before.link.map(|(seq, _)| seq);
                self.note(&mut before, Fault::Inserted, number);
                self.before = Some(before);
            }
            before => {
                self.before = before;
                self.note(current, Fault::OutOfPlace { expected }, Some(seq));
            }
        }
        expected
    }

    /// Whether what comes after vouches for the bytes of `current`.
    fn is_intact(&self, current: &Seen, seq: u64, next: Option<&Seen>) -> bool {
        if let Some((_, prev)) = next.and_then(|n| n.link) {
            return prev == Some(current.hash);
        }
        match &self.head {
            Some(head) if head.seq == seq => head.hash == current.hash,
            _ => next.is_some(),
        }
    }

    /// Compares a line with what the head and the anchors say of it.
    fn check_known(&mut self, current: &mut Seen, seq: u64, is_last: bool) {
        if let Some(head) = &self.head {
            if head.seq == seq && head.hash != current.hash {
                self.note(current, Fault::Edited, Some(seq));
            } else if seq > head.seq {
                self.report.after_head = self.report.after_head.saturating_add(1);
            }
        }
        let hash = current.hash;
        if self.anchors.iter().any(|a| a.seq == seq && a.hash.is_some_and(|h| h != hash)) {
            self.note(current, Fault::NotTheAnchor, Some(seq));
        }
        if is_last {
            self.report.last = Some((seq, hash));
        }
    }

    /// The end of the last file: is it the end of the chain?
    fn end(&mut self, head: &Found, torn: Option<(usize, u64, u64)>) {
        let judged = self.current.take();
        self.judge(judged, None);
        let last = self.expected.saturating_sub(1);
        let known = self.head.as_ref().map_or(0, |h| h.seq);
        let anchored = self.anchors.iter().map(|a| a.seq).max().unwrap_or(0);
        let to = known.max(anchored);
        if to > last {
            let (file, line) = self.place_of_end();
            let fault = Fault::Truncated { from: last.saturating_add(1), to };
            self.report.add(Finding { file, line, seq: Some(last.saturating_add(1)), fault });
        }
        if let Some((_, _, bytes)) = torn {
            self.report.torn_bytes = bytes;
        }
        let fault = match head {
            Found::Missing if self.report.lines > 0 => Fault::HeadMissing,
            Found::Forged => Fault::HeadForged,
            _ => return,
        };
        self.report.add(Finding { file: "audit.head".into(), line: 0, seq: None, fault });
    }

    /// Where the first removed line stood: after the last one, or in the file that is gone.
    fn place_of_end(&self) -> (String, u64) {
        let last = self.before.as_ref().and_then(|b| self.names.get(b.file).map(|n| (n.clone(), b.line)));
        match (&self.head, last) {
            (Some(head), Some((name, _))) if !head.file.is_empty() && name < head.file => {
                (head.file.clone(), 1)
            }
            (_, Some((name, line))) => (name, line.saturating_add(1)),
            (Some(head), None) if !head.file.is_empty() => (head.file.clone(), 1),
            _ => ("audit.head".into(), 0),
        }
    }

    /// Reports a line, once.
    fn note(&mut self, seen: &mut Seen, fault: Fault, seq: Option<u64>) {
        if !std::mem::replace(&mut seen.reported, true) {
            let finding = Finding { seq, ..self.finding(seen, fault) };
            self.report.add(finding);
        }
    }

    fn finding(&self, seen: &Seen, fault: Fault) -> Finding {
        let file = self.names.get(seen.file).cloned().unwrap_or_default();
        Finding { file, line: seen.line, seq: seen.link.map(|(seq, _)| seq), fault }
    }

    fn day_differs(&self, file: usize, bytes: &[u8]) -> bool {
        #[derive(serde::Deserialize)]
        struct Dated {
            time: String,
        }
        let day = self.names.get(file).and_then(|n| n.get(..10));
        serde_json::from_slice::<Dated>(bytes).ok().is_none_or(|dated| dated.time.get(..10) != day)
    }
}

fn what_was_noted(bytes: &[u8]) -> String {
    let line: Option<super::Sealed> = serde_json::from_slice(bytes).ok();
    let what = line.and_then(|s| s.line.detail.get("what").and_then(|w| w.as_str()).map(str::to_owned));
    what.unwrap_or_else(|| "unknown".into())
}
