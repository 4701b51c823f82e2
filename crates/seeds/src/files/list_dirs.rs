//! `list_dirs`: the members of folders, in the order of their names, dot names included.

use super::record::{Stamp, b64, text};
use super::visit::{Entry, Flow, Options, Visit, note};
use super::walk;
use crate::call::{Call, next_line, parse};
use metnos_executor::{ErrorClass, Failure, Origin, path::of_entry};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    recursive: bool,
    #[serde(default = "max_results")]
    max_results: u64,
}

fn max_results() -> u64 {
    10_000
}

#[derive(Serialize)]
struct Member<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    name: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    size: u64,
    mtime: Stamp,
}

struct Lister {
    max_results: u64,
    origin: Origin,
    path: Vec<u8>,
    truncated: bool,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let paths = targets(call)?;
    let options = Options { hidden: true, sorted: true, recursive: args.recursive };
    let mut lister =
        Lister { max_results: args.max_results, origin: Origin::Local, path: Vec::new(), truncated: false };
    let mut pseudo = 0u64;
    let only = paths.len() == 1 && call.outcome.fail_count == 0;
    for (index, (path, origin)) in (0u64..).zip(&paths) {
        lister.origin = Origin::Local.join(*origin);
        match walk::walk(call, path, options, &mut lister) {
            Ok(summary) => pseudo = pseudo.saturating_add(summary.pseudo),
            Err(failure) if only || walk::ends_call(&failure) => return Err(failure),
            Err(failure) => {
                call.outcome.fail(index, path.to_string_lossy(), failure.class, failure.message);
            }
        }
        if lister.truncated {
            call.truncated("entries", call.items(), None, "max_results", args.max_results);
            break;
        }
    }
    call.outcome.ok_count = call.items();
    call.set("metadata", json!({ "pseudo_skipped": pseudo }));
    Ok(())
}

/// The folders to list. `paths` has a default, so it speaks only when no list was piped in.
fn targets(call: &mut Call<'_>) -> Result<Vec<(PathBuf, Origin)>, Failure> {
    let Some(mut source) = call.take_entries() else { return call.paths() };
    let (mut paths, mut line, mut index) = (Vec::new(), Vec::new(), 0u64);
    while let Some(bytes) = next_line(&mut source, &mut line)? {
        let entry = parse(bytes, index)?;
        match of_entry(&entry, "path") {
            Some(path) => paths.push((path, Origin::of(&entry))),
            None => {
                let what = format!("entry {index}");
                call.outcome.fail(index, what, ErrorClass::WrongArgs, "the entry has no `path`");
            }
        }
        index += 1;
    }
    Ok(paths)
}

/// The word for what a name stands for.
pub(crate) fn type_word(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "file",
        FileType::Directory => "dir",
        FileType::Symlink => "link",
        _ => "other",
    }
}

impl Visit for Lister {
    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        if self.max_results > 0 && call.items() >= self.max_results {
            self.truncated = true;
            return Ok(Flow::Stop);
        }
        let stat = match entry.stat() {
            Ok(stat) => stat,
            Err(error) => {
                note(call, entry, &error);
                return Ok(Flow::Go);
            }
        };
        entry.path_into(&mut self.path);
        let member = Member {
            path: text(&self.path),
            path_b64: b64(&self.path),
            name: text(entry.name),
            kind: type_word(entry.kind),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime: Stamp(stat.st_mtime),
        };
        call.emit(&member, self.origin)?;
        Ok(Flow::Go)
    }
}
