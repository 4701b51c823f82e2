//! Where groups for cells can be made on this machine, and making that place ready.

use super::parse::{self, Mount};
use super::{Groups, Version};
use rustix::fs::{Access, AtFlags, CWD};
use std::fs;
use std::path::{Path, PathBuf};

const CONTROLLERS: [&str; 2] = ["memory", "pids"];
const ENABLE: &str = "+memory +pids";
/// The group all groups of cells live in, when it is ours to make.
const HOUSE: &str = "metnos";
/// The group this process moves to when cells live in the group it was started in: in the unified
/// hierarchy a group that hands on its controllers holds no process itself.
const LEAF: &str = "daemon";

/// Looks for the unified hierarchy first, then for the separate ones.
pub(super) fn find() -> Option<Groups> {
    let mountinfo = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let cgroup = fs::read_to_string("/proc/self/cgroup").ok()?;
    let root = rustix::process::geteuid().is_root();
    unified(&mountinfo, &cgroup, root).or_else(|| separate(&mountinfo, &cgroup))
}

fn unified(mountinfo: &str, cgroup: &str, root: bool) -> Option<Groups> {
    let mount = parse::unified(mountinfo)?;
    let own = parse::own(cgroup, None).and_then(|path| mount.seen(&path))?;
    let lent = || lent(&own);
    // Root can write anywhere, but whoever manages the groups expects strangers in a group it has
    // handed over, or beside all others, and nowhere else.
    let place = if !root || handed_over(&own) { lent() } else { topmost(&mount, &own).or_else(lent) };
    place.map(|place| Groups { version: Version::Two, memory: place.clone(), tasks: place })
}

/// Below the groups this process lives in, so that whatever bounds it bounds its cells too.
fn separate(mountinfo: &str, cgroup: &str) -> Option<Groups> {
    let [memory, tasks] = CONTROLLERS.map(|controller| {
        let mount = parse::separate(mountinfo, controller)?;
        let own = mount.seen(&parse::own(cgroup, Some(controller))?)?;
        writable(&own).then_some(own)
    });
    Some(Groups { version: Version::One, memory: memory?, tasks: tasks? })
}

/// A group beside all others, for a process that may make one.
fn topmost(mount: &Mount, own: &Path) -> Option<PathBuf> {
    let bound = |group: &Path| read(group, "memory.max").is_none_or(|max| max.trim() != "max");
    // Cells would leave a bound that holds this process.
    if own.ancestors().take_while(|group| *group != mount.point).any(bound) {
        return None;
    }
    let house = mount.point.join(HOUSE);
    let ready = hands_on(&mount.point) && present(&house) && hands_on(&house);
    if !ready {
        // Goes only if it is empty, and then nobody misses it.
        let _ = fs::remove_dir(&house);
    }
    ready.then_some(house)
}

/// The group this process was started in, when it may be divided and nobody else lives there.
fn lent(own: &Path) -> Option<PathBuf> {
    let may = writable(own)
        && writable(&own.join("cgroup.procs"))
        && writable(&own.join("cgroup.subtree_control"))
        && parse::names(&read(own, "cgroup.controllers")?, &CONTROLLERS);
    if !may || read(own, "cgroup.procs")?.trim() != std::process::id().to_string() {
        return None;
    }
    let leaf = own.join(LEAF);
    if !present(&leaf) {
        return None;
    }
    if write(&leaf, "cgroup.procs", "0") && hands_on(own) {
        return Some(own.to_owned());
    }
    write(own, "cgroup.procs", "0");
    let _ = fs::remove_dir(&leaf);
    None
}

/// The mark of systemd on a group with `Delegate=yes`.
fn handed_over(group: &Path) -> bool {
    ["trusted.delegate", "user.delegate"].iter().any(|mark| {
        let mut value = [0; 2];
        matches!(rustix::fs::getxattr(group, *mark, &mut value[..]), Ok(1) if value[0] == b'1')
    })
}

/// True once the groups below `group` have the controllers.
fn hands_on(group: &Path) -> bool {
    let has = || read(group, "cgroup.subtree_control").is_some_and(|have| parse::names(&have, &CONTROLLERS));
    has() || (write(group, "cgroup.subtree_control", ENABLE) && has())
}

fn present(group: &Path) -> bool {
    fs::create_dir(group).is_ok() || group.is_dir()
}

fn writable(path: &Path) -> bool {
    rustix::fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

fn read(group: &Path, file: &str) -> Option<String> {
    fs::read_to_string(group.join(file)).ok()
}

fn write(group: &Path, file: &str, text: &str) -> bool {
    fs::write(group.join(file), text).is_ok()
}

/// What is decided from the files of the unified hierarchy, on ordinary directories that hold the
/// same files: a machine has one hierarchy, and it cannot be arranged for a test.
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A group whose children already have the controllers.
    fn group(at: &Path, lives: &str, bound: &str) {
        fs::create_dir_all(at).unwrap();
        for (file, text) in [
            ("cgroup.controllers", "cpu memory pids\n"),
            ("cgroup.subtree_control", "memory pids\n"),
            ("cgroup.procs", lives),
            ("memory.max", bound),
        ] {
            fs::write(at.join(file), text).unwrap();
        }
    }

    fn me() -> String {
        format!("{}\n", std::process::id())
    }

    #[test]
    fn a_group_of_our_own_is_divided_and_we_move_to_a_leaf() {
        let dir = tempfile::tempdir().unwrap();
        group(dir.path(), &me(), "max\n");
        assert_eq!(lent(dir.path()), Some(dir.path().to_owned()));
        assert_eq!(read(&dir.path().join(LEAF), "cgroup.procs").as_deref(), Some("0"));
    }

    #[test]
    fn a_group_where_others_live_or_without_controllers_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        group(dir.path(), &format!("1\n{}", me()), "max\n");
        assert_eq!(lent(dir.path()), None);
        group(dir.path(), &me(), "max\n");
        fs::write(dir.path().join("cgroup.controllers"), "cpu hugetlb\n").unwrap();
        assert_eq!(lent(dir.path()), None);
        assert!(!dir.path().join(LEAF).exists());
    }

    #[test]
    fn we_move_back_when_the_controllers_cannot_be_handed_on() {
        let dir = tempfile::tempdir().unwrap();
        group(dir.path(), &me(), "max\n");
        // An ordinary file keeps what was written, which is not what the kernel would answer.
        fs::write(dir.path().join("cgroup.subtree_control"), "cpu\n").unwrap();
        assert_eq!(lent(dir.path()), None);
        assert_eq!(read(dir.path(), "cgroup.procs").as_deref(), Some("0"));
    }

    #[test]
    fn cells_do_not_leave_a_bound_that_holds_us() {
        let dir = tempfile::tempdir().unwrap();
        let mount = Mount { root: "/".into(), point: dir.path().to_owned() };
        let (slice, own) = (dir.path().join("slice"), dir.path().join("slice/own"));
        group(dir.path(), "", "max\n");
        group(&dir.path().join(HOUSE), "", "max\n");
        group(&slice, "", "max\n");
        group(&own, &me(), "max\n");
        assert_eq!(topmost(&mount, &own), Some(dir.path().join(HOUSE)));
        assert_eq!(topmost(&mount, dir.path()), Some(dir.path().join(HOUSE)));
        group(&slice, "", "1048576\n");
        assert_eq!(topmost(&mount, &own), None);
    }
}
