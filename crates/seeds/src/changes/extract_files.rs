//! `extract_files`: unpacks archives.
//!
//! An archive is listed first, so that the intent names every file; then it is unpacked. Nothing
//! leaves the destination: names with `..`, absolute names, links and devices are refused one by
//! one and counted. An archive that unpacks out of proportion is refused whole.

use super::archive::{
    Bounds, Kind, Member, What, list_tar, list_zip, open_regular, open_tar, unreadable, without_ending,
};
use super::dirs::{self, Dirs};
use super::items::{Item, done, failed, items, name, result};
use crate::call::Call;
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op, Origin, WriteMode};
use metnos_hands::{Attributes, Hands, Written};
use serde::Deserialize;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Args {
    dst_dir: Option<BytePath>,
    #[serde(default = "max_bytes")]
    max_bytes: u64,
}

fn max_bytes() -> u64 {
    4 << 30
}

/// The most members one archive may hold.
const MEMBERS_MAX: usize = 200_000;

/// One member on its way out.
struct Step {
    member: Member,
    dst: PathBuf,
    dirs: Range<usize>,
    /// The write; `None` for a directory.
    op: Option<usize>,
}

/// An archive that will be unpacked.
struct Opened {
    item: Item<()>,
    file: File,
    kind: Kind,
    /// What it was listed with, and is unpacked with again.
    bounds: Bounds,
    steps: Vec<Step>,
}

/// Destinations that are planned so far.
#[derive(Default)]
struct Plan {
    dirs: Dirs,
    ops: Vec<Op>,
    files: HashSet<PathBuf>,
    /// Directories below a destination that were looked at, or will be made: none is a link.
    safe: HashSet<PathBuf>,
}

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    let mut left = if args.max_bytes == 0 { u64::MAX } else { args.max_bytes };
    let (mut plan, mut archives) = (Plan::default(), Vec::new());
    let zone = call.now.time_zone().clone();
    for item in items(call, |_| ())? {
        call.progress(archives.len() as u64, None, "archives")?;
        let bounds = Bounds { bytes: left, members: MEMBERS_MAX };
        match list(&item.path, &zone, bounds) {
            Ok((file, kind, members)) => {
                let bytes = members.iter().fold(0u64, |sum, m| sum.saturating_add(m.size));
                if args.max_bytes > 0 {
                    left = left.saturating_sub(bytes);
                }
                let dst = destination(&item.path, args.dst_dir.as_ref());
                let steps = plan.archive(call, &item, &dst, members);
                archives.push(Opened { item, file, kind, bounds, steps });
            }
            Err(failure) => failed(call, item.index, &item.path, &failure),
        }
    }
    if plan.ops.is_empty() {
        return Ok(());
    }
    let mut hands = call.intent(Intent { ops: plan.ops })?;
    let total = archives.iter().map(|a| a.steps.len() as u64).fold(0u64, u64::saturating_add);
    let mut unpacking = Unpacking { call, hands: &mut hands, total, seen: 0, created: 0 };
    for archive in archives {
        let unpacked = match archive.kind {
            Kind::Zip => unpacking.zip(&archive),
            kind => unpacking.tar(&archive, kind),
        };
        match unpacked {
            Ok(()) => {}
            Err(failure) if failure.class == ErrorClass::Cancelled => return Err(failure),
            Err(failure) => failed(unpacking.call, archive.item.index, &archive.item.path, &failure),
        }
    }
    let created = unpacking.created;
    if created > 0 {
        call.set("created_dirs", created);
    }
    hands.finish()
}

/// Opens an archive and lists it.
fn list(
    path: &Path,
    zone: &jiff::tz::TimeZone,
    bounds: Bounds,
) -> Result<(File, Kind, Vec<Member>), Failure> {
    let mut file = open_regular(path).map_err(|e| Failure::io(path.display(), &e))?;
    let kind =
        Kind::of_content(&mut file).map_err(|e| Failure::io(path.display(), &e))?.ok_or_else(|| {
            Failure::new(ErrorClass::UnsupportedFormat, format!("{}: not a zip or tar", path.display()))
        })?;
    let members = match kind {
        Kind::Zip => {
            let packed = file.metadata().map_err(|e| Failure::io(path.display(), &e))?.len();
            let mut archive = open_zip(&file)?;
            list_zip(&mut archive, packed, zone, bounds)
        }
        kind => list_tar(&file, kind, bounds),
    };
    Ok((file, kind, members?))
}

fn open_zip(file: &File) -> Result<zip::ZipArchive<File>, Failure> {
    let file = file.try_clone().map_err(|e| unreadable(&e))?;
    zip::ZipArchive::new(file).map_err(|e| unreadable(&e.into()))
}

/// Where an archive goes: where the person said, else a folder of its name beside it.
fn destination(archive: &Path, dst_dir: Option<&BytePath>) -> PathBuf {
    match dst_dir {
        Some(dir) => dir.0.clone(),
        None => {
            let name = without_ending(archive.file_name().unwrap_or_default().as_bytes());
            archive.with_file_name(OsStr::from_bytes(&name))
        }
    }
}

/// The name of a member as a path below the destination; `None` when it leads elsewhere.
fn inside(name: &[u8]) -> Option<PathBuf> {
    if name.first() == Some(&b'/') || name.contains(&0) {
        return None;
    }
    let mut path = PathBuf::new();
    for part in name.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => return None,
            part => path.push(OsStr::from_bytes(part)),
        }
    }
    Some(path)
}

impl Plan {
    fn archive(
        &mut self,
        call: &mut Call<'_>,
        item: &Item<()>,
        root: &Path,
        members: Vec<Member>,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        for member in members {
            match self.member(root, &member) {
                Ok(Some((dst, dirs, op))) => steps.push(Step { member, dst, dirs, op }),
                Ok(None) => {}
                Err(mut failure) => {
                    failure.message = format!("{}: {}", item.path.display(), failure.message);
                    let what = PathBuf::from(OsStr::from_bytes(&member.name));
                    failed(call, item.index, &what, &failure);
                }
            }
        }
        steps
    }

    #[allow(clippy::type_complexity, reason = "the three parts of a step, named by its caller")]
    fn member(
        &mut self,
        root: &Path,
        member: &Member,
    ) -> Result<Option<(PathBuf, Range<usize>, Option<usize>)>, Failure> {
        let shown = String::from_utf8_lossy(&member.name);
        if let What::Refused(why) = member.what {
            return Err(Failure::new(ErrorClass::UnsupportedFormat, format!("{shown}: {why}, not unpacked")));
        }
        let relative = inside(&member.name).ok_or_else(|| {
            let message = format!("{shown}: leads out of the destination, not unpacked");
            Failure::new(ErrorClass::PolicyViolation, message)
        })?;
        let dst = root.join(&relative);
        let dir = match member.what {
            What::Dir => dst.clone(),
            _ if relative.as_os_str().is_empty() => {
                return Err(Failure::new(ErrorClass::UnsupportedFormat, "a member without a name"));
            }
            _ => dst.parent().unwrap_or(root).to_path_buf(),
        };
        self.no_links(root, &dir)?;
        if member.what == What::Dir {
            let made = self.dirs.need(&dir, &mut self.ops)?;
            return Ok((!made.is_empty()).then_some((dst, made, None)));
        }
        if self.safe.contains(&dst) || self.files.contains(&dst) || std::fs::symlink_metadata(&dst).is_ok() {
            let message = format!("{}: something is already there", dst.display());
            return Err(Failure::new(ErrorClass::DstExists, message));
        }
        let made = self.dirs.need(&dir, &mut self.ops)?;
        let op = self.ops.len();
        self.ops.push(Op::Write { dst: BytePath(dst.clone()), mode: WriteMode::Create });
        self.files.insert(dst.clone());
        Ok(Some((dst, made, Some(op))))
    }

    /// Checks every directory between `root` and `dir`: a link there, or a file, is not entered.
    fn no_links(&mut self, root: &Path, dir: &Path) -> Result<(), Failure> {
        let mut unchecked = Vec::new();
        for at in dir.ancestors().take_while(|at| *at != root && at.starts_with(root)) {
            if self.safe.contains(at) {
                break;
            }
            unchecked.push(at);
        }
        for at in unchecked.into_iter().rev() {
            let blocked =
                self.files.contains(at) || std::fs::symlink_metadata(at).is_ok_and(|meta| !meta.is_dir());
            if blocked {
                let message = format!("{}: a file or a link is where a directory should be", at.display());
                return Err(Failure::new(ErrorClass::DstExists, message));
            }
            self.safe.insert(at.to_path_buf());
        }
        Ok(())
    }
}

/// The second half: everything is planned and approved.
struct Unpacking<'u, 'c> {
    call: &'u mut Call<'c>,
    hands: &'u mut Hands,
    total: u64,
    seen: u64,
    created: u64,
}

impl Unpacking<'_, '_> {
    fn zip(&mut self, archive: &Opened) -> Result<(), Failure> {
        let mut zip = open_zip(&archive.file)?;
        for step in &archive.steps {
            self.step(&archive.item, step, &mut |w| {
                let mut entry = zip.by_index(step.member.at)?;
                if entry.name_raw() != step.member.name {
                    return Err(changed());
                }
                pour(&mut entry, step.member.size, w)
            })?;
        }
        Ok(())
    }

    fn tar(&mut self, archive: &Opened, kind: Kind) -> Result<(), Failure> {
        let mut tar = open_tar(&archive.file, kind, archive.bounds).map_err(|e| unreadable(&e))?;
        let mut entries = tar.entries().map_err(|e| unreadable(&e))?.enumerate();
        for step in &archive.steps {
            let entry = entries.by_ref().find(|(at, entry)| *at == step.member.at || entry.is_err());
            let mut entry = match entry {
                Some((_, entry)) => entry.map_err(|e| unreadable(&e))?,
                None => return Err(Failure::new(ErrorClass::Conflict, "the archive changed meanwhile")),
            };
            let same = *entry.path_bytes() == *step.member.name
                && entry.header().entry_type().is_dir() == step.op.is_none();
            self.step(&archive.item, step, &mut |w| {
                if !same {
                    return Err(changed());
                }
                pour(&mut entry, step.member.size, w)
            })?;
        }
        Ok(())
    }

    /// Makes the directories of one step and writes its file; a failure is its own.
    fn step(
        &mut self,
        item: &Item<()>,
        step: &Step,
        fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.call.progress(self.seen, Some(self.total), "files")?;
        self.seen = self.seen.saturating_add(1);
        match self.write(step, fill) {
            Ok(Some(written)) => {
                let mut record = result("path", &step.dst);
                record.insert("size".into(), written.bytes.into());
                record.insert("hash".into(), written.blake3.into());
                name(&mut record, "archive", &item.path);
                // The name was read out of a file, whoever named the archive.
                done(self.call, record, item.origin.join(Origin::Content))
            }
            Ok(None) => Ok(()),
            Err(failure) => {
                failed(self.call, item.index, &step.dst, &failure);
                Ok(())
            }
        }
    }

    fn write(
        &mut self,
        step: &Step,
        fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Option<Written>, Failure> {
        let made = dirs::make(self.hands, step.dirs.clone())?;
        self.created = self.created.saturating_add(made);
        let Some(op) = step.op else { return Ok(None) };
        // Somebody must be able to read and remove what was unpacked, whatever the archive says.
        let mode = step.member.mode.map(|mode| (mode & 0o777) | 0o600);
        let attributes = Attributes { mode, mtime: step.member.mtime.map(|at| (at, 0)) };
        self.hands.write_as(op, attributes, fill).map(Some)
    }
}

fn changed() -> io::Error {
    io::Error::other(Failure::new(ErrorClass::Conflict, "the archive changed while it was unpacked"))
}

/// Copies exactly `size` bytes; an archive whose content is not as long as it says is broken.
fn pour(from: &mut dyn Read, size: u64, w: &mut dyn Write) -> io::Result<()> {
    let broken = |message: &str| Failure::new(ErrorClass::UnsupportedFormat, message);
    let n = io::copy(&mut from.take(size.saturating_add(1)), w)
        .map_err(|e| if e.raw_os_error().is_some() { e } else { io::Error::other(unreadable(&e)) })?;
    match n.cmp(&size) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(io::Error::other(broken("the archive ends too early"))),
        std::cmp::Ordering::Greater => Err(io::Error::other(broken("a member is longer than it says"))),
    }
}
