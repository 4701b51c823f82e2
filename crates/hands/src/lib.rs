//! The only code of the seeds that changes the world. Hands exist only for an approved intent,
//! and perform its operations and no others: by index, of the kind it says, each at most once.
//!
//! Each operation is checked after the act. Content is written where nobody looks, synced, digested
//! and then renamed, so a crash leaves the old state or the new one. What an operation takes away is
//! kept in the call's own folder: nothing here destroys. Directories are synced once for the whole
//! batch by [`Hands::finish`], or when the hands are dropped.

pub mod back;
mod copy;
mod eyes;
mod fact;
mod folders;
mod keep;
pub mod made;
mod place;
mod stage;
mod touched;
mod write;

pub use eyes::Eyes;
pub use fact::{Fact, Kind};
use folders::Folders;
use keep::{kept, near};
use metnos_executor::{Failure, Intent, Op, Permit, WriteMode};
use place::{Place, kind, same, size};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
pub use touched::Touched;
use touched::sync_dir;
pub use write::APPEND_BY_COPY;

/// The right to perform the operations of one intent.
pub struct Hands {
    intent: Intent,
    permit: Permit,
    done: Vec<bool>,
    touched: Touched,
    folders: Folders,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// How many bytes.
    pub bytes: u64,
    /// Their digest, in hexadecimal.
    pub blake3: String,
}

/// What a written file should look like beside its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Permission bits; those that run as somebody else are never set.
    pub mode: Option<u32>,
    /// Modification time: seconds since 1970, and nanoseconds.
    pub mtime: Option<(i64, u32)>,
}

impl Hands {
    /// The hands of an intent, once the daemon answered *go*.
    pub fn approved(intent: Intent, permit: Permit) -> Self {
        let done = vec![false; intent.ops.len()];
        Self { intent, permit, done, touched: Touched::default(), folders: Folders::default() }
    }

    /// What may be performed, in order.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Creates the directory of operation `i`; its parent must exist.
    pub fn make_dir(&mut self, i: usize) -> Result<(), Failure> {
        self.make_dir_as(i, None)
    }

    /// [`Hands::make_dir`] for one whose permission bits are given.
    pub fn make_dir_as(&mut self, i: usize, mode: Option<u32>) -> Result<(), Failure> {
        let Op::MakeDir { path } = self.take(i)? else { return Err(other_kind(i, "make_dir")) };
        self.folders.forget();
        let place = Place::of(&path.0)?;
        let wanted = mode.unwrap_or(0o777) & 0o777;
        match rustix::fs::mkdirat(&place.dir, place.name, Mode::from_raw_mode(wanted)) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Err(place.occupied()),
            Err(e) => return Err(place.failed(e)),
        }
        if kind(&place.present()?) != FileType::Directory {
            return Err(place.conflict("it was swapped for something else"));
        }
        // Told at once: several folders may come and go at one place.
        let dressed = match mode {
            Some(_) => dress_dir(&place, wanted),
            None => Ok(()),
        };
        let told = dressed.and_then(|()| kept(&self.permit, place.path, i)).and_then(|kept| {
            made::note(&Place::of(&kept)?, Fact::named(&place.dir, place.name).map_err(io::Error::from))
        });
        if told.is_err() {
            // Nobody could take it back later.
            let _ = rustix::fs::unlinkat(&place.dir, place.name, AtFlags::REMOVEDIR);
        }
        self.gain(place.path);
        told
    }

    /// Makes the symbolic link of operation `i`; never replaces.
    pub fn link(&mut self, i: usize) -> Result<(), Failure> {
        let Op::Link { dst, target } = self.take(i)? else { return Err(other_kind(i, "link")) };
        let dst = Place::of(&dst.0)?;
        let kept = kept(&self.permit, dst.path, i)?;
        copy::make_link(target.0.as_os_str(), &dst, None, Some(&Place::of(&kept)?), Some(&kept))?;
        self.gain(dst.path);
        match rustix::fs::readlinkat(&dst.dir, dst.name, Vec::new()) {
            Ok(there) if there.as_bytes() == target.0.as_os_str().as_encoded_bytes() => Ok(()),
            _ => Err(dst.conflict("something else took its place after it was made")),
        }
    }

    /// Moves or renames as operation `i` says; never replaces. Returns the size of what moved.
    /// Between file systems a file is copied, compared and only then removed; a directory is not
    /// moved there as one operation.
    pub fn rename(&mut self, i: usize) -> Result<u64, Failure> {
        let Op::Move { src, dst } = self.take(i)? else { return Err(other_kind(i, "rename")) };
        let (src, dst) = (self.folders.place(&src.0)?, self.folders.place(&dst.0)?);
        let before = src.present()?;
        if kind(&before) == FileType::Directory {
            self.folders.forget();
        }
        match stage::rename_noreplace_raw(src.dir.as_fd(), src.name, &before, &dst) {
            Ok(()) => {}
            Err(Errno::XDEV) => return self.rename_across(i, &src, &dst, &before),
            Err(Errno::EXIST | Errno::NOTEMPTY) => return Err(dst.occupied()),
            Err(Errno::INVAL) => {
                return Err(Failure::wrong_args(format!(
                    "{}: cannot be moved to {}",
                    src.path.display(),
                    dst.path.display()
                )));
            }
            // The kernel does not say which of the two it minds; a missing parent was noticed before.
            Err(e) => return Err(src.failed(e)),
        }
        self.gain(dst.path);
        self.lose(src.path);
        let there = dst.present()?;
        if !same(&there, &before) {
            return Err(dst.conflict("something else took its place after the move"));
        }
        if src.stat()?.is_some_and(|left| same(&left, &before)) {
            return Err(src.conflict("it is still there after the move"));
        }
        Ok(size(&there))
    }

    fn rename_across(
        &mut self,
        i: usize,
        src: &Place<'_>,
        dst: &Place<'_>,
        before: &Stat,
    ) -> Result<u64, Failure> {
        let bytes = match kind(before) {
            FileType::RegularFile => self.copied(i, src, dst, true)?.bytes,
            FileType::Symlink => {
                let kept = kept(&self.permit, dst.path, i)?;
                copy::copy_link(src, dst, Some(&Place::of(&kept)?), Some(&kept))?
            }
            _ if rustix::fs::fstat(&dst.dir).is_ok_and(|dir| dir.st_dev == before.st_dev) => {
                // One file system after all: it is the fence that says no.
                return Err(dst.failed(Errno::XDEV));
            }
            _ => {
                return Err(Failure::wrong_args(format!(
                    "{}: only files and links can be moved to another file system",
                    src.path.display()
                )));
            }
        };
        // The name at the destination, and of the folders it is in, must survive a crash before the source may go.
        self.gain(dst.path);
        self.touched.sync_gained()?;
        rustix::fs::unlinkat(&src.dir, src.name, AtFlags::empty()).map_err(|e| {
            // It did not move: one of the two has to go, and the copy is ours.
            let _ = rustix::fs::unlinkat(&dst.dir, dst.name, AtFlags::empty());
            src.failed(e)
        })?;
        self.lose(src.path);
        if src.stat()?.is_some() {
            return Err(src.conflict("it is still there after the move"));
        }
        Ok(bytes)
    }

    fn copied(&self, i: usize, src: &Place<'_>, dst: &Place<'_>, verify: bool) -> Result<Written, Failure> {
        let kept = kept(&self.permit, dst.path, i)?;
        let kept = Place::of(&kept)?;
        copy::copy_file(src, dst, near(&kept, dst).then_some(&kept), Some(&kept), Some(kept.path), verify)
    }

    /// Copies the regular file of operation `i` with its mode, times and attributes, or a link as the link it is;
    /// never replaces.
    pub fn copy(&mut self, i: usize) -> Result<Written, Failure> {
        let Op::Copy { src, dst } = self.take(i)? else { return Err(other_kind(i, "copy")) };
        let (src, dst) = (Place::of(&src.0)?, Place::of(&dst.0)?);
        let written = match kind(&src.present()?) {
            FileType::Symlink => {
                let kept = kept(&self.permit, dst.path, i)?;
                let target =
                    rustix::fs::readlinkat(&src.dir, src.name, Vec::new()).map_err(|e| src.failed(e))?;
                let blake3 = blake3::hash(target.as_bytes()).to_hex().to_string();
                Written { bytes: copy::copy_link(&src, &dst, Some(&Place::of(&kept)?), Some(&kept))?, blake3 }
            }
            _ => self.copied(i, &src, &dst, false)?,
        };
        self.gain(dst.path);
        Ok(written)
    }

    /// Gives the folder that operation `i` made the rights and the time of another. Its owner may always change what
    /// is in it: undo has to.
    pub fn dress_dir(&mut self, i: usize, attributes: Attributes) -> Result<(), Failure> {
        let (Some(Op::MakeDir { path }), Some(true)) = (self.intent.ops.get(i), self.done.get(i)) else {
            return Err(other_kind(i, "make_dir that was performed"));
        };
        let place = Place::of(&path.0)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir =
            rustix::fs::openat(&place.dir, place.name, flags, Mode::empty()).map_err(|e| place.failed(e))?;
        if let Some(mode) = attributes.mode {
            rustix::fs::fchmod(&dir, Mode::from_raw_mode(mode & 0o1777 | 0o700))
                .map_err(|e| place.failed(e))?;
        }
        if let Some((seconds, nanos)) = attributes.mtime {
            let at = Timespec { tv_sec: seconds, tv_nsec: nanos.into() };
            let times = Timestamps { last_access: at, last_modification: at };
            rustix::fs::futimens(&dir, &times).map_err(|e| place.failed(e))?;
        }
        // What was answered stays, also its rights.
        rustix::fs::fsync(&dir).map_err(|e| place.failed(e))
    }

    /// Writes the file of operation `i` with what `fill` produces.
    ///
    /// If the disk refuses to sync, the file is discarded and `fill` is asked once more; it must
    /// then produce the same bytes, else the write fails. An error of `fill` leaves no trace; a
    /// [`Failure`] wrapped with `io::Error::other` comes back as it is.
    pub fn write(
        &mut self,
        i: usize,
        fill: impl FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Written, Failure> {
        self.write_as(i, Attributes::default(), fill)
    }

    /// [`Hands::write`] for a file whose mode and time are given.
    pub fn write_as(
        &mut self,
        i: usize,
        attributes: Attributes,
        mut fill: impl FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Written, Failure> {
        let Op::Write { dst, mode } = self.take(i)? else { return Err(other_kind(i, "write")) };
        let dst = Place::of(&dst.0)?;
        let kept = kept(&self.permit, dst.path, i)?;
        let kept = Place::of(&kept)?;
        let written = match mode {
            WriteMode::Create => write::create(&dst, &kept, attributes, &mut fill)?,
            WriteMode::Overwrite => write::overwrite(&dst, &kept, attributes, &mut fill)?,
            WriteMode::Append => write::append(&dst, &kept, attributes, &mut fill)?,
        };
        self.gain(kept.path);
        self.gain(dst.path);
        Ok(written)
    }

    /// Takes away the file or link of operation `i` and keeps it. Returns its size.
    pub fn delete(&mut self, i: usize) -> Result<u64, Failure> {
        let Op::Delete { path } = self.take(i)? else { return Err(other_kind(i, "delete")) };
        let place = self.folders.place(&path.0)?;
        let before = place.present()?;
        if kind(&before) == FileType::Directory {
            return Err(Failure::wrong_args(format!("{}: a directory", place.path.display())));
        }
        let kept = kept(&self.permit, place.path, i)?;
        let kept = self.folders.place(&kept)?;
        let renamed = match near(&kept, &place) {
            true => stage::rename_noreplace_raw(place.dir.as_fd(), place.name, &before, &kept),
            false => Err(Errno::XDEV),
        };
        match renamed {
            Ok(()) => self.gain(kept.path),
            Err(Errno::XDEV) => self.keep_copy(&place, &kept, &before)?,
            Err(Errno::EXIST) => return Err(kept.occupied()),
            Err(e) => return Err(place.failed(e)),
        }
        self.lose(place.path);
        gone(&place)?;
        Ok(size(&before))
    }

    /// Keeps what cannot be renamed: a copy, checked and on disk, before the original goes.
    fn keep_copy(&mut self, place: &Place<'_>, kept: &Place<'_>, before: &Stat) -> Result<(), Failure> {
        match kind(before) {
            FileType::RegularFile => drop(copy::copy_file(place, kept, None, None, None, true)?),
            FileType::Symlink => {
                copy::copy_link(place, kept, None, None)?;
            }
            _ => {
                return Err(Failure::wrong_args(format!(
                    "{}: neither a file nor a link, and it cannot be kept from here",
                    place.path.display()
                )));
            }
        }
        sync_dir(&parent(kept.path))?;
        rustix::fs::unlinkat(&place.dir, place.name, AtFlags::empty()).map_err(|e| place.failed(e))
    }

    /// Removes the directory of operation `i`, which must be empty by now.
    pub fn remove_dir(&mut self, i: usize) -> Result<(), Failure> {
        let Op::RemoveDir { path } = self.take(i)? else { return Err(other_kind(i, "remove_dir")) };
        self.folders.forget();
        let place = Place::of(&path.0)?;
        match rustix::fs::unlinkat(&place.dir, place.name, AtFlags::REMOVEDIR) {
            Ok(()) => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) => return Err(place.conflict("the directory is not empty")),
            Err(Errno::BUSY) => return Err(place.conflict("the directory is in use or a mount point")),
            Err(e) => return Err(place.failed(e)),
        }
        self.touched.forget(place.path);
        self.lose(place.path);
        gone(&place)
    }

    /// Waits until every name that appeared or went is on disk.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.touched.sync()
    }

    /// Operation `i`, which from now on is performed.
    fn take(&mut self, i: usize) -> Result<Op, Failure> {
        match (self.intent.ops.get(i), self.done.get_mut(i)) {
            (Some(op), Some(done)) if !*done => {
                *done = true;
                Ok(op.clone())
            }
            (Some(_), _) => Err(Failure::internal(format!("operation {i} was already performed"))),
            (None, _) => Err(Failure::internal(format!("operation {i} is not in the intent"))),
        }
    }

    fn gain(&mut self, path: &Path) {
        self.touched.gain(path);
    }

    fn lose(&mut self, path: &Path) {
        self.touched.lose(path);
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        // A call that stopped half way still leaves what it did on disk; its failure is already told.
        let _ = self.finish();
    }
}

/// Gives a new folder the permission bits that the umask took from it.
fn dress_dir(place: &Place<'_>, mode: u32) -> Result<(), Failure> {
    if place.present()?.st_mode & 0o777 == mode {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(&place.dir, place.name, flags, Mode::empty())
        .and_then(|dir| rustix::fs::fchmod(dir, Mode::from_raw_mode(mode)))
        .map_err(|e| place.failed(e))
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_path_buf()
}

fn other_kind(i: usize, asked: &str) -> Failure {
    Failure::internal(format!("operation {i} of the intent is not a {asked}"))
}

fn gone(place: &Place<'_>) -> Result<(), Failure> {
    match place.stat()? {
        None => Ok(()),
        Some(_) => Err(place.conflict("it is still there, or came back")),
    }
}

#[cfg(test)]
mod tests;
