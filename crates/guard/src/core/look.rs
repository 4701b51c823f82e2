//! One look at the core paths: which exist, which other names they have. Verdicts are made over it.

use super::alias::Names;
use super::paths::{below_any, inside};
use super::{Act, CoreError, CorePaths, Entry, Expansion, Identity, Verdict, expand};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What stood at the core paths at one moment.
pub struct Look<'c> {
    core: &'c CorePaths,
    /// Names that mounts add, with the number of the entry they reach.
    aliases: Names,
    /// What stands at each listed path, in the order of the list.
    found: Vec<(&'c Path, Option<Identity>)>,
    /// The entry that each of these belongs to.
    identities: HashMap<(u64, u64), &'c Entry>,
    /// By folder: of ten thousand files in one, what lies around them is looked at once.
    near: RefCell<HashMap<PathBuf, Rc<Near<'c>>>>,
}

/// What of the core can matter to anything in one folder.
struct Near<'c> {
    /// Core names above the folder, at it or below it.
    names: Vec<(PathBuf, &'c Entry)>,
    /// What the folder and those above it lead to, the nearest first.
    led: Vec<&'c Entry>,
}

impl<'c> Look<'c> {
    pub(super) fn take(core: &'c CorePaths) -> Result<Self, CoreError> {
        let aliases = core.aliases.now(&core.entries).map_err(CoreError::Mounts)?;
        let mut found = Vec::new();
        let mut identities = HashMap::new();
        for entry in &core.entries {
            for path in &entry.paths {
                let id = Identity::of(path);
                found.push((path.as_path(), id));
                if let Some(id) = id {
                    identities.insert((id.dev, id.ino), entry);
                }
            }
        }
        Ok(Self { core, aliases, found, identities, near: RefCell::default() })
    }

    /// What of `grant` can really be granted; see [`Expansion`].
    pub fn expand(&self, grant: &Path) -> Expansion {
        expand::expand(self, grant)
    }

    /// A digest of what stood at the core paths at or below `roots`, absence included. Another
    /// digest later means that one appeared, went or was replaced.
    pub fn identity_digest(&self, roots: &[PathBuf]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (_, found) in self.found.iter().filter(|(path, _)| below_any(path, roots)) {
            let mut record = [0; 18];
            if let Some(id) = found {
                record[..2].copy_from_slice(&[1, u8::from(id.is_dir)]);
                record[2..10].copy_from_slice(&id.dev.to_le_bytes());
                record[10..].copy_from_slice(&id.ino.to_le_bytes());
            }
            hasher.update(&record);
        }
        *hasher.finalize().as_bytes()
    }

    /// Whether `path`, canonical, may be touched.
    pub fn verdict(&self, path: &Path, act: Act) -> Verdict {
        self.verdict_on(path, Identity::of(path).map(|id| (id.dev, id.ino)), act)
    }

    /// [`Look::verdict`] where somebody just looked: device and number of what stands at `path`.
    pub fn verdict_on(&self, path: &Path, id: Option<(u64, u64)>, act: Act) -> Verdict {
        if !path.is_absolute() {
            return Verdict::Core { entry: path.to_owned(), reason: "not an absolute path".into() };
        }
        let near = self.near(path.parent().unwrap_or(path));
        for (core, entry) in &near.names {
            let within = inside(path, core) && !below_any(path, &entry.except);
            if within || (act == Act::RenameOrRemove && inside(core, path)) {
                return Verdict::Core { entry: core.clone(), reason: entry.reason.clone() };
            }
        }
        // A name nobody listed may still lead to the same folder.
        let itself = id.and_then(|id| self.identities.get(&id).copied());
        match itself.iter().chain(&near.led).find(|entry| !below_any(path, &entry.except)) {
            Some(entry) => {
                let at = entry.paths.first().cloned().unwrap_or_default();
                Verdict::Core { entry: at, reason: entry.reason.clone() }
            }
            None => Verdict::Free,
        }
    }

    /// The entry that stands at `path`, under whatever name.
    fn led_to(&self, path: &Path) -> Option<&'c Entry> {
        Identity::of(path).and_then(|id| self.identities.get(&(id.dev, id.ino)).copied())
    }

    /// What of the core can matter to anything in `dir`; found once for each folder.
    fn near(&self, dir: &Path) -> Rc<Near<'c>> {
        if let Some(near) = self.near.borrow().get(dir) {
            return Rc::clone(near);
        }
        let names = self.names().filter(|(core, _)| inside(dir, core) || inside(core, dir));
        let near = Rc::new(Near {
            names: names.map(|(core, entry)| (core.to_owned(), entry)).collect(),
            led: dir.ancestors().filter_map(|ancestor| self.led_to(ancestor)).collect(),
        });
        self.near.borrow_mut().insert(dir.to_owned(), Rc::clone(&near));
        near
    }

    /// Whether a core path lies strictly below `dir`, existing or not.
    pub(super) fn holds_core(&self, dir: &Path) -> bool {
        self.names().any(|(core, _)| inside(core, dir))
    }

    /// Whether something below `dir`, itself core, is not.
    pub(super) fn holds_exception(&self, dir: &Path) -> bool {
        self.core.entries.iter().flat_map(|e| &e.except).any(|free| inside(free, dir))
    }

    /// The core paths that exist at or below `roots`, for mount masks.
    pub fn existing(&self, roots: &[PathBuf]) -> Vec<(PathBuf, Identity)> {
        let listed = self.found.iter().filter_map(|(path, id)| Some((*path, (*id)?)));
        let other = self.aliases.iter().filter_map(|(path, _)| Some((path.as_path(), Identity::of(path)?)));
        let mut found: Vec<_> = listed
            .chain(other)
            .filter(|(path, _)| below_any(path, roots))
            .map(|(path, id)| (path.to_owned(), id))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.dedup();
        found
    }

    fn names(&self) -> impl Iterator<Item = (&Path, &'c Entry)> {
        let listed = self.core.entries.iter().flat_map(|e| e.paths.iter().map(move |p| (p.as_path(), e)));
        let entry = |at: &usize| self.core.entries.get(*at);
        listed.chain(self.aliases.iter().filter_map(move |(path, at)| Some((path.as_path(), entry(at)?))))
    }
}
