//! One look at the core paths: which exist, which other names they have. Verdicts are made over it.

use super::alias::Names;
use super::links::{self, Linked};
use super::paths::{below_any, inside};
use super::{Act, CoreError, CorePaths, Entry, Expansion, Identity, Verdict, expand};
use std::cell::{OnceCell, RefCell};
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
    /// Core files that have names outside the core.
    linked: OnceCell<Linked>,
    /// Those names, below the folders that were granted.
    hard_links: RefCell<Vec<PathBuf>>,
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
        Ok(Self {
            core,
            aliases,
            found,
            identities,
            linked: OnceCell::new(),
            hard_links: RefCell::default(),
            near: RefCell::default(),
        })
    }

    /// What of `grant` can really be granted; see [`Expansion`].
    pub fn expand(&self, grant: &Path) -> Expansion {
        self.find_hard_links(grant);
        expand::expand(self, grant)
    }

    /// The core files that have names outside the core.
    fn linked(&self) -> &Linked {
        self.linked.get_or_init(|| self.core.links.now(&self.core.entries))
    }

    /// Whether a name at or below `tree` is a hard link to a core file.
    pub fn has_hard_links_below(&self, tree: &Path) -> bool {
        self.find_hard_links(tree);
        self.hard_links.borrow().iter().any(|link| inside(link, tree))
    }

    /// Learns which names below `grant` lead to core files.
    fn find_hard_links(&self, grant: &Path) {
        if !self.linked().is_empty() {
            let found =
                links::below(grant, self.linked(), &|folder| self.verdict(folder, Act::Read).is_core());
            self.hard_links.borrow_mut().extend(found);
        }
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
        // A name nobody listed may still lead to the same folder or file.
        let itself = id.and_then(|id| self.entry_of(id));
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

    /// The entry that a file or folder is, or that a file lies in.
    fn entry_of(&self, id: (u64, u64)) -> Option<&'c Entry> {
        let listed = self.identities.get(&id).copied();
        listed.or_else(|| self.core.entries.get(self.linked().get(&id)?.entry))
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
            || self.hard_links.borrow().iter().any(|link| inside(link, dir))
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
