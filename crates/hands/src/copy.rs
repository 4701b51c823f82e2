//! Copies of one regular file that keep what the file was: content, holes, mode, times and
//! extended attributes.

use super::place::{Place, beside_name, kind, size, temporary_name};
use super::stage::{CHUNK, Over, Stage, broken, rename_noreplace};
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps, XattrFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Copies `src` to `dst`, which must be free. Both are digested before the copy gets its name. It is
/// made at `spot` if one is given, and told to whoever looks into the folder of `told`.
pub(super) fn copy_file(
    src: &Place<'_>,
    dst: &Place<'_>,
    spot: Option<&Place<'_>>,
    told: Option<&Place<'_>>,
    beside: Option<&Path>,
    must_verify: bool,
) -> Result<super::Written, Failure> {
    if dst.stat()?.is_some() {
        return Err(dst.occupied());
    }
    let (mut source, before) = open_regular(src)?;
    let mut second_try = false;
    loop {
        let mut stage = Stage::new(dst, spot, beside, 0o600)?;
        source.rewind().map_err(|e| broken(src, &e))?;
        let (bytes, hash) = copy_content(&mut source, &before, &stage.file).map_err(|e| broken(dst, &e))?;
        copy_attributes(&source, &before, &stage.file).map_err(|e| broken(dst, &e))?;
        if let Err(e) = stage.sync() {
            // Pages of a failed sync may be marked clean and lost: only a fresh file tells the truth.
            if second_try {
                return Err(broken(dst, &e));
            }
            second_try = true;
            continue;
        }
        if stage.readable() {
            let there = stage.digest(0, bytes).map_err(|e| broken(dst, &e))?;
            if there != hash {
                return Err(Failure::internal(format!("{}: the copy differs", dst.path.display())));
            }
        } else if must_verify {
            return Err(Failure::new(
                ErrorClass::PermissionDenied,
                format!("{}: the copy cannot be read back to check it", dst.path.display()),
            ));
        }
        // Reading it back moved the access time.
        set_times(&before, &stage.file).map_err(|e| broken(dst, &e))?;
        let after = rustix::fs::fstat(&source).map_err(|e| src.failed(e))?;
        let changed = size(&after) != size(&before)
            || after.st_mtime != before.st_mtime
            || after.st_mtime_nsec != before.st_mtime_nsec;
        if changed || bytes != size(&before) {
            return Err(src.conflict("it changed while it was copied"));
        }
        if let Some(kept) = told {
            super::made::note(kept, super::Fact::of(&stage.file))?;
        }
        stage.publish(Over::Nothing, bytes)?;
        return Ok(super::Written { bytes, blake3: hash.to_hex().to_string() });
    }
}

/// Makes the symbolic link `src` again at `dst`, which must be free, with its time: what has the same
/// time is recognised later. It gets its name when it is whole, and is told like a copy of a file. Returns
/// the length of its target.
pub(super) fn copy_link(
    src: &Place<'_>,
    dst: &Place<'_>,
    told: Option<&Place<'_>>,
    beside: Option<&Path>,
) -> Result<u64, Failure> {
    let before = src.present()?;
    let target = rustix::fs::readlinkat(&src.dir, src.name, Vec::new()).map_err(|e| src.failed(e))?;
    make_link(OsStr::from_bytes(target.as_bytes()), dst, Some(&times(&before)), told, beside)?;
    Ok(target.as_bytes().len() as u64)
}

/// Makes a link to `target` at `dst`, which must be free. It gets its name when it is whole, and is told.
pub(super) fn make_link(
    target: &OsStr,
    dst: &Place<'_>,
    times: Option<&Timestamps>,
    told: Option<&Place<'_>>,
    beside: Option<&Path>,
) -> Result<(), Failure> {
    let name = OsString::from(beside.map_or_else(temporary_name, beside_name));
    // What a crash left of this very operation.
    let _ = rustix::fs::unlinkat(&dst.dir, &name, AtFlags::empty());
    rustix::fs::symlinkat(target, &dst.dir, &name).map_err(|e| dst.failed(e))?;
    let dated = match times {
        Some(times) => rustix::fs::utimensat(&dst.dir, &name, times, AtFlags::SYMLINK_NOFOLLOW),
        None => Ok(()),
    };
    let named = dated
        .and_then(|()| rustix::fs::statat(&dst.dir, &name, AtFlags::SYMLINK_NOFOLLOW))
        .map_err(|e| dst.failed(e))
        .and_then(|made| match told {
            Some(kept) => {
                let fact = super::Fact::named(&dst.dir, &name).map_err(io::Error::from);
                super::made::note(kept, fact).map(|()| made)
            }
            None => Ok(made),
        })
        .and_then(|made| rename_noreplace(dst.dir.as_fd(), &name, &made, dst));
    if named.is_err() {
        // The failure being reported is the one that matters.
        let _ = rustix::fs::unlinkat(&dst.dir, &name, AtFlags::empty());
    }
    named
}

/// Opens a regular file without following a link and without waiting on a pipe.
fn open_regular(src: &Place<'_>) -> Result<(File, Stat), Failure> {
    let found = src.present()?;
    if kind(&found) != FileType::RegularFile {
        return Err(Failure::wrong_args(format!("{}: not a regular file", src.path.display())));
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&src.dir, src.name, flags, Mode::empty()).map_err(|e| src.failed(e))?;
    let stat = rustix::fs::fstat(&fd).map_err(|e| src.failed(e))?;
    if kind(&stat) != FileType::RegularFile {
        return Err(src.conflict("it was swapped for something else"));
    }
    Ok((File::from(fd), stat))
}

/// Copies and digests; a source with holes gets a copy with holes.
fn copy_content(source: &mut File, stat: &Stat, target: &File) -> io::Result<(u64, blake3::Hash)> {
    let sparse = u64::try_from(stat.st_blocks).unwrap_or(u64::MAX).saturating_mul(512) < size(stat);
    let mut target = target;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; CHUNK];
    let mut bytes = 0u64;
    loop {
        let n = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let chunk = &buffer[..n];
        hasher.update(chunk);
        if sparse && chunk.iter().all(|b| *b == 0) {
            target.seek(SeekFrom::Current(n as i64))?;
        } else {
            target.write_all(chunk)?;
        }
        bytes = bytes.saturating_add(n as u64);
    }
    if sparse {
        target.set_len(bytes)?;
    }
    Ok((bytes, hasher.finalize()))
}

/// Mode, times and extended attributes. Attributes the file system or the kernel does not let us
/// set are left out: they are labels of the place rather than of the file.
fn copy_attributes(source: &File, stat: &Stat, target: &File) -> io::Result<()> {
    copy_xattrs(source, target);
    let owner = rustix::fs::fstat(target)?;
    let mut mode = stat.st_mode & 0o7777;
    if owner.st_uid != stat.st_uid || owner.st_gid != stat.st_gid {
        // Running as somebody else than its owner must not start with the copy.
        mode &= 0o1777;
    }
    rustix::fs::fchmod(target, Mode::from_raw_mode(mode))?;
    set_times(stat, target)
}

fn set_times(stat: &Stat, target: &File) -> io::Result<()> {
    Ok(rustix::fs::futimens(target, &times(stat))?)
}

fn times(stat: &Stat) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: stat.st_atime, tv_nsec: stat.st_atime_nsec as _ },
        last_modification: Timespec { tv_sec: stat.st_mtime, tv_nsec: stat.st_mtime_nsec as _ },
    }
}

fn copy_xattrs(source: &File, target: &File) {
    const MOST: usize = 64 << 10;
    let mut names = vec![0u8; MOST];
    let Ok(len) = rustix::fs::flistxattr(source, names.as_mut_slice()) else { return };
    let mut value = vec![0u8; MOST];
    for name in names[..len.min(MOST)].split(|b| *b == 0).filter(|n| !n.is_empty()) {
        if let Ok(n) = rustix::fs::fgetxattr(source, name, value.as_mut_slice()) {
            let _ = rustix::fs::fsetxattr(target, name, &value[..n.min(MOST)], XattrFlags::empty());
        }
    }
}
