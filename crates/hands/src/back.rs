//! The inverse of each operation. Every one is a single step of the kernel or can be repeated: after
//! a crash in between, asking again finishes it. None follows a link, none replaces what it does not
//! know. Names are on disk once what was touched is synced.

use crate::place::{Place, beside_name, kind, size};
use crate::touched::Touched;
use crate::{Fact, copy, keep::near, made, stage};
use metnos_executor::Failure;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Timespec, Timestamps};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Puts `from` at `to`, which must be free: a rename, or a checked copy where a rename cannot go. A copy
/// is told beside `kept`, as [`told`] names it, so that it is known again after a crash.
pub fn move_back(from: &Path, to: &Path, kept: &Path, touched: &mut Touched) -> Result<(), Failure> {
    let (from, to) = (Place::strict(from)?, Place::strict(to)?);
    let before = from.present()?;
    match stage::rename_noreplace_raw(from.dir.as_fd(), from.name, &before, &to) {
        Ok(()) => {}
        Err(Errno::EXIST | Errno::NOTEMPTY) => return Err(to.occupied()),
        Err(Errno::XDEV) => copy_back(&from, &to, kept, touched)?,
        Err(e) => return Err(from.failed(e)),
    }
    touched.gain(to.path);
    touched.lose(from.path);
    Ok(())
}

/// The name under which a copy is told that reverses the operation which keeps things at `kept`.
pub fn told(kept: &Path) -> PathBuf {
    let mut name = OsString::from("back-");
    name.push(kept.file_name().unwrap_or_default());
    kept.with_file_name(name)
}

fn copy_back(from: &Place<'_>, to: &Place<'_>, kept: &Path, touched: &mut Touched) -> Result<(), Failure> {
    let name = told(kept);
    // An empty folder for what is kept may be gone; then there is nowhere to tell it.
    let told = Place::strict(&name).ok();
    match kind(&from.present()?) {
        FileType::RegularFile => {
            copy::copy_file(from, to, None, told.as_ref(), Some(&name), true)?;
        }
        FileType::Symlink => {
            copy::copy_link(from, to, told.as_ref(), Some(&name))?;
        }
        _ => return Err(from.conflict("it cannot be copied to another file system")),
    }
    // With the folders on the way to it, which may have been made just now.
    touched.gain(to.path);
    touched.sync_gained()?;
    rustix::fs::unlinkat(&from.dir, from.name, AtFlags::empty()).map_err(|e| from.failed(e))
}

/// Lets `kept` and what stands at `path` change places, so that `kept` then holds the newer one.
pub fn swap_back(kept: &Path, path: &Path, touched: &mut Touched) -> Result<(), Failure> {
    let (kept, place) = (Place::strict(kept)?, Place::strict(path)?);
    if near(&kept, &place) {
        let swapped =
            rustix::fs::renameat_with(&kept.dir, kept.name, &place.dir, place.name, RenameFlags::EXCHANGE);
        match swapped {
            Ok(()) => {
                touched.gain(place.path);
                touched.gain(kept.path);
                return Ok(());
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::XDEV) => {}
            Err(e) => return Err(place.failed(e)),
        }
    }
    // The older one is copied beside its place and takes it in one step.
    let beside = place.path.with_file_name(beside_name(kept.path));
    let beside = Place::strict(&beside)?;
    // What an earlier attempt left there is such a copy too.
    let _ = rustix::fs::unlinkat(&beside.dir, beside.name, AtFlags::empty());
    let told = told(kept.path);
    copy::copy_file(&kept, &beside, None, Some(&Place::strict(&told)?), Some(&told), true)?;
    rustix::fs::renameat(&beside.dir, beside.name, &place.dir, place.name).map_err(|e| place.failed(e))?;
    touched.gain(place.path);
    touched.sync_gained()?;
    rustix::fs::unlinkat(&kept.dir, kept.name, AtFlags::empty()).map_err(|e| kept.failed(e))
}

/// Removes what a crash left beside `path` of the operation that keeps things at `kept`, or of its
/// inverse.
pub fn sweep(path: &Path, kept: &Path) {
    for name in [beside_name(kept), beside_name(&told(kept))] {
        if let Ok(left) = Place::strict(&path.with_file_name(name)) {
            // Nothing more can be done about a leftover than trying.
            let _ = rustix::fs::unlinkat(&left.dir, left.name, AtFlags::empty());
            let _ = rustix::fs::unlinkat(&left.dir, left.name, AtFlags::REMOVEDIR);
        }
    }
}

/// Removes a file or link for good; one that is gone already is no error.
pub fn remove(path: &Path, touched: &mut Touched) -> Result<(), Failure> {
    let place = Place::strict(path)?;
    match rustix::fs::unlinkat(&place.dir, place.name, AtFlags::empty()) {
        Ok(()) => {
            touched.lose(place.path);
            Ok(())
        }
        Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(place.failed(e)),
    }
}

/// Removes an empty directory; `false` when something is in it.
pub fn remove_dir(path: &Path, touched: &mut Touched) -> Result<bool, Failure> {
    let place = Place::strict(path)?;
    match rustix::fs::unlinkat(&place.dir, place.name, AtFlags::REMOVEDIR) {
        Ok(()) => {
            touched.forget(place.path);
            touched.lose(place.path);
            Ok(true)
        }
        Err(Errno::NOENT) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST | Errno::BUSY) => Ok(false),
        Err(e) => Err(place.failed(e)),
    }
}

/// Makes a directory again, as `was` it: at `kept` first, so that it is never seen with other rights. It is
/// told like a copy: whoever looks after a crash must not take it for one that the call made.
pub fn make_dir(path: &Path, was: &Fact, kept: &Path, touched: &mut Touched) -> Result<(), Failure> {
    let place = Place::strict(path)?;
    if let Ok(kept) = Place::strict(kept)
        && near(&kept, &place)
        && place.stat()?.is_none()
    {
        dress_dir(&kept, was)?;
        let made = kept.present()?;
        tell_dir(&kept, kept.path)?;
        return match stage::rename_noreplace_raw(kept.dir.as_fd(), kept.name, &made, &place) {
            Ok(()) => {
                touched.gain(place.path);
                Ok(())
            }
            Err(Errno::EXIST | Errno::NOTEMPTY) => Err(place.occupied()),
            Err(e) => Err(place.failed(e)),
        };
    }
    // Beside its place, so that a crash never leaves it there with other rights.
    let beside = place.path.with_file_name(beside_name(&told(kept)));
    let beside = Place::strict(&beside)?;
    dress_dir(&beside, was)?;
    tell_dir(&beside, kept)?;
    let made = beside.present()?;
    match stage::rename_noreplace_raw(beside.dir.as_fd(), beside.name, &made, &place) {
        Ok(()) => {
            touched.gain(place.path);
            Ok(())
        }
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(place.occupied()),
        Err(e) => Err(place.failed(e)),
    }
}

/// An empty folder for what is kept may be gone; then there is nowhere to tell it.
fn tell_dir(made: &Place<'_>, kept: &Path) -> Result<(), Failure> {
    match Place::strict(&told(kept)) {
        Ok(told) => made::note(&told, Fact::named(&made.dir, made.name).map_err(io::Error::from)),
        Err(_) => Ok(()),
    }
}

/// A directory with the rights it had, on disk.
fn dress_dir(place: &Place<'_>, was: &Fact) -> Result<(), Failure> {
    match rustix::fs::mkdirat(&place.dir, place.name, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(e) => return Err(place.failed(e)),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir =
        rustix::fs::openat(&place.dir, place.name, flags, Mode::empty()).map_err(|e| place.failed(e))?;
    rustix::fs::fchmod(&dir, Mode::from_raw_mode(was.mode & 0o3777)).map_err(|e| place.failed(e))?;
    rustix::fs::fsync(&dir).map_err(|e| place.failed(e))
}

/// Gives a directory the time it had, after everything in it is back.
pub fn set_time(path: &Path, was: &Fact) -> Result<(), Failure> {
    let place = Place::strict(path)?;
    let at = Timespec { tv_sec: was.mtime.0, tv_nsec: was.mtime.1.into() };
    let now = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    let times = Timestamps { last_access: now, last_modification: at };
    rustix::fs::utimensat(&place.dir, place.name, &times, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|e| place.failed(e))
}

/// Cuts a file that grew in place back to the length it had, if it is still as `grown`.
pub fn cut_back(path: &Path, was: &Fact, grown: &Fact) -> Result<(), Failure> {
    let place = Place::strict(path)?;
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&place.dir, place.name, flags, Mode::empty()).map_err(|e| place.failed(e))?;
    let now = rustix::fs::fstat(&fd).map_err(|e| place.failed(e))?;
    if !Fact::from(&now).is(was) || size(&now) != grown.size || grown.size < was.size {
        return Err(place.conflict("it changed since"));
    }
    rustix::fs::ftruncate(&fd, was.size).map_err(|e| place.failed(e))?;
    let at = Timespec { tv_sec: was.mtime.0, tv_nsec: was.mtime.1.into() };
    let keep = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    rustix::fs::futimens(&fd, &Timestamps { last_access: keep, last_modification: at })
        .map_err(|e| place.failed(e))?;
    rustix::fs::fsync(&fd).map_err(|e| place.failed(e))
}

/// True when both are files with the same bytes, or links to the same target. No link is followed.
pub fn is_equal(a: &Path, b: &Path) -> io::Result<bool> {
    let (is_link, other) =
        (std::fs::symlink_metadata(a)?.is_symlink(), std::fs::symlink_metadata(b)?.is_symlink());
    if is_link || other {
        return Ok(is_link && other && std::fs::read_link(a)? == std::fs::read_link(b)?);
    }
    let open = |path: &Path| {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map(File::from)
    };
    let digest = |mut file: File| -> io::Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        Ok(hasher.finalize())
    };
    Ok(digest(open(a)?)? == digest(open(b)?)?)
}
