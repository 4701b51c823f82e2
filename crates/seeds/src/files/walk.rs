//! The one way seeds walk a tree. Iterative, streaming, never through a symbolic link.
//!
//! Each directory is opened once, relative to its parent's descriptor, and read to its end in
//! large blocks; its subdirectories wait by name on a stack. A directory's descriptor is closed
//! as soon as its last child is open, so a chain of any depth holds one or two; a deep and wide
//! tree keeps at most [`OPEN_MAX`] and reopens the others from the base, checking that what it
//! finds is the directory it left.

use super::visit::{Entry, Flow, Options, Summary, Visit};
use crate::call::Call;
use metnos_executor::{ErrorClass, Failure, failure::class_of};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Directories kept open at once; well under the `files` limit of the manifests.
const OPEN_MAX: usize = 96;
/// One `getdents64` block. Large, because most of a walk is the cost of the call.
const BLOCK: usize = 256 * 1024;
/// Entries between two reports of progress.
const REPORT_EVERY: u64 = 4096;
/// The longest path handed to the kernel in one piece (`PATH_MAX` is 4096 with its NUL).
const PIECE_MAX: usize = 4000;
/// Filesystems that are windows into the kernel: entering one would walk processes and devices.
const PSEUDO: [u64; 20] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x1cd1,      // devpts
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x6165_676c, // pstore
    0xcafe_4a11, // bpf
    0x6265_6570, // configfs
    0x1980_0202, // mqueue
    0x9584_58f6, // hugetlbfs
    0x4249_4e4d, // binfmt_misc
    0x6573_5543, // fusectl
    0xde5e_81e4, // efivarfs
    0x6e73_6673, // nsfs
    0xf97c_ff8c, // selinuxfs
    0x6759_6969, // rpc_pipefs
    0x6e66_7364, // nfsd
];

/// A directory on the way from the base to where the walk is.
struct Frame {
    /// `None` once closed to stay under [`OPEN_MAX`], or when no child is left to open.
    fd: Option<OwnedFd>,
    /// Device and inode: whose names these are.
    id: (u64, u64),
    /// Length of the walk's path when this directory is its end.
    path_len: usize,
    /// Children on top of the stack that belong to this directory.
    pending: usize,
}

/// Names waiting to be entered, last in first out, in one allocation.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Waiting {
    fn push(&mut self, name: &[u8]) {
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(name);
    }

    /// Moves the last name to the end of `path`, after a slash.
    fn pop_onto(&mut self, path: &mut Vec<u8>) -> bool {
        let Some(start) = self.starts.pop() else { return false };
        path.push(b'/');
        path.extend(self.bytes.drain(start..));
        true
    }
}

/// Walks below `base`, or just shows it when it is not a directory. What cannot be entered or
/// vanished is noted in the outcome; only a base that cannot be reached fails the call.
pub(crate) fn walk(
    call: &mut Call<'_>,
    base: &Path,
    options: Options,
    visitor: &mut dyn Visit,
) -> Result<Summary, Failure> {
    let bytes = base.as_os_str().as_bytes();
    let trimmed = match bytes.iter().rposition(|b| *b != b'/') {
        Some(last) => bytes.get(..=last).unwrap_or_default(),
        None if bytes.is_empty() => return Err(Failure::wrong_args("the path is empty")),
        None => &[],
    };
    let root = match open_dir(CWD, bytes, OFlags::empty()) {
        Ok(fd) => fd,
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => return single(call, trimmed, visitor),
        Err(e) => return Err(Failure::io(base.display(), &e)),
    };
    let mut walker = Walker {
        options,
        base_len: trimmed.len(),
        base: bytes.to_vec(),
        path: trimmed.to_vec(),
        frames: Vec::new(),
        waiting: Waiting::default(),
        open: 0,
        summary: Summary::default(),
        block: Vec::with_capacity(BLOCK),
    };
    let stat = rustix::fs::fstat(&root).map_err(|e| Failure::io(base.display(), &e.into()))?;
    walker.read(call, root, &stat, visitor)?;
    walker.descend(call, visitor)?;
    Ok(walker.summary)
}

/// The walk of something that is not a directory: itself.
fn single(call: &mut Call<'_>, path: &[u8], visitor: &mut dyn Visit) -> Result<Summary, Failure> {
    let shown = String::from_utf8_lossy(path).into_owned();
    let at_name = CString::new(path).map_err(|_| Failure::wrong_args("the path holds a zero byte"))?;
    let stat = rustix::fs::statat(CWD, &at_name, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|e| Failure::io(&shown, &e.into()))?;
    let cut = path.iter().rposition(|b| *b == b'/');
    let (dir, name) = match cut {
        Some(cut) => (path.get(..cut).unwrap_or_default(), path.get(cut + 1..).unwrap_or_default()),
        None => (&b"."[..], path),
    };
    let kind = FileType::from_raw_mode(stat.st_mode);
    let entry = Entry { name, kind, dir, base_len: dir.len(), depth: 0, at: CWD, at_name: &at_name };
    let flow = visitor.entry(call, &entry)?;
    Ok(Summary { seen: 1, pseudo: 0, stopped: flow == Flow::Stop })
}

struct Walker {
    options: Options,
    base: Vec<u8>,
    base_len: usize,
    path: Vec<u8>,
    frames: Vec<Frame>,
    waiting: Waiting,
    open: usize,
    summary: Summary,
    block: Vec<u8>,
}

impl Walker {
    fn descend(&mut self, call: &mut Call<'_>, visitor: &mut dyn Visit) -> Result<(), Failure> {
        while !self.summary.stopped {
            let Some(top) = self.frames.last_mut() else { return Ok(()) };
            self.path.truncate(top.path_len);
            if top.pending == 0 {
                self.open -= usize::from(top.fd.is_some());
                self.frames.pop();
                visitor.leave(call, &self.path)?;
                continue;
            }
            top.pending -= 1;
            let (parent_len, parent_id, last) = (top.path_len, top.id, top.pending == 0);
            if !self.waiting.pop_onto(&mut self.path) {
                return Err(Failure::internal("the walk lost count of its folders"));
            }
            let opened = self.open_parent(parent_len).and_then(|()| self.open_child(parent_len));
            if last
                && let Some(top) = self.frames.last_mut()
                && top.fd.take().is_some()
            {
                self.open -= 1;
            }
            let found = opened.and_then(|fd| Ok((rustix::fs::fstat(&fd)?, fd)));
            match found {
                Ok((stat, fd)) if stat.st_dev != parent_id.0 && is_pseudo(fd.as_fd()) => {
                    self.summary.pseudo += 1;
                }
                Ok((stat, fd)) => self.read(call, fd, &stat, visitor)?,
                Err(error) => self.fail(call, &error),
            }
        }
        Ok(())
    }

    /// Makes sure that the directory on top is open, again if it had to be closed.
    fn open_parent(&mut self, path_len: usize) -> io::Result<()> {
        if self.frames.last().is_some_and(|top| top.fd.is_none()) {
            let fd = self.reopen(path_len)?;
            self.make_room();
            self.open += 1;
            if let Some(top) = self.frames.last_mut() {
                top.fd = Some(fd);
            }
        }
        Ok(())
    }

    /// Opens the child of the directory on top whose name ends the path.
    fn open_child(&self, parent_len: usize) -> io::Result<OwnedFd> {
        let name = self.path.get(parent_len + 1..).unwrap_or_default();
        match self.frames.last().and_then(|top| top.fd.as_ref()) {
            Some(parent) => open_dir(parent.as_fd(), name, OFlags::NOFOLLOW),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    /// Finds the directory on top again, from the base, in pieces the kernel takes.
    fn reopen(&self, path_len: usize) -> io::Result<OwnedFd> {
        let mut fd = open_dir(CWD, &self.base, OFlags::PATH)?;
        let below = self.path.get(self.base_len..path_len).unwrap_or_default();
        let mut rest = below.strip_prefix(b"/").unwrap_or(below);
        while !rest.is_empty() {
            let piece = if rest.len() <= PIECE_MAX {
                rest
            } else {
                let window = rest.get(..PIECE_MAX).unwrap_or(rest);
                let cut = window.iter().rposition(|b| *b == b'/').unwrap_or(window.len());
                rest.get(..cut).unwrap_or(rest)
            };
            fd = open_dir(fd.as_fd(), piece, OFlags::PATH | OFlags::NOFOLLOW)?;
            rest = rest.get(piece.len()..).unwrap_or_default();
            rest = rest.strip_prefix(b"/").unwrap_or(rest);
        }
        let expected = self.frames.last().map(|top| top.id);
        if Some(identity(fd.as_fd())?) != expected {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the folder was replaced during the walk"));
        }
        Ok(fd)
    }

    /// Closes the directory nearest to the base when too many are open.
    fn make_room(&mut self) {
        if self.open < OPEN_MAX {
            return;
        }
        if let Some(frame) = self.frames.iter_mut().find(|f| f.fd.is_some()) {
            frame.fd = None;
            self.open -= 1;
        }
    }

    /// Shows every name of one directory and stacks its subdirectories.
    fn read(
        &mut self,
        call: &mut Call<'_>,
        fd: OwnedFd,
        stat: &Stat,
        visitor: &mut dyn Visit,
    ) -> Result<(), Failure> {
        visitor.enter(call, &self.path, stat)?;
        let before = self.waiting.starts.len();
        let mut block = std::mem::take(&mut self.block);
        let done = if self.options.sorted {
            self.names_sorted(call, fd.as_fd(), block.spare_capacity_mut(), visitor)
        } else {
            self.names(call, fd.as_fd(), block.spare_capacity_mut(), |walker, call, name, kind| {
                walker.show(call, fd.as_fd(), name, kind, visitor)
            })
        };
        self.block = block;
        done?;
        let pending = self.waiting.starts.len() - before;
        let fd = if pending > 0 && !self.summary.stopped {
            self.make_room();
            self.open += 1;
            Some(fd)
        } else {
            None
        };
        self.frames.push(Frame { fd, id: (stat.st_dev, stat.st_ino), path_len: self.path.len(), pending });
        Ok(())
    }

    /// Gives each name of the directory to `each`, in the order of the disk.
    fn names(
        &mut self,
        call: &mut Call<'_>,
        fd: BorrowedFd<'_>,
        block: &mut [MaybeUninit<u8>],
        mut each: impl FnMut(&mut Self, &mut Call<'_>, &CStr, FileType) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut names = RawDir::new(fd, block);
        while let Some(next) = names.next() {
            let found = match next {
                Ok(found) => found,
                Err(error) => {
                    self.fail(call, &error.into());
                    return Ok(());
                }
            };
            let name = found.file_name();
            if let [b'.', rest @ ..] = name.to_bytes()
                && (!self.options.hidden || matches!(rest, [] | [b'.']))
            {
                continue;
            }
            each(self, call, name, found.file_type())?;
            if self.summary.stopped {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The same in the order of the names; holds one directory's names in memory. Subdirectories
    /// are stacked backwards, so that they are entered in order too.
    fn names_sorted(
        &mut self,
        call: &mut Call<'_>,
        fd: BorrowedFd<'_>,
        block: &mut [MaybeUninit<u8>],
        visitor: &mut dyn Visit,
    ) -> Result<(), Failure> {
        let mut all: Vec<(CString, FileType)> = Vec::new();
        self.names(call, fd, block, |_, _, name, kind| {
            all.push((name.to_owned(), kind));
            Ok(())
        })?;
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let before = self.waiting.starts.len();
        for (name, kind) in &all {
            self.show(call, fd, name, *kind, visitor)?;
            if self.summary.stopped {
                return Ok(());
            }
        }
        let mine = self.waiting.starts.split_off(before);
        let bytes_from = mine.first().copied().unwrap_or(self.waiting.bytes.len());
        let bytes = self.waiting.bytes.split_off(bytes_from);
        let mut end = bytes.len();
        for start in mine.iter().rev().map(|s| s - bytes_from) {
            self.waiting.push(bytes.get(start..end).unwrap_or_default());
            end = start;
        }
        Ok(())
    }

    fn show(
        &mut self,
        call: &mut Call<'_>,
        at: BorrowedFd<'_>,
        at_name: &CStr,
        kind: FileType,
        visitor: &mut dyn Visit,
    ) -> Result<(), Failure> {
        self.summary.seen += 1;
        if self.summary.seen.is_multiple_of(REPORT_EVERY) {
            call.progress(self.summary.seen, None, "files")?;
        }
        let mut entry = Entry {
            name: at_name.to_bytes(),
            kind,
            dir: &self.path,
            base_len: self.base_len,
            depth: self.frames.len(),
            at,
            at_name,
        };
        if kind == FileType::Unknown {
            match entry.stat() {
                Ok(stat) => entry.kind = FileType::from_raw_mode(stat.st_mode),
                Err(error) => {
                    call.outcome.fail(self.summary.seen, entry.shown(), class_of(&error), error.to_string());
                    return Ok(());
                }
            }
        }
        let flow = visitor.entry(call, &entry)?;
        self.summary.stopped = flow == Flow::Stop;
        if flow == Flow::Go && entry.kind == FileType::Directory && self.options.recursive {
            self.waiting.push(at_name.to_bytes());
        }
        Ok(())
    }

    fn fail(&self, call: &mut Call<'_>, error: &io::Error) {
        // It was a directory when its parent was read, and is not any more.
        let swapped = [Errno::NOTDIR, Errno::LOOP].map(|e| Some(e.raw_os_error()));
        let class =
            if swapped.contains(&error.raw_os_error()) { ErrorClass::Conflict } else { class_of(error) };
        call.outcome.fail(
            self.summary.seen,
            String::from_utf8_lossy(&self.path),
            class,
            format!("the folder could not be read: {error}"),
        );
    }
}

fn open_dir(at: BorrowedFd<'_>, name: &[u8], extra: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK | extra;
    Ok(rustix::fs::openat(at, name, flags, Mode::empty())?)
}

fn identity(fd: BorrowedFd<'_>) -> io::Result<(u64, u64)> {
    let stat = rustix::fs::fstat(fd)?;
    Ok((stat.st_dev, stat.st_ino))
}

fn is_pseudo(fd: BorrowedFd<'_>) -> bool {
    rustix::fs::fstatfs(fd).is_ok_and(|fs| u64::try_from(fs.f_type).is_ok_and(|kind| PSEUDO.contains(&kind)))
}

/// True for failures that end a call over several paths, not just one of them.
pub(crate) fn ends_call(failure: &Failure) -> bool {
    matches!(failure.class, ErrorClass::Cancelled | ErrorClass::LimitExceeded)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn proc_is_a_window_into_the_kernel_and_a_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let open = |path: &Path| open_dir(CWD, path.as_os_str().as_bytes(), OFlags::empty()).unwrap();
        assert!(is_pseudo(open(Path::new("/proc")).as_fd()));
        assert!(!is_pseudo(open(folder.path()).as_fd()));
    }
}
