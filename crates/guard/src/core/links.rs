//! Hard links: other names of core files that no rule about names can know.
//!
//! A link is told by the file it leads to. Core files that have a name outside the core are looked for in the core
//! trees themselves; there are hardly ever any, and then nothing else is done. The walk is repeated when it is a
//! hundred times as old as it took, so that it never costs more than a hundredth of the time.

use super::Entry;
use std::collections::{HashMap, HashSet};
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The file system and the inode in it.
type File = (u64, u64);

/// Core files with names outside the core, each with the number of its entry and of those names.
pub(super) type Linked = Arc<HashMap<File, Outside>>;

/// What is known of the names of one core file outside the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outside {
    /// The core entry it lies in.
    pub(super) entry: usize,
    /// How many names there are.
    names: u64,
}

/// What the last walk found.
#[derive(Debug, Default)]
pub(super) struct Links(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    at: Instant,
    took: Duration,
    linked: Linked,
}

/// How many times as long as a walk took it holds.
const HOLDS: u32 = 100;

impl Links {
    /// The core files that have other names now.
    pub(super) fn now(&self, entries: &[Entry]) -> Linked {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && known.at.elapsed() < known.took * HOLDS
        {
            return Arc::clone(&known.linked);
        }
        let begun = Instant::now();
        let linked = Arc::new(walk(entries));
        *known = Some(Known { at: begun, took: begun.elapsed(), linked: Arc::clone(&linked) });
        linked
    }
}

fn walk(entries: &[Entry]) -> HashMap<File, Outside> {
    let mut seen: HashMap<File, (usize, u64, u64)> = HashMap::new();
    let mut names = HashSet::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.by_identity) {
        for path in &entry.paths {
            each_file(path, &mut |path, meta| {
                if meta.nlink() > 1 && names.insert(path.to_owned()) {
                    let known = seen.entry((meta.dev(), meta.ino())).or_insert((at, 0, 0));
                    *known = (known.0, known.1 + 1, meta.nlink());
                }
            });
        }
    }
    let outside = |(file, (entry, inside, all)): (File, (usize, u64, u64))| {
        let names = all.checked_sub(inside).filter(|names| *names > 0)?;
        Some((file, Outside { entry, names }))
    };
    seen.into_iter().filter_map(outside).collect()
}

/// What is no folder at `path` or below it. What cannot be read has no contents for its other names either.
fn each_file(path: &Path, tell: &mut dyn FnMut(&Path, &std::fs::Metadata)) {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return };
    if !meta.is_dir() {
        return tell(path, &meta);
    }
    for child in std::fs::read_dir(path).into_iter().flatten().flatten() {
        each_file(&child.path(), tell);
    }
}

/// The names below `grant`, outside the core, of files in `linked`. The walk ends as soon as all of them are found.
pub(super) fn below(
    grant: &Path,
    linked: &HashMap<File, Outside>,
    is_core: &dyn Fn(&Path) -> bool,
) -> Vec<PathBuf> {
    let mut left = linked.clone();
    let mut found = Vec::new();
    let mut folders = vec![grant.to_owned()];
    while let Some(folder) = folders.pop() {
        if left.is_empty() {
            break;
        }
        if is_core(&folder) {
            continue;
        }
        for child in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = child.file_type() else { continue };
            if kind.is_dir() {
                folders.push(child.path());
                continue;
            }
            // The folder tells the inode without a look at each file.
            if !left.keys().any(|(_, ino)| *ino == child.ino()) {
                continue;
            }
            let Ok(meta) = child.metadata() else { continue };
            let file = (meta.dev(), meta.ino());
            let Some(outside) = left.get_mut(&file) else { continue };
            found.push(child.path());
            outside.names -= 1;
            if outside.names == 0 {
                left.remove(&file);
            }
        }
    }
    found
}
