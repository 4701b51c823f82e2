//! Writes what was checked. Nothing that is there is replaced, no link is followed, and each file is compared
//! with the manifest again while it is written.

use crate::check::{Checked, Rules, agrees, look, walk};
use crate::manifest::{Entry, Kind, MANIFEST};
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps};
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

impl Checked {
    /// Writes everything, each thing where `place` says. What is written is not on the disk yet: that is
    /// for the caller, who knows the disks.
    pub fn unpack(
        mut self,
        sections: &[&str],
        free_links: &str,
        place: &dyn Fn(&Path) -> Option<PathBuf>,
    ) -> Result<(), Failure> {
        let rules = Rules { sections, free_links };
        let mut said = self.manifest.entries.iter();
        let mut failure = None;
        let walked = walk(&mut self.file, self.before_seal, |entry| {
            if *entry.path_bytes() == *MANIFEST.as_bytes() {
                return Ok(());
            }
            let said = said.next().ok_or("more is there than the manifest says")?;
            let to = place(&said.path.0).ok_or("it belongs nowhere")?;
            let io = |e: io::Error| Failure::io(to.display(), &e);
            let mut put = || -> Result<(), Failure> {
                let changed = |why: String| Failure::new(ErrorClass::Conflict, why);
                match said.kind {
                    Kind::Dir => {
                        let (found, _) = look(entry, &rules, &mut io::sink(), 0).map_err(changed)?;
                        same(said, &found)?;
                        make_dir(&to, said.path.0.components().count() == 1).map_err(io)
                    }
                    Kind::Link => {
                        let (found, target) = look(entry, &rules, &mut io::sink(), 0).map_err(changed)?;
                        same(said, &found)?;
                        std::os::unix::fs::symlink(target.unwrap_or_default(), &to).map_err(io)?;
                        set_time(&to, said).map_err(io)
                    }
                    Kind::File => {
                        let mut out = BufWriter::with_capacity(256 << 10, create(&to).map_err(io)?);
                        let (found, _) = look(entry, &rules, &mut out, said.size).map_err(changed)?;
                        same(said, &found)?;
                        out.flush().map_err(io)?;
                        let file = out.into_inner().map_err(|e| io(e.into_error()))?;
                        file.set_permissions(Permissions::from_mode(said.mode)).map_err(io)?;
                        set_time(&to, said).map_err(io)
                    }
                }
            };
            put().map_err(|why| {
                let text = why.to_string();
                failure = Some(why);
                text
            })
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        walked.map_err(|why| Failure::new(ErrorClass::Conflict, why))?;
        // Rights of folders come last and from below: one that may not be written to is filled first.
        for entry in self.manifest.entries.iter().rev().filter(|entry| entry.kind == Kind::Dir) {
            let Some(to) = place(&entry.path.0) else { continue };
            let set = std::fs::set_permissions(&to, Permissions::from_mode(entry.mode));
            set.and_then(|()| set_time(&to, entry)).map_err(|e| Failure::io(to.display(), &e))?;
        }
        Ok(())
    }
}

fn same(said: &Entry, found: &Entry) -> Result<(), Failure> {
    match agrees(said, found) {
        true => Ok(()),
        false => Err(Failure::new(
            ErrorClass::Conflict,
            format!("{} changed while the archive was read", said.path.0.display()),
        )),
    }
}

fn create(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// A folder. The first ones are there already, and a person may have made them links to another disk.
fn make_dir(path: &Path, first: bool) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(e) if first && e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

fn set_time(path: &Path, entry: &Entry) -> io::Result<()> {
    let at = Timespec { tv_sec: entry.mtime.0, tv_nsec: entry.mtime.1.into() };
    let times = Timestamps { last_access: at, last_modification: at };
    Ok(rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}
