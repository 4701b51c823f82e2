//! Who holds a lock. A call is over when its process and its cell are: both hold it, and the cell may
//! outlive a killed process by a moment.

use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a cell whose process is dead may take to die.
const DYING: Duration = Duration::from_secs(5);

/// This process, as a later one can recognise it.
pub(crate) fn this() -> String {
    let me = std::process::id();
    format!("{me} {}\n", started(me).unwrap_or_default())
}

/// Takes the lock if nobody lives who held it.
pub(crate) fn gone(lock: &File, path: &Path) -> bool {
    let until = Instant::now() + DYING;
    while flock(lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if lives(path) || Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Whether the process that wrote the file lives. If that cannot be told, it does.
fn lives(path: &Path) -> bool {
    let told = std::fs::read_to_string(path).unwrap_or_default();
    let Some((pid, start)) = told.trim().split_once(' ') else { return true };
    let now = pid.parse().ok().and_then(started);
    now.is_some_and(|now| now == start)
}

/// When a process started, in the kernel's words.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything; the start time is the 20th field after it.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19).map(str::to_owned)
}
