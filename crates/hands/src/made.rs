//! What the hands made, told just before it gets its name. Without it a file that somebody else put
//! at the same place meanwhile could not be told from ours, and undo would take theirs away.
//!
//! One line a file, in the folder of what is kept. It is not synced: after a power loss it may be
//! short, which whoever reads it has to bear.

use crate::Fact;
use crate::place::Place;
use metnos_executor::Failure;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const NAME: &str = "made";

#[derive(Serialize, Deserialize)]
struct Line {
    /// The name under which the operation would keep things: it is unique in its call.
    operation: String,
    fact: Fact,
}

/// Tells that `thing` is about to get its name by the operation that keeps things at `kept`.
pub(crate) fn note(kept: &Place<'_>, thing: io::Result<Fact>) -> Result<(), Failure> {
    let fact = thing.map_err(|e| Failure::io(kept.path.display(), &e))?;
    let operation = String::from_utf8_lossy(kept.name.as_bytes()).into_owned();
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    let log = rustix::fs::openat(&kept.dir, NAME, flags, Mode::from_raw_mode(0o600));
    let written = log.map_err(io::Error::from).and_then(|log| {
        let mut line = serde_json::to_vec(&Line { operation, fact })?;
        line.push(b'\n');
        // One write: a line is there or it is not.
        File::from(log).write_all(&line)
    });
    written.map_err(|e| Failure::io(kept.path.display(), &e))
}

/// What was made by the operations that keep things in `dir`: the name of each there, and the file.
/// Lines that a crash spoilt are passed over.
pub fn told(dir: &Path) -> io::Result<Vec<(String, Fact)>> {
    let text = match std::fs::read(dir.join(NAME)) {
        Ok(text) => text,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Vec::new(),
        Err(e) => return Err(e),
    };
    let lines = text.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    Ok(lines.map(|line| (line.operation, line.fact)).collect())
}

/// Lets go of it, once what came of the call is recorded.
pub fn forget(dir: &Path) -> io::Result<()> {
    match std::fs::remove_file(dir.join(NAME)) {
        Err(e) if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Err(e),
        _ => Ok(()),
    }
}
