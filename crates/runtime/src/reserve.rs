//! Room for the records of a call when the disk is full. Deleting needs no space, but saying so does: a
//! file that holds some is given up when there is none, and made again when there is.

use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What is held back.
const SIZE: u64 = 4 << 20;
/// With less than this a call may not be able to say what it does.
const LOW: u64 = 1 << 20;
/// With more than this it is held back again.
const PLENTY: u64 = 4 * SIZE;

fn path(state: &Path) -> PathBuf {
    state.join("reserve")
}

fn free(state: &Path) -> Option<u64> {
    let stat = statvfs(state).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Gives the reserve up if there is next to no room. One system call when there is.
pub(crate) fn make_room(state: &Path) {
    if free(state).is_some_and(|free| free < LOW) {
        let _ = std::fs::remove_file(path(state));
    }
}

/// The same where only a write tells, as with quotas; true when there is room now that there was not.
pub(crate) fn give_up(state: &Path) -> bool {
    let probe = state.join(".probe");
    let written = File::create(&probe).and_then(|mut file| file.write_all(&[1; 64 << 10]));
    let _ = std::fs::remove_file(&probe);
    let full = |e: std::io::Error| matches!(e.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
    written.is_err_and(full) && std::fs::remove_file(path(state)).is_ok()
}

/// Holds it back if it is not, and there is plenty. Without it everything works, but on a full disk.
pub(crate) fn hold_back(state: &Path) {
    if path(state).exists() || free(state).is_none_or(|free| free < PLENTY) {
        return;
    }
    let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path(state));
    let Ok(mut file) = open else { return };
    let held = fallocate(&file, FallocateFlags::empty(), 0, SIZE).map_err(std::io::Error::from);
    // Some file systems only hold what was written.
    let held = held.or_else(|_| (0..SIZE >> 16).try_for_each(|_| file.write_all(&[1; 1 << 16])));
    if held.is_err() {
        let _ = std::fs::remove_file(path(state));
    }
}
