//! Where the chain ends, found from the head and from the lines written after it. Looks only;
//! the writer does what has to be done about it.

use super::chain::{End, GENESIS, Hash, Link, hash, next_line};
use super::files;
use super::head::{Found, Head};
use super::line::LINE_MAX;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The last sound line and where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) seq: u64,
    pub(super) hash: Hash,
    pub(super) file: Option<String>,
    pub(super) length: u64,
    /// `open` lines without a `close`.
    pub(super) open: u64,
}

/// What was found at the end of the chain.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) tail: Tail,
    /// Bytes of the last file that are no line: a crash cut them.
    pub(super) torn: Option<Range<u64>>,
    /// The first thing that no crash explains.
    pub(super) damage: Option<String>,
    /// Sound lines after the head.
    pub(super) newer: u64,
}

/// Reads from the head on; from the very beginning when the head cannot be used.
pub(super) fn look(dir: &Path, found: &Found) -> Result<Looked> {
    let names = files::list(dir)?;
    let (start, mut damage) = begin(dir, found, &names)?;
    let (first, offset) = match &start {
        Some(head) => (names.iter().position(|n| *n == head.file).unwrap_or(0), head.length),
        None => (0, 0),
    };
    let mut tail = Tail {
        seq: start.as_ref().map_or(0, |h| h.seq),
        hash: start.as_ref().map_or(GENESIS, |h| h.hash),
        file: None,
        length: 0,
        open: start.as_ref().map_or(0, |h| h.open),
    };
    let (mut torn, mut newer) = (None, 0_u64);
    for (at, name) in names.iter().enumerate().skip(first) {
        if torn.is_some() {
            damage.get_or_insert(format!("{name} follows a file that ends in the middle of a line"));
        }
        tail.file = Some(name.clone());
        tail.length = if at == first { offset } else { 0 };
        torn = walk(&dir.join(name), name, &mut tail, &mut damage, &mut newer)?;
    }
    if let (Some(_), Found::Sound(head)) = (&damage, found) {
        // Numbers that were given out once are not given out again.
        tail.seq = tail.seq.max(head.seq);
    }
    if damage.is_some() || !matches!(found, Found::Sound(_)) {
        newer = 0;
    }
    Ok(Looked { tail, torn, damage, newer })
}

/// The head to start from, and what is wrong if there is none.
fn begin(dir: &Path, found: &Found, names: &[String]) -> Result<(Option<Head>, Option<String>)> {
    Ok(match found {
        Found::Sound(head) if head.seq == 0 || is_there(dir, head)? => (Some(head.clone()), None),
        Found::Sound(head) => {
            let what = format!("line {} is not where the head says ({})", head.seq, head.file);
            (None, Some(what))
        }
        Found::Forged => (None, Some("the head is not signed by this instance".into())),
        Found::Missing if names.is_empty() => (None, None),
        Found::Missing => (None, Some("the head is missing".into())),
    })
}

/// Whether the line the head names ends where it says and hashes to what it says.
fn is_there(dir: &Path, head: &Head) -> Result<bool> {
    let path = dir.join(&head.file);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(Error::io("read", &path)(e)),
    };
    for window in [8 << 10, LINE_MAX as u64 + 2] {
        let from = head.length.saturating_sub(window);
        let mut bytes = vec![0; usize::try_from(head.length - from).unwrap_or(0)];
        match file.read_exact_at(&mut bytes, from) {
            Ok(()) => {}
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(e) => return Err(Error::io("read", &path)(e)),
        }
        if bytes.pop() != Some(b'\n') {
            return Ok(false);
        }
        let start = bytes.iter().rposition(|b| *b == b'\n').map(|at| at + 1);
        if start.is_some() || from == 0 {
            return Ok(hash(bytes.get(start.unwrap_or(0)..).unwrap_or_default()) == head.hash);
        }
    }
    Ok(false)
}

/// Follows the lines of one file from `tail.length`; gives the bytes at its end that are no line.
fn walk(
    path: &Path,
    name: &str,
    tail: &mut Tail,
    damage: &mut Option<String>,
    newer: &mut u64,
) -> Result<Option<Range<u64>>> {
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    file.seek(SeekFrom::Start(tail.length)).map_err(Error::io("read", path))?;
    let mut source = BufReader::with_capacity(64 << 10, file);
    let (mut buffer, mut at) = (Vec::new(), tail.length);
    let mut bad: Option<u64> = None;
    while let Some((end, taken)) = next_line(&mut source, &mut buffer).map_err(Error::io("read", path))? {
        let from = at;
        at = at.saturating_add(taken);
        let link = if end == End::Whole { Link::parse(&buffer) } else { None };
        let Some(link) = link else {
            bad.get_or_insert(from);
            continue;
        };
        let follows = link.prev() == Some(tail.hash);
        if bad.take().is_some()
            || !follows
            || (link.seq != tail.seq.saturating_add(1) && link.kind != "damage")
        {
            damage.get_or_insert(format!("line {} of {name} does not follow the one before", link.seq));
        }
        // An absurd number in a broken line must not use up the numbers to come.
        let sane = follows || link.seq < tail.seq.saturating_add(u64::from(u32::MAX));
        tail.seq = if sane { tail.seq.max(link.seq) } else { tail.seq.saturating_add(1) };
        tail.hash = hash(&buffer);
        tail.length = at;
        tail.open = match link.kind.as_ref() {
            "open" => tail.open.saturating_add(1),
            "close" | "interrupted" => tail.open.saturating_sub(1),
            _ => tail.open,
        };
        *newer = newer.saturating_add(1);
    }
    Ok(bad.map(|from| from..at))
}
