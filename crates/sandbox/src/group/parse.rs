//! What the kernel's files say, taken apart. Pure: texts in, facts out.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A mounted hierarchy of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Which group of the hierarchy is seen at the mount point.
    pub(super) root: PathBuf,
    /// Where it is seen.
    pub(super) point: PathBuf,
}

impl Mount {
    /// Where the group that `/proc/self/cgroup` calls `path` is seen, if it is.
    pub(super) fn seen(&self, path: &Path) -> Option<PathBuf> {
        let below = path.strip_prefix(&self.root).ok()?;
        // A group outside this namespace is written with `..`.
        let inside = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        inside.then(|| self.point.join(below))
    }
}

/// The mount of the unified hierarchy.
pub(super) fn unified(mountinfo: &str) -> Option<Mount> {
    mounts(mountinfo).find(|(kind, _, _)| *kind == "cgroup2").map(|(_, _, mount)| mount)
}

/// The mount of the separate hierarchy that holds `controller`.
pub(super) fn separate(mountinfo: &str, controller: &str) -> Option<Mount> {
    mounts(mountinfo)
        .find(|(kind, options, _)| *kind == "cgroup" && options.split(',').any(|o| o == controller))
        .map(|(_, _, mount)| mount)
}

fn mounts(mountinfo: &str) -> impl Iterator<Item = (&str, &str, Mount)> {
    mountinfo.lines().filter_map(|line| {
        let (place, source) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, point) = (plain(place.next()?), plain(place.next()?));
        let mut source = source.split(' ');
        Some((source.next()?, source.nth(1)?, Mount { root, point }))
    })
}

/// A path of mountinfo, in which blanks and backslashes are written in octal.
fn plain(written: &str) -> PathBuf {
    let bytes = written.as_bytes();
    let mut path = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let octal = written.get(at + 1..at + 4).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match octal.filter(|_| byte == b'\\') {
            Some(meant) => {
                path.push(meant);
                at += 4;
            }
            None => {
                path.push(byte);
                at += 1;
            }
        }
    }
    OsString::from_vec(path).into()
}

/// The group of this process from `/proc/self/cgroup`: in the separate hierarchy of `controller`,
/// or in the unified one.
pub(super) fn own(cgroup: &str, controller: Option<&str>) -> Option<PathBuf> {
    cgroup.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (id, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let this = match controller {
            Some(controller) => controllers.split(',').any(|c| c == controller),
            None => id == "0" && controllers.is_empty(),
        };
        this.then(|| path.into())
    })
}

/// The number behind `key` in a file of lines `key number`.
pub(super) fn number(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

/// True when every one of `wanted` is among the words of `text`.
pub(super) fn names(text: &str, wanted: &[&str]) -> bool {
    wanted.iter().all(|name| text.split_whitespace().any(|word| word == *name))
}

/// When a process started, from `/proc/<pid>/stat`. Its name may hold blanks and brackets.
pub(super) fn started(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Whose group a name belongs to: process and start time.
pub(super) fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix("metnos-")?.split('-');
    let owner = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next()?.parse::<u64>().ok()?;
    parts.next().is_none().then_some(owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEPARATE: &str = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:5 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /docker/ab /srv/a\\040b/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

    fn mount(root: &str, point: &str) -> Mount {
        Mount { root: root.into(), point: point.into() }
    }

    #[test]
    fn hierarchies_are_found_where_they_are_mounted() {
        assert_eq!(unified(SEPARATE), Some(mount("/", "/sys/fs/cgroup/unified")));
        assert_eq!(separate(SEPARATE, "memory"), Some(mount("/docker/ab", "/srv/a b/memory")));
        assert_eq!(separate(SEPARATE, "pids"), Some(mount("/", "/sys/fs/cgroup/pids")));
        assert_eq!(separate(SEPARATE, "cpuacct"), Some(mount("/", "/sys/fs/cgroup/cpu,cpuacct")));
        assert_eq!(separate(SEPARATE, "mem"), None);
        let one = "26 25 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(unified(one), Some(mount("/", "/sys/fs/cgroup")));
        assert_eq!(separate(one, "memory"), None);
    }

    #[test]
    fn lines_that_are_no_mounts_are_passed_over() {
        for text in ["", "\n", " - ", "1 2 3 - cgroup2", "1 2 0:1 / /x rw", "\\ - \\"] {
            assert_eq!((unified(text), separate(text, "memory")), (None, None), "{text:?}");
        }
    }

    #[test]
    fn the_own_group_is_read_from_every_shape_of_the_file() {
        let both = "9:name=systemd:/x\n8:pids:/a\n4:cpu,memory:/b:c\n0::/user.slice/s.scope\n";
        assert_eq!(own(both, Some("pids")), Some("/a".into()));
        assert_eq!(own(both, Some("memory")), Some("/b:c".into()));
        assert_eq!(own(both, Some("blkio")), None);
        assert_eq!(own(both, None), Some("/user.slice/s.scope".into()));
        assert_eq!(own("8:pids:/a\n", None), None);
        assert_eq!(own("", None), None);
    }

    #[test]
    fn a_group_outside_the_mount_is_not_seen() {
        let whole = mount("/", "/sys/fs/cgroup");
        assert_eq!(whole.seen("/a/b".as_ref()), Some("/sys/fs/cgroup/a/b".into()));
        assert_eq!(whole.seen("/../b".as_ref()), None);
        let part = mount("/docker/ab", "/sys/fs/cgroup");
        assert_eq!(part.seen("/docker/ab".as_ref()), Some("/sys/fs/cgroup".into()));
        assert_eq!(part.seen("/docker/ab/x".as_ref()), Some("/sys/fs/cgroup/x".into()));
        assert_eq!(part.seen("/docker/other".as_ref()), None);
    }

    #[test]
    fn counters_are_found_by_their_whole_name() {
        let events = "low 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 1\n";
        assert_eq!(number(events, "oom_kill"), Some(3));
        assert_eq!(number(events, "max"), Some(7));
        assert_eq!(number(events, "oom_k"), None);
        assert_eq!(number("", "max"), None);
        assert!(names("cpuset cpu memory pids\n", &["memory", "pids"]));
        assert!(!names("cpuset cpu hugetlb\n", &["memory", "pids"]));
    }

    #[test]
    fn a_name_tells_its_owner_and_a_process_its_start() {
        assert_eq!(owner("metnos-12-345-6"), Some((12, 345)));
        for other in ["daemon", "12-345", "12-345-6-7", "a-1-2", "--", ""] {
            assert_eq!(owner(other), None, "{other:?}");
        }
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1000 1";
        assert_eq!(started(stat), Some(4242));
        assert_eq!(started("7 (sh"), None);
    }
}
