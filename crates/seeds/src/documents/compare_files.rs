//! `compare_files`: what separates two files, by lines where they have text, else by bytes.

use super::source::{self, Named, note, shown};
use super::text;
use crate::call::Call;
use crate::texts::diff::{self, Hunk};
use metnos_executor::{ErrorClass, Failure, Origin};
use serde::Serialize;
use std::io::Read;
use std::path::Path;

/// The most text of each file that is compared line by line.
const TEXT_MAX: u64 = 16 << 20;
const CHUNK: u64 = 256 << 10;

#[derive(Serialize)]
struct Lines<'a> {
    op: &'static str,
    /// Where in the first file, counted from one; for an insertion, after which line.
    line_a: u64,
    lines_a: u64,
    line_b: u64,
    lines_b: u64,
    text: &'a str,
}

#[derive(Serialize)]
struct Bytes {
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    size_a: u64,
    size_b: u64,
    hash_a: String,
    hash_b: String,
    path_a: String,
    path_b: String,
    text: &'static str,
}

/// Answers the differences; `equal` says whether there is none, byte for byte.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let inputs = source::inputs(call)?;
    let [a, b] = inputs.as_slice() else {
        return Err(Failure::wrong_args(format!("two files are compared, {} were named", inputs.len())));
    };
    let origin = Origin::Content.join(a.origin).join(b.origin);
    // Both are tried, so that the answer names every file that cannot be opened.
    let (mut texts, mut missing) = (Vec::new(), false);
    for input in [a, b] {
        match whole(&input.path) {
            Ok(text) => texts.push(text),
            Err(failure) => {
                note(call, input, failure)?;
                missing = true;
            }
        }
    }
    if missing {
        return Ok(());
    }
    match texts.as_slice() {
        [Part::All(x), Part::All(y)] => {
            if !by_lines(call, x, y, origin)? {
                by_bytes(
                    call,
                    &a.path,
                    &b.path,
                    origin,
                    "the text is the same; line ends, charset or layout differ",
                )?;
            }
        }
        parts => {
            by_bytes(call, &a.path, &b.path, origin, "compared as bytes")?;
            if parts.iter().any(|p| matches!(p, Part::Some)) {
                call.truncated("lines", 0, None, "text_bytes", TEXT_MAX);
            }
        }
    }
    Ok(())
}

enum Part {
    All(String),
    Some,
    Binary,
}

fn whole(path: &Path) -> Result<Part, Failure> {
    let (reader, cut) = match text::stream(path) {
        Ok(stream) => stream,
        Err(f) if matches!(f.class, ErrorClass::UnsupportedFormat | ErrorClass::TooLarge) => {
            // Not text, but perhaps not a file either.
            source::open(path)?;
            return Ok(Part::Binary);
        }
        Err(f) => return Err(f),
    };
    let mut bytes = Vec::new();
    reader
        .take(TEXT_MAX.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::io(shown(path), &e))?;
    if cut || bytes.len() as u64 > TEXT_MAX {
        return Ok(Part::Some);
    }
    Ok(Part::All(
        String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
    ))
}

/// False when no line differs.
fn by_lines(call: &mut Call<'_>, a: &str, b: &str, origin: Origin) -> Result<bool, Failure> {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let hunks = diff::hunks(&a, &b);
    for (i, hunk) in hunks.iter().enumerate() {
        if i % 256 == 0 {
            call.progress(i as u64, Some(hunks.len() as u64), "differences")?;
        }
        let item = Lines {
            op: hunk.op,
            line_a: Hunk::place(&hunk.a),
            lines_a: hunk.a.len() as u64,
            line_b: Hunk::place(&hunk.b),
            lines_b: hunk.b.len() as u64,
            text: &hunk.lines(&a, &b),
        };
        call.emit(&item, origin)?;
        call.outcome.ok_count += 1;
    }
    if !hunks.is_empty() {
        call.set("equal", false);
    }
    Ok(!hunks.is_empty())
}

/// One entry about the bytes, whether they differ or not.
fn by_bytes(
    call: &mut Call<'_>,
    a: &Path,
    b: &Path,
    origin: Origin,
    text: &'static str,
) -> Result<(), Failure> {
    let (mut file_a, _) = source::open(a)?;
    let (mut file_b, _) = source::open(b)?;
    let (mut hash_a, mut hash_b) = (blake3::Hasher::new(), blake3::Hasher::new());
    let (mut size_a, mut size_b, mut offset) = (0u64, 0u64, None);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    loop {
        x.clear();
        y.clear();
        file_a.by_ref().take(CHUNK).read_to_end(&mut x).map_err(|e| Failure::io(shown(a), &e))?;
        file_b.by_ref().take(CHUNK).read_to_end(&mut y).map_err(|e| Failure::io(shown(b), &e))?;
        if x.is_empty() && y.is_empty() {
            break;
        }
        if offset.is_none() && x != y {
            let same = x.iter().zip(&y).take_while(|(x, y)| x == y).count();
            offset = Some(size_a.saturating_add(same as u64));
        }
        hash_a.update(&x);
        hash_b.update(&y);
        size_a = size_a.saturating_add(x.len() as u64);
        size_b = size_b.saturating_add(y.len() as u64);
        call.progress(size_a.max(size_b), None, "bytes")?;
    }
    let equal = offset.is_none();
    call.set("equal", equal);
    let item = Bytes {
        op: if equal { "equal" } else { "different" },
        offset,
        size_a,
        size_b,
        hash_a: hash_a.finalize().to_hex().to_string(),
        hash_b: hash_b.finalize().to_hex().to_string(),
        path_a: Named::of(a).path,
        path_b: Named::of(b).path,
        text: if equal { "the files are the same" } else { text },
    };
    call.emit(&item, origin)?;
    call.outcome.ok_count += 1;
    Ok(())
}
