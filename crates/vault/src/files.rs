//! Files that are either wholly there or not at all, and the lock that keeps writers apart.

use crate::VaultError;
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// How the name of an unfinished file ends.
pub(crate) const UNFINISHED: &str = ".tmp";

/// Creates `dir` and its parents, for the owner only, and makes their names durable.
pub(crate) fn make_dirs(dir: &Path) -> Result<(), VaultError> {
    if dir.is_dir() {
        return Ok(());
    }
    let Some(parent) = dir.parent() else { return Ok(()) };
    make_dirs(parent)?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(VaultError::io(dir)(error)),
        _ => sync_dir(parent),
    }
}

fn sync_dir(dir: &Path) -> Result<(), VaultError> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(VaultError::io(dir))
}

/// A file as it was read.
pub(crate) struct Content {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    pub(crate) stat: Stat,
}

/// Reads a regular file of at most `max` bytes; `None` when nothing has this name.
pub(crate) fn read(path: &Path, max: usize) -> Result<Option<Content>, VaultError> {
    let failed = |error: io::Error| VaultError::io(path)(error);
    // NONBLOCK, so that a pipe put in place of the file cannot make us wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return Err(failed(invalid("is a symbolic link"))),
        other => other.map_err(|e| failed(e.into()))?,
    };
    let stat = rustix::fs::fstat(&file).map_err(|e| failed(e.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(failed(invalid("is not a regular file")));
    }
    let size = usize::try_from(stat.st_size).unwrap_or(usize::MAX);
    if size > max {
        return Err(failed(invalid(&format!("is longer than the maximum of {max} bytes"))));
    }
    // Exactly the size it had: a buffer that grows would leave a copy of a key behind.
    let mut bytes = Zeroizing::new(vec![0; size]);
    File::from(file).read_exact(&mut bytes).map_err(failed)?;
    Ok(Some(Content { bytes, stat }))
}

/// Replaces or creates a file as a whole. The caller holds the lock.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    put(path, bytes, RenameFlags::empty())
}

/// Creates a file as a whole, never over one. The caller holds the lock.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    put(path, bytes, RenameFlags::NOREPLACE)
}

fn put(path: &Path, bytes: &[u8], how: RenameFlags) -> Result<(), VaultError> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(VaultError::io(path)(invalid("is not the path of a file")));
    };
    let temp = dir.join(format!(".{}{UNFINISHED}", name.to_string_lossy()));
    // What a crash left may have another mode or owner; a fresh file has neither.
    remove(&temp)?;
    let written = (|| {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&temp, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(bytes)?;
        file.sync_all()?;
        let cwd = rustix::fs::CWD;
        Ok(rustix::fs::renameat_with(cwd, &temp, cwd, path, how)?)
    })();
    if let Err(error) = written {
        // The name was never taken, so a leftover is swept by the next writer.
        let _ = std::fs::remove_file(&temp);
        return Err(VaultError::io(path)(error));
    }
    sync_dir(dir)
}

/// Removes a file; fine when there is none.
pub(crate) fn remove(path: &Path) -> Result<(), VaultError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(VaultError::io(path)(error)),
        _ => Ok(()),
    }
}

/// The names in `dir` that are text.
pub(crate) fn names(dir: &Path) -> Result<Vec<String>, VaultError> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(VaultError::io(dir))? {
        all.extend(entry.map_err(VaultError::io(dir))?.file_name().into_string());
    }
    Ok(all)
}

/// Held while reading (together with other readers) or changing (alone). Ends with the process.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for readers to be done and keeps everybody out.
    pub(crate) fn alone(path: &Path) -> Result<Self, VaultError> {
        Self::take(path, FlockOperation::LockExclusive)
    }

    /// Waits for a writer to be done and keeps writers out.
    pub(crate) fn shared(path: &Path) -> Result<Self, VaultError> {
        Self::take(path, FlockOperation::LockShared)
    }

    fn take(path: &Path, how: FlockOperation) -> Result<Self, VaultError> {
        // Opened anew each time, because threads that share an open file also share its lock.
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let taken = (|| {
            let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
            loop {
                match rustix::fs::flock(&file, how) {
                    Err(rustix::io::Errno::INTR) => continue,
                    other => break other?,
                }
            }
            Ok(Self { _file: file })
        })();
        taken.map_err(VaultError::io(path))
    }
}

/// The path of the credential with this version.
pub(crate) fn credential_path(dir: &Path, version: u64) -> PathBuf {
    dir.join(format!("{version}.cred"))
}

/// The version in the name of a credential's file.
pub(crate) fn credential_version(name: &str) -> Option<u64> {
    name.strip_suffix(".cred")?.parse().ok()
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_owned())
}
