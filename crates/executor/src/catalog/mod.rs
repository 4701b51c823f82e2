//! All executors of this instance: three roots, the default version of each, and the check that
//! precedes every call.
//!
//! The check is cheap because its outcome is kept beside the state of everything it looked at; it
//! is sound because the bytes that were verified are kept too. A fooled key can delay noticing a
//! change, it can never let unverified bytes run.

mod moves;
mod out_of_use;

pub use moves::{CatalogError, Moved};
pub use out_of_use::OutOfUse;

use crate::files::{self, Stamp};
use crate::home::{Home, Root};
use crate::keys::{InstanceKey, PublicKey};
use crate::lab::{self, Layer};
use crate::lifecycle::{self, State};
use crate::manifest::{CreatedBy, Manifest, Version};
use crate::profile::TableVersions;
use crate::record::{self, Counters, Current, Host};
use crate::refusal::{Part, Refusal};
use crate::signature::{Verified, WATCHED, verify_stamped};
use crate::wire::Runtime;
use metnos_vocab::ExecutorName;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The executors of one instance.
pub struct Catalog {
    home: Home,
    public: PublicKey,
    tables: TableVersions,
    counters: Arc<dyn Counters>,
    cache: Mutex<HashMap<Key, Cached>>,
}

type Key = (ExecutorName, Option<Version>);

/// An outcome of the check, and everything it depended on.
struct Cached {
    verified: Arc<Verified>,
    watched: Vec<(PathBuf, Option<Stamp>)>,
}

/// One row of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The folder's name, also when it is not a lawful one.
    pub name: String,
    /// The default version, when that can be told.
    pub version: Option<Version>,
    /// Where it belongs.
    pub root: Root,
    /// Where it stands.
    pub state: State,
    /// True when every check passed just now.
    pub verified: bool,
    /// Why not, or why it is where it is.
    pub reason: Option<String>,
}

impl Catalog {
    /// The catalog of `home`.
    pub fn open(home: Home, public: PublicKey, tables: TableVersions, counters: Arc<dyn Counters>) -> Self {
        Self { home, public, tables, counters, cache: Mutex::default() }
    }

    /// Where this catalog lives.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The check of every call: the default version, or the one asked for, with all its parts
    /// verified. Microseconds when nothing changed.
    pub fn resolve(&self, name: &ExecutorName, version: Option<&Version>) -> Result<Arc<Verified>, Refusal> {
        let key = (name.clone(), version.copied());
        if let Some(cached) = self.cache().get(&key)
            && cached.watched.iter().all(|(path, stamp)| Stamp::at(path) == *stamp)
        {
            return Ok(Arc::clone(&cached.verified));
        }
        self.cache().remove(&key);
        let mut watched = Vec::new();
        let verified = Arc::new(self.check(name, version, &mut watched)?);
        // A file changed this very moment could change again within the same tick of the clock.
        if watched.iter().filter_map(|(_, stamp)| stamp.as_ref()).all(Stamp::is_settled) {
            self.cache().insert(key, Cached { verified: Arc::clone(&verified), watched });
        }
        Ok(verified)
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Key, Cached>> {
        // The map is replaced entry by entry, so a panic elsewhere leaves nothing half done.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(
        &self,
        name: &ExecutorName,
        version: Option<&Version>,
        watched: &mut Vec<(PathBuf, Option<Stamp>)>,
    ) -> Result<Verified, Refusal> {
        let mut watch = |path: PathBuf| {
            let stamp = Stamp::at(&path);
            watched.push((path, stamp));
            stamp.is_some()
        };
        let mut owner = None;
        for root in Root::ALL {
            if watch(self.dir(root, name)) {
                owner = Some(root);
                break;
            }
            let away = [self.home.quarantine_dir(), self.home.archive_dir()]
                .map(|dir| dir.join(root.as_str()).join(name.as_str()));
            if away.into_iter().any(&mut watch) {
                return Err(self.put_away(root, name));
            }
        }
        let root =
            owner.ok_or_else(|| Refusal::new(Part::Absent, format!("no executor is called {name}")))?;
        let dir = self.dir(root, name);
        watch(dir.join("CURRENT"));
        watch(dir.join("LIFECYCLE"));
        let state = lifecycle::state(&dir, &subject(root, name), &self.public, &*self.counters)?;
        if !state.is_usable() {
            return Err(Refusal::new(Part::Lifecycle, format!("{name} is {state}")));
        }
        let (version, missing) = match version {
            Some(version) => (*version, Part::Absent),
            None => match self.without_default(root, name)? {
                Some(refusal) => return Err(refusal),
                None => (self.current(root, name)?.version, Part::Current),
            },
        };
        let folder = dir.join(version.to_string());
        if Stamp::at(&folder).is_none() {
            let reason = format!("{name} has no version {version}");
            return Err(Refusal::new(missing, reason));
        }
        watch(self.home.root_dir(Root::Seed).join("HOST"));
        let (verified, stamps) = verify_stamped(&folder, &self.public, &self.tables)?;
        watched.extend(WATCHED.iter().map(|file| folder.join(file)).zip(stamps));
        belongs(&verified.manifest, root, name, &version)?;
        if verified.manifest.code.runtime == Runtime::Native {
            self.host()?;
        }
        Ok(verified)
    }

    /// The record of the default version.
    pub fn current(&self, root: Root, name: &ExecutorName) -> Result<Current, Refusal> {
        let current: Current = record::load(&self.dir(root, name), &self.public, &*self.counters)?;
        if current.name != *name || current.root != root {
            let reason = format!("CURRENT is the one of {}/{}", current.root, current.name);
            return Err(Refusal::new(Part::Current, reason));
        }
        Ok(current)
    }

    /// The record of the approved host.
    pub fn host(&self) -> Result<Host, Refusal> {
        record::load(&self.home.root_dir(Root::Seed), &self.public, &*self.counters)
    }

    /// Approves a host: signs its record with the next counter.
    pub fn store_host(&self, host: Host, key: &InstanceKey) -> Result<Host, Refusal> {
        record::store(&self.home.root_dir(Root::Seed), host, key, &*self.counters)
    }

    /// Everything there is, checked: usable, refused, quarantined and archived.
    pub fn list(&self) -> Result<Vec<Listed>, CatalogError> {
        let mut rows = Vec::new();
        for root in Root::ALL {
            for text in self.names(&self.home.root_dir(root))? {
                rows.extend(self.installed(root, text)?);
            }
            let away = [
                (self.home.quarantine_dir(), State::Quarantined),
                (self.home.archive_dir(), State::Archived),
            ];
            for (base, state) in away {
                for name in self.names(&base.join(root.as_str()))? {
                    let dir = base.join(root.as_str()).join(&name);
                    let version = newest_version(&dir)?;
                    let reason = moves::reason(&dir);
                    rows.push(Listed { name, version, root, state, verified: false, reason });
                }
            }
        }
        Ok(rows)
    }

    fn names(&self, dir: &Path) -> Result<Vec<String>, CatalogError> {
        let names = files::names(dir).map_err(|e| CatalogError::io(dir, e))?;
        Ok(names.into_iter().filter(|name| !name.starts_with('.') && dir.join(name).is_dir()).collect())
    }

    fn installed(&self, root: Root, text: String) -> Result<Option<Listed>, CatalogError> {
        let row = |version, state, refusal: Option<Refusal>| Listed {
            name: text.clone(),
            version,
            root,
            state,
            verified: refusal.is_none(),
            reason: refusal.map(|r| r.to_string()),
        };
        let name = match ExecutorName::parse(&text) {
            Ok(name) => name,
            Err(error) => {
                let refusal = Refusal::new(Part::Name, error.to_string());
                return Ok(Some(row(None, State::Quarantined, Some(refusal))));
            }
        };
        let dir = self.dir(root, &name);
        let newest = newest_version(&dir)?;
        if newest.is_none() && !files::exists(&dir.join("CURRENT")) {
            // Only its history is left here; the rest is listed where it was moved to.
            return Ok(None);
        }
        let state = lifecycle::state(&dir, &subject(root, &name), &self.public, &*self.counters);
        let state = state.unwrap_or(State::Quarantined);
        if let Some(owner) = self.higher_owner(root, &name) {
            let refusal = Refusal::new(Part::Root, format!("the name {name} belongs to {owner}"));
            return Ok(Some(row(newest, state, Some(refusal))));
        }
        // What is in order so is no failed check.
        let state = match files::exists(&dir.join("CURRENT")) {
            true => state,
            false => self.out_of_use(&name).map_or(state, |away| away.state),
        };
        let version = self.current(root, &name).ok().map(|current| current.version).or(newest);
        Ok(Some(row(version, state, self.resolve(&name, None).err())))
    }

    /// The more trusted root that owns the name, also when its executor is put away.
    fn higher_owner(&self, root: Root, name: &ExecutorName) -> Option<Root> {
        Root::ALL.into_iter().filter(|higher| *higher < root).find(|higher| {
            let places = [self.home.executors_dir(), self.home.quarantine_dir(), self.home.archive_dir()];
            places.iter().any(|p| files::exists(&p.join(higher.as_str()).join(name.as_str())))
        })
    }

    /// Why a name whose folder is not in its root cannot be called.
    fn put_away(&self, root: Root, name: &ExecutorName) -> Refusal {
        let below = Root::ALL.into_iter().find(|r| *r > root && files::exists(&self.dir(*r, name)));
        let quarantine = self.home.quarantine_dir().join(root.as_str()).join(name.as_str());
        let (word, dir) = match files::exists(&quarantine) {
            true => ("quarantined", quarantine),
            false => ("archived", self.home.archive_dir().join(root.as_str()).join(name.as_str())),
        };
        let why = moves::reason(&dir).map(|why| format!(": {why}")).unwrap_or_default();
        match below {
            Some(below) => {
                let reason = format!("the name {name} belongs to {root} ({word}), {below} cannot take it");
                Refusal::new(Part::Root, reason)
            }
            None => Refusal::new(Part::Lifecycle, format!("{name} is {word}{why}")),
        }
    }

    fn dir(&self, root: Root, name: &ExecutorName) -> PathBuf {
        self.home.root_dir(root).join(name.as_str())
    }
}

/// The subject of a history.
fn subject(root: Root, name: &ExecutorName) -> String {
    format!("{root}/{name}")
}

/// A good signature in the wrong place is still wrong.
fn belongs(manifest: &Manifest, root: Root, name: &ExecutorName, version: &Version) -> Result<(), Refusal> {
    let identity = &manifest.executor;
    if lab::without(Layer::Belongs) {
        return Ok(());
    }
    if identity.name != *name || identity.version != *version {
        let found = format!("{} {}", identity.name, identity.version);
        let reason = format!("the folder {name}/{version} holds {found}");
        return Err(Refusal::new(Part::Name, reason));
    }
    let home = match identity.created_by {
        CreatedBy::Seed => Root::Seed,
        CreatedBy::Synt { .. } => Root::Synt,
        CreatedBy::Skill { .. } => Root::Skills,
    };
    if home != root {
        let reason =
            format!("created by {:?}, so it belongs to {home}, not {root}", identity.created_by.to_string());
        return Err(Refusal::new(Part::Root, reason));
    }
    if manifest.code.runtime == Runtime::Native && root != Root::Seed {
        return Err(Refusal::new(Part::Root, "only seeds are native"));
    }
    Ok(())
}

fn newest_version(dir: &Path) -> Result<Option<Version>, CatalogError> {
    let names = files::names(dir).map_err(|e| CatalogError::io(dir, e))?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).max())
}

#[cfg(test)]
mod tests;
