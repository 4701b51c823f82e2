//! `find_files`: the regular files below a folder that satisfy every criterion given.

use super::contains::{Found, Needle};
use super::pattern::Patterns;
use super::record::{FileRecord, ext_of};
use super::visit::{Entry, Flow, Options, Visit, note};
use super::walk;
use super::when;
use crate::call::Call;
use crate::kinds::{self, Kind};
use metnos_executor::{BytePath, Failure, Origin};
use rustix::fs::{FileType, Stat};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Args {
    base_path: BytePath,
    #[serde(default)]
    patterns: Vec<String>,
    kind: Option<Kind>,
    #[serde(default)]
    size_min: u64,
    size_max: Option<u64>,
    modified_after: Option<String>,
    modified_before: Option<String>,
    #[serde(default)]
    contains: String,
    #[serde(default)]
    hidden: bool,
    #[serde(default = "max_results")]
    max_results: u64,
}

fn max_results() -> u64 {
    10_000
}

/// The cheap criteria first: name, then extension, then what needs a look at the file, then what
/// needs its content.
struct Finder {
    patterns: Patterns,
    kind: Option<Kind>,
    size_min: u64,
    /// The most a file may hold; zero is the size of an empty file, not the lack of a limit.
    size_max: Option<u64>,
    after: Option<i64>,
    before: Option<i64>,
    needle: Option<Needle>,
    max_results: u64,
    path: Vec<u8>,
    links: u64,
    special: u64,
    binary: u64,
    truncated: bool,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let mut finder = Finder {
        patterns: Patterns::new(&args.patterns)?,
        kind: args.kind,
        size_min: args.size_min,
        size_max: args.size_max,
        after: when::second(args.modified_after.as_deref(), "modified_after", &call.now)?,
        before: when::second(args.modified_before.as_deref(), "modified_before", &call.now)?,
        needle: if args.contains.is_empty() { None } else { Some(Needle::new(&args.contains)?) },
        max_results: args.max_results,
        path: Vec::new(),
        links: 0,
        special: 0,
        binary: 0,
        truncated: false,
    };
    let options = Options { hidden: args.hidden, sorted: false, recursive: true };
    let summary = walk::walk(call, &args.base_path.0, options, &mut finder)?;
    if finder.truncated {
        call.truncated("entries", call.items(), None, "max_results", args.max_results);
    }
    call.outcome.ok_count = call.items();
    call.set(
        "metadata",
        json!({
            "seen": summary.seen,
            "links": finder.links,
            "special": finder.special,
            "binary_skipped": finder.binary,
            "pseudo_skipped": summary.pseudo,
        }),
    );
    Ok(())
}

impl Finder {
    fn wanted(&self, stat: &Stat) -> bool {
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        size >= self.size_min
            && self.size_max.is_none_or(|most| size <= most)
            && self.after.is_none_or(|after| stat.st_mtime >= after)
            && self.before.is_none_or(|before| stat.st_mtime < before)
    }
}

impl Visit for Finder {
    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        if entry.kind == FileType::Directory {
            return Ok(Flow::Go);
        }
        if !self.patterns.matches(entry.name, entry.relative_dir(), entry.dir) {
            return Ok(Flow::Go);
        }
        if entry.kind != FileType::RegularFile {
            let count = if entry.kind == FileType::Symlink { &mut self.links } else { &mut self.special };
            *count += 1;
            return Ok(Flow::Go);
        }
        if self.kind.is_some_and(|kind| !kind.takes(kinds::of_ext(ext_of(entry.name)))) {
            return Ok(Flow::Go);
        }
        let stat = match entry.stat() {
            Ok(stat) => stat,
            Err(error) => {
                note(call, entry, &error);
                return Ok(Flow::Go);
            }
        };
        if !self.wanted(&stat) {
            return Ok(Flow::Go);
        }
        if let Some(needle) = &mut self.needle {
            match entry.open().and_then(|mut file| needle.search(&mut file)) {
                Ok(Found::Yes) => {}
                Ok(Found::No) => return Ok(Flow::Go),
                Ok(Found::Binary) => {
                    self.binary += 1;
                    return Ok(Flow::Go);
                }
                Err(error) => {
                    note(call, entry, &error);
                    return Ok(Flow::Go);
                }
            }
        }
        if self.max_results > 0 && call.items() >= self.max_results {
            self.truncated = true;
            return Ok(Flow::Stop);
        }
        entry.path_into(&mut self.path);
        let name_at = self.path.len().saturating_sub(entry.name.len());
        call.emit(&FileRecord::new(&self.path, name_at, stat.st_size, stat.st_mtime), Origin::Local)?;
        Ok(Flow::Go)
    }
}
