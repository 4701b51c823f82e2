//! A record on disk: lines of JSON, the last of which holds the digest of the others. It is whole or
//! it is damaged, to the byte.

use crate::record::End;
use crate::{Error, Result};
use metnos_memory::durable;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::Path;

/// Writes a record: `head`, the lines, and their digest, which it gives.
pub(crate) fn write<H: Serialize, L: Serialize>(
    dir: &Path,
    name: &str,
    head: &H,
    lines: impl Iterator<Item = Result<L>>,
) -> Result<String> {
    let mut failed = None;
    let mut digest = String::new();
    let written = durable::write(dir, name, |out| {
        let mut hashed = Hashed { out, hasher: blake3::Hasher::new(), lines: 0 };
        hashed.line(head)?;
        for line in lines {
            match line {
                Ok(line) => hashed.line(&line)?,
                Err(e) => {
                    failed = Some(e);
                    return Err(std::io::Error::other("not to be kept"));
                }
            }
        }
        digest = hashed.hasher.finalize().to_hex().to_string();
        let end = End { lines: hashed.lines, blake3: digest.clone() };
        hashed.line(&end)
    });
    match (failed, written) {
        (Some(e), _) => Err(e),
        (None, written) => Ok(written.map(|()| digest)?),
    }
}

struct Hashed<'w> {
    out: &'w mut dyn Write,
    hasher: blake3::Hasher,
    lines: u64,
}

impl Hashed<'_> {
    fn line<T: Serialize>(&mut self, value: &T) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(value)?;
        text.push(b'\n');
        self.hasher.update(&text);
        self.lines += 1;
        self.out.write_all(&text)
    }
}

/// A whole record, checked against its own digest; `None` when it is absent.
pub(crate) fn whole<H: DeserializeOwned, L: DeserializeOwned>(path: &Path) -> Result<Option<(H, Vec<L>)>> {
    let Some(text) = checked(path)? else { return Ok(None) };
    let mut lines = text.lines();
    let parse = |e: serde_json::Error| Error::unread(path, &e);
    let head = serde_json::from_str(lines.next().unwrap_or_default()).map_err(parse)?;
    let rest = lines.map(|line| serde_json::from_str(line).map_err(parse)).collect::<Result<_>>()?;
    Ok(Some((head, rest)))
}

/// The first line of a record, the whole of which is checked.
pub(crate) fn first_line<H: DeserializeOwned>(path: &Path) -> Result<Option<H>> {
    let Some(text) = checked(path)? else { return Ok(None) };
    let line = text.lines().next().unwrap_or_default();
    serde_json::from_str(line).map(Some).map_err(|e| Error::unread(path, &e))
}

/// The digest of a record that must be there.
pub(crate) fn digest(path: &Path) -> Result<String> {
    let text = checked(path)?.ok_or_else(|| Error::damaged(path, "it is gone"))?;
    Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
}

/// The lines of a record without the last, which vouches for them.
fn checked(path: &Path) -> Result<Option<String>> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("read", path)(e)),
    };
    let mut text = String::from_utf8(text).map_err(|e| Error::damaged(path, e))?;
    let body = text.strip_suffix('\n').ok_or_else(|| Error::damaged(path, "its end is missing"))?;
    let cut = body.rfind('\n').map_or(0, |at| at + 1);
    let blake3 = blake3::hash(&text.as_bytes()[..cut]).to_hex().to_string();
    let end = End { lines: text[..cut].bytes().filter(|b| *b == b'\n').count() as u64, blake3 };
    let end = serde_json::to_string(&end).map_err(|e| Error::damaged(path, e))?;
    // Compared as text: also a changed blank in it is a changed record.
    match body[cut..] == end {
        true => {
            text.truncate(cut);
            Ok(Some(text))
        }
        false => Err(Error::damaged(path, "its content differs from its digest")),
    }
}
