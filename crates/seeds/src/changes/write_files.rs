//! `write_files`: a given text, a list of records rendered as a file, the contents of entries as
//! files of their own, or copies of files.
//!
//! Which one follows from the arguments: `path` with `content` or with a list; `dst_dir` with a
//! list, whose entries are copied when they name files and written when they carry `content`. A folder is copied as
//! the tree it is. Where a name is taken both are kept, and the new one gets a number.

use super::copy_tree;
use super::dirs::{self, Dirs};
use super::items::{done, failed, name, result, tick};
use super::records::{Records, SAMPLE};
use super::render::render;
use super::tree::dress;
use crate::call::{Call, next_line, parse};
use base64::Engine;
use metnos_executor::formats::{Format, for_content, for_list};
use metnos_executor::naming::{Facts, Naming, free_name};
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op, Origin, WriteMode, path};
use metnos_hands::{Attributes, Hands, Written};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
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
    for_content(dst, args.format)?;
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
    let format = for_list(dst, args.format)?;
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
    /// A folder, with everything in it.
    Tree(PathBuf),
    Content(Vec<u8>),
}

struct Step {
    index: u64,
    origin: Origin,
    source: Source,
    dst: PathBuf,
    dirs: Range<usize>,
    /// Its operations: one, or those of a tree.
    ops: Range<usize>,
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
    let mut plan = Plan {
        mode: args.mode,
        naming: Naming::parse(Some(dir), None)?,
        zone: call.now.time_zone().clone(),
        dirs: Dirs::default(),
        ops: Vec::new(),
        taken: HashSet::new(),
        dress: Vec::new(),
    };
    let mut steps: Vec<Step> = Vec::new();
    let (mut line, mut index) = (Vec::new(), 0u64);
    while let Some(text) = next_line(&mut source, &mut line)? {
        let entry = parse(text, index)?;
        let planned = of_entry(&entry, copies).and_then(|(name, source)| {
            let dst = plan.place(&name, &source)?;
            let (dst, dirs, ops) = plan.add(call, index, &source, &dst)?;
            Ok(Step { index, origin: Origin::of(&entry), source, dst, dirs, ops })
        });
        match planned {
            Ok(step) => steps.push(step),
            Err(failure) => {
                let what = path::of_entry(&entry, "path").unwrap_or_else(|| format!("entry {index}").into());
                failed(call, index, &what, &failure);
            }
        }
        index = index.saturating_add(1);
    }
    if plan.ops.is_empty() {
        return Ok(());
    }
    let total = plan.ops.len() as u64;
    let mut hands = call.intent(Intent { ops: std::mem::take(&mut plan.ops) })?;
    let (mut folders, mut inside) = (0u64, 0u64);
    for step in steps {
        tick(call, step.ops.start as u64, total, "files")?;
        if let Source::Tree(src) = &step.source {
            match dirs::make(&mut hands, step.dirs.clone()) {
                Ok(_) => {
                    let (index, origin) = (step.index, step.origin);
                    let copied =
                        copy_tree::perform(call, &mut hands, index, src, &step.dst, step.ops, origin)?;
                    folders = folders.saturating_add(u64::from(copied.is_some()));
                    inside = inside.saturating_add(copied.unwrap_or(0));
                }
                Err(failure) => failed(call, step.index, &step.dst, &failure),
            }
            continue;
        }
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
    if folders > 0 {
        call.set("folders", folders);
        call.set("files_inside", inside);
    }
    dress(&mut hands, &plan.dress);
    hands.finish()
}

/// The name and the source of one entry's file. A name that holds a way somewhere else is refused.
fn of_entry(entry: &Value, copies: bool) -> Result<(Vec<u8>, Source), Failure> {
    let file = path::of_entry(entry, "path");
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let source = match (&file, text("content"), text("content_b64")) {
        (Some(file), ..) if copies && is_dir(file) => Source::Tree(file.clone()),
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

fn is_dir(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Everything decided so far.
struct Plan {
    mode: WriteMode,
    naming: Naming,
    zone: jiff::tz::TimeZone,
    dirs: Dirs,
    ops: Vec<Op>,
    /// Destinations of earlier entries.
    taken: HashSet<PathBuf>,
    /// What the folders of copied trees look like, by their operation.
    dress: Vec<(usize, Attributes)>,
}

impl Plan {
    /// Where one entry goes if nothing is there. What is not a file has no date and no kind of its own.
    fn place(&self, name: &[u8], source: &Source) -> Result<PathBuf, Failure> {
        let modified = match source {
            Source::Copy(src) | Source::Tree(src) => {
                let meta = std::fs::symlink_metadata(src).map_err(|e| Failure::io(src.display(), &e))?;
                let nanos = i32::try_from(meta.mtime_nsec()).unwrap_or(0);
                jiff::Timestamp::new(meta.mtime(), nanos).unwrap_or_default()
            }
            Source::Content(_) if self.naming.has_fields() => {
                return Err(Failure::wrong_args(
                    "dst_dir: only what is copied has a date and a kind to sort by",
                ));
            }
            Source::Content(_) => jiff::Timestamp::UNIX_EPOCH,
        };
        let modified = modified.to_zoned(self.zone.clone()).datetime();
        if self.naming.counts() {
            return Err(Failure::wrong_args("dst_dir: copies are numbered where their names are taken"));
        }
        let facts = Facts { name, modified, taken: modified, counter: 1 };
        self.naming.place(Path::new(""), &facts)
    }

    /// Decides where one entry goes, and plans the way there.
    fn add(
        &mut self,
        call: &mut Call<'_>,
        index: u64,
        source: &Source,
        dst: &Path,
    ) -> Result<(PathBuf, Range<usize>, Range<usize>), Failure> {
        if let Source::Copy(src) = source {
            let meta = std::fs::symlink_metadata(src).map_err(|e| Failure::io(src.display(), &e))?;
            if !meta.is_file() && !meta.is_symlink() {
                return Err(Failure::wrong_args(format!(
                    "{}: neither a file, nor a link, nor a folder",
                    src.display()
                )));
            }
        }
        if self.mode == WriteMode::Append && !matches!(source, Source::Content(_)) {
            return Err(Failure::wrong_args("copies are created or overwritten, not appended"));
        }
        let exists = |at: &Path| std::fs::symlink_metadata(at).is_ok();
        let is_tree = matches!(source, Source::Tree(_));
        // A tree is never laid over another.
        let keeps = is_tree || self.mode == WriteMode::Create;
        let free = free_name(dst, is_tree, |at| self.taken.contains(at) || (keeps && exists(at)));
        let dst = free.ok_or_else(|| {
            Failure::new(ErrorClass::DstExists, format!("{}: no free number for it", dst.display()))
        })?;
        if let Source::Tree(src) = source
            && dst.starts_with(src)
        {
            return Err(Failure::wrong_args(format!("{}: cannot be copied into itself", src.display())));
        }
        let made = self.dirs.need(dst.parent().unwrap_or(&dst), &mut self.ops)?;
        let start = self.ops.len();
        let to = || BytePath(dst.clone());
        match source {
            Source::Tree(src) => copy_tree::plan(call, index, src, &dst, &mut self.ops, &mut self.dress)?,
            Source::Copy(src) if !exists(&dst) => {
                self.ops.push(Op::Copy { src: BytePath(src.clone()), dst: to() });
            }
            _ => self.ops.push(Op::Write { dst: to(), mode: self.mode }),
        }
        self.taken.insert(dst.clone());
        Ok((dst, made, start..self.ops.len()))
    }
}

fn perform(hands: &mut Hands, step: &Step) -> Result<Written, Failure> {
    let op = step.ops.start;
    match (&step.source, hands.intent().ops.get(op)) {
        (Source::Copy(_) | Source::Tree(_), Some(Op::Copy { .. })) => hands.copy(op),
        (Source::Copy(src) | Source::Tree(src), _) => {
            let meta = std::fs::symlink_metadata(src).map_err(|e| Failure::io(src.display(), &e))?;
            let attributes = Attributes { mode: Some(meta.mode()), mtime: Some((meta.mtime(), 0)) };
            hands.write_as(op, attributes, |w| {
                let file = super::archive::open_regular(src)?;
                io::copy(&mut io::BufReader::with_capacity(256 << 10, file), w).map(|_| ())
            })
        }
        (Source::Content(bytes), _) => hands.write(op, |w| w.write_all(bytes)),
    }
}
