//! `write_files`: a given text, a list of records rendered as a file, the contents of entries as
//! files of their own, or copies of files.
//!
//! Which one follows from the arguments: `path` with `content` or with a list; `dst_dir` with a
//! list, whose entries are copied when they name files and written when they carry `content`.

use super::dirs::{self, Dirs};
use super::items::{done, failed, name, result, tick};
use super::records::{Records, SAMPLE};
use super::render::{Format, render};
use crate::call::{Call, next_line, parse};
use base64::Engine;
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op, Origin, WriteMode, path};
use metnos_hands::{Attributes, Hands, Written};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Args {
    path: Option<BytePath>,
    dst_dir: Option<BytePath>,
    content: Option<String>,
    format: Option<Format>,
    #[serde(default)]
    mode: WriteMode,
}

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    let source = call.take_entries();
    match (&args.path, &args.dst_dir, &args.content, source) {
        (Some(path), None, Some(content), None) => write_content(call, &args, &path.0, content),
        (Some(path), None, None, Some(source)) => {
            let records = Records::new(source)?;
            write_records(call, &args, &path.0, records)
        }
        (None, Some(dir), None, Some(source)) => write_each(call, &args, &dir.0, source),
        (Some(_), Some(_), ..) => Err(Failure::wrong_args("give path or dst_dir, not both")),
        (.., Some(_), Some(_)) => Err(Failure::wrong_args("give content or a list, not both")),
        (None, Some(_), Some(_), None) => {
            Err(Failure::wrong_args("content needs the full path of its file in path"))
        }
        (None, None, ..) => Err(Failure::wrong_args("say where to write: path or dst_dir")),
        (_, _, None, None) => Err(Failure::wrong_args("nothing to write: give content or a list")),
    }
}

fn write_content(call: &mut Call<'_>, args: &Args, dst: &Path, content: &str) -> Result<(), Failure> {
    if args.format == Some(Format::Xlsx) {
        return Err(Failure::wrong_args("a workbook is made from a list, not from content"));
    }
    let content = match args.mode {
        WriteMode::Append => super::lines::of_its_own(dst, content),
        _ => content.into(),
    };
    let (mut hands, write) = intend_one(call, dst, args.mode)?;
    let written = hands.write(write, |w| w.write_all(content.as_bytes()));
    answer_one(call, dst, written, Origin::User, None)?;
    hands.finish()
}

fn write_records(
    call: &mut Call<'_>,
    args: &Args,
    dst: &Path,
    mut records: Records<'_>,
) -> Result<(), Failure> {
    let format = args.format.or_else(|| Format::of(dst)).unwrap_or(Format::Text);
    let old = std::fs::symlink_metadata(dst).map(|m| m.len()).unwrap_or(0);
    let grows = args.mode == WriteMode::Append && old > 0;
    if grows && !format.appends() {
        return Err(Failure::wrong_args(format!("{}: a file of this format cannot grow", dst.display()))
            .with_hint("mode = \"overwrite\" replaces it"));
    }
    let (mut hands, write) = intend_one(call, dst, args.mode)?;
    let mut report = |count: u64| match count.is_multiple_of(4096) {
        true => call.progress(count, None, "entries").map_err(io::Error::other),
        false => Ok(()),
    };
    let written = hands.write(write, |w| render(format, &mut records, !grows, &mut report, w));
    if matches!(&written, Err(failure) if failure.class == ErrorClass::Cancelled) {
        return written.map(|_| ());
    }
    if !records.left_out.is_empty() && !matches!(format, Format::Json | Format::Text) {
        let used = records.columns.len() as u64;
        let total = used.saturating_add(records.left_out.len() as u64);
        call.truncated("columns", used, Some(total), "columns of the first entries", SAMPLE as u64);
        call.set("columns_left_out", records.left_out.iter().cloned().collect::<Vec<_>>());
    }
    answer_one(call, dst, written, records.origin, Some(records.count))?;
    hands.finish()
}

/// Sends the intent of one write and makes the directories it needs. Returns the write's index.
fn intend_one(call: &mut Call<'_>, dst: &Path, mode: WriteMode) -> Result<(Hands, usize), Failure> {
    let mut ops = Vec::new();
    let parent = dst.parent().ok_or_else(|| Failure::wrong_args("path names no file"))?;
    let planned = Dirs::default().need(parent, &mut ops)?;
    ops.push(Op::Write { dst: BytePath(dst.to_path_buf()), mode });
    let mut hands = call.intent(Intent { ops })?;
    let write = planned.end;
    dirs::make(&mut hands, planned)?;
    Ok((hands, write))
}

fn answer_one(
    call: &mut Call<'_>,
    dst: &Path,
    written: Result<Written, Failure>,
    origin: Origin,
    entries: Option<u64>,
) -> Result<(), Failure> {
    match written {
        Ok(written) => {
            let mut record = result("path", dst);
            record.insert("size".into(), written.bytes.into());
            record.insert("hash".into(), written.blake3.into());
            if let Some(entries) = entries {
                record.insert("entries".into(), entries.into());
            }
            done(call, record, origin)
        }
        Err(failure) => {
            failed(call, 0, dst, &failure);
            Ok(())
        }
    }
}

/// What one entry becomes.
enum Source {
    Copy(PathBuf),
    Content(Vec<u8>),
}

struct Step {
    index: u64,
    origin: Origin,
    source: Source,
    dst: PathBuf,
    dirs: Range<usize>,
    op: usize,
}

fn write_each(
    call: &mut Call<'_>,
    args: &Args,
    dir: &Path,
    mut source: Box<dyn io::BufRead + '_>,
) -> Result<(), Failure> {
    if args.format.is_some_and(|f| f != Format::Text) {
        return Err(Failure::wrong_args("one table from a list needs the full path of its file in path"));
    }
    let copies = args.format.is_none();
    let (mut dirs, mut ops, mut steps, mut taken) = (Dirs::default(), Vec::new(), Vec::new(), HashSet::new());
    let (mut line, mut index) = (Vec::new(), 0u64);
    while let Some(text) = next_line(&mut source, &mut line)? {
        let entry = parse(text, index)?;
        let planned = match of_entry(&entry, copies) {
            Ok((name, source)) => {
                let dst = dir.join(OsStr::from_bytes(&name));
                plan(&mut dirs, &mut ops, &mut taken, &source, &dst, args.mode).map(|(dirs, op)| Step {
                    index,
                    origin: Origin::of(&entry),
                    source,
                    dst,
                    dirs,
                    op,
                })
            }
            Err(failure) => Err(failure),
        };
        match planned {
            Ok(step) => steps.push(step),
            Err(failure) => {
                let what = path::of_entry(&entry, "path").unwrap_or_else(|| format!("entry {index}").into());
                failed(call, index, &what, &failure);
            }
        }
        index = index.saturating_add(1);
    }
    if ops.is_empty() {
        return Ok(());
    }
    let total = steps.len() as u64;
    let mut hands = call.intent(Intent { ops })?;
    for (n, step) in steps.into_iter().enumerate() {
        tick(call, n as u64, total, "files")?;
        let written = dirs::make(&mut hands, step.dirs.clone()).and_then(|_| perform(&mut hands, &step));
        match written {
            Ok(written) => {
                let mut record = result("path", &step.dst);
                if let Source::Copy(src) = &step.source {
                    name(&mut record, "src", src);
                }
                record.insert("size".into(), written.bytes.into());
                record.insert("hash".into(), written.blake3.into());
                done(call, record, step.origin)?;
            }
            Err(failure) => failed(call, step.index, &step.dst, &failure),
        }
    }
    hands.finish()
}

/// The name and the source of one entry's file. A name that holds a way somewhere else is refused.
fn of_entry(entry: &Value, copies: bool) -> Result<(Vec<u8>, Source), Failure> {
    let file = path::of_entry(entry, "path");
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let source = match (&file, text("content"), text("content_b64")) {
        (Some(file), ..) if copies => Source::Copy(file.clone()),
        (_, Some(content), _) => Source::Content(content.as_bytes().to_vec()),
        (_, None, Some(b64)) => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(b64);
            Source::Content(bytes.map_err(|_| Failure::wrong_args("content_b64 is not base64"))?)
        }
        _ => return Err(Failure::wrong_args("the entry has neither a file in `path` nor `content`")),
    };
    let name: Vec<u8> = match (&file, text("name")) {
        (Some(file), _) => file.file_name().unwrap_or_default().as_bytes().to_vec(),
        (None, Some(name)) => name.as_bytes().to_vec(),
        (None, None) => return Err(Failure::wrong_args("the entry has no `name` for its file")),
    };
    if name.is_empty() || name == b"." || name == b".." || name.iter().any(|b| *b == b'/' || *b == 0) {
        let shown = String::from_utf8_lossy(&name);
        return Err(Failure::wrong_args(format!("{shown:?} is not the name of a file")));
    }
    Ok((name, source))
}

fn plan(
    dirs: &mut Dirs,
    ops: &mut Vec<Op>,
    taken: &mut HashSet<PathBuf>,
    source: &Source,
    dst: &Path,
    mode: WriteMode,
) -> Result<(Range<usize>, usize), Failure> {
    if let Source::Copy(src) = source {
        let meta = std::fs::symlink_metadata(src).map_err(|e| Failure::io(src.display(), &e))?;
        if !meta.is_file() {
            return Err(Failure::wrong_args(format!("{}: only regular files are copied", src.display())));
        }
        if mode == WriteMode::Append {
            return Err(Failure::wrong_args("copies are created or overwritten, not appended"));
        }
    }
    let exists = std::fs::symlink_metadata(dst).is_ok();
    if taken.contains(dst) || (mode == WriteMode::Create && exists) {
        let message = format!("{}: something is already there", dst.display());
        return Err(Failure::new(ErrorClass::DstExists, message));
    }
    let made = dirs.need(dst.parent().unwrap_or(dst), ops)?;
    let to = BytePath(dst.to_path_buf());
    ops.push(match source {
        Source::Copy(src) if !exists => Op::Copy { src: BytePath(src.clone()), dst: to },
        _ => Op::Write { dst: to, mode },
    });
    taken.insert(dst.to_path_buf());
    let op = made.end;
    Ok((made, op))
}

fn perform(hands: &mut Hands, step: &Step) -> Result<Written, Failure> {
    match (&step.source, hands.intent().ops.get(step.op)) {
        (Source::Copy(_), Some(Op::Copy { .. })) => hands.copy(step.op),
        (Source::Copy(src), _) => {
            let meta = std::fs::symlink_metadata(src).map_err(|e| Failure::io(src.display(), &e))?;
            let attributes = Attributes { mode: Some(meta.mode()), mtime: Some(meta.mtime()) };
            hands.write_as(step.op, attributes, |w| {
                let file = super::archive::open_regular(src)?;
                io::copy(&mut io::BufReader::with_capacity(256 << 10, file), w).map(|_| ())
            })
        }
        (Source::Content(bytes), _) => hands.write(step.op, |w| w.write_all(bytes)),
    }
}
