//! `move_files`: moves and renames. Never replaces: where a name is taken both are kept, and the new one gets a
//! number. A name that was said outright and is taken fails that item alone.

use super::dirs::{self, Dirs};
use super::items::{Item, done, failed, items, name, result, tick};
use super::tree::{Seen, attributes, dress, mount_of, walk};
use crate::call::Call;
use metnos_executor::naming::{Facts, Naming, free_name, moment};
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op};
use metnos_hands::{Attributes, Hands};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Args {
    dst_dir: Option<BytePath>,
    name_template: Option<String>,
}

/// The most numbers tried for one name, so that a full folder ends in a message.
const COUNTER_MAX: u64 = 10_000_000;

/// Where one item goes.
struct Step {
    item: Item<Option<String>>,
    dst: PathBuf,
    dirs: Range<usize>,
    /// The operations that move it; empty when it is already there.
    ops: Range<usize>,
    is_dir: bool,
}

/// Everything decided so far.
struct Plan {
    naming: Naming,
    zone: jiff::tz::TimeZone,
    dirs: Dirs,
    ops: Vec<Op>,
    /// What the folders that are made for moved ones look like, by their operation.
    dress: Vec<(usize, Attributes)>,
    /// Destinations of earlier items.
    taken: HashSet<PathBuf>,
    /// Sources of earlier items: free by the time a later item is moved.
    freed: HashSet<PathBuf>,
    /// The next number, for each destination directory.
    counters: HashMap<PathBuf, u64>,
}

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    if args.dst_dir.is_none() && args.name_template.is_none() {
        return Err(Failure::wrong_args("say where to move to (dst_dir) or how to rename (name_template)"));
    }
    let dst_dir = args.dst_dir.as_ref().map(|BytePath(dir)| dir.as_path());
    let mut plan = Plan {
        naming: Naming::parse(dst_dir, args.name_template.as_deref())?,
        zone: call.now.time_zone().clone(),
        dirs: Dirs::default(),
        ops: Vec::new(),
        dress: Vec::new(),
        taken: HashSet::new(),
        freed: HashSet::new(),
        counters: HashMap::new(),
    };
    let items = items(call, taken_at)?;
    let (total, mut steps) = (items.len() as u64, Vec::with_capacity(items.len()));
    for (n, item) in items.into_iter().enumerate() {
        tick(call, n as u64, total, "files looked at")?;
        match plan.add(&item) {
            Ok((dst, dirs, ops)) => {
                let is_dir = std::fs::symlink_metadata(&item.path).is_ok_and(|meta| meta.is_dir());
                steps.push(Step { item, dst, dirs, ops, is_dir });
            }
            Err(failure) => failed(call, item.index, &item.path, &failure),
        }
    }
    let unchanged = steps.iter().filter(|step| step.ops.is_empty()).count();
    if unchanged > 0 {
        call.set("unchanged", unchanged as u64);
    }
    if plan.ops.is_empty() {
        for step in steps {
            answer(call, &step, 0)?;
        }
        return Ok(());
    }
    let mut hands = call.intent(Intent { ops: std::mem::take(&mut plan.ops) })?;
    let (mut created, mut folders) = (0u64, 0u64);
    for (n, step) in steps.iter().enumerate() {
        tick(call, n as u64, total, "files")?;
        let moved = dirs::make(&mut hands, step.dirs.clone()).and_then(|made| {
            created = created.saturating_add(made);
            perform(&mut hands, step.ops.clone())
        });
        match moved {
            Ok(size) => {
                folders = folders.saturating_add(u64::from(step.is_dir && !step.ops.is_empty()));
                answer(call, step, size)?;
            }
            Err(failure) => failed(call, step.item.index, &step.item.path, &failure),
        }
    }
    dress(&mut hands, &plan.dress);
    if created > 0 {
        call.set("created_dirs", created);
    }
    if folders > 0 {
        call.set("folders", folders);
    }
    hands.finish()
}

/// The moment an entry says its picture was taken.
fn taken_at(entry: Option<&Value>) -> Option<String> {
    let entry = entry?;
    let text = entry.pointer("/exif/taken_at").or_else(|| entry.get("taken_at"))?;
    text.as_str().map(str::to_owned)
}

impl Plan {
    /// Decides where `item` goes and plans the way there.
    fn add(&mut self, item: &Item<Option<String>>) -> Result<(PathBuf, Range<usize>, Range<usize>), Failure> {
        let src = &item.path;
        let meta = std::fs::symlink_metadata(src).map_err(|e| Failure::io(src.display(), &e))?;
        let dst = self.destination(item, &meta)?;
        if dst == *src {
            self.taken.insert(dst.clone());
            return Ok((dst, 0..0, 0..0));
        }
        if self.occupied(&dst) {
            return Err(Failure::new(
                ErrorClass::DstExists,
                format!("{}: something is already there", dst.display()),
            ));
        }
        if meta.is_dir() && dst.starts_with(src) {
            return Err(Failure::wrong_args(format!("{}: cannot be moved into itself", src.display())));
        }
        let parent = dst.parent().unwrap_or(&dst).to_path_buf();
        let dirs = self.dirs.need(&parent, &mut self.ops)?;
        let start = self.ops.len();
        if meta.is_dir() && elsewhere(src, &parent) {
            let from = self.ops.len();
            let (ops, dress) = tree_ops(src, &dst)?;
            self.ops.extend(ops);
            self.dress.extend(dress.into_iter().map(|(i, attributes)| (from + i, attributes)));
        } else {
            self.ops.push(Op::Move { src: BytePath(src.clone()), dst: BytePath(dst.clone()) });
        }
        self.taken.insert(dst.clone());
        self.freed.insert(src.clone());
        Ok((dst, dirs, start..self.ops.len()))
    }

    fn occupied(&self, dst: &Path) -> bool {
        // What cannot be looked at counts as free here; the move itself will say what is wrong.
        self.taken.contains(dst) || (!self.freed.contains(dst) && std::fs::symlink_metadata(dst).is_ok())
    }

    fn destination(&mut self, item: &Item<Option<String>>, meta: &Metadata) -> Result<PathBuf, Failure> {
        let src = &item.path;
        let (Some(parent), Some(name)) = (src.parent(), src.file_name()) else {
            return Err(Failure::wrong_args(format!("{}: has no name to move", src.display())));
        };
        let nanos = i32::try_from(meta.mtime_nsec()).unwrap_or(0);
        let modified = jiff::Timestamp::new(meta.mtime(), nanos)
            .map(|stamp| stamp.to_zoned(self.zone.clone()).datetime())
            .unwrap_or_default();
        let taken = item.extra.as_deref().and_then(|t| moment(t, &self.zone)).unwrap_or(modified);
        let mut facts = Facts { name: name.as_bytes(), modified, taken, counter: 1 };
        if self.naming.gives_numbers() {
            let dst = self.naming.place(src, &facts)?;
            let free = free_name(&dst, meta.is_dir(), |at| at != src && self.occupied(at));
            return free.ok_or_else(|| no_number(src));
        }
        if !self.naming.counts() {
            return self.naming.place(src, &facts);
        }
        let folder = self.naming.place(src, &facts)?.parent().unwrap_or(parent).to_path_buf();
        let first = self.counters.get(&folder).copied().unwrap_or(1);
        for counter in first..COUNTER_MAX {
            facts.counter = counter;
            let dst = self.naming.place(src, &facts)?;
            if dst == *src || !self.occupied(&dst) {
                self.counters.insert(folder, counter.saturating_add(1));
                return Ok(dst);
            }
        }
        Err(no_number(src))
    }
}

fn no_number(src: &Path) -> Failure {
    Failure::new(ErrorClass::DstExists, format!("{}: no free number for it", src.display()))
}

/// True when `dir`, or the nearest parent of it that exists, is on another mount than `src`: two
/// roots of one file system are two mounts in a cell, and nothing is renamed from one to the other.
fn elsewhere(src: &Path, dir: &Path) -> bool {
    let mount = |path: &Path| mount_of(path).ok();
    // The folder it lies in: a folder on which something is mounted is not that mount.
    let here = src.parent().and_then(mount);
    let there = dir.ancestors().find_map(mount);
    here.is_some() && there.is_some() && here != there
}

/// What folders that are made look like, by their operation.
type Dresses = Vec<(usize, Attributes)>;

/// A directory cannot be renamed to another mount: its folders are made there, its files
/// moved one by one, and the emptied folders removed. The new folders get the rights and dates of the old ones.
fn tree_ops(src: &Path, dst: &Path) -> Result<(Vec<Op>, Dresses), Failure> {
    let (mut ops, mut emptied, mut dress) = (Vec::new(), Vec::new(), Vec::new());
    walk(src, &mut |seen| match seen {
        Seen::Node(path, meta) => {
            let below = path.strip_prefix(src).unwrap_or(&path);
            // Joining nothing would leave a slash at the end.
            let to = if below.as_os_str().is_empty() { dst.to_path_buf() } else { dst.join(below) };
            if meta.is_dir() {
                dress.push((ops.len(), attributes(&meta)));
                ops.push(Op::MakeDir { path: BytePath(to) });
                emptied.push(Op::RemoveDir { path: BytePath(path) });
            } else {
                ops.push(Op::Move { src: BytePath(path), dst: BytePath(to) });
            }
            Ok(())
        }
        Seen::Mount(path) => Err(Failure::new(
            ErrorClass::Conflict,
            format!("{}: another file system is mounted there; nothing was moved", path.display()),
        )),
        Seen::Trouble(path, e) => Err(Failure::io(path.display(), &e)),
    })?;
    emptied.reverse();
    ops.extend(emptied);
    Ok((ops, dress))
}

/// Performs the operations of one item; the first that fails ends it, and what was not moved yet
/// stays where it was.
fn perform(hands: &mut Hands, ops: Range<usize>) -> Result<u64, Failure> {
    let mut size = 0u64;
    for i in ops {
        match hands.intent().ops.get(i) {
            Some(Op::MakeDir { .. }) => hands.make_dir(i)?,
            Some(Op::RemoveDir { .. }) => hands.remove_dir(i)?,
            _ => size = size.saturating_add(hands.rename(i)?),
        }
    }
    Ok(size)
}

fn answer(call: &mut Call<'_>, step: &Step, size: u64) -> Result<(), Failure> {
    let mut record = result("src", &step.item.path);
    name(&mut record, "dst", &step.dst);
    // The pipe goes on with the thing where it is now.
    name(&mut record, "path", &step.dst);
    if step.ops.is_empty() {
        record.insert("unchanged".into(), true.into());
    } else {
        record.insert("size".into(), size.into());
    }
    done(call, record, step.item.origin)
}
