//! The daemon's own socket, spoken to directly: a cell is never trusted.

use super::Args;
use crate::call::Call;
use metnos_executor::wire::{self, Answer, Body, Kind};
use metnos_executor::{ListName, Origin, Outcome};
use rustix::fs::{SealFlags, fcntl_add_seals, fcntl_get_seals};
use serde_json::json;
use std::fs::File;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, FromRawFd};
use std::os::unix::net::UnixStream;

pub(super) fn attempt(args: &Args, call: &mut Call<'_>) -> Option<io::Result<String>> {
    let item = |got: &str| format!("{}\n", json!({ "attack": args.attack, "errno": 0, "got": got }));
    Some(match args.attack.as_str() {
        "unsealed-answer" => by_file(&item("unsealed"), 1, false),
        "oversized-answer" => {
            let line = item(&"x".repeat(1000));
            by_file(&line.repeat(args.n as usize), args.n, true)
        }
        "schema-answer" => inline("{\"attack\":5}\n", 1, Outcome::default()),
        "not-json-answer" => inline("not json\n", 1, Outcome::default()),
        "miscounted-answer" => inline(&item("one"), 1_000_000, Outcome::default()),
        "endless-item" => inline(item("no end").trim_end(), 1, Outcome::default()),
        "scalar-answer" => {
            let mut outcome = Outcome { ok: true, ..Outcome::default() };
            outcome.fields.insert("said".into(), json!({ "not": "a string" }));
            inline(&item("scalar"), 1, outcome)
        }
        "output-bomb" => bomb(args, call),
        "truncate-entries" => received().and_then(|file| file.set_len(0)).map(|()| "truncated".into()),
        "rewrite-entries" => {
            received().and_then(|mut file| file.write_all(b"{}")).map(|()| "rewritten".into())
        }
        _ => return None,
    })
}

/// The socket the launcher gave this process.
fn socket() -> ManuallyDrop<UnixStream> {
    // SAFETY: the descriptor is open as long as this process lives, and is never closed here.
    ManuallyDrop::new(unsafe { UnixStream::from_raw_fd(3) })
}

/// A memory file among the open descriptors: the host's own for the answer, or one it was given.
fn memory_file(wanted: impl Fn(SealFlags, u64) -> bool) -> io::Result<ManuallyDrop<File>> {
    for number in 4..64 {
        // SAFETY: a number that is not open only makes the calls below fail; nothing is closed.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
        if let (Ok(seals), Ok(meta)) = (fcntl_get_seals(&*file), file.metadata())
            && wanted(seals, meta.len())
        {
            return Ok(file);
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The list that came with the call.
fn received() -> io::Result<ManuallyDrop<File>> {
    memory_file(|_, length| length > 0)
}

fn header(items: u64, outcome: Outcome) -> Answer {
    Answer { outcome: Outcome { ok: true, ok_count: 1, ..outcome }, list: ListName::Entries, items }
}

fn by_file(lines: &str, items: u64, sealed: bool) -> io::Result<String> {
    let mut file = memory_file(|seals, length| length == 0 && !seals.contains(SealFlags::WRITE))?;
    file.write_all(lines.as_bytes())?;
    if sealed {
        fcntl_add_seals(&*file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK)?;
    }
    let answer = header(items, Outcome::default());
    wire::send(&socket(), Kind::Result, &answer, Body::File(file.as_fd()), &[])?;
    Ok("sent".into())
}

fn inline(lines: &str, items: u64, outcome: Outcome) -> io::Result<String> {
    let answer = header(items, outcome);
    wire::send(&socket(), Kind::Result, &answer, Body::Inline(lines.as_bytes()), &[])?;
    Ok("sent".into())
}

fn bomb(args: &Args, call: &mut Call<'_>) -> io::Result<String> {
    let item = json!({ "attack": "output-bomb", "errno": 0, "got": "x".repeat(1000) });
    for _ in 0..args.n {
        call.emit(&item, Origin::Local).map_err(|f| io::Error::other(f.to_string()))?;
    }
    Ok(format!("{} items", args.n))
}
