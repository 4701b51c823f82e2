//! Lays the private layer: one bounded file system in memory, and over each folder that may be changed an
//! overlay whose lower side is the real folder, only read, and whose upper side is a folder in that memory.

use super::unavailable;
use crate::{fence, sys};
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{FenceWire, Grant, LAYER_DIR, Limits, Reach};
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{Mode, OFlags};
use std::ffi::OsString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Names in the layer that are not the executor's: its root, and what an overlay makes for itself.
const OWN_NAMES: u64 = 16;
/// The most folders that one call may have under its layer.
const PLACES_MAX: usize = 256;

/// The layer of one call.
pub(super) struct Laid {
    /// Its root. The upper side of place `n` is in [`upper`].
    pub(super) dir: OwnedFd,
    /// The folders it covers.
    pub(super) places: Vec<PathBuf>,
}

/// Where the upper side of place `n` is, from the root of the layer.
pub(super) fn upper(n: usize) -> PathBuf {
    PathBuf::from(format!("{n}/u"))
}

/// Covers what `fence` lets be written, and hides where things are kept.
pub(super) fn lay(fence: &FenceWire, limits: &Limits) -> Result<Laid, Failure> {
    sys::mount_private().map_err(|e| unavailable("mounts of its own", &e))?;
    let mut lower = Vec::new();
    for path in places(fence)? {
        let grant = fence.write.iter().find(|grant| grant.path.0 == path);
        let dir = match grant {
            Some(grant) => match fence::open(grant)? {
                Some((dir, true)) => dir,
                _ => {
                    return Err(Failure::new(
                        ErrorClass::Conflict,
                        format!("{}: it is gone", path.display()),
                    ));
                }
            },
            None => open_dir(&path)?,
        };
        lower.push((path, dir));
    }
    let names = limits.layer_files + OWN_NAMES * (1 + lower.len() as u64);
    let size = format!("size={},nr_inodes={names},mode=0700", limits.layer_mb << 20);
    sys::mount("tmpfs", Path::new(LAYER_DIR), &size).map_err(|e| unavailable("memory for it", &e))?;
    let dir = open_dir(Path::new(LAYER_DIR))?;
    for (n, (path, real)) in lower.iter().enumerate() {
        cover(n, path, real).map_err(|e| unavailable(&path.display().to_string(), &e))?;
    }
    for keep in &fence.keep {
        let hide = || sys::mount("tmpfs", &keep.path.0, "size=4096,nr_inodes=1,mode=0000");
        hide().map_err(|e| unavailable("what is kept", &e))?;
    }
    // The overlays hold what they need of it; nobody finds it by a name any more.
    sys::unmount(Path::new(LAYER_DIR)).map_err(|e| unavailable("the way to it", &e))?;
    Ok(Laid { dir, places: lower.into_iter().map(|(path, _)| path).collect() })
}

/// The folders to cover, parents first: those that may be written, and each mount below one of them, which an
/// overlay of the folder would not show.
fn places(fence: &FenceWire) -> Result<Vec<PathBuf>, Failure> {
    let tree = |grant: &&Grant| grant.reach == Reach::Tree;
    let mut places: Vec<PathBuf> =
        fence.write.iter().filter(tree).map(|grant| grant.path.0.clone()).collect();
    let roots = places.clone();
    let table = std::fs::read("/proc/self/mountinfo").map_err(|e| unavailable("the mounts", &e))?;
    let below = |path: &Path| roots.iter().any(|root| path != root && path.starts_with(root));
    places.extend(mount_points(&table).filter(|path| below(path)));
    places.sort();
    places.dedup();
    // A folder in another is covered with it, unless it is a mount.
    let mounts: Vec<PathBuf> = mount_points(&table).collect();
    places.retain(|path| mounts.contains(path) || !below(path));
    if places.len() > PLACES_MAX {
        return Err(Failure::limit("folders", format!("more than {PLACES_MAX} folders to change at once")));
    }
    Ok(places)
}

fn mount_points(table: &[u8]) -> impl Iterator<Item = PathBuf> {
    table.split(|b| *b == b'\n').filter_map(|line| {
        let point = line.split(|b| *b == b' ').nth(4)?;
        Some(PathBuf::from(OsString::from_vec(unescaped(point))))
    })
}

/// The kernel writes blanks and backslashes of a name as three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits =
            after.get(..3).filter(|d| *first == b'\\' && d.iter().all(|b| (b'0'..=b'7').contains(b)));
        match digits {
            Some(digits) => {
                plain.push(digits.iter().fold(0u8, |n, d| n.wrapping_mul(8).wrapping_add(d - b'0')));
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

fn open_dir(path: &Path) -> Result<OwnedFd, Failure> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
        .map_err(|e| unavailable(&path.display().to_string(), &e.into()))
}

fn cover(n: usize, path: &Path, real: &OwnedFd) -> std::io::Result<()> {
    let own = Path::new(LAYER_DIR).join(n.to_string());
    let (over, work) = (Path::new(LAYER_DIR).join(upper(n)), own.join("w"));
    for dir in [&own, &over, &work] {
        std::fs::DirBuilder::new().mode(0o700).create(dir)?;
    }
    let mode = rustix::fs::fstat(real)?.st_mode & 0o7777;
    std::fs::set_permissions(&over, std::fs::Permissions::from_mode(mode))?;
    if lab::without(Layer::PrivateLayer) {
        return Ok(());
    }
    // By its number, because a name may hold what an option may not.
    let options = format!(
        "lowerdir=/proc/self/fd/{},upperdir={},workdir={},userxattr",
        real.as_raw_fd(),
        over.display(),
        work.display()
    );
    sys::mount("overlay", path, &options)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn mount_points_are_read_as_the_kernel_writes_them() {
        let table = b"22 1 0:5 / / rw - ext4 x rw\n23 22 0:6 / /mnt/a\\040b\\134c rw - tmpfs y rw\n";
        let points: Vec<PathBuf> = mount_points(table).collect();
        assert_eq!(points, [PathBuf::from("/"), PathBuf::from("/mnt/a b\\c")]);
    }
}
