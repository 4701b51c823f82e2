//! Reading and writing files so that neither a crash nor a hostile link matters.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What identifies one state of a file or directory without reading it. The change time cannot be
/// set by anyone, so an edit that restores size and modification time still shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    dev: u64,
    ino: u64,
    size: i64,
    mtime: (i64, i64),
    ctime: (i64, i64),
}

impl Stamp {
    fn of(stat: &Stat) -> Self {
        // The widths of these fields differ between architectures.
        #[allow(clippy::unnecessary_cast, reason = "the fields have other widths elsewhere")]
        Self {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            size: stat.st_size as i64,
            mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// The state of `path` now; `None` when it is not there. Links are not followed.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        rustix::fs::lstat(path).ok().map(|stat| Self::of(&stat))
    }

    /// False when the last change is so fresh that another one could carry the same time.
    pub(crate) fn is_settled(&self) -> bool {
        const GRAIN_NS: i128 = 100_000_000;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(0, |d| i128::try_from(d.as_nanos()).unwrap_or(0));
        let changed = i128::from(self.ctime.0) * 1_000_000_000 + i128::from(self.ctime.1);
        now - changed > GRAIN_NS
    }
}

/// Opens a directory that is one, not a link to one.
pub(crate) fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// The same below an open directory.
pub(crate) fn open_dir_at(dir: impl AsFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    Ok(rustix::fs::openat(dir, name, flags, Mode::empty())?)
}

/// Reads a regular file of at most `max` bytes, once. A link, a pipe or a device is refused.
pub(crate) fn read_at(dir: impl AsFd, name: &str, max: usize) -> io::Result<(Vec<u8>, Stamp)> {
    // NONBLOCK, so that a pipe put in place of the file cannot make us wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::openat(dir, name, flags, Mode::empty()).map_err(|error| match error {
        rustix::io::Errno::LOOP => invalid("is a symbolic link, expected a regular file"),
        other => other.into(),
    })?;
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(invalid("is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::from(file).take(max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        return Err(invalid(&format!("is longer than the maximum of {max} bytes")));
    }
    Ok((bytes, Stamp::of(&stat)))
}

/// Reads a file by path with the same refusals.
pub(crate) fn read(path: &Path, max: usize) -> io::Result<(Vec<u8>, Stamp)> {
    let (parent, name) = split(path)?;
    read_at(open_dir(parent)?, name, max)
}

/// Replaces or creates a file as a whole: after a crash it is the old one or the new one.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let (parent, _) = split(path)?;
    let temp = write_temp(path, bytes, mode)?;
    std::fs::rename(&temp, path).inspect_err(|_| drop(std::fs::remove_file(&temp)))?;
    sync_dir(parent)
}

/// Creates a file as a whole; fails if something is there.
pub(crate) fn create_atomic(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let (parent, _) = split(path)?;
    let temp = write_temp(path, bytes, mode)?;
    rename_new(&temp, path).inspect_err(|_| drop(std::fs::remove_file(&temp)))?;
    sync_dir(parent)
}

fn write_temp(path: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    let (parent, name) = split(path)?;
    let temp = parent.join(format!(".{name}.{}.tmp", crate::Ulid::new()));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(&temp, flags, Mode::from_raw_mode(mode))?);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.inspect_err(|_| drop(std::fs::remove_file(&temp)))?;
    Ok(temp)
}

/// Renames, never over something.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let cwd = rustix::fs::CWD;
    Ok(rustix::fs::renameat_with(cwd, from, cwd, to, RenameFlags::NOREPLACE)?)
}

/// Makes the names in a directory durable.
pub(crate) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Creates a directory and its parents, and makes their names durable.
pub(crate) fn make_dirs(path: &Path) -> io::Result<()> {
    if Stamp::at(path).is_some() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_dirs(parent)?;
        match std::fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => sync_dir(parent)?,
        }
    }
    Ok(())
}

/// The names in a directory that are text; an absent directory has none.
pub(crate) fn names(path: &Path) -> io::Result<Vec<String>> {
    let mut all = Vec::new();
    let entries = match std::fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(all),
        other => other?,
    };
    for entry in entries {
        all.extend(entry?.file_name().into_string());
    }
    all.sort();
    Ok(all)
}

/// True when something, also a dangling link, has this name.
pub(crate) fn exists(path: &Path) -> bool {
    rustix::fs::statat(rustix::fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

fn split(path: &Path) -> io::Result<(&Path, &str)> {
    let name = path.file_name().and_then(OsStr::to_str);
    match (path.parent(), name) {
        (Some(parent), Some(name)) => Ok((parent, name)),
        _ => Err(invalid("is not the path of a file")),
    }
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_owned())
}
