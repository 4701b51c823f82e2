//! Walks the folders of a house and packs what belongs in a backup. Links are never followed; what cannot be
//! read stops it, because a backup that leaves something out in silence is none.

use metnos_archive::{Packer, stays_inside};
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{Mode, OFlags};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How deep folders may lie in each other.
const DEPTH_MAX: usize = 200;

/// What was left out, with the reason.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct LeftOut {
    /// Where.
    pub path: String,
    /// Why.
    pub why: &'static str,
}

/// Packs folders.
pub(crate) struct Walk<'a, W: Write> {
    pub(crate) out: Packer<W>,
    /// Whether a thing belongs in it, by its name in the archive.
    pub(crate) belongs: &'a dyn Fn(&Path) -> bool,
    /// How far a file may be read, by its name in the archive.
    pub(crate) most: &'a dyn Fn(&Path) -> u64,
    /// Where links may lead anywhere.
    pub(crate) free_links: &'a str,
    pub(crate) left_out: Vec<LeftOut>,
}

impl<W: Write> Walk<'_, W> {
    /// Everything in `dir`, as `name`. A folder that is not there is nothing.
    pub(crate) fn tree(&mut self, dir: &Path, name: &Path) -> Result<(), Failure> {
        match std::fs::metadata(dir) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(failed(dir, &e)),
            Ok(meta) => self.folder(dir, name, &meta, 0),
        }
    }

    fn folder(&mut self, dir: &Path, name: &Path, meta: &Metadata, depth: usize) -> Result<(), Failure> {
        if depth > DEPTH_MAX {
            return Err(Failure::new(ErrorClass::TooLarge, format!("{} lies too deep", dir.display())));
        }
        let names = match names(dir) {
            // It went while we were on the way to it.
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            names => names.map_err(|e| failed(dir, &e))?,
        };
        self.out.dir(name, meta)?;
        for child in names {
            self.thing(&dir.join(&child), &name.join(&child), depth)?;
        }
        Ok(())
    }

    /// One thing, whatever it is.
    fn thing(&mut self, path: &Path, name: &Path, depth: usize) -> Result<(), Failure> {
        if !(self.belongs)(name) {
            return Ok(());
        }
        let meta = match path.symlink_metadata() {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            meta => meta.map_err(|e| failed(path, &e))?,
        };
        let kind = meta.file_type();
        if kind.is_dir() {
            return self.folder(path, name, &meta, depth + 1);
        }
        if kind.is_symlink() {
            let target = std::fs::read_link(path).map_err(|e| failed(path, &e))?;
            if name.starts_with(self.free_links) || stays_inside(name, &target) {
                return self.out.link(name, &target, &meta);
            }
            self.leave_out(path, "a link that leads out");
            return Ok(());
        }
        if !kind.is_file() {
            self.leave_out(path, "neither a file nor a folder");
            return Ok(());
        }
        match open(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(failed(path, &e)),
            Ok(file) => self.out.file(name, &file, (self.most)(name)),
        }
    }

    fn leave_out(&mut self, path: &Path, why: &'static str) {
        self.left_out.push(LeftOut { path: path.display().to_string(), why });
    }

    /// The journal, shelf by shelf. The folder of a call goes from one to the next while it is undone, always
    /// in this order: each is read whole before it is packed, and one that went on is met again further on.
    pub(crate) fn journal(&mut self, dir: &Path, name: &Path) -> Result<(), Failure> {
        const SHELVES: [&str; 5] = ["open", "done", "undoing", "undone", "freed"];
        let Ok(meta) = dir.metadata() else { return Ok(()) };
        self.out.dir(name, &meta)?;
        for child in names(dir).map_err(|e| failed(dir, &e))? {
            let path = dir.join(&child);
            // Beside the shelves lies only what says that they are in order.
            if path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                let file = open(&path).map_err(|e| failed(&path, &e))?;
                self.out.file(&name.join(&child), &file, u64::MAX)?;
            }
        }
        let mut met = HashSet::new();
        for shelf in SHELVES {
            let (dir, name) = (dir.join(shelf), name.join(shelf));
            let Ok(meta) = dir.metadata() else { continue };
            self.out.dir(&name, &meta)?;
            for call in names(&dir).map_err(|e| failed(&dir, &e))? {
                if met.contains(&call) {
                    continue;
                }
                if self.call(&dir.join(&call), &name.join(&call))? {
                    met.insert(call);
                }
            }
        }
        Ok(())
    }

    /// The records of one call; false when they went on while they were read.
    fn call(&mut self, dir: &Path, name: &Path) -> Result<bool, Failure> {
        let read = || -> io::Result<(Metadata, Vec<Record>)> {
            let mut files = Vec::new();
            for child in names(dir)? {
                let file = open(&dir.join(&child))?;
                let meta = file.metadata()?;
                let mut bytes = Vec::new();
                io::Read::read_to_end(&mut &file, &mut bytes)?;
                files.push((child, bytes, meta));
            }
            Ok((dir.metadata()?, files))
        };
        match read() {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
            Err(e) => Err(failed(dir, &e)),
            Ok((meta, files)) => {
                self.out.dir(name, &meta)?;
                for (child, bytes, meta) in files {
                    self.out.bytes(&name.join(child), &bytes, &meta)?;
                }
                Ok(true)
            }
        }
    }
}

/// A record of the journal: its name, its bytes, and what the disk says of it.
type Record = (OsString, Vec<u8>, Metadata);

fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names =
        std::fs::read_dir(dir)?.map(|item| Ok(item?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

/// Opens a file that was one a moment ago: a link put in its place is not followed, a pipe does not hold us.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    let failure = Failure::io(path.display(), error);
    match error.kind() {
        ErrorKind::PermissionDenied => failure.with_hint(
            "a backup holds everything or is none: make it readable for this account, or move it away",
        ),
        _ => failure,
    }
}

/// The path with everything in front of its last part resolved.
pub(crate) fn resolved(path: &Path) -> Result<PathBuf, Failure> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Failure::wrong_args(format!("{} is not the name of a file", path.display())));
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let parent = parent.canonicalize().map_err(|e| Failure::io(parent.display(), &e))?;
    Ok(parent.join(name))
}
