//! Reading back: the last lines, and the lines a number or a call names.

use super::line::{Kind, LINE_MAX, Sealed};
use super::{chain, files};
use crate::{Error, Result};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Which lines are wanted. An absent field wants all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this executor.
    pub executor: Option<String>,
    /// Only this turn.
    pub turn: Option<String>,
    /// Only this caller.
    pub caller: Option<String>,
    /// Only this person, over whichever channel: callers are `person/channel`.
    pub person: Option<String>,
    /// Only calls that failed.
    pub failed: bool,
}

impl Filter {
    fn keeps(&self, sealed: &Sealed) -> bool {
        let line = &sealed.line;
        let same = |want: &Option<String>, have: &Option<String>| want.is_none() || want == have;
        self.kind.is_none_or(|kind| kind == line.kind)
            && same(&self.executor, &line.executor)
            && same(&self.turn, &line.turn)
            && same(&self.caller, &line.caller)
            && self.person.as_deref().is_none_or(|person| is_of(line.caller.as_deref(), person))
            && (!self.failed || matches!(line.exit, Some(super::Exit::Failed(_))))
    }
}

fn is_of(caller: Option<&str>, person: &str) -> bool {
    caller.is_some_and(|caller| caller.split_once('/').map_or(caller, |(who, _)| who) == person)
}

/// What names a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Its number.
    Seq(u64),
    /// Its call: `open` and `close`, or the one line of a read-only call.
    Call(String),
}

/// The last `n` lines that `filter` keeps, oldest first. Lines that are not lines are passed over:
/// `verify` speaks of them.
pub(super) fn tail(dir: &Path, n: usize, filter: &Filter) -> Result<Vec<Sealed>> {
    let mut found = Vec::new();
    for name in files::list(dir)?.iter().rev() {
        let path = dir.join(name);
        let mut lines = backwards(&path)?;
        while found.len() < n {
            let Some(line) = lines.next_line().map_err(Error::io("read", &path))? else { break };
            if let Ok(sealed) = serde_json::from_slice(&line)
                && filter.keeps(&sealed)
            {
                found.push(sealed);
            }
        }
        if found.len() >= n {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

/// The lines `key` names, oldest first.
pub(super) fn show(dir: &Path, key: &Key) -> Result<Vec<Sealed>> {
    match key {
        Key::Seq(seq) => by_seq(dir, *seq),
        Key::Call(call_id) => by_call(dir, call_id),
    }
}

fn by_seq(dir: &Path, seq: u64) -> Result<Vec<Sealed>> {
    let mut buffer = Vec::new();
    for name in files::list(dir)?.iter().rev() {
        let path = dir.join(name);
        let mut source =
            BufReader::with_capacity(256 << 10, File::open(&path).map_err(Error::io("read", &path))?);
        let mut first = true;
        while chain::next_line(&mut source, &mut buffer).map_err(Error::io("read", &path))?.is_some() {
            let Some(link) = chain::Link::parse(&buffer) else { continue };
            if link.seq == seq {
                return Ok(serde_json::from_slice(&buffer).into_iter().collect());
            }
            if first && link.seq > seq {
                break;
            }
            first = false;
        }
    }
    Ok(Vec::new())
}

fn by_call(dir: &Path, call_id: &str) -> Result<Vec<Sealed>> {
    let mut found: Vec<Sealed> = Vec::new();
    for name in files::list(dir)?.iter().rev() {
        let path = dir.join(name);
        let mut lines = backwards(&path)?;
        while let Some(line) = lines.next_line().map_err(Error::io("read", &path))? {
            let named = chain::Link::parse(&line).is_some_and(|l| l.call_id.as_deref() == Some(call_id));
            if named && let Ok(sealed) = serde_json::from_slice::<Sealed>(&line) {
                // The first line of a call ends the search: nothing older can belong to it.
                let begins = matches!(sealed.line.kind, Kind::Open | Kind::Call | Kind::Refused);
                found.push(sealed);
                if begins {
                    found.reverse();
                    return Ok(found);
                }
            }
        }
    }
    found.reverse();
    Ok(found)
}

fn backwards(path: &Path) -> Result<Backwards> {
    File::open(path).and_then(Backwards::new).map_err(Error::io("read", path))
}

/// The lines of a file from the last to the first, holding little more than one at a time.
pub(super) struct Backwards {
    file: File,
    /// Bytes before this were not read yet.
    unread: u64,
    /// What was read and not given out.
    held: Vec<u8>,
}

impl Backwards {
    const BLOCK: u64 = 64 << 10;

    pub(super) fn new(file: File) -> std::io::Result<Self> {
        let unread = file.metadata()?.len();
        Ok(Self { file, unread, held: Vec::new() })
    }

    /// The next line towards the beginning, without its newline.
    pub(super) fn next_line(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        if self.held.last() == Some(&b'\n') {
            self.held.pop();
        }
        let mut searched = self.held.len();
        loop {
            let fresh = self.held.get(..searched).unwrap_or_default();
            if let Some(at) = fresh.iter().rposition(|b| *b == b'\n') {
                return Ok(Some(self.held.split_off(at + 1)));
            }
            if self.unread == 0 {
                let line = std::mem::take(&mut self.held);
                return Ok((!line.is_empty()).then_some(line));
            }
            if self.held.len() > 4 * LINE_MAX {
                // No line of ours: forget its end, and let the rest fail to parse.
                self.held.truncate(LINE_MAX);
            }
            let at_end = self.held.is_empty();
            let from = self.unread.saturating_sub(Self::BLOCK);
            let mut block = vec![0; usize::try_from(self.unread - from).unwrap_or(0)];
            self.file.read_exact_at(&mut block, from)?;
            self.unread = from;
            if at_end && block.last() == Some(&b'\n') {
                block.pop();
            }
            searched = block.len();
            block.append(&mut self.held);
            self.held = block;
        }
    }
}
