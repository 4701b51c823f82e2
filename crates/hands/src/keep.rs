//! Where the hands keep what they take away, so that it can be given back.

use crate::place::Place;
use metnos_executor::{Failure, Permit};
use rustix::fs::{AtFlags, StatxFlags};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Where what operation `i` takes away from `path` goes. Nothing is taken away that has no place to be
/// kept in.
pub(crate) fn kept(permit: &Permit, path: &Path, i: usize) -> Result<PathBuf, Failure> {
    permit.kept(path, i).ok_or_else(|| {
        Failure::internal(format!("{}: nothing says where to keep what stood there", path.display()))
    })
}

/// True when a rename from one to the other stays a rename: a mount is a wall for it also inside one
/// file system.
pub(crate) fn near(a: &Place<'_>, b: &Place<'_>) -> bool {
    let mount = |dir: &OwnedFd| {
        let asked = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let found = rustix::fs::statx(dir, "", AtFlags::EMPTY_PATH, asked).ok()?;
        Some((found.stx_mnt_id, found.stx_dev_major, found.stx_dev_minor))
    };
    match (mount(&a.dir), mount(&b.dir)) {
        (Some(a), Some(b)) => a == b,
        // What cannot be told is treated as apart: a copy is slower, never wrong.
        _ => false,
    }
}
