//! The names that mounts add to core paths, kept for as long as no mount changes.

use super::{Entry, mounts};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Other names of core paths, each with the number of its entry.
pub(super) type Names = Arc<[(PathBuf, usize)]>;

/// What was worked out at the last change of the mounts.
#[derive(Debug, Default)]
pub(super) struct Aliases(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    /// The kernel marks this open file when a mount comes or goes.
    mounts: File,
    names: Names,
}

impl Aliases {
    /// The names under the mounts of this moment.
    pub(super) fn now(&self, entries: &[Entry]) -> std::io::Result<Names> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && unchanged(&known.mounts)
        {
            return Ok(Arc::clone(&known.names));
        }
        *known = None;
        let mut file = File::open("/proc/self/mountinfo")?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let names = work_out(entries, &mounts::parse(&text));
        *known = Some(Known { mounts: file, names: Arc::clone(&names) });
        Ok(names)
    }
}

/// Whether no mount changed since the file was opened. If that cannot be told, one did.
fn unchanged(mounts: &File) -> bool {
    let mut fds = [PollFd::new(mounts, PollFlags::PRI)];
    match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => !fds[0].revents().intersects(PollFlags::PRI | PollFlags::ERR),
        Err(_) => false,
    }
}

fn work_out(entries: &[Entry], mounts: &[mounts::Mount]) -> Names {
    let mut names = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        for path in &entry.paths {
            // Another view of a file system that covers the path's own name adds nothing.
            let others = mounts::other_names(path, mounts);
            names
                .extend(others.into_iter().filter(|name| !entry.paths.contains(name)).map(|name| (name, at)));
        }
    }
    names.into()
}
