//! A call on a real tree: said, performed, closed and taken back.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use metnos_executor::{BytePath, Intent, Keep, Op, Permit, WriteMode};
use metnos_hands::{Hands, Kind};
use metnos_undo::{Head, Journal, Open, Purpose, Report, Seen, Step, reverse};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub type Done = Vec<(Step, Seen, PathBuf)>;

/// What a thing is to a person: kind, mode, time of a file, content or target.
#[derive(Clone, PartialEq, Eq)]
pub struct Thing {
    pub kind: Kind,
    mode: u32,
    mtime: (i64, i64),
    pub content: Vec<u8>,
}

impl std::fmt::Debug for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = String::from_utf8_lossy(&self.content[..self.content.len().min(16)]).into_owned();
        write!(f, "{:?} {:o} {:?} {text:?}", self.kind, self.mode, self.mtime)
    }
}

pub type Tree = BTreeMap<PathBuf, Thing>;

pub fn tree(roots: &[&Path]) -> Tree {
    let mut found = Tree::new();
    let mut left: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    while let Some(dir) = left.pop() {
        for item in fs::read_dir(&dir).unwrap() {
            let path = item.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let mtime = (meta.mtime(), meta.mtime_nsec());
            let (kind, mtime, content) = if meta.is_dir() {
                left.push(path.clone());
                (Kind::Dir, (0, 0), Vec::new())
            } else if meta.is_symlink() {
                (Kind::Link, mtime, fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec())
            } else {
                (Kind::File, mtime, fs::read(&path).unwrap())
            };
            found.insert(path, Thing { kind, mode: meta.mode() & 0o7777, mtime, content });
        }
    }
    found
}

/// Roots to work on, each with a folder for what is kept, and a journal.
pub struct Bench {
    pub roots: Vec<TempDir>,
    keeps: Vec<TempDir>,
    pub state: TempDir,
    pub journal: Journal,
}

impl Bench {
    /// One root for each of `bases`, with its folder for what is kept in the other of the pair.
    pub fn new(bases: &[(&Path, &Path)]) -> Self {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(&state.path().join("journal")).unwrap();
        let make = |base: &Path| {
            tempfile::Builder::new().prefix("undo").tempdir_in(base.canonicalize().unwrap()).unwrap()
        };
        let roots = bases.iter().map(|(root, _)| make(root)).collect();
        let keeps = bases.iter().map(|(_, keep)| make(keep)).collect();
        Self { roots, keeps, state, journal }
    }

    pub fn plain() -> Self {
        let base = std::env::temp_dir();
        Self::new(&[(&base, &base)])
    }

    pub fn root(&self) -> &Path {
        self.roots[0].path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub fn tree(&self) -> Tree {
        tree(&self.roots.iter().map(TempDir::path).collect::<Vec<_>>())
    }

    /// The folder for what one call takes from one root.
    pub fn keep(&self, i: usize, id: &str) -> PathBuf {
        self.keeps[i].path().join(id)
    }

    pub fn begin(&self, id: &str) -> Open {
        self.journal.begin(id).unwrap()
    }

    /// Says an intent and gives the hands for it.
    pub fn intend(&self, open: &mut Open, id: &str, ops: &[Op]) -> Hands {
        let pair = |(i, root): (usize, &TempDir)| {
            let dir = self.keep(i, id);
            fs::create_dir_all(&dir).unwrap();
            Keep { root: BytePath(root.path().to_owned()), dir: BytePath(dir) }
        };
        let keeps: Vec<Keep> = self.roots.iter().enumerate().map(pair).collect();
        let head = Head {
            call_id: id.into(),
            turn: id.into(),
            number: open.next(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            user: "u".into(),
            executor: "move_files".into(),
            version: "1".into(),
            keeps: keeps.clone(),
            permanent: false,
        };
        let mut lines = Vec::new();
        for op in ops {
            serde_json::to_writer(&mut lines, op).unwrap();
            lines.push(b'\n');
        }
        open.intent(&head, lines.as_slice(), &|_| true).unwrap();
        Hands::approved(Intent { ops: ops.to_vec() }, Permit { number: head.number, keeps })
    }

    /// Performs all of it and closes it. Operations that fail are passed over.
    pub fn act(&self, id: &str, ops: &[Op]) -> Done {
        let mut open = self.begin(id);
        let mut hands = self.intend(&mut open, id, ops);
        for i in 0..ops.len() {
            let _ = perform(&mut hands, i);
        }
        hands.finish().unwrap();
        open.close("ok").unwrap();
        self.journal.read(id).unwrap()
    }
}

/// Performs one operation; what is written tells which one wrote it.
pub fn perform(hands: &mut Hands, i: usize) -> Result<(), metnos_executor::Failure> {
    match hands.intent().ops[i].clone() {
        Op::MakeDir { .. } => hands.make_dir(i),
        Op::Move { .. } => hands.rename(i).map(drop),
        Op::Copy { .. } => hands.copy(i).map(drop),
        Op::Write { .. } => hands.write(i, |out| write!(out, "written by {i}")).map(drop),
        Op::Link { .. } => hands.link(i),
        Op::Delete { .. } => hands.delete(i).map(drop),
        Op::RemoveDir { .. } => hands.remove_dir(i),
    }
}

pub fn back(done: &[(Step, Seen, PathBuf)], purpose: Purpose) -> Report {
    reverse(done, purpose, &|_| None).unwrap()
}

pub fn mv(src: impl Into<PathBuf>, dst: impl Into<PathBuf>) -> Op {
    Op::Move { src: BytePath(src.into()), dst: BytePath(dst.into()) }
}

pub fn cp(src: impl Into<PathBuf>, dst: impl Into<PathBuf>) -> Op {
    Op::Copy { src: BytePath(src.into()), dst: BytePath(dst.into()) }
}

pub fn put(dst: impl Into<PathBuf>, mode: WriteMode) -> Op {
    Op::Write { dst: BytePath(dst.into()), mode }
}

pub fn ln(dst: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Op {
    Op::Link { dst: BytePath(dst.into()), target: BytePath(target.into()) }
}

pub fn rm(path: impl Into<PathBuf>) -> Op {
    Op::Delete { path: BytePath(path.into()) }
}

pub fn rmdir(path: impl Into<PathBuf>) -> Op {
    Op::RemoveDir { path: BytePath(path.into()) }
}

pub fn mkdir(path: impl Into<PathBuf>) -> Op {
    Op::MakeDir { path: BytePath(path.into()) }
}
