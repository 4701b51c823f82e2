//! The kernel's own bound on a whole cell: a group of processes that may hold so much memory and
//! so many tasks together. Where none can be made there is none, and the watch from outside stands
//! alone; nothing here ever fails a call.

mod parse;
mod place;
#[cfg(test)]
mod tests;

use metnos_executor::lab::{self, Layer};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// A group is busy until the last of its processes is gone, which takes the kernel a moment.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(1);

/// Which interface of the kernel holds the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// One hierarchy for each controller.
    One,
    /// The unified hierarchy.
    Two,
}

/// Which bound was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The kernel killed a process for want of memory.
    Memory,
    /// The kernel refused a new process or thread.
    Tasks,
}

/// The place where groups can be made.
#[derive(Debug)]
pub struct Groups {
    version: Version,
    memory: PathBuf,
    /// The same place in the unified hierarchy.
    tasks: PathBuf,
}

/// The group of one cell. It goes when this is dropped.
#[derive(Debug)]
pub struct Group {
    version: Version,
    doors: Vec<File>,
    memory: File,
    swap: Option<File>,
    tasks: File,
    memory_events: File,
    tasks_events: File,
    #[allow(dead_code, reason = "removes the group when it is dropped")]
    dirs: Dirs,
}

/// Directories of a group, removed with it.
#[derive(Debug, Default)]
struct Dirs(Vec<PathBuf>);

impl Groups {
    /// What this machine offers to this process; looked for once.
    pub fn find() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<Groups>> = OnceLock::new();
        // The watch would not be missed while the kernel itself holds the bound.
        if lab::without(Layer::Cgroup) || lab::without(Layer::Watchdog) {
            return None;
        }
        FOUND
            .get_or_init(|| {
                let groups = place::find()?;
                groups.sweep();
                Some(groups)
            })
            .as_ref()
    }

    /// The interface it uses.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Makes the group of one cell, without bounds yet: they come with the call.
    pub fn cell(&self) -> Option<Group> {
        left(|left| left.retain(|dir| busy(dir)));
        self.make().ok()
    }

    fn make(&self) -> io::Result<Group> {
        let name = name()?;
        let (memory, tasks) = (self.memory.join(&name), self.tasks.join(&name));
        let mut dirs = Dirs::default();
        dirs.make(&memory)?;
        if tasks != memory {
            dirs.make(&tasks)?;
        }
        let (limit, swap, events) = match self.version {
            Version::One => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control"),
            Version::Two => ("memory.max", "memory.swap.max", "memory.events"),
        };
        let write = |path: PathBuf| OpenOptions::new().write(true).open(path);
        let door = |dir: &PathBuf| OpenOptions::new().read(true).write(true).open(dir.join("cgroup.procs"));
        let mut swap = write(memory.join(swap)).ok();
        if self.version == Version::Two {
            // Here memory and swap are counted apart, so the second does not depend on the first.
            if let Some(swap) = swap.take() {
                swap.write_all_at(b"0", 0)?;
            }
            // Half a cell is of no use. Kernels before 4.19 do without.
            let _ = fs::write(memory.join("memory.oom.group"), "1");
        }
        Ok(Group {
            version: self.version,
            doors: dirs.0.iter().map(door).collect::<io::Result<_>>()?,
            memory: write(memory.join(limit))?,
            swap,
            tasks: write(tasks.join("pids.max"))?,
            memory_events: File::open(memory.join(events))?,
            tasks_events: File::open(tasks.join("pids.events"))?,
            dirs,
        })
    }

    /// Removes what processes left behind that did not end in order.
    fn sweep(&self) {
        for place in [&self.memory, &self.tasks] {
            let Ok(entries) = fs::read_dir(place) else { continue };
            for entry in entries.flatten() {
                let gone = entry
                    .file_name()
                    .to_str()
                    .and_then(parse::owner)
                    .is_some_and(|(pid, start)| started(pid) != Some(start));
                if gone {
                    // Whatever still lives in it keeps it.
                    let _ = fs::remove_dir(entry.path());
                }
            }
        }
    }
}

impl Group {
    /// The interface it uses.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Descriptors through which a process enters by writing `0`: one or two.
    pub(crate) fn doors(&self) -> [Option<RawFd>; 2] {
        let mut doors = self.doors.iter().map(File::as_raw_fd);
        [doors.next(), doors.next()]
    }

    /// Whether `pid` did enter everywhere. The doors close behind it.
    pub(crate) fn admitted(&mut self, pid: u32) -> bool {
        let pid = pid.to_string();
        std::mem::take(&mut self.doors)
            .iter()
            .all(|door| content(door).is_some_and(|text| parse::names(&text, &[&pid])))
    }

    /// Sets how much memory and how many tasks may be in the group, once. False when the kernel does
    /// not take it.
    pub fn limit(&self, memory: u64, tasks: u32) -> bool {
        let memory = memory.to_string();
        let set = |file: &File, value: &str| file.write_all_at(value.as_bytes(), 0).is_ok();
        // Memory with swap may never be less than memory alone, so it comes second.
        set(&self.memory, &memory)
            && self.swap.as_ref().is_none_or(|swap| set(swap, &memory))
            && set(&self.tasks, &tasks.to_string())
    }

    /// Which bound was reached so far. How often memory came up to its bound does not count: files
    /// that were read fill it too, and make room when asked.
    pub fn killed(&self) -> Option<Hit> {
        let any = |file: &File, key: &str| {
            content(file).and_then(|text| parse::number(&text, key)).is_some_and(|times| times > 0)
        };
        if any(&self.memory_events, "oom_kill") {
            return Some(Hit::Memory);
        }
        any(&self.tasks_events, "max").then_some(Hit::Tasks)
    }
}

impl Dirs {
    fn make(&mut self, dir: &Path) -> io::Result<()> {
        fs::create_dir(dir)?;
        self.0.push(dir.to_owned());
        Ok(())
    }
}

impl Drop for Dirs {
    fn drop(&mut self) {
        for attempt in 0..TRIES {
            if attempt > 0 {
                std::thread::sleep(BETWEEN_TRIES);
            }
            self.0.retain(|dir| busy(dir));
            if self.0.is_empty() {
                return;
            }
        }
        left(|left| left.append(&mut self.0));
    }
}

/// Groups that were still busy when their cell was let go: each new cell tries again.
fn left(act: impl FnOnce(&mut Vec<PathBuf>)) {
    static LEFT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    act(&mut LEFT.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Removes a group; true when it must be tried again.
fn busy(dir: &Path) -> bool {
    fs::remove_dir(dir).is_err_and(|e| e.kind() == io::ErrorKind::ResourceBusy)
}

/// No two groups have the same name, and each names the process it belongs to.
fn name() -> io::Result<String> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let pid = std::process::id();
    let start = started(pid).ok_or(io::ErrorKind::NotFound)?;
    Ok(format!("metnos-{pid}-{start}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

fn started(pid: u32) -> Option<u64> {
    parse::started(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// What a short file of the kernel says now.
fn content(file: &File) -> Option<String> {
    let mut text = [0; 512];
    let n = file.read_at(&mut text, 0).ok()?;
    Some(String::from_utf8_lossy(text.get(..n)?).into_owned())
}
