//! `find_files_hash`: files with exactly the same content.
//!
//! Only files of equal size are opened; of those only the ones whose first bytes agree are read
//! to the end, once. Names of one file (hard links) are one file: they are listed with
//! `hard_link_of` when it has a duplicate, and are no duplicates of each other. Empty files are
//! all alike and say nothing, so they are only counted. `copy` numbers the files of a group from
//! the oldest on, so that a plan can tell the one to keep from the others.

use super::record::{Stamp, b64, ext_of, text};
use super::visit::{Entry, Flow, Options, Visit, note};
use super::walk;
use crate::call::Call;
use crate::kinds::{self, Kind};
use blake3::Hash;
use metnos_executor::{BytePath, ErrorClass, Failure, Origin, failure::class_of};
use rustix::fs::{CWD, FileType, Mode, OFlags, Stat};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};

/// How much of a file is compared before all of it is.
const SAMPLE: usize = 4096;
/// How much is read at once.
const PIECE: usize = 256 * 1024;

#[derive(Deserialize)]
struct Args {
    base_path: BytePath,
    kind: Option<Kind>,
}

#[derive(Serialize)]
struct Twin<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    name: Cow<'a, str>,
    size: u64,
    mtime: Stamp,
    hash: &'a str,
    group: u64,
    group_size: u64,
    /// Which of its group it is, the oldest first: who throws copies away keeps number one.
    copy: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hard_link_of: Option<Cow<'a, str>>,
}

/// A file that may have a twin. Names live in one allocation, folders are stored once.
#[derive(Clone, Copy)]
struct Candidate {
    size: u64,
    id: (u64, u64),
    mtime: i64,
    dir: u32,
    name: (usize, u16),
}

#[derive(Default)]
struct Collector {
    kind: Option<Kind>,
    files: Vec<Candidate>,
    names: Vec<u8>,
    dirs: Vec<Vec<u8>>,
    empty: u64,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let mut found = Collector { kind: args.kind, ..Collector::default() };
    let options = Options { hidden: true, sorted: false, recursive: true };
    let summary = walk::walk(call, &args.base_path.0, options, &mut found)?;
    let mut files = std::mem::take(&mut found.files);
    let scanned = files.len();
    files.sort_unstable_by_key(|f| (std::cmp::Reverse(f.size), f.id, f.dir, f.name.0));

    let mut search = Search { names: &found, piece: vec![0; PIECE], read: 0, group: 0, spare: 0, links: 0 };
    let total = scanned as u64;
    let mut done = 0u64;
    for same_size in files.chunk_by(|a, b| a.size == b.size) {
        done = done.saturating_add(same_size.len() as u64);
        if same_size.len() > 1 {
            search.compare(call, same_size, done, total)?;
        }
    }
    let (spare, group, links, read) = (search.spare, search.group, search.links, search.read);
    call.outcome.ok_count = call.items();
    call.set("value", spare);
    call.set(
        "metadata",
        json!({
            "files": scanned,
            "groups": group,
            "hard_links": links,
            "empty_files": found.empty,
            "bytes_read": read,
            "pseudo_skipped": summary.pseudo,
        }),
    );
    Ok(())
}

impl Visit for Collector {
    fn enter(&mut self, _call: &mut Call<'_>, _path: &[u8], _stat: &Stat) -> Result<(), Failure> {
        // The first file of each folder stores its path: folders without candidates cost nothing.
        self.dirs.push(Vec::new());
        Ok(())
    }

    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        if entry.kind != FileType::RegularFile
            || self.kind.is_some_and(|kind| !kind.takes(kinds::of_ext(ext_of(entry.name))))
        {
            return Ok(Flow::Go);
        }
        let stat = match entry.stat() {
            Ok(stat) => stat,
            Err(error) => {
                note(call, entry, &error);
                return Ok(Flow::Go);
            }
        };
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if size == 0 {
            self.empty += 1;
            return Ok(Flow::Go);
        }
        match self.dirs.last_mut() {
            Some(dir) if dir.is_empty() => dir.extend_from_slice(entry.dir),
            Some(_) => {}
            None => self.dirs.push(entry.dir.to_vec()),
        }
        let too_many = || Failure::limit("memory_mb", "too many files to compare");
        self.files.push(Candidate {
            size,
            id: (stat.st_dev, stat.st_ino),
            mtime: stat.st_mtime,
            dir: u32::try_from(self.dirs.len().saturating_sub(1)).map_err(|_| too_many())?,
            name: (self.names.len(), u16::try_from(entry.name.len()).map_err(|_| too_many())?),
        });
        self.names.extend_from_slice(entry.name);
        Ok(Flow::Go)
    }
}

impl Collector {
    fn name(&self, file: &Candidate) -> &[u8] {
        let (start, len) = file.name;
        self.names.get(start..start + usize::from(len)).unwrap_or_default()
    }

    fn path(&self, file: &Candidate) -> Vec<u8> {
        let dir = usize::try_from(file.dir).ok().and_then(|dir| self.dirs.get(dir));
        let mut path = dir.cloned().unwrap_or_default();
        path.push(b'/');
        path.extend_from_slice(self.name(file));
        path
    }
}

/// The comparison of files that may be equal.
struct Search<'a> {
    names: &'a Collector,
    piece: Vec<u8>,
    read: u64,
    group: u64,
    spare: u64,
    links: u64,
}

impl Search<'_> {
    /// Answers the groups among files of one size, which come sorted by identity.
    fn compare(
        &mut self,
        call: &mut Call<'_>,
        files: &[Candidate],
        done: u64,
        total: u64,
    ) -> Result<(), Failure> {
        let distinct: Vec<&[Candidate]> = files.chunk_by(|a, b| a.id == b.id).collect();
        self.links = self.links.saturating_add((files.len() - distinct.len()) as u64);
        if distinct.len() < 2 {
            return Ok(());
        }
        let whole = files.first().is_some_and(|file| file.size <= SAMPLE as u64);
        let mut samples: HashMap<Hash, Vec<&[Candidate]>> = HashMap::new();
        for names in distinct {
            let Some(first) = names.first() else { continue };
            if let Some(hash) = self.hash(call, first, Some(SAMPLE))? {
                samples.entry(hash).or_default().push(names);
            }
        }
        call.progress(done, Some(total), "files")?;
        let mut groups: Vec<(Hash, Vec<&[Candidate]>)> = Vec::new();
        for (sample, alike) in samples.into_iter().filter(|(_, alike)| alike.len() > 1) {
            if whole {
                groups.push((sample, alike));
                continue;
            }
            let mut full: HashMap<Hash, Vec<&[Candidate]>> = HashMap::new();
            for names in alike {
                let Some(first) = names.first() else { continue };
                if let Some(hash) = self.hash(call, first, None)? {
                    full.entry(hash).or_default().push(names);
                }
            }
            groups.extend(full.into_iter().filter(|(_, equal)| equal.len() > 1));
        }
        // A map has no order of its own; the answer has.
        groups.sort_unstable_by_key(|(hash, _)| *hash.as_bytes());
        for (hash, equal) in groups {
            self.answer(call, &hash, &equal)?;
        }
        Ok(())
    }

    /// The digest of the first `limit` bytes or of everything; none when it cannot be read.
    fn hash(
        &mut self,
        call: &mut Call<'_>,
        file: &Candidate,
        limit: Option<usize>,
    ) -> Result<Option<Hash>, Failure> {
        let path = self.names.path(file);
        match self.digest(call, &path, file, limit) {
            Ok(hash) => Ok(Some(hash)),
            Err(Trouble::Stop(failure)) => Err(failure),
            Err(Trouble::File(class, message)) => {
                let index = call.items().saturating_add(call.outcome.fail_count);
                call.outcome.fail(index, text(&path), class, message);
                Ok(None)
            }
        }
    }

    fn digest(
        &mut self,
        call: &mut Call<'_>,
        path: &[u8],
        file: &Candidate,
        limit: Option<usize>,
    ) -> Result<Hash, Trouble> {
        let mut open = open(path)?;
        let mut hasher = blake3::Hasher::new();
        let mut left = limit.map_or(u64::MAX, |l| l as u64).min(file.size);
        let whole = left == file.size;
        let changed = || Trouble::File(ErrorClass::Conflict, "it changed while it was read".into());
        let mut ended = false;
        while left > 0 {
            // One byte more than the file had: a short answer is its end, without asking again.
            let ask = left.saturating_add(u64::from(whole));
            let room = usize::try_from(ask).unwrap_or(usize::MAX).min(self.piece.len());
            let Some(buffer) = self.piece.get_mut(..room) else { break };
            let n = match open.read(buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e.into()),
            };
            ended = n < room;
            hasher.update(buffer.get(..n).unwrap_or_default());
            left = left.checked_sub(n as u64).ok_or_else(changed)?;
            let before = self.read / (64 << 20);
            self.read = self.read.saturating_add(n as u64);
            if self.read / (64 << 20) != before {
                call.progress(self.read, None, "bytes").map_err(Trouble::Stop)?;
            }
        }
        // What shrank or grew since the walk is not the file that was compared by size.
        if left > 0 || (whole && !ended && open.read(&mut [0])? > 0) {
            return Err(changed());
        }
        Ok(hasher.finalize())
    }

    fn answer(&mut self, call: &mut Call<'_>, hash: &Hash, equal: &[&[Candidate]]) -> Result<(), Failure> {
        self.group += 1;
        let hex = hash.to_hex();
        let group_size = equal.len() as u64;
        let mut equal: Vec<&[Candidate]> = equal.to_vec();
        equal.sort_by_cached_key(|names| names.first().map(|file| (file.mtime, self.names.path(file))));
        for (names, copy) in equal.iter().zip(1..) {
            let mut first: Option<Vec<u8>> = None;
            for file in *names {
                let path = self.names.path(file);
                let twin = Twin {
                    path: text(&path),
                    path_b64: b64(&path),
                    name: text(self.names.name(file)),
                    size: file.size,
                    mtime: Stamp(file.mtime),
                    hash: &hex,
                    group: self.group,
                    group_size,
                    copy,
                    hard_link_of: first.as_deref().map(text),
                };
                call.emit(&twin, Origin::Local)?;
                first.get_or_insert(path);
            }
            if copy > 1 {
                self.spare = self.spare.saturating_add(names.first().map_or(0, |f| f.size));
            }
        }
        Ok(())
    }
}

/// Why a digest is missing: this file, or the whole call.
enum Trouble {
    File(ErrorClass, String),
    Stop(Failure),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::File(class_of(&error), error.to_string())
    }
}

fn open(path: &[u8]) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(rustix::fs::openat(CWD, path, flags, Mode::empty())?.into())
}
