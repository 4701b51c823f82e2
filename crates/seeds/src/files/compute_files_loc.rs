//! `compute_files_loc`: lines and lines of code below a folder, by language.
//!
//! Dot names are skipped, so version control and caches do not count. Most code first.

use super::languages::{self, LANGUAGES};
use super::lines;
use super::visit::{Entry, Flow, Options, Visit, note};
use super::walk;
use crate::call::Call;
use metnos_executor::{BytePath, Failure, Origin};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::BufReader;

#[derive(Deserialize)]
struct Args {
    base_path: BytePath,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Count {
    language: &'static str,
    files: u64,
    lines: u64,
    code: u64,
}

struct Counter {
    counts: Vec<Count>,
    binary: u64,
    other: u64,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let counts = LANGUAGES.iter().map(|l| Count { language: l.name, ..Count::default() }).collect();
    let mut counter = Counter { counts, binary: 0, other: 0 };
    let options = Options { hidden: false, sorted: false, recursive: true };
    let summary = walk::walk(call, &args.base_path.0, options, &mut counter)?;
    counter.counts.retain(|count| count.files > 0);
    counter.counts.sort_by(|a, b| b.code.cmp(&a.code).then_with(|| a.language.cmp(b.language)));
    let (mut files, mut lines, mut code) = (0u64, 0u64, 0u64);
    for count in &counter.counts {
        files = files.saturating_add(count.files);
        lines = lines.saturating_add(count.lines);
        code = code.saturating_add(count.code);
        // Numbers counted out of contents and names of ours: nothing a file could have chosen.
        call.emit(count, Origin::Local)?;
    }
    call.outcome.ok_count = call.items();
    call.set("value", code);
    call.set(
        "metadata",
        json!({
            "files": files,
            "lines": lines,
            "binary_skipped": counter.binary,
            "other_files": counter.other,
            "pseudo_skipped": summary.pseudo,
        }),
    );
    Ok(())
}

impl Visit for Counter {
    fn entry(&mut self, call: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        if entry.kind != FileType::RegularFile {
            return Ok(Flow::Go);
        }
        let known = languages::of_name(entry.name)
            .and_then(|at| Some((LANGUAGES.get(at)?, self.counts.get_mut(at)?)));
        let Some((language, count)) = known else {
            self.other += 1;
            return Ok(Flow::Go);
        };
        let counted = entry
            .open()
            .and_then(|file| lines::count(&mut BufReader::with_capacity(64 * 1024, file), language));
        match counted {
            Ok(Some(found)) => {
                count.files += 1;
                count.lines = count.lines.saturating_add(found.lines);
                count.code = count.code.saturating_add(found.code);
            }
            Ok(None) => self.binary += 1,
            Err(error) => note(call, entry, &error),
        }
        Ok(Flow::Go)
    }
}
