//! `compute_files_size`: where the bytes below a folder are.
//!
//! Apparent bytes of regular files, dot names included; a file with several names counts once,
//! where it is met first. By `dir`: one entry for each folder directly inside, with everything
//! below it, and one called `.` for the files directly inside. By `ext` or `kind`: over the whole
//! tree. Largest first.

use super::record::{b64, ext_of, text};
use super::visit::{Entry, Flow, Options, Visit, note};
use super::walk;
use crate::call::Call;
use crate::kinds::{self, Kind};
use metnos_executor::{BytePath, Failure, Origin};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;

#[derive(Deserialize)]
struct Args {
    base_path: BytePath,
    #[serde(default)]
    by: By,
    #[serde(default)]
    top: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum By {
    #[default]
    Dir,
    Ext,
    Kind,
}

#[derive(Serialize)]
struct Share {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    size: u64,
    files: u64,
}

/// Bytes and files.
#[derive(Clone, Copy, Default)]
struct Total {
    size: u64,
    files: u64,
}

struct Sizer {
    by: By,
    /// By the first folder below the base, the extension or the kind.
    shares: HashMap<Vec<u8>, Total>,
    /// Files with several names that were counted.
    linked: HashSet<(u64, u64)>,
    again: u64,
    key: Vec<u8>,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let mut sizer =
        Sizer { by: args.by, shares: HashMap::new(), linked: HashSet::new(), again: 0, key: Vec::new() };
    let options = Options { hidden: true, sorted: false, recursive: true };
    let summary = walk::walk(call, &args.base_path.0, options, &mut sizer)?;
    let mut shares: Vec<(Vec<u8>, Total)> = sizer.shares.into_iter().collect();
    shares.sort_unstable_by(|a, b| b.1.size.cmp(&a.1.size).then_with(|| a.0.cmp(&b.0)));
    let (mut size, mut files) = (0u64, 0u64);
    for (_, share) in &shares {
        size = size.saturating_add(share.size);
        files = files.saturating_add(share.files);
    }
    let all = shares.len() as u64;
    if args.top > 0 && all > args.top {
        shares.truncate(usize::try_from(args.top).unwrap_or(usize::MAX));
        call.truncated("entries", args.top, Some(all), "top", args.top);
    }
    let base = args.base_path.0.as_os_str().as_bytes();
    for (key, share) in shares {
        let path = (args.by == By::Dir).then(|| child(base, &key));
        let name = match (key.as_slice(), args.by) {
            (b"", By::Dir) => ".".into(),
            (b"", _) => "(none)".into(),
            (key, _) => text(key).into_owned(),
        };
        let share = Share {
            name,
            path: path.as_deref().map(|p| text(p).into_owned()),
            path_b64: path.as_deref().and_then(b64),
            size: share.size,
            files: share.files,
        };
        call.emit(&share, Origin::Local)?;
    }
    call.outcome.ok_count = call.items();
    call.set("value", size);
    call.set(
        "metadata",
        json!({ "files": files, "hard_links": sizer.again, "pseudo_skipped": summary.pseudo }),
    );
    Ok(())
}

fn child(base: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = base.to_vec();
    if !name.is_empty() {
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }
    path
}

impl Sizer {
    fn add(&mut self, size: u64, files: u64) {
        // Looked up before it is copied: almost every key is already there.
        if !self.shares.contains_key(&self.key) {
            self.shares.insert(self.key.clone(), Total::default());
        }
        if let Some(share) = self.shares.get_mut(&self.key) {
            share.size = share.size.saturating_add(size);
            share.files = share.files.saturating_add(files);
        }
    }
}

impl Visit for Sizer {
    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        self.key.clear();
        if entry.kind == FileType::Directory && entry.depth == 0 && self.by == By::Dir {
            self.key.extend_from_slice(entry.name);
            self.add(0, 0);
        }
        if entry.kind != FileType::RegularFile {
            return Ok(Flow::Go);
        }
        let stat = match entry.stat() {
            Ok(stat) => stat,
            Err(error) => {
                note(call, entry, &error);
                return Ok(Flow::Go);
            }
        };
        if stat.st_nlink > 1 && !self.linked.insert((stat.st_dev, stat.st_ino)) {
            self.again += 1;
            return Ok(Flow::Go);
        }
        match self.by {
            By::Dir => {
                let first = entry.relative_dir().split(|b| *b == b'/').next().unwrap_or_default();
                self.key.extend_from_slice(first);
            }
            By::Ext => self.key.extend(ext_of(entry.name).iter().map(u8::to_ascii_lowercase)),
            By::Kind => {
                let kind = kinds::of_ext(ext_of(entry.name)).map_or("other", Kind::as_str);
                self.key.extend_from_slice(kind.as_bytes());
            }
        }
        self.add(u64::try_from(stat.st_size).unwrap_or(0), 1);
        Ok(Flow::Go)
    }
}
