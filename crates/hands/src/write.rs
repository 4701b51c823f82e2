//! Writing content: a new file, a file replaced as a whole, a file that grows.

use super::copy::copy_file;
use super::keep::near;
use super::place::{Place, kind, size};
use super::stage::{Over, Stage, broken, fill_hashed};
use super::{Attributes, Written};
use metnos_executor::Failure;
use rustix::fs::{FileType, Mode, OFlags, Stat, Timespec, Timestamps};
use std::fs::File;
use std::io::{self, Write};

type Fill<'f> = &'f mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// A file up to this size grows by copy, append and rename, which a crash cannot leave half done.
/// A larger one is opened for appending, and cut back to its old length if anything fails.
pub const APPEND_BY_COPY: u64 = 64 << 20;

/// Writes a file where nothing is.
pub(super) fn create(
    dst: &Place<'_>,
    kept: &Place<'_>,
    attributes: Attributes,
    fill: Fill<'_>,
) -> Result<Written, Failure> {
    // Looked at first so that an hour of compressing does not end in "already there".
    if dst.stat()?.is_some() {
        return Err(dst.occupied());
    }
    staged(dst, kept, None, false, attributes, fill)
}

/// Writes a file whether or not one is there; one that is keeps its mode.
pub(super) fn overwrite(
    dst: &Place<'_>,
    kept: &Place<'_>,
    attributes: Attributes,
    fill: Fill<'_>,
) -> Result<Written, Failure> {
    let old = regular_or_nothing(dst)?;
    staged(dst, kept, old.as_ref(), false, attributes, fill)
}

/// Lets a file grow; one that is not there is created.
pub(super) fn append(
    dst: &Place<'_>,
    kept: &Place<'_>,
    attributes: Attributes,
    fill: Fill<'_>,
) -> Result<Written, Failure> {
    match regular_or_nothing(dst)? {
        None => staged(dst, kept, None, false, attributes, fill),
        Some(old) if size(&old) <= APPEND_BY_COPY => staged(dst, kept, Some(&old), true, attributes, fill),
        // Its inverse is its old length, which the intent holds.
        Some(old) => append_in_place(dst, &old, fill),
    }
}

fn regular_or_nothing(dst: &Place<'_>) -> Result<Option<Stat>, Failure> {
    match dst.stat()? {
        None => Ok(None),
        Some(stat) if kind(&stat) == FileType::RegularFile => Ok(Some(stat)),
        Some(_) => Err(Failure::wrong_args(format!(
            "{}: only a regular file can be written over",
            dst.path.display()
        ))),
    }
}

fn staged(
    dst: &Place<'_>,
    kept: &Place<'_>,
    old: Option<&Stat>,
    keep_content: bool,
    attributes: Attributes,
    fill: Fill<'_>,
) -> Result<Written, Failure> {
    let mut first: Option<(u64, blake3::Hash)> = None;
    let spot = near(kept, dst).then_some(kept);
    loop {
        let mut stage = Stage::new(dst, spot, Some(kept.path), if old.is_some() { 0o600 } else { 0o666 })?;
        let length = if keep_content { copy_old(dst, &stage.file)? } else { 0 };
        let (bytes, hash) = fill_hashed(&stage.file, fill).map_err(|e| broken(dst, &e))?;
        dress(&stage.file, old, attributes).map_err(|e| broken(dst, &e))?;
        if first.is_some_and(|before| before != (bytes, hash)) {
            return Err(Failure::internal(format!(
                "{}: the disk failed once and the content could not be produced again",
                dst.path.display()
            )));
        }
        if let Err(e) = stage.sync() {
            // Pages of a failed sync may be marked clean and lost: only a fresh file tells the truth.
            if first.is_some() {
                return Err(broken(dst, &e));
            }
            first = Some((bytes, hash));
            continue;
        }
        if stage.readable() && stage.digest(length, bytes).map_err(|e| broken(dst, &e))? != hash {
            return Err(Failure::internal(format!("{}: what is on disk differs", dst.path.display())));
        }
        let over = match (old, spot) {
            (None, _) => Over::Nothing,
            (Some(_), Some(_)) => Over::Swap,
            (Some(_), None) => {
                copy_file(dst, kept, None, None, None, true)?;
                super::sync_dir(&super::parent(kept.path))?;
                Over::Kept
            }
        };
        super::made::note(kept, super::Fact::of(&stage.file))?;
        stage.publish(over, length.saturating_add(bytes))?;
        return Ok(Written { bytes, blake3: hash.to_hex().to_string() });
    }
}

fn copy_old(dst: &Place<'_>, target: &File) -> Result<u64, Failure> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&dst.dir, dst.name, flags, Mode::empty()).map_err(|e| dst.failed(e))?;
    let mut target = target;
    io::copy(&mut File::from(fd), &mut target).map_err(|e| broken(dst, &e))
}

/// Mode and time of the new file, before it is synced.
fn dress(file: &File, old: Option<&Stat>, attributes: Attributes) -> io::Result<()> {
    let mode = attributes.mode.map(|m| m & 0o777).or_else(|| old.map(|o| o.st_mode & 0o777));
    if let Some(mode) = mode {
        rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?;
    }
    if let Some((seconds, nanoseconds)) = attributes.mtime {
        let at = Timespec { tv_sec: seconds, tv_nsec: nanoseconds.into() };
        rustix::fs::futimens(file, &Timestamps { last_access: at, last_modification: at })?;
    }
    Ok(())
}

fn append_in_place(dst: &Place<'_>, old: &Stat, fill: Fill<'_>) -> Result<Written, Failure> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&dst.dir, dst.name, flags, Mode::empty()).map_err(|e| dst.failed(e))?;
    let file = File::from(fd);
    let mut first: Option<(u64, blake3::Hash)> = None;
    loop {
        let done = fill_hashed(&file, fill).and_then(|now| match first {
            Some(before) if before != now => {
                Err(io::Error::other("the disk failed once and the content could not be produced again"))
            }
            _ => Ok(now),
        });
        let (bytes, hash) = match done {
            Ok(done) => done,
            Err(e) => {
                cut_back(&file, old);
                return Err(broken(dst, &e));
            }
        };
        if let Err(e) = file.sync_all() {
            cut_back(&file, old);
            if first.is_some() {
                return Err(broken(dst, &e));
            }
            first = Some((bytes, hash));
            continue;
        }
        let there = dst.present()?;
        if !super::same(&there, old) || size(&there) != size(old).saturating_add(bytes) {
            return Err(dst.conflict("it changed while it was written"));
        }
        return Ok(Written { bytes, blake3: hash.to_hex().to_string() });
    }
}

fn cut_back(file: &File, old: &Stat) {
    // The failure being reported is the one that matters; this is the best that can follow it.
    let _ = file.set_len(size(old));
}
