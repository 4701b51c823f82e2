//! A file being made where nobody looks: in the folder of what is kept, if a rename leads from there
//! to the destination, else beside the destination. It gets its name when it is whole, on disk and
//! checked.

use super::place::{self, Place, beside_name, failed, temporary_name};
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// The buffer of copies and digests.
pub(super) const CHUNK: usize = 256 << 10;

/// The temporary file. Dropping it before [`Stage::publish`] removes it.
pub(super) struct Stage<'a> {
    place: &'a Place<'a>,
    /// The folder it is made in.
    dir: BorrowedFd<'a>,
    name: OsString,
    /// Open for writing, and for reading where the fence lets us.
    pub(super) file: File,
    readable: bool,
    published: bool,
}

impl<'a> Stage<'a> {
    /// An empty file for `place`, with `mode` less the umask: at `spot`, or else beside `place`, under
    /// the name that `kept` gives it.
    pub(super) fn new(
        place: &'a Place<'a>,
        spot: Option<&'a Place<'a>>,
        kept: Option<&Path>,
        mode: u32,
    ) -> Result<Self, Failure> {
        let dir = spot.unwrap_or(place).dir.as_fd();
        let create = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode);
        let mut access = OFlags::RDWR;
        for _ in 0..100 {
            let beside = || OsString::from(kept.map_or_else(temporary_name, beside_name));
            let name = spot.map_or_else(beside, |spot| spot.name.to_owned());
            match rustix::fs::openat(dir, &name, create | access, mode) {
                Ok(fd) => {
                    let readable = access == OFlags::RDWR;
                    return Ok(Self { place, dir, name, file: File::from(fd), readable, published: false });
                }
                Err(Errno::EXIST) if spot.is_some() => return Err(spot.unwrap_or(place).occupied()),
                // What stands under that name is what a crash left of this very operation.
                Err(Errno::EXIST) if kept.is_some() => {
                    rustix::fs::unlinkat(dir, &name, AtFlags::empty()).map_err(|e| place.failed(e))?;
                }
                Err(Errno::EXIST) => {}
                Err(Errno::ACCESS) if access == OFlags::RDWR => access = OFlags::WRONLY,
                Err(e) => return Err(place.failed(e)),
            }
        }
        Err(Failure::internal(format!("{}: no free temporary name", place.path.display())))
    }

    /// True when the file can be read back to check it.
    pub(super) fn readable(&self) -> bool {
        self.readable
    }

    /// Waits until content and attributes are on disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        #[cfg(test)]
        faults::strike()?;
        self.file.sync_all()
    }

    /// The digest of the first `len` bytes as they stand; fails when there are more or fewer.
    pub(super) fn digest(&mut self, from: u64, len: u64) -> io::Result<blake3::Hash> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; CHUNK];
        let mut seen = 0u64;
        loop {
            let n = self.file.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            hasher.update(&buffer[..n]);
            seen = seen.saturating_add(n as u64);
        }
        if seen != len {
            return Err(io::Error::other(format!("{seen} bytes are there where {len} were written")));
        }
        Ok(hasher.finalize())
    }

    /// Gives the file its name and checks that it is there with `len` bytes.
    pub(super) fn publish(mut self, over: Over, len: u64) -> Result<(), Failure> {
        let place = self.place;
        let staged = rustix::fs::fstat(&self.file).map_err(|e| place.failed(e))?;
        match over {
            Over::Nothing => rename_noreplace(self.dir, self.name.as_ref(), &staged, place)?,
            Over::Kept => {
                rustix::fs::renameat(self.dir, &self.name, &place.dir, place.name)
                    .map_err(|e| place.failed(e))?;
            }
            Over::Swap => {
                rustix::fs::renameat_with(
                    self.dir,
                    &self.name,
                    &place.dir,
                    place.name,
                    RenameFlags::EXCHANGE,
                )
                .map_err(|e| place.failed(e))?;
            }
        }
        self.published = true;
        let there = place.present()?;
        if !place::same(&there, &staged) || place::size(&there) != len {
            return Err(place.conflict("another file took its place while it was written"));
        }
        Ok(())
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        if !self.published {
            // Nothing more can be done about a leftover than trying.
            let _ = rustix::fs::unlinkat(self.dir, &self.name, AtFlags::empty());
        }
    }
}

/// What stands at the destination of a staged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// Nothing, and it stays an error if something does.
    Nothing,
    /// A file of which a copy is kept: it is replaced.
    Kept,
    /// A file that changes places with the staged one, in one step: it is kept where that was.
    Swap,
}

/// Renames without ever replacing. File systems without `RENAME_NOREPLACE` answer `EINVAL`: there
/// a hard link followed by an unlink is as strict, for anything but a directory. Where links do
/// not exist either (FAT), the check comes before the rename and a race of microseconds remains.
pub(super) fn rename_noreplace(
    from_dir: BorrowedFd<'_>,
    from: &std::ffi::OsStr,
    moved: &Stat,
    to: &Place<'_>,
) -> Result<(), Failure> {
    match rename_noreplace_raw(from_dir, from, moved, to) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(to.occupied()),
        Err(Errno::INVAL) => {
            Err(Failure::wrong_args(format!("{}: cannot be moved into itself", to.path.display())))
        }
        Err(e) => Err(failed(to.path, e)),
    }
}

/// [`rename_noreplace`] with the kernel's own word for what went wrong.
pub(super) fn rename_noreplace_raw(
    from_dir: BorrowedFd<'_>,
    from: &std::ffi::OsStr,
    moved: &Stat,
    to: &Place<'_>,
) -> Result<(), Errno> {
    match rustix::fs::renameat_with(from_dir, from, &to.dir, to.name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {}
        other => return other,
    }
    if place::kind(moved) != FileType::Directory {
        match rustix::fs::linkat(from_dir, from, &to.dir, to.name, AtFlags::empty()) {
            Ok(()) => return rustix::fs::unlinkat(from_dir, from, AtFlags::empty()),
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK | Errno::NOSYS) => {}
            Err(e) => return Err(e),
        }
    }
    match rustix::fs::statat(&to.dir, to.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(from_dir, from, &to.dir, to.name),
        Err(e) => Err(e),
    }
}

/// Counts and digests what passes through.
pub(super) struct Hashing<W> {
    inner: W,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    /// Everything written goes on to `inner`.
    pub(super) fn new(inner: W) -> Self {
        Self { inner, hasher: blake3::Hasher::new(), bytes: 0 }
    }

    /// How much passed, and its digest.
    pub(super) fn done(&self) -> (u64, blake3::Hash) {
        (self.bytes, self.hasher.finalize())
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buf)?;
        self.hasher.update(buf.get(..n).unwrap_or(buf));
        self.bytes = self.bytes.saturating_add(n as u64);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Runs `fill` over a buffered, hashing writer on `file` and flushes it.
pub(super) fn fill_hashed(
    file: &File,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<(u64, blake3::Hash)> {
    let mut writer = BufWriter::with_capacity(CHUNK, Hashing::new(file));
    fill(&mut writer)?;
    writer.flush()?;
    Ok(writer.get_ref().done())
}

/// What an error while producing or checking content of `place` amounts to. Disk errors keep
/// their class; anything else the producer says is its own.
pub(super) fn broken(place: &Place<'_>, error: &io::Error) -> Failure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()) {
        Some(failure) => failure.clone(),
        None if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
            Failure::new(ErrorClass::Internal, format!("{}: the disk failed: {error}", place.path.display()))
        }
        None => Failure::io(place.path.display(), error),
    }
}

/// Disks that fail on demand: no test can break a real one.
#[cfg(test)]
pub(super) mod faults {
    use std::cell::Cell;

    thread_local!(static LEFT: Cell<u32> = const { Cell::new(0) });

    /// The next `n` syncs of this thread fail.
    pub(crate) fn arm(n: u32) {
        LEFT.set(n);
    }

    pub(super) fn strike() -> std::io::Result<()> {
        match LEFT.get().checked_sub(1) {
            Some(left) => {
                LEFT.set(left);
                Err(rustix::io::Errno::IO.into())
            }
            None => Ok(()),
        }
    }
}
