//! `find_dirs`: folders by name, age or emptiness, each with what it holds.
//!
//! `files` and `size` are totals of everything below the folder: regular files, apparent bytes,
//! each name counted. `empty` means no member at all. Folders whose name begins with a dot, and
//! those inside them, count in the totals but are offered only if a pattern begins with a dot.

use super::pattern::Patterns;
use super::record::{Stamp, b64, text};
use super::visit::{Entry, Flow, Options, Visit, note};
use super::walk;
use super::when;
use crate::call::Call;
use metnos_executor::{BytePath, Failure, Origin};
use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;

#[derive(Deserialize)]
struct Args {
    base_path: BytePath,
    #[serde(default)]
    patterns: Vec<String>,
    empty: Option<bool>,
    modified_before: Option<String>,
}

#[derive(Serialize)]
struct Dir<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    name: Cow<'a, str>,
    files: u64,
    size: u64,
    mtime: Stamp,
}

/// A folder the walk is inside of.
#[derive(Default)]
struct Open {
    wanted: bool,
    hidden: bool,
    mtime: i64,
    members: u64,
    files: u64,
    size: u64,
}

struct Finder {
    patterns: Patterns,
    dots: bool,
    empty: Option<bool>,
    before: Option<i64>,
    base_len: Option<usize>,
    open: Vec<Open>,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let patterns = Patterns::new(&args.patterns)?;
    let mut finder = Finder {
        dots: patterns.names_dot(),
        patterns,
        empty: args.empty.filter(|only| *only),
        before: when::second(args.modified_before.as_deref(), "modified_before", &call.now)?,
        base_len: None,
        open: Vec::new(),
    };
    let options = Options { hidden: true, sorted: false, recursive: true };
    let summary = walk::walk(call, &args.base_path.0, options, &mut finder)?;
    if finder.base_len.is_none() {
        return Err(Failure::wrong_args(format!("{} is not a folder", args.base_path.0.display())));
    }
    call.outcome.ok_count = call.items();
    call.set("metadata", json!({ "seen": summary.seen, "pseudo_skipped": summary.pseudo }));
    Ok(())
}

impl Finder {
    fn wanted(&mut self, path: &[u8], base_len: usize, mtime: i64, hidden: bool) -> bool {
        let name_at = name_at(path);
        let dir = path.get(..name_at.saturating_sub(1)).unwrap_or_default();
        let below = dir.get(base_len..).unwrap_or_default();
        let relative = below.strip_prefix(b"/").unwrap_or(below);
        (self.dots || !hidden)
            && self.before.is_none_or(|before| mtime < before)
            && self.patterns.matches(path.get(name_at..).unwrap_or_default(), relative, dir)
    }
}

/// Where the last part of a path starts.
fn name_at(path: &[u8]) -> usize {
    path.iter().rposition(|b| *b == b'/').map_or(0, |slash| slash + 1)
}

impl Visit for Finder {
    fn enter(&mut self, _call: &mut Call<'_>, path: &[u8], stat: &Stat) -> Result<(), Failure> {
        let Some(base_len) = self.base_len else {
            // The base is where to look, not something found.
            self.base_len = Some(path.len());
            self.open.push(Open::default());
            return Ok(());
        };
        let inside_hidden = self.open.last().is_some_and(|parent| parent.hidden);
        let hidden = inside_hidden || path.get(name_at(path)) == Some(&b'.');
        let wanted = self.wanted(path, base_len, stat.st_mtime, hidden);
        self.open.push(Open { wanted, hidden, mtime: stat.st_mtime, ..Open::default() });
        Ok(())
    }

    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        let Some(open) = self.open.last_mut() else { return Ok(Flow::Stop) };
        open.members += 1;
        // With `empty` no total is ever shown, so no file needs a look.
        if entry.kind == FileType::RegularFile && self.empty.is_none() {
            match entry.stat() {
                Ok(stat) => {
                    open.files += 1;
                    open.size = open.size.saturating_add(u64::try_from(stat.st_size).unwrap_or(0));
                }
                Err(error) => note(call, entry, &error),
            }
        }
        Ok(Flow::Go)
    }

    fn leave(&mut self, call: &mut Call<'_>, path: &[u8]) -> Result<(), Failure> {
        let Some(done) = self.open.pop() else { return Ok(()) };
        if let Some(parent) = self.open.last_mut() {
            parent.files = parent.files.saturating_add(done.files);
            parent.size = parent.size.saturating_add(done.size);
        }
        if !done.wanted || (self.empty.is_some() && done.members > 0) {
            return Ok(());
        }
        let dir = Dir {
            path: text(path),
            path_b64: b64(path),
            name: text(path.get(name_at(path)..).unwrap_or_default()),
            files: done.files,
            size: done.size,
            mtime: Stamp(done.mtime),
        };
        call.emit(&dir, Origin::Local)
    }
}
