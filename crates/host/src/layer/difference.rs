//! What differs between a layer and the folders under it, as operations. Reads the layer when nothing writes
//! to it any more, and the real folders as they are now; what somebody changed since the code began is a
//! conflict, because the code never saw it.

use super::{mount, over_bytes, over_files};
use metnos_executor::wire::Limits;
use metnos_executor::{BytePath, ErrorClass, Failure, Op, WriteMode};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The mark of a folder in an upper side that hides everything the real one holds.
const OPAQUE: &str = "user.overlay.opaque";

/// One operation, and what it needs of the layer.
pub(super) struct Planned {
    pub(super) op: Op,
    pub(super) source: Source,
}

/// What an operation puts there.
pub(super) enum Source {
    /// Nothing: it takes away, or its target is in the operation.
    Nothing,
    /// A folder with these permission bits.
    Folder(u32),
    /// The content, mode and time of a file of the layer.
    File { from: PathBuf, mode: u32, mtime: (i64, u32) },
}

/// Everything that differs.
#[derive(Default)]
pub(super) struct Difference {
    pub(super) planned: Vec<Planned>,
    /// Files that went from one name to another: told as a removal and a creation, counted once.
    pub(super) moved: u64,
}

impl Difference {
    pub(super) fn is_empty(&self) -> bool {
        self.planned.is_empty()
    }
}

/// What differs in `layer`, which covers `places`; `began` is when its code could look for the first time.
pub(super) fn of(
    layer: &OwnedFd,
    places: &[BytePath],
    limits: &Limits,
    began: (i64, i64),
) -> Result<Difference, Failure> {
    let mut walk = Walk { layer, limits, began, found: Difference::default(), bytes: 0, gone: Vec::new() };
    for (n, BytePath(place)) in places.iter().enumerate() {
        let side = mount::upper(n);
        let (now, real) = (walk.stat(&side)?, stat_real(place)?);
        match real {
            Some(real) if is_dir(&real) => walk.same_rights(place, &now, &real)?,
            _ => return Err(conflict(place)),
        }
        walk.folder(&side, place, false)?;
    }
    walk.pair()?;
    Ok(walk.found)
}

struct Walk<'a> {
    layer: &'a OwnedFd,
    limits: &'a Limits,
    began: (i64, i64),
    found: Difference,
    bytes: u64,
    /// Regular files that are taken away, with their size.
    gone: Vec<(PathBuf, u64)>,
}

impl Walk<'_> {
    /// What is in a folder of the layer, over the real one, of which nothing is left where it is `fresh`.
    fn folder(&mut self, upper: &Path, real: &Path, fresh: bool) -> Result<(), Failure> {
        for name in self.names(upper)? {
            let (upper, real) = (upper.join(&name), real.join(&name));
            let now = self.stat(&upper)?;
            let was = if fresh { None } else { stat_real(&real)? };
            match FileType::from_raw_mode(now.st_mode) {
                FileType::CharacterDevice if now.st_rdev == 0 => {
                    if let Some(was) = was {
                        self.take(&real, &was)?;
                    }
                }
                FileType::Directory => self.dir(&upper, &real, &now, was)?,
                FileType::RegularFile => self.file(upper, real, &now, was)?,
                FileType::Symlink => self.link(&upper, real, was)?,
                _ => return Err(refused(&real, "only files, folders and links can be made")),
            }
        }
        Ok(())
    }

    fn dir(&mut self, upper: &Path, real: &Path, now: &Stat, was: Option<Stat>) -> Result<(), Failure> {
        match was {
            Some(was) if is_dir(&was) => {
                self.same_rights(real, now, &was)?;
                let opaque = self.is_opaque(upper)?;
                if opaque {
                    self.unchanged(real, &was)?;
                    self.take_content(real)?;
                }
                self.folder(upper, real, opaque)
            }
            was => {
                if let Some(was) = was {
                    self.take(real, &was)?;
                }
                let op = Op::MakeDir { path: BytePath(real.to_path_buf()) };
                self.plan(op, Source::Folder(now.st_mode & 0o777))?;
                self.folder(upper, real, true)
            }
        }
    }

    fn file(&mut self, upper: PathBuf, real: PathBuf, now: &Stat, was: Option<Stat>) -> Result<(), Failure> {
        let before = was.as_ref().map_or(0, |was| was.st_mode);
        if now.st_mode & !before & 0o6000 != 0 {
            return Err(refused(&real, "a file may not be made to run as somebody else"));
        }
        let mtime = (now.st_mtime, u32::try_from(now.st_mtime_nsec).unwrap_or(0));
        let mode = match was {
            Some(was) if FileType::from_raw_mode(was.st_mode) == FileType::RegularFile => {
                let dressed = now.st_mode & 0o777 == was.st_mode & 0o777
                    && mtime == (was.st_mtime, u32::try_from(was.st_mtime_nsec).unwrap_or(0));
                // Opened to be written, and left as it was.
                if dressed && now.st_size == was.st_size && self.equal(&upper, &real) {
                    return Ok(());
                }
                self.unchanged(&real, &was)?;
                WriteMode::Overwrite
            }
            Some(was) => {
                self.take(&real, &was)?;
                WriteMode::Create
            }
            None => WriteMode::Create,
        };
        self.bytes = self.bytes.saturating_add(u64::try_from(now.st_size).unwrap_or(0));
        if self.bytes > self.limits.layer_mb << 20 {
            return Err(over_bytes(self.limits.layer_mb));
        }
        let source = Source::File { from: upper, mode: now.st_mode & 0o777, mtime };
        self.plan(Op::Write { dst: BytePath(real), mode }, source)
    }

    fn link(&mut self, upper: &Path, real: PathBuf, was: Option<Stat>) -> Result<(), Failure> {
        let target =
            rustix::fs::readlinkat(self.layer, upper, Vec::new()).map_err(|e| layer_failed(upper, e))?;
        let target = OsString::from_vec(target.into_bytes());
        if let Some(was) = was {
            if std::fs::read_link(&real).is_ok_and(|led| led.as_os_str() == target) {
                return Ok(());
            }
            self.take(&real, &was)?;
        }
        let op = Op::Link { dst: BytePath(real), target: BytePath(PathBuf::from(target)) };
        self.plan(op, Source::Nothing)
    }

    /// Takes away what stands at `real`, a folder with everything in it.
    fn take(&mut self, real: &Path, was: &Stat) -> Result<(), Failure> {
        self.unchanged(real, was)?;
        let path = BytePath(real.to_path_buf());
        if is_dir(was) {
            self.take_content(real)?;
            return self.plan(Op::RemoveDir { path }, Source::Nothing);
        }
        if FileType::from_raw_mode(was.st_mode) == FileType::RegularFile {
            self.gone.push((real.to_path_buf(), u64::try_from(was.st_size).unwrap_or(0)));
        }
        self.plan(Op::Delete { path }, Source::Nothing)
    }

    fn take_content(&mut self, dir: &Path) -> Result<(), Failure> {
        let io = |e: std::io::Error| Failure::io(dir.display(), &e);
        let names: Vec<_> = std::fs::read_dir(dir).map_err(io)?.collect::<Result<_, _>>().map_err(io)?;
        let mut paths: Vec<PathBuf> = names.iter().map(std::fs::DirEntry::path).collect();
        paths.sort();
        for path in paths {
            if let Some(was) = stat_real(&path)? {
                self.take(&path, &was)?;
            }
        }
        Ok(())
    }

    fn plan(&mut self, op: Op, source: Source) -> Result<(), Failure> {
        let most = self.limits.layer_files;
        if self.found.planned.len() as u64 >= most {
            return Err(over_files(most));
        }
        self.found.planned.push(Planned { op, source });
        Ok(())
    }

    /// Refuses what somebody else changed after the code began.
    fn unchanged(&self, real: &Path, was: &Stat) -> Result<(), Failure> {
        let changed = (was.st_ctime, was.st_ctime_nsec as i64);
        if changed >= self.began { Err(conflict(real)) } else { Ok(()) }
    }

    /// The rights of a folder that was there are nobody's to change: nothing could give them back.
    fn same_rights(&self, real: &Path, now: &Stat, was: &Stat) -> Result<(), Failure> {
        if now.st_mode & 0o7777 == was.st_mode & 0o7777 {
            return Ok(());
        }
        Err(refused(real, "the rights of a folder that was there before cannot be changed"))
    }

    fn names(&self, upper: &Path) -> Result<BTreeSet<OsString>, Failure> {
        let dir = self.open(upper, OFlags::DIRECTORY)?;
        let mut names = BTreeSet::new();
        for entry in Dir::read_from(&dir).map_err(|e| layer_failed(upper, e))? {
            let entry = entry.map_err(|e| layer_failed(upper, e))?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.insert(std::ffi::OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    fn stat(&self, upper: &Path) -> Result<Stat, Failure> {
        rustix::fs::statat(self.layer, upper, AtFlags::SYMLINK_NOFOLLOW).map_err(|e| layer_failed(upper, e))
    }

    fn open(&self, upper: &Path, kind: OFlags) -> Result<OwnedFd, Failure> {
        open(self.layer, upper, kind).map_err(|e| layer_failed(upper, e))
    }

    fn is_opaque(&self, upper: &Path) -> Result<bool, Failure> {
        let dir = self.open(upper, OFlags::DIRECTORY)?;
        let mut value = [0u8; 8];
        match rustix::fs::fgetxattr(&dir, OPAQUE, value.as_mut_slice()) {
            Ok(n) => Ok(value.get(..n) == Some(b"y")),
            // It is not marked, or this kernel's memory has no marks.
            Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP) => Ok(false),
            Err(e) => Err(layer_failed(upper, e)),
        }
    }

    /// True when both are readable and hold the same bytes.
    fn equal(&self, upper: &Path, real: &Path) -> bool {
        let (Ok(a), Ok(b)) = (self.open(upper, OFlags::empty()), File::open(real)) else { return false };
        matches!((digest(File::from(a)), digest(b)), (Some(a), Some(b)) if a == b)
    }

    /// Counts the files that only changed their name: removed here, made there, with the same content.
    fn pair(&mut self) -> Result<(), Failure> {
        let mut made: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
        for Planned { op, source } in &self.found.planned {
            if let (Op::Write { mode: WriteMode::Create, .. }, Source::File { from, .. }) = (op, source) {
                let size = u64::try_from(self.stat(from)?.st_size).unwrap_or(0);
                made.entry(size).or_default().push(from.clone());
            }
        }
        // More than the layer can hold is not worth reading for a count.
        let mut left = self.limits.layer_mb << 20;
        let mut contents: BTreeMap<[u8; 32], u64> = BTreeMap::new();
        for (path, size) in self.gone.iter().filter(|(_, size)| made.contains_key(size)) {
            let Some(rest) = left.checked_sub(*size) else { break };
            left = rest;
            if let Some(hash) = File::open(path).ok().and_then(digest) {
                *contents.entry(hash).or_default() += 1;
            }
        }
        let sizes: BTreeSet<u64> = self.gone.iter().map(|(_, size)| *size).collect();
        for path in made.iter().filter(|(size, _)| sizes.contains(size)).flat_map(|(_, paths)| paths) {
            let hash = self.open(path, OFlags::empty()).ok().map(File::from).and_then(digest);
            if let Some(count) = hash.and_then(|hash| contents.get_mut(&hash)).filter(|count| **count > 0) {
                *count -= 1;
                self.found.moved += 1;
            }
        }
        Ok(())
    }
}

/// Opens what is in the layer, whatever its names are.
pub(super) fn open(layer: &OwnedFd, path: &Path, kind: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | kind;
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(layer, path, flags, Mode::empty(), resolve)
}

fn digest(mut file: File) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(*hasher.finalize().as_bytes()),
            Ok(n) => hasher.update(buffer.get(..n)?),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
    }
}

fn stat_real(path: &Path) -> Result<Option<Stat>, Failure> {
    match rustix::fs::lstat(path) {
        Ok(stat) => Ok(Some(stat)),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Ok(None),
        Err(e) => Err(Failure::io(path.display(), &e.into())),
    }
}

fn is_dir(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

fn conflict(path: &Path) -> Failure {
    let why = format!("{}: it changed while the executor ran; nothing was changed", path.display());
    Failure::new(ErrorClass::Conflict, why)
}

fn refused(path: &Path, why: &str) -> Failure {
    let why = format!("{}: {why}; nothing was changed", path.display());
    Failure::new(ErrorClass::PolicyViolation, why)
}

fn layer_failed(path: &Path, error: rustix::io::Errno) -> Failure {
    Failure::io(format!("the layer, {}", path.display()), &error.into())
}
