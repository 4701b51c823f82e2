//! Durable intents of changers: what a call is about to do, on the disk before it may do it.
//!
//! `<call_id>.jsonl` holds the exact operations, one a line; `<call_id>.closed` says how it ended.
//! An intent without its second file was cut by a crash. Undo reads both.

use crate::{Error, Result, durable};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// `state/journal`, open.
pub struct Journal {
    dir: PathBuf,
}

/// An intent whose end was never recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIntent {
    /// The call.
    pub call_id: String,
    /// The file with its operations.
    pub path: PathBuf,
}

/// How an intent ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// Digest of the operations, as `record` gave it.
    pub intent: String,
    /// Digest of the observed outcome.
    pub outcome: String,
}

impl Journal {
    /// Opens the journal in `dir`, creating it.
    pub fn open(dir: &Path) -> Result<Self> {
        durable::create_dir(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Makes the operations of `call_id` durable, one a line, and gives their digest. The same
    /// operations again change nothing; others under the same id are a conflict.
    pub fn record<'l>(&self, call_id: &str, lines: impl Iterator<Item = &'l [u8]>) -> Result<String> {
        self.keep(call_id, |out| {
            for line in lines {
                out.write_all(line)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })
    }

    /// The same, from a file that already holds the lines.
    pub fn record_file(&self, call_id: &str, mut source: File) -> Result<String> {
        self.keep(call_id, |out| std::io::copy(&mut source, out).map(|_| ()))
    }

    /// Records how the call ended. `outcome` is the digest of what was observed.
    pub fn close(&self, call_id: &str, outcome: &str) -> Result<()> {
        let intent =
            self.digest(call_id)?.ok_or_else(|| Error::UnknownCall { call_id: call_id.to_owned() })?;
        let closed = Closed { intent, outcome: outcome.to_owned() };
        durable::write(&self.dir, &format!("{call_id}.closed"), |out| {
            serde_json::to_writer(&mut *out, &closed)?;
            out.write_all(b"\n")
        })
    }

    /// How the call ended, if that was recorded.
    pub fn closed(&self, call_id: &str) -> Result<Option<Closed>> {
        let path = self.path(call_id, "closed")?;
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io("read", &path)(e)),
        };
        let value = || String::from_utf8_lossy(&text).into_owned();
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|_| Error::BadValue { what: "journal close", value: value() })
    }

    /// Every intent whose end was never recorded, by call id.
    pub fn open_intents(&self) -> Result<Vec<OpenIntent>> {
        let what = || Error::io("read", &self.dir);
        let mut open = Vec::new();
        for item in std::fs::read_dir(&self.dir).map_err(what())? {
            let path = item.map_err(what())?.path();
            let Some(call_id) =
                path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(".jsonl"))
            else {
                continue;
            };
            if is_call_id(call_id) && !path.with_extension("closed").exists() {
                open.push(OpenIntent { call_id: call_id.to_owned(), path: path.clone() });
            }
        }
        open.sort_by(|a, b| a.call_id.cmp(&b.call_id));
        Ok(open)
    }

    /// The operations of `call_id`, streamed.
    pub fn lines(&self, call_id: &str) -> Result<impl Iterator<Item = std::io::Result<Vec<u8>>> + use<>> {
        let path = self.path(call_id, "jsonl")?;
        let file = File::open(&path).map_err(Error::io("read", &path))?;
        Ok(BufReader::with_capacity(256 << 10, file).split(b'\n'))
    }

    /// Removes what is kept of an ended call; an open one stays.
    pub fn forget(&self, call_id: &str) -> Result<bool> {
        if self.closed(call_id)?.is_none() {
            return Ok(false);
        }
        // The intent goes first: a crash in between must not leave it looking open.
        for suffix in ["jsonl", "closed"] {
            let path = self.path(call_id, suffix)?;
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("remove", &path)(e));
                }
                _ => durable::sync_dir(&self.dir)?,
            }
        }
        Ok(true)
    }

    fn keep(
        &self,
        call_id: &str,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<String> {
        let known = self.digest(call_id)?;
        let name = format!("{call_id}.jsonl");
        // A known intent is never replaced: the second copy is only hashed.
        let mut hashed = Hashed { out: None, hasher: blake3::Hasher::new() };
        if known.is_some() {
            fill(&mut hashed).map_err(Error::io("read the intent for", &self.dir.join(&name)))?;
        } else {
            durable::write(&self.dir, &name, |out| {
                let mut both = Hashed { out: Some(out), hasher: blake3::Hasher::new() };
                fill(&mut both)?;
                hashed.hasher = both.hasher;
                Ok(())
            })?;
        }
        let digest = hashed.hasher.finalize().to_hex().to_string();
        match known {
            Some(known) if known != digest => Err(Error::Conflict { call_id: call_id.to_owned() }),
            _ => Ok(digest),
        }
    }

    fn digest(&self, call_id: &str) -> Result<Option<String>> {
        let path = self.path(call_id, "jsonl")?;
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io("read", &path)(e)),
        };
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 256 << 10];
        loop {
            match file.read(&mut buffer).map_err(Error::io("read", &path))? {
                0 => return Ok(Some(hasher.finalize().to_hex().to_string())),
                n => hasher.update(buffer.get(..n).unwrap_or_default()),
            };
        }
    }

    fn path(&self, call_id: &str, suffix: &str) -> Result<PathBuf> {
        if !is_call_id(call_id) {
            return Err(Error::BadCallId { call_id: call_id.chars().take(80).collect() });
        }
        Ok(self.dir.join(format!("{call_id}.{suffix}")))
    }
}

/// A call id names files, so it holds nothing but letters, digits, `-` and `_`.
fn is_call_id(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Hashes what passes through.
struct Hashed<'w> {
    out: Option<&'w mut dyn Write>,
    hasher: blake3::Hasher,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = match &mut self.out {
            Some(out) => out.write(bytes)?,
            None => bytes.len(),
        };
        self.hasher.update(bytes.get(..n).unwrap_or_default());
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.as_mut().map_or(Ok(()), |out| out.flush())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn an_intent_is_open_until_its_end_is_recorded() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(&dir.path().join("journal")).unwrap();
        let lines: [&[u8]; 2] = [b"{\"op\":1}", b"{\"op\":2}"];
        let digest = journal.record("01C", lines.into_iter()).unwrap();
        assert_eq!(digest, blake3::hash(b"{\"op\":1}\n{\"op\":2}\n").to_hex().to_string());
        journal.record("01B", std::iter::empty()).unwrap();
        let open: Vec<_> = journal.open_intents().unwrap().into_iter().map(|i| i.call_id).collect();
        assert_eq!(open, ["01B", "01C"]);
        assert!(!journal.forget("01C").unwrap());
        journal.close("01C", "out").unwrap();
        assert_eq!(journal.closed("01C").unwrap(), Some(Closed { intent: digest, outcome: "out".into() }));
        assert_eq!(journal.open_intents().unwrap().len(), 1);
        let read: Vec<_> = journal.lines("01C").unwrap().map(|l| l.unwrap()).collect();
        assert_eq!(read, lines);
        assert!(journal.forget("01C").unwrap());
        assert!(journal.closed("01C").unwrap().is_none());
    }

    #[test]
    fn the_same_intent_again_changes_nothing_and_another_is_a_conflict() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path()).unwrap();
        let first = journal.record("c", [b"a".as_slice()].into_iter()).unwrap();
        assert_eq!(journal.record("c", [b"a".as_slice()].into_iter()).unwrap(), first);
        let error = journal.record("c", [b"b".as_slice()].into_iter()).err().unwrap();
        assert!(matches!(error, Error::Conflict { .. }));
        let read: Vec<_> = journal.lines("c").unwrap().map(|l| l.unwrap()).collect();
        assert_eq!(read, [b"a"]);
    }

    #[test]
    fn an_intent_from_a_file_has_the_digest_of_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(&dir.path().join("journal")).unwrap();
        let source = dir.path().join("lines");
        let bytes = b"{\"x\":1}\n".repeat(100_000);
        std::fs::write(&source, &bytes).unwrap();
        let digest = journal.record_file("big", File::open(&source).unwrap()).unwrap();
        assert_eq!(digest, blake3::hash(&bytes).to_hex().to_string());
        assert_eq!(journal.lines("big").unwrap().count(), 100_000);
    }

    #[test]
    fn a_half_written_intent_is_not_an_intent() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path()).unwrap();
        std::fs::write(dir.path().join(".c.jsonl.tmp"), b"{\"op\":").unwrap();
        assert!(journal.open_intents().unwrap().is_empty());
        journal.record("c", [b"a".as_slice()].into_iter()).unwrap();
        assert_eq!(journal.open_intents().unwrap().len(), 1);
    }

    #[test]
    fn an_id_that_would_leave_the_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path()).unwrap();
        for id in ["", "../x", "a/b", "a.b", "a\0", &"x".repeat(81)] {
            let refused = journal.record(id, std::iter::empty());
            assert!(matches!(refused, Err(Error::BadCallId { .. })), "{id:?}");
        }
        assert!(matches!(journal.close("never", "o"), Err(Error::UnknownCall { .. })));
    }
}
