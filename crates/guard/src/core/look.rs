//! One look at the core paths: which exist, which other names they have. Verdicts are made over it.

use super::paths::{below_any, inside};
use super::{Act, CoreError, CorePaths, Entry, Identity, Verdict, mounts};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What stood at the core paths at one moment.
pub struct Look<'c> {
    core: &'c CorePaths,
    /// Names that mounts add, with the entry they reach.
    aliases: Vec<(PathBuf, &'c Entry)>,
    /// What stands at core paths, with the entry.
    identities: HashMap<(u64, u64), &'c Entry>,
}

impl<'c> Look<'c> {
    pub(super) fn take(core: &'c CorePaths) -> Result<Self, CoreError> {
        let mounts = mounts::read().map_err(CoreError::Mounts)?;
        let mut aliases = Vec::new();
        let mut identities = HashMap::new();
        for entry in &core.entries {
            for path in &entry.paths {
                if let Some(id) = Identity::of(path) {
                    identities.insert((id.dev, id.ino), entry);
                }
                for name in mounts::other_names(path, &mounts) {
                    // Another view of a file system that covers the path's own name adds nothing.
                    if !entry.paths.contains(&name) {
                        aliases.push((name, entry));
                    }
                }
            }
        }
        Ok(Self { core, aliases, identities })
    }

    /// Whether `path`, canonical, may be touched.
    pub fn verdict(&self, path: &Path, act: Act) -> Verdict {
        if !path.is_absolute() {
            return Verdict::Core { entry: path.to_owned(), reason: "not an absolute path".into() };
        }
        for (core, entry) in self.names() {
            let within = inside(path, core) && !below_any(path, &entry.except);
            if within || (act == Act::RenameOrRemove && inside(core, path)) {
                return Verdict::Core { entry: core.to_owned(), reason: entry.reason.clone() };
            }
        }
        // A name nobody listed may still lead to the same folder.
        for ancestor in path.ancestors() {
            let found = Identity::of(ancestor).and_then(|id| self.identities.get(&(id.dev, id.ino)));
            if let Some(entry) = found
                && !below_any(path, &entry.except)
            {
                let at = entry.paths.first().cloned().unwrap_or_default();
                return Verdict::Core { entry: at, reason: entry.reason.clone() };
            }
        }
        Verdict::Free
    }

    /// Whether a core path lies strictly below `dir`, existing or not.
    pub(super) fn holds_core(&self, dir: &Path) -> bool {
        self.names().any(|(core, _)| inside(core, dir))
    }

    /// Whether something below `dir`, itself core, is not.
    pub(super) fn holds_exception(&self, dir: &Path) -> bool {
        self.core.entries.iter().flat_map(|e| &e.except).any(|free| inside(free, dir))
    }

    pub(super) fn existing(&self, roots: &[PathBuf]) -> Vec<(PathBuf, Identity)> {
        let mut found: Vec<_> = self
            .names()
            .filter(|(path, _)| below_any(path, roots))
            .filter_map(|(path, _)| Some((path.to_owned(), Identity::of(path)?)))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.dedup();
        found
    }

    fn names(&self) -> impl Iterator<Item = (&Path, &'c Entry)> {
        let listed = self.core.entries.iter().flat_map(|e| e.paths.iter().map(move |p| (p.as_path(), e)));
        listed.chain(self.aliases.iter().map(|(p, e)| (p.as_path(), *e)))
    }
}
