//! The memory of a process and everything below it, looked at while it runs.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::process::Child;
use std::time::Duration;

/// How often a tree is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// The processes `pid` started.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// Waits for `child` and gives the most memory its tree held at once, in bytes: resident pages of
/// each process, and every memory file once.
pub(crate) fn peak(child: &mut Child) -> crate::Result<u64> {
    let root = child.id();
    let mut peak = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return if status.success() { Ok(peak) } else { Err(format!("it ended with {status}").into()) };
        }
        peak = peak.max(tree(root));
        std::thread::sleep(LOOK);
    }
}

/// What a process and everything below it hold now.
pub(crate) fn tree(root: u32) -> u64 {
    let (mut bytes, mut seen, mut queue) = (0, BTreeSet::new(), vec![root]);
    while let Some(pid) = queue.pop() {
        queue.extend(children(pid));
        bytes += own(pid) + memory_files(pid, &mut seen);
    }
    bytes
}

/// What a process itself holds now.
pub(crate) fn own(pid: u32) -> u64 {
    status(pid, &["RssAnon:", "RssFile:", "VmSwap:"])
}

fn status(pid: u32, keys: &[&str]) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let kib = |key: &&str| -> u64 {
        text.lines()
            .find_map(|line| line.strip_prefix(*key)?.trim().strip_suffix("kB")?.trim().parse().ok())
            .unwrap_or(0)
    };
    keys.iter().map(kib).sum::<u64>() << 10
}

/// Memory files held open, each counted once however many processes hold it.
fn memory_files(pid: u32, seen: &mut BTreeSet<(u64, u64)>) -> u64 {
    let Ok(fds) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return 0 };
    fds.flatten()
        .filter(|fd| {
            std::fs::read_link(fd.path())
                .is_ok_and(|to| to.as_os_str().as_encoded_bytes().starts_with(b"/memfd:"))
        })
        .filter_map(|fd| std::fs::metadata(fd.path()).ok())
        .filter(|meta| seen.insert((meta.dev(), meta.ino())))
        .map(|meta| meta.blocks() * 512)
        .sum()
}
