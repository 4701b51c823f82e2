//! What somebody sent along: kept in their own inbox, under a name that was free. It is content, and never an order.

use crate::guards::Principal;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{self, Line};
use metnos_vocab::handle;
use serde_json::json;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The longest name, in bytes; the rest is for a number.
const NAME_MAX: usize = 120;
/// How many of the same name there may be.
const SAME_MAX: u32 = 1000;
/// What everybody but the host may keep in an inbox, in bytes.
const INBOX_MAX: u64 = 1 << 30;

/// The folder of the host's inbox for what programs send.
const EVENTS: &str = "hooks";

impl Runtime {
    /// Keeps a file that `caller` sent over `channel`; gives where, and never replaces another. The same file
    /// under the same name is kept once.
    pub fn keep_sent(
        &self,
        caller: &str,
        channel: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, Failure> {
        let most = if Principal::parse(caller).is_host() { u64::MAX } else { INBOX_MAX };
        self.keep_in(caller, channel, name, bytes, most)
    }

    /// The same for what a program sends in the name of `caller`: it has a bound also where the caller has none.
    pub(crate) fn keep_event(&self, caller: &str, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        self.keep_in(caller, EVENTS, name, bytes, INBOX_MAX)
    }

    /// A kept file as `caller` reads it: the host by its path, others from their own folder on. For the eye only: a
    /// request names it by its [`handle`](Self::handle).
    pub fn place_of(&self, caller: &str, path: &Path) -> String {
        let folder = path.parent().and_then(Path::parent).filter(|_| !Principal::parse(caller).is_host());
        folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path).display().to_string()
    }

    /// What stands for a kept file in a request. Its name was chosen by whoever sent it, and is never read as words.
    pub fn handle(&self, caller: &str, path: &Path) -> Result<String, Failure> {
        let inbox = self.inbox(caller)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(handle(&digest(&inbox, path), &name))
    }

    /// The path of the kept file that a handle stands for, if `caller` has it.
    pub fn sent(&self, caller: &str, wanted: &str) -> Result<Option<String>, Failure> {
        let inbox = self.inbox(caller)?;
        let folders = std::fs::read_dir(&inbox).into_iter().flatten().flatten().map(|entry| entry.path());
        let folders = folders.filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir()));
        let all = folders
            .chain([inbox.clone()])
            .flat_map(|dir| std::fs::read_dir(dir).into_iter().flatten().flatten());
        let files = all.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut paths = files.map(|entry| entry.path());
        let is = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            handle(&digest(&inbox, path), &name) == wanted
        };
        Ok(paths.find(is).and_then(|path| path.to_str().map(str::to_owned)))
    }

    fn inbox(&self, caller: &str) -> Result<PathBuf, Failure> {
        Ok(self.land_of(caller)?.workspace.join("inbox"))
    }

    fn keep_in(
        &self,
        caller: &str,
        channel: &str,
        name: &str,
        bytes: &[u8],
        most: u64,
    ) -> Result<PathBuf, Failure> {
        self.admitted(caller)?;
        let inbox = self.inbox(caller)?;
        folder(&inbox)?;
        let dir = if Principal::parse(caller).is_host() { inbox.join(channel) } else { inbox };
        folder(&dir)?;
        if size(&dir) + bytes.len() as u64 > most {
            return Err(
                Failure::limit("inbox", "the inbox is full").with_hint("delete what is no longer needed")
            );
        }
        self.room_for(caller, bytes.len() as u64)?;
        let name = plain(name);
        let mut line = Line::new(audit::Kind::Config);
        line.caller = Some(caller.to_owned());
        let digest = blake3::hash(bytes).to_hex().to_string();
        let detail = json!({ "what": "file received", "name": name, "bytes": bytes.len(), "digest": digest });
        line.detail = self.redactor().redact(&detail, &[]);
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        put(&dir, &name, bytes)
    }
}

/// Tells two kept files apart, by where they lie in the inbox.
fn digest(inbox: &Path, path: &Path) -> String {
    let place = path.strip_prefix(inbox).unwrap_or(path);
    blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex().to_string()
}

/// Makes a folder that is a folder: what a link leads to is somebody else's.
fn folder(dir: &Path) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::io(dir.display(), &e);
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(failed(e)),
        _ => {}
    }
    match dir.symlink_metadata().map_err(failed)?.is_dir() {
        true => Ok(()),
        false => Err(Failure::new(ErrorClass::PolicyViolation, format!("{} is not a folder", dir.display()))
            .with_hint("move it away")),
    }
}

fn size(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|meta| meta.len()).sum()
}

/// Written beside, then linked under the first free name: a cut leaves nothing half under a name.
fn put(dir: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let failed = |e: std::io::Error| Failure::io(dir.join(name).display(), &e);
    let fresh = dir.join(format!(".{}.part", metnos_executor::Ulid::new()));
    let written =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
    let placed = written.and_then(|()| place(dir, name, bytes, &fresh));
    let _ = std::fs::remove_file(&fresh);
    placed.map_err(failed)
}

fn place(dir: &Path, name: &str, bytes: &[u8], fresh: &Path) -> std::io::Result<PathBuf> {
    let (stem, suffix) = match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    for n in 1..=SAME_MAX {
        let path = match n {
            1 => dir.join(name),
            n => dir.join(format!("{stem} ({n}){suffix}")),
        };
        match std::fs::hard_link(fresh, &path) {
            Ok(()) => return std::fs::File::open(dir).and_then(|dir| dir.sync_all()).map(|()| path),
            Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(e),
            // It was kept before, and the word of it was lost.
            Err(_) if is(&path, bytes) => return Ok(path),
            Err(_) => {}
        }
    }
    Err(std::io::Error::other("too many files have this name"))
}

fn is(path: &Path, bytes: &[u8]) -> bool {
    let same_length = |meta: std::fs::Metadata| meta.is_file() && meta.len() == bytes.len() as u64;
    path.symlink_metadata().is_ok_and(same_length) && std::fs::read(path).is_ok_and(|kept| kept == bytes)
}

/// A name as a file may have it: its last part, readable, not hidden, not too long.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean = clean.trim().trim_start_matches(['.', '-', '~']).trim();
    let (stem, suffix) = match clean.rfind('.').filter(|at| *at > 0 && clean.len() - at <= 16) {
        Some(at) => clean.split_at(at),
        None => (clean, ""),
    };
    let end = (0..=stem.len().min(NAME_MAX)).rev().find(|at| stem.is_char_boundary(*at)).unwrap_or(0);
    match stem[..end].trim() {
        "" => format!("file{suffix}"),
        stem => format!("{stem}{suffix}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else_and_can_be_read() {
        for (given, kept) in [
            ("../../etc/passwd", "passwd"),
            ("a\\b\\c.txt", "c.txt"),
            (".bashrc", "bashrc"),
            ("-rf", "rf"),
            ("a\nb\u{7}.txt", "a b.txt"),
            ("", "file"),
            ("..", "file"),
            ("report 2026.pdf", "report 2026.pdf"),
        ] {
            assert_eq!(plain(given), kept, "{given:?}");
        }
        assert_eq!(plain(&format!("{}.pdf", "è".repeat(200))), format!("{}.pdf", "è".repeat(60)));
    }

    #[test]
    fn nothing_is_replaced_and_the_same_is_kept_once() {
        let dir = tempfile::tempdir().unwrap();
        let name = |bytes: &[u8]| {
            let path = put(dir.path(), "a.txt", bytes).unwrap();
            path.file_name().unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(
            [name(b"one"), name(b"two"), name(b"one"), name(b"two")],
            ["a.txt", "a (2).txt", "a.txt", "a (2).txt"]
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        std::os::unix::fs::symlink("elsewhere", dir.path().join("b.txt")).unwrap();
        put(dir.path(), "b.txt", b"x").unwrap();
        assert!(!dir.path().join("elsewhere").exists());
    }
}
