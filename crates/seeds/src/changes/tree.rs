//! A walk below one directory that never follows a link and never leaves the mount it began in.

use metnos_executor::Failure;
use metnos_hands::{Attributes, Hands};
use rustix::fs::{AtFlags, CWD, StatxFlags};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a walk comes across.
pub(super) enum Seen {
    /// A file, link, directory or special file; directories come before what they hold.
    Node(PathBuf, Metadata),
    /// A directory where another file system is mounted; not entered.
    Mount(PathBuf),
    /// Something that could not be looked at.
    Trouble(PathBuf, io::Error),
}

/// Shows `visit` the directory `root` and everything below it, in the order of names. What
/// vanishes between being listed and being looked at was never there.
pub(super) fn walk(root: &Path, visit: &mut dyn FnMut(Seen) -> Result<(), Failure>) -> Result<(), Failure> {
    let home = match mount_of(root) {
        Ok(home) => home,
        Err(e) => return visit(Seen::Trouble(root.to_path_buf(), e)),
    };
    let mut pending = vec![root.to_path_buf()];
    while let Some(path) = pending.pop() {
        let meta = match std::fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => {
                visit(Seen::Trouble(path, e))?;
                continue;
            }
        };
        if !meta.is_dir() {
            visit(Seen::Node(path, meta))?;
            continue;
        }
        match mount_of(&path) {
            Ok(mount) if mount == home => {}
            Ok(_) => {
                visit(Seen::Mount(path))?;
                continue;
            }
            Err(e) => {
                visit(Seen::Trouble(path, e))?;
                continue;
            }
        }
        let listed = children(&path);
        visit(Seen::Node(path.clone(), meta))?;
        match listed {
            Ok(children) => pending.extend(children.into_iter().rev()),
            Err(e) => visit(Seen::Trouble(path, e))?,
        }
    }
    Ok(())
}

fn children(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// What a folder looks like beside what is in it.
pub(super) fn attributes(meta: &Metadata) -> Attributes {
    Attributes { mode: Some(meta.mode()), mtime: Some((meta.mtime(), 0)) }
}

/// Gives the folders that were made the rights and the dates of those they stand for, the deepest first, now that
/// everything is in them. One that was not made has nothing to be given.
pub(super) fn dress(hands: &mut Hands, dirs: &[(usize, Attributes)]) {
    for (i, attributes) in dirs.iter().rev() {
        // What is in it is all there; its date alone is no reason to call that a failure.
        let _ = hands.dress_dir(*i, *attributes);
    }
}

/// Device and mount of a directory. The mount tells a bind mount of the same device apart.
pub(super) fn mount_of(dir: &Path) -> io::Result<(u32, u32, u64)> {
    let flags = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    let stat = rustix::fs::statx(CWD, dir, AtFlags::SYMLINK_NOFOLLOW, flags)?;
    let mount = if stat.stx_mask & StatxFlags::MNT_ID.bits() != 0 { stat.stx_mnt_id } else { 0 };
    Ok((stat.stx_dev_major, stat.stx_dev_minor, mount))
}
