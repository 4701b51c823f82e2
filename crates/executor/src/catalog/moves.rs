//! Moving executors: install, promote, quarantine, approve, archive, restore.
//!
//! Every move is a rename inside `executors/`, in an order that leaves a refused executor, never a
//! wrong one, after a crash; doing it a second time finishes it. Audit lines are the caller's.

use super::{Catalog, belongs, newest_version, subject};
use crate::files;
use crate::home::Root;
use crate::keys::InstanceKey;
use crate::lifecycle::{self, Move, State, Why};
use crate::manifest::{Manifest, Version};
use crate::record::{self, Current};
use crate::refusal::{Part, Refusal};
use crate::signature::{Verified, sign_folder, verify_folder};
use metnos_vocab::ExecutorName;
use std::io;
use std::path::{Path, PathBuf};

const REASON: &str = "REASON";
const REASON_MAX: usize = 64 << 10;
/// The only files an executor is made of. The rest is made by signing.
const PARTS: [&str; 4] = ["manifest.toml", "schema.json", "main.py", "tests/birth.toml"];

/// What happened, for the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Which executor.
    pub name: ExecutorName,
    /// Its root.
    pub root: Root,
    /// Which version, when one is meant.
    pub version: Option<Version>,
    /// The state it is in now.
    pub state: State,
    /// Where it is now.
    pub place: PathBuf,
}

/// Why a move did not happen.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The file system said no.
    #[error("{path}: {error}")]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A check refused it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is nothing of this name to move.
    #[error("{name} is not {place}")]
    Absent {
        /// The name.
        name: ExecutorName,
        /// Where it was looked for.
        place: &'static str,
    },
    /// A version is never changed in place.
    #[error("{name} {version} is already there with other content")]
    Taken {
        /// The name.
        name: ExecutorName,
        /// The version.
        version: Version,
    },
    /// A file that does not belong to an executor.
    #[error("{path:?} is not a part of an executor")]
    Stranger {
        /// The relative path that was given.
        path: String,
    },
}

impl CatalogError {
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    /// What to do next, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Taken { .. } => Some("give the new one a higher version"),
            Self::Stranger { .. } => Some("parts: manifest.toml, schema.json, main.py, tests/birth.toml"),
            _ => None,
        }
    }
}

type Done<T> = Result<T, CatalogError>;

/// The first line of the reason kept beside something put away.
pub(super) fn reason(dir: &Path) -> Option<String> {
    let (bytes, _) = files::read(&dir.join(REASON), REASON_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().next().map(|line| line.chars().take(500).collect())
}

impl Catalog {
    /// Writes, signs and places a new version. It is not the default until it is promoted.
    /// The same content again is no error.
    pub fn install(
        &self,
        root: Root,
        name: &ExecutorName,
        version: &Version,
        parts: &[(&str, &[u8])],
        key: &InstanceKey,
    ) -> Done<Verified> {
        self.free(root, name)?;
        if let Some((path, _)) = parts.iter().find(|(path, _)| !PARTS.contains(path)) {
            return Err(CatalogError::Stranger { path: (*path).to_owned() });
        }
        let staging = self.staging()?;
        let placed = self.write_and_place(&staging, root, name, version, parts, key);
        drop(std::fs::remove_dir_all(&staging));
        placed
    }

    fn write_and_place(
        &self,
        staging: &Path,
        root: Root,
        name: &ExecutorName,
        version: &Version,
        parts: &[(&str, &[u8])],
        key: &InstanceKey,
    ) -> Done<Verified> {
        for (path, bytes) in parts {
            let file = staging.join(path);
            let dir = file.parent().unwrap_or(staging);
            let written = files::make_dirs(dir).and_then(|()| files::write_atomic(&file, bytes, 0o644));
            written.map_err(|e| CatalogError::io(&file, e))?;
        }
        let verified = sign_folder(staging, key, &self.tables)?;
        belongs(&verified.manifest, root, name, version)?;
        self.place(staging, root, name, version, &verified)?;
        Ok(verified)
    }

    /// Puts a signed folder where it belongs.
    fn place(
        &self,
        from: &Path,
        root: Root,
        name: &ExecutorName,
        version: &Version,
        verified: &Verified,
    ) -> Done<()> {
        let dir = self.dir(root, name);
        let to = dir.join(version.to_string());
        files::make_dirs(&dir).map_err(|e| CatalogError::io(&dir, e))?;
        match move_durably(from, &to) {
            Err(CatalogError::Io { error, .. }) if error.kind() == io::ErrorKind::AlreadyExists => {
                let there = verify_folder(&to, &self.public, &self.tables)?;
                if there.digest == verified.digest {
                    return Ok(());
                }
                Err(CatalogError::Taken { name: name.clone(), version: *version })
            }
            other => other,
        }
    }

    /// Makes `version` the default one.
    pub fn promote(&self, name: &ExecutorName, version: &Version, key: &InstanceKey) -> Done<Current> {
        let root = self.root_of(name)?;
        self.free(root, name)?;
        let dir = self.dir(root, name);
        let verified = verify_folder(&dir.join(version.to_string()), &self.public, &self.tables)?;
        belongs(&verified.manifest, root, name, version)?;
        let record = Current { root, name: name.clone(), version: *version, counter: 0 };
        Ok(record::store(&dir, record, key, &*self.counters)?)
    }

    /// Takes a refused version out of use: it goes to quarantine with the reason, and `CURRENT` only if it names
    /// that version. Without a version those that do not verify go, else the default one. Nothing is deleted, and no
    /// key is needed to be careful.
    pub fn quarantine(
        &self,
        name: &ExecutorName,
        version: Option<&Version>,
        refusal: &Refusal,
    ) -> Done<Moved> {
        let roots = Root::ALL.into_iter().filter(|root| files::exists(&self.dir(*root, name)));
        // Of two that claim one name, the less trusted one has to go.
        let root = if refusal.part == Part::Root { roots.last() } else { roots.into_iter().next() };
        let away = |root: Root| self.home.quarantine_dir().join(root.as_str()).join(name.as_str());
        let Some(root) = root else {
            let absent = CatalogError::Absent { name: name.clone(), place: "installed" };
            let done = Root::ALL.into_iter().find(|root| files::exists(&away(*root)));
            let root = done.ok_or(absent)?;
            return self.moved(root, name, None, State::Quarantined, away(root));
        };
        let (from, to) = (self.dir(root, name), away(root));
        let current = self.current(root, name);
        let mut versions = match version {
            Some(version) => vec![*version],
            None => self.refused_versions(root, name)?,
        };
        if versions.is_empty() {
            // The folders are sound, so a record is not: the default goes, whatever it was. A version that was
            // never the default is not what is wrong.
            let newest = if files::exists(&from.join("CURRENT")) { newest_version(&from)? } else { None };
            versions.extend(current.as_ref().ok().map(|current| current.version).or(newest));
        }
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| CatalogError::Io { path, error }
        };
        files::make_dirs(&to).map_err(io(&to))?;
        let text = format!("{refusal}\n");
        files::write_atomic(&to.join(REASON), text.as_bytes(), 0o644).map_err(io(&to))?;
        // CURRENT first: from then on nothing is called by default, wherever a crash stops us.
        let mut parts = Vec::new();
        if current.map_or(true, |current| versions.contains(&current.version)) {
            parts.push("CURRENT".to_owned());
        }
        parts.extend(versions.iter().map(Version::to_string));
        if lifecycle::state(&from, &subject(root, name), &self.public, &*self.counters).is_err() {
            parts.push("LIFECYCLE".to_owned());
        }
        for part in parts {
            if files::exists(&from.join(&part)) {
                make_room(&to.join(&part))?;
                move_durably(&from.join(&part), &to.join(&part))?;
            }
        }
        // A folder with nothing left in it would still claim the name as installed.
        drop(std::fs::remove_dir(&from));
        self.forget(name);
        self.moved(root, name, versions.pop(), State::Quarantined, to)
    }

    /// A person looked at what lies in quarantine and wants it back as it is: signs it again and places it. It becomes
    /// the default where there is none; beside a default it is a candidate, as it was.
    pub fn approve(&self, name: &ExecutorName, why: &Why<'_>, key: &InstanceKey) -> Done<Moved> {
        let (root, from) = self.away(name, &self.home.quarantine_dir(), "in quarantine")?;
        self.free(root, name)?;
        let dir = self.dir(root, name);
        let version = match newest_version(&from)? {
            Some(version) => {
                let folder = from.join(version.to_string());
                let verified = sign_folder(&folder, key, &self.tables)?;
                belongs(&verified.manifest, root, name, &version)?;
                self.place(&folder, root, name, &version, &verified)?;
                version
            }
            // A crash after the folder was placed: the rest is still to be done.
            None => newest_version(&dir)?
                .ok_or_else(|| CatalogError::Absent { name: name.clone(), place: "in quarantine" })?,
        };
        let cause = reason(&from).unwrap_or_else(|| "refused by a check".to_owned());
        let subject = subject(root, name);
        let old = lifecycle::state(&dir, &subject, &self.public, &*self.counters);
        let beside = self.current(root, name).is_ok_and(|current| current.version != version);
        if !(beside && old.as_ref().is_ok_and(|state| state.is_usable())) {
            if old.is_ok_and(|state| state != State::Quarantined) {
                let refused = Why { reason: &cause, ..*why };
                lifecycle::append(&dir, &subject, State::Quarantined, &refused, key, &*self.counters)?;
            }
            lifecycle::append(&dir, &subject, State::Active, why, key, &*self.counters)?;
            let record = Current { root, name: name.clone(), version, counter: 0 };
            record::store(&dir, record, key, &*self.counters)?;
        }
        for leftover in ["CURRENT", "LIFECYCLE", REASON] {
            drop(std::fs::remove_file(from.join(leftover)));
        }
        drop(std::fs::remove_dir(&from));
        self.forget(name);
        self.moved(root, name, Some(version), State::Active, dir.join(version.to_string()))
    }

    /// Brings an executor back from quarantine with other parts than the ones that lie there; those
    /// are kept aside as evidence.
    pub fn renew(
        &self,
        name: &ExecutorName,
        parts: &[(&str, &[u8])],
        why: &Why<'_>,
        key: &InstanceKey,
    ) -> Done<Moved> {
        let (_, from) = self.away(name, &self.home.quarantine_dir(), "in quarantine")?;
        let evidence = self.home.quarantine_dir().join(".evidence");
        let evidence = evidence.join(format!("{name}-{}", crate::Ulid::new()));
        let manifest =
            parts.iter().find(|(path, _)| *path == "manifest.toml").map_or(&[][..], |(_, bytes)| bytes);
        let manifest = Manifest::from_bytes(manifest, "manifest.toml")
            .map_err(|e| Refusal::new(Part::Manifest, e.to_string()))?;
        let folder = from.join(manifest.executor.version.to_string());
        if files::exists(&folder) {
            files::make_dirs(&evidence).map_err(|e| CatalogError::io(&evidence, e))?;
            move_durably(&folder, &evidence.join("refused"))?;
        }
        for (path, bytes) in parts {
            let file = folder.join(path);
            let written = files::make_dirs(file.parent().unwrap_or(&folder))
                .and_then(|()| files::write_atomic(&file, bytes, 0o644));
            written.map_err(|e| CatalogError::io(&file, e))?;
        }
        self.approve(name, why, key)
    }

    /// Puts an executor away, with its versions and its history.
    pub fn archive(&self, name: &ExecutorName, why: &Why<'_>, key: &InstanceKey) -> Done<Moved> {
        let to = |root: Root| self.home.archive_dir().join(root.as_str()).join(name.as_str());
        let root = match self.root_of(name) {
            Ok(root) => root,
            Err(absent) => {
                let done = Root::ALL.into_iter().find(|root| files::exists(&to(*root)));
                let root = done.ok_or(absent)?;
                return self.moved(root, name, None, State::Archived, to(root));
            }
        };
        let (dir, subject) = (self.dir(root, name), subject(root, name));
        let state = lifecycle::state(&dir, &subject, &self.public, &*self.counters)?;
        let steps: &[Move] = match state {
            // Already decided; a crash came before the rename.
            State::Archived => &[],
            State::Active => &[Move::Demote, Move::Archive],
            _ => &[Move::Archive],
        };
        for step in steps {
            lifecycle::step(&dir, &subject, *step, why, key, &*self.counters)?;
        }
        let parent = self.home.archive_dir().join(root.as_str());
        files::make_dirs(&parent).map_err(|e| CatalogError::io(&parent, e))?;
        move_durably(&dir, &to(root))?;
        self.forget(name);
        self.moved(root, name, None, State::Archived, to(root))
    }

    /// Brings an archived executor back.
    pub fn restore(&self, name: &ExecutorName, why: &Why<'_>, key: &InstanceKey) -> Done<Moved> {
        let root = match self.away(name, &self.home.archive_dir(), "archived") {
            Ok((root, from)) => {
                self.free(root, name)?;
                let parent = self.home.root_dir(root);
                files::make_dirs(&parent).map_err(|e| CatalogError::io(&parent, e))?;
                move_durably(&from, &self.dir(root, name))?;
                root
            }
            // Renamed already; only the record may be missing.
            Err(absent) => self.root_of(name).map_err(|_| absent)?,
        };
        let (dir, subject) = (self.dir(root, name), subject(root, name));
        if lifecycle::state(&dir, &subject, &self.public, &*self.counters)? != State::Active {
            lifecycle::step(&dir, &subject, Move::Restore, why, key, &*self.counters)?;
        }
        self.forget(name);
        self.moved(root, name, None, State::Active, dir)
    }

    /// The versions that do not verify, oldest first.
    fn refused_versions(&self, root: Root, name: &ExecutorName) -> Done<Vec<Version>> {
        let dir = self.dir(root, name);
        let names = files::names(&dir).map_err(|e| CatalogError::io(&dir, e))?;
        let mut versions: Vec<Version> = names.iter().filter_map(|name| name.parse().ok()).collect();
        versions.retain(|version| {
            verify_folder(&dir.join(version.to_string()), &self.public, &self.tables)
                .and_then(|verified| belongs(&verified.manifest, root, name, version))
                .is_err()
        });
        versions.sort();
        Ok(versions)
    }

    fn moved(
        &self,
        root: Root,
        name: &ExecutorName,
        version: Option<Version>,
        state: State,
        place: PathBuf,
    ) -> Done<Moved> {
        Ok(Moved { name: name.clone(), root, version, state, place })
    }

    fn forget(&self, name: &ExecutorName) {
        self.cache().retain(|(cached, _), _| cached != name);
    }

    /// Refuses a name that a more trusted root owns.
    fn free(&self, root: Root, name: &ExecutorName) -> Result<(), Refusal> {
        match self.higher_owner(root, name) {
            None => Ok(()),
            Some(owner) => {
                let reason = format!("the name {name} belongs to {owner}, {root} cannot take it");
                Err(Refusal::new(Part::Root, reason))
            }
        }
    }

    fn root_of(&self, name: &ExecutorName) -> Done<Root> {
        let root = Root::ALL.into_iter().find(|root| files::exists(&self.dir(*root, name)));
        root.ok_or_else(|| CatalogError::Absent { name: name.clone(), place: "installed" })
    }

    fn away(&self, name: &ExecutorName, base: &Path, place: &'static str) -> Done<(Root, PathBuf)> {
        let dir = |root: Root| base.join(root.as_str()).join(name.as_str());
        let found = Root::ALL.into_iter().find(|root| files::exists(&dir(*root)));
        let root = found.ok_or_else(|| CatalogError::Absent { name: name.clone(), place })?;
        Ok((root, dir(root)))
    }

    /// A folder to build in, on the same filesystem, that no root lists.
    fn staging(&self) -> Done<PathBuf> {
        let dir = self.home.executors_dir().join(".staging").join(crate::Ulid::new().to_string());
        files::make_dirs(&dir).map_err(|e| CatalogError::io(&dir, e))?;
        Ok(dir)
    }
}

/// Renames, never over something, and makes both names durable.
fn move_durably(from: &Path, to: &Path) -> Done<()> {
    let moved = files::rename_new(from, to)
        .and_then(|()| [from.parent(), to.parent()].into_iter().flatten().try_for_each(files::sync_dir));
    moved.map_err(|error| CatalogError::io(to, error))
}

/// What lies at `path` from an earlier time steps aside; nothing is deleted.
fn make_room(path: &Path) -> Done<()> {
    let Some(name) = path.file_name().and_then(|n| n.to_str()).filter(|_| files::exists(path)) else {
        return Ok(());
    };
    let aside = path.with_file_name(format!("{name}.before-{}", crate::Ulid::new()));
    move_durably(path, &aside)
}
