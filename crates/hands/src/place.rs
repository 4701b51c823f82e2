//! A name inside an open directory. An operation opens each parent once and works relative to it,
//! so that the temporary file, the rename and the check after it meet in the same directory even
//! if somebody renames the path meanwhile.

use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};
use std::rc::Rc;

/// How a folder is opened in which something happens.
pub(super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Where one operation acts.
pub(super) struct Place<'p> {
    /// The whole path, for messages.
    pub(super) path: &'p Path,
    /// The open parent.
    pub(super) dir: Rc<OwnedFd>,
    /// The name in it.
    pub(super) name: &'p OsStr,
}

impl<'p> Place<'p> {
    /// The place `path` names. Only absolute paths without `..`: the daemon checked exactly these bytes.
    pub(super) fn of(path: &'p Path) -> Result<Self, Failure> {
        Self::opened(path, |parent| rustix::fs::open(parent, FOLDER, Mode::empty()).map(Rc::new))
    }

    /// The same for whoever is not fenced in by the kernel: no link is followed on the way, so that a
    /// folder swapped for a link leads nowhere.
    pub(super) fn strict(path: &'p Path) -> Result<Self, Failure> {
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let open = |parent: &Path| rustix::fs::openat2(CWD, parent, FOLDER, Mode::empty(), resolve);
        Self::opened(path, |parent| open(parent).map(Rc::new))
    }

    /// Its folder comes from `open`.
    pub(super) fn opened(
        path: &'p Path,
        open: impl FnOnce(&Path) -> rustix::io::Result<Rc<OwnedFd>>,
    ) -> Result<Self, Failure> {
        let plain = path.is_absolute() && !path.components().any(|c| c == Component::ParentDir);
        let (Some(parent), Some(name), true) = (path.parent(), path.file_name(), plain) else {
            return Err(Failure::wrong_args(format!("{}: not a full path to a name", path.display())));
        };
        let dir = open(parent).map_err(|e| failed(parent, e))?;
        Ok(Self { path, dir, name })
    }

    /// What stands there; `None` when nothing does. Never follows a link.
    pub(super) fn stat(&self) -> Result<Option<Stat>, Failure> {
        match rustix::fs::statat(&self.dir, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(self.failed(e)),
        }
    }

    /// What stands there, or `not_found`.
    pub(super) fn present(&self) -> Result<Stat, Failure> {
        self.stat()?.ok_or_else(|| self.failed(Errno::NOENT))
    }

    /// The failure `errno` amounts to here.
    pub(super) fn failed(&self, errno: Errno) -> Failure {
        failed(self.path, errno)
    }

    /// The failure of finding something where nothing should be.
    pub(super) fn occupied(&self) -> Failure {
        Failure::new(ErrorClass::DstExists, format!("{}: something is already there", self.path.display()))
    }

    /// The failure of finding another thing than was expected after or before the act.
    pub(super) fn conflict(&self, what: &str) -> Failure {
        Failure::new(ErrorClass::Conflict, format!("{}: {what}", self.path.display()))
    }
}

/// The failure `errno` on `path` amounts to. The kernel's fence says `EXDEV` as well as `EACCES`
/// when it forbids a rename, so both are a refusal.
pub(super) fn failed(path: &Path, errno: Errno) -> Failure {
    match errno {
        Errno::XDEV | Errno::PERM => {
            Failure::new(ErrorClass::PermissionDenied, format!("{}: not permitted here", path.display()))
        }
        Errno::LOOP => Failure::wrong_args(format!("{}: a symbolic link, not a file", path.display())),
        _ => Failure::io(path.display(), &errno.into()),
    }
}

/// The file type in a `stat`.
pub(super) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// The size in a `stat`.
pub(super) fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

/// True when both describe one file.
pub(super) fn same(a: &Stat, b: &Stat) -> bool {
    a.st_dev == b.st_dev && a.st_ino == b.st_ino
}

/// The name beside its destination under which a file is made that cannot be made at `kept`. Nobody
/// else uses it, and whoever knows `kept` finds what a crash left there.
pub(super) fn beside_name(kept: &Path) -> String {
    let digest = blake3::hash(kept.as_os_str().as_encoded_bytes()).to_hex();
    format!(".metnos-{}", digest.as_str().get(..16).unwrap_or_default())
}

/// A name nobody else uses; `O_EXCL` settles the rest. The standard library's hash keys are
/// seeded by the kernel, which spares a dependency for sixteen random digits.
pub(super) fn temporary_name() -> String {
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u8(0);
    format!(".metnos-{:016x}", hasher.finish())
}
