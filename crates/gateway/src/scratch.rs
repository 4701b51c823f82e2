//! Where the lists of a turn lie: one file a step, read again by later steps and later turns.

use crate::cut::Running;
use metnos_executor::Failure;
use metnos_runtime::discreet::Discretion;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The lists of all turns.
pub(crate) struct Scratch {
    dir: PathBuf,
    discretion: Arc<Discretion>,
}

impl Scratch {
    pub(crate) fn new(state: &Path, discretion: Arc<Discretion>) -> Self {
        Self { dir: state.join("turns"), discretion }
    }

    /// Where they lie.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Takes the lock of a turn that begins.
    pub(crate) fn running(&self, turn: &str) -> Result<Option<Running>, Failure> {
        let io = |e: std::io::Error| Failure::io(self.dir.display(), &e);
        make_private(&self.dir).map_err(io)?;
        Running::take(&self.dir, turn).map_err(io)
    }

    fn file(&self, turn: &str, step: usize) -> PathBuf {
        self.dir.join(turn).join(format!("{step}.jsonl"))
    }

    /// Keeps a list; gives how long it is.
    pub(crate) fn keep(&self, turn: &str, step: usize, list: &mut dyn BufRead) -> Result<u64, Failure> {
        let path = self.file(turn, step);
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        make_private(&self.dir).and_then(|()| make_private(&self.dir.join(turn))).map_err(io)?;
        let mut out = BufWriter::new(File::create(&path).map_err(io)?);
        let count = self.discretion.keep_lines(list, &mut out).map_err(io)?;
        out.flush().map_err(io)?;
        Ok(count)
    }

    /// Lets go of the lists of a turn that was only looked at.
    pub(crate) fn let_go(&self, turn: &str) {
        let _ = std::fs::remove_dir_all(self.dir.join(turn));
    }

    /// The whole list of a step.
    pub(crate) fn whole(&self, turn: &str, step: usize) -> Result<Box<dyn Read>, Failure> {
        let path = self.file(turn, step);
        match File::open(&path) {
            Ok(file) => Ok(Box::new(self.discretion.read_lines(file))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                Err(Failure::wrong_args("that list is no longer kept").with_hint("ask for it again"))
            }
            Err(e) => Err(Failure::io(path.display(), &e)),
        }
    }

    /// One item of it: from 1, or from the end with -1.
    pub(crate) fn one(&self, turn: &str, step: usize, index: i64) -> Result<Box<dyn Read>, Failure> {
        let lines = || Ok::<_, Failure>(BufReader::new(self.whole(turn, step)?).split(b'\n'));
        let at = match usize::try_from(index) {
            Ok(from_start) => from_start.checked_sub(1),
            Err(_) => {
                lines()?.count().checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
            }
        };
        let found = match at {
            Some(at) => lines()?.nth(at),
            None => None,
        };
        match found {
            Some(Ok(mut line)) => {
                line.push(b'\n');
                Ok(Box::new(Cursor::new(line)))
            }
            Some(Err(e)) => Err(Failure::io("the last list", &e)),
            None => Err(Failure::wrong_args(format!("the last list has no number {index}"))),
        }
    }
}

/// A folder for its owner alone: lists may hold anything.
fn make_private(dir: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}
