//! Looks at a running cell from outside: how many processes it has and how much memory they hold,
//! shared memory included. Needed because resource limits bind a single process, and as root the
//! limit on processes does not bind at all.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// What a cell uses right now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tasks (processes and threads) below the cell's init.
    pub tasks: u32,
    /// Resident memory plus memory files that nobody maps.
    pub bytes: u64,
}

/// Measures the process tree below `root` (bubblewrap itself and its init are not counted).
/// Processes that vanish while being looked at simply do not count.
pub fn usage(root: u32) -> Usage {
    let mut usage = Usage::default();
    let mut shared: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut queue: Vec<(u32, u32)> = children(root).into_iter().map(|pid| (pid, 1)).collect();
    while let Some((pid, depth)) = queue.pop() {
        queue.extend(children(pid).into_iter().map(|child| (child, depth + 1)));
        // Depth one is the init that bubblewrap keeps inside the namespace.
        if depth == 1 {
            continue;
        }
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
        usage.tasks = usage.tasks.saturating_add(tasks as u32);
        usage.bytes = usage.bytes.saturating_add(private(pid)).saturating_add(memory_files(pid, &mut shared));
    }
    usage
}

fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// Anonymous memory and mapped shared memory other than memory files, from `status`.
fn private(pid: u32) -> u64 {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let kib = |key: &str| -> u64 {
        status
            .lines()
            .find_map(|line| line.strip_prefix(key)?.trim().strip_suffix("kB")?.trim().parse().ok())
            .unwrap_or(0)
    };
    (kib("RssAnon:") + kib("RssShmem:") + kib("VmSwap:")) << 10
}

/// Memory files held open, each counted once however many processes hold it.
fn memory_files(pid: u32, seen: &mut BTreeSet<(u64, u64)>) -> u64 {
    let Ok(fds) = fs::read_dir(format!("/proc/{pid}/fd")) else { return 0 };
    fds.flatten()
        .filter(|fd| {
            fs::read_link(fd.path()).is_ok_and(|to| to.as_os_str().as_encoded_bytes().starts_with(b"/memfd:"))
        })
        .filter_map(|fd| fs::metadata(fd.path()).ok())
        .filter(|meta| seen.insert((meta.dev(), meta.ino())))
        .map(|meta| meta.blocks() * 512)
        .sum()
}
