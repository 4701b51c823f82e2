//! The vault itself: opening, changing, handing out.

use crate::envelope::{self, Flaw, Kind};
use crate::files::{self, Content, Lock};
use crate::index::{self, BINDINGS_MAX, Index, Record};
use crate::key::{Key, Place};
use crate::{Bundle, FIELDS_BYTES_MAX, Fields, Form, Missing, Name, Sealer, Secret, VaultError};
use jiff::Timestamp;
use metnos_executor::ExecutorName;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Larger than any credential within the bounds.
const CREDENTIAL_FILE_MAX: usize = 2 * FIELDS_BYTES_MAX;
const DIGEST_CONTEXT: &str = "metnos 1 digests of secrets";

/// One credential, opened.
#[derive(Debug)]
pub struct Credential {
    /// Its name.
    pub name: Name,
    /// Its values.
    pub fields: Fields,
    /// When it was first stored.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The executors that may receive it; empty means every one whose manifest names it.
    pub bindings: Vec<String>,
}

/// What may be shown of a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: Name,
    /// The names of its fields.
    pub fields: Vec<Name>,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The executors that may receive it; empty means every one whose manifest names it.
    pub bindings: Vec<String>,
}

/// Which index stood there at a moment. Another one later means that some credential changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    changed: (i64, i64),
    size: u64,
}

/// The credentials of this instance. Many threads and processes may use one at once.
pub struct Vault {
    dir: PathBuf,
    key: Key,
    /// The newest generation met so far: nothing older is believed any more.
    seen: AtomicU64,
    clock: fn() -> Timestamp,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vault({})", self.dir.display())
    }
}

impl Vault {
    /// Opens the vault in `state_dir/vault`, and makes it if there is none.
    ///
    /// The key is `$CREDENTIALS_DIRECTORY/metnos-vault-key` when `env` leads to one, else
    /// `config_dir/keys/vault.key`: in another folder than what it opens, so that a copy of the
    /// state alone tells nothing.
    pub fn open(
        config_dir: &Path,
        state_dir: &Path,
        env: impl Fn(&str) -> Option<OsString>,
        clock: fn() -> Timestamp,
    ) -> Result<Self, VaultError> {
        let dir = state_dir.join("vault");
        let place = Place::find(config_dir, env)?;
        files::make_dirs(&dir)?;
        let _lock = Lock::alone(&lock_path(&dir))?;
        let index = index_path(&dir);
        let made = std::fs::symlink_metadata(&index).is_ok();
        if !made && files::names(&dir)?.iter().any(|name| files::credential_version(name).is_some()) {
            return Err(VaultError::IndexLost { path: index });
        }
        // A new key is made only where nothing was written with a lost one.
        let key = if made { place.load()? } else { place.load_or_make()? };
        let vault = Self { dir, key, seen: AtomicU64::new(0), clock };
        if !made {
            vault.write_index(&Index::default())?;
        }
        vault.sweep(&vault.index()?);
        Ok(vault)
    }

    /// Stores a credential, or replaces its fields and keeps its bindings.
    pub fn set(&self, name: &str, fields: Fields) -> Result<(), VaultError> {
        let name = Name::parse(name)?;
        let _lock = Lock::alone(&lock_path(&self.dir))?;
        let index = self.index()?;
        let bindings = index.records.get(&name).map(|old| old.bindings.clone());
        self.store(&index, name, &fields, bindings.unwrap_or_default())
    }

    /// Says which executors may receive a credential; none means every one whose manifest names it.
    pub fn bind(&self, name: &str, executors: &[ExecutorName]) -> Result<(), VaultError> {
        let name = Name::parse(name)?;
        let mut bindings: Vec<String> = executors.iter().map(|e| e.as_str().to_owned()).collect();
        bindings.sort();
        bindings.dedup();
        if bindings.len() > BINDINGS_MAX {
            return Err(VaultError::TooBig { what: "executors for one credential", most: BINDINGS_MAX });
        }
        let _lock = Lock::alone(&lock_path(&self.dir))?;
        let index = self.index()?;
        let old = self.read(&index, &name)?;
        self.store(&index, name, &old.fields, bindings)
    }

    /// Forgets a credential, also a damaged one.
    pub fn remove(&self, name: &str) -> Result<(), VaultError> {
        let name = Name::parse(name)?;
        let _lock = Lock::alone(&lock_path(&self.dir))?;
        let index = self.index()?;
        index.record(&name)?;
        let mut next = index.next();
        next.records.remove(&name);
        self.commit(&next)
    }

    /// What there is, by name, without opening any.
    pub fn list(&self) -> Result<Vec<Listed>, VaultError> {
        let _lock = Lock::shared(&lock_path(&self.dir))?;
        let listed = |(name, record): (Name, Record)| Listed {
            name,
            fields: record.fields,
            updated_at: record.updated_at,
            bindings: record.bindings,
        };
        Ok(self.index()?.records.into_iter().map(listed).collect())
    }

    /// One credential.
    pub fn get(&self, name: &str) -> Result<Credential, VaultError> {
        let name = Name::parse(name)?;
        let _lock = Lock::shared(&lock_path(&self.dir))?;
        self.read(&self.index()?, &name)
    }

    /// Every value that must never be written down, for the redactor. Fails when one cannot be
    /// read: a redactor that does not know a secret would let it through.
    pub fn values(&self) -> Result<impl Iterator<Item = Secret> + use<>, VaultError> {
        let _lock = Lock::shared(&lock_path(&self.dir))?;
        let index = self.index()?;
        let mut all = Vec::new();
        for name in index.records.keys() {
            all.extend(self.read(&index, name)?.fields.into_values());
        }
        // An empty one would be found everywhere.
        Ok(all.into_iter().filter(|value| !value.expose().is_empty()))
    }

    /// Exactly the credentials the manifest of `executor` names, for one call.
    /// [`VaultError::Missing`] says what to ask the person for.
    pub fn for_call(&self, executor: &ExecutorName, names: &[String]) -> Result<Bundle, VaultError> {
        let _lock = Lock::shared(&lock_path(&self.dir))?;
        let index = self.index()?;
        let (mut wanted, mut forms) = (Vec::<Name>::new(), Vec::new());
        for name in names {
            let name = Name::parse(name)?;
            if wanted.contains(&name) {
                continue;
            }
            match index.records.get(&name) {
                None => forms.push(Form::of(name.clone())?),
                Some(r) if r.bindings.is_empty() || r.bindings.iter().any(|b| b == executor.as_str()) => {}
                Some(_) => {
                    return Err(VaultError::NotBound { name, executor: executor.as_str().to_owned() });
                }
            }
            wanted.push(name);
        }
        if !forms.is_empty() {
            return Err(VaultError::Missing(Missing { forms }));
        }
        Ok(Bundle(wanted.iter().map(|name| self.read(&index, name)).collect::<Result<_, _>>()?))
    }

    /// How many changes this vault has seen. Kept elsewhere, it tells when all files were put back.
    pub fn generation(&self) -> Result<u64, VaultError> {
        let _lock = Lock::shared(&lock_path(&self.dir))?;
        Ok(self.index()?.generation)
    }

    /// What tells cheaply whether any process changed a credential since; `None` when there is no index.
    pub fn stamp(&self) -> Option<Stamp> {
        let meta = std::fs::symlink_metadata(index_path(&self.dir)).ok()?;
        Some(Stamp { inode: meta.ino(), changed: (meta.mtime(), meta.mtime_nsec()), size: meta.len() })
    }

    /// What enciphers secrets inside texts that are kept.
    pub fn sealer(&self) -> Sealer {
        Sealer::new(&self.key)
    }

    /// A key for the digests that stand for secrets: without it a short secret cannot be guessed from its digest.
    pub fn digest_key(&self) -> [u8; 32] {
        blake3::derive_key(DIGEST_CONTEXT, self.key.bytes())
    }

    /// The index as it is now. The caller holds the lock.
    fn index(&self) -> Result<Index, VaultError> {
        let path = index_path(&self.dir);
        let Some(Content { bytes, .. }) = files::read(&path, index::FILE_MAX)? else {
            return Err(VaultError::IndexLost { path });
        };
        let opened = envelope::open(Kind::Index, &self.key, &[], &bytes);
        let opened = opened.map_err(|flaw| self.flawed(flaw, &path, None))?;
        let index = Index::decode(opened.version, &opened.content);
        let index = index.ok_or_else(|| VaultError::Damaged { path: path.clone(), name: None })?;
        let found = index.generation;
        // A crash leaves at most the file of the next change; a later one proves a later index.
        let files = files::names(&self.dir)?;
        let newest = files.iter().filter_map(|name| files::credential_version(name)).max().unwrap_or(0);
        let known = newest.saturating_sub(1).max(self.seen.load(Ordering::Acquire));
        if found < known {
            return Err(VaultError::RolledBack { path, found, known });
        }
        self.seen.fetch_max(found, Ordering::AcqRel);
        Ok(index)
    }

    /// One credential of this index. The caller holds the lock.
    fn read(&self, index: &Index, name: &Name) -> Result<Credential, VaultError> {
        let record = index.record(name)?;
        let path = files::credential_path(&self.dir, record.version);
        let Some(Content { bytes, .. }) = files::read(&path, CREDENTIAL_FILE_MAX)? else {
            return Err(VaultError::Lost { path, name: name.clone() });
        };
        let damaged = || VaultError::Damaged { path: path.clone(), name: Some(name.clone()) };
        let opened = envelope::open(Kind::Credential, &self.key, &record.known(name), &bytes);
        let opened = match (opened, envelope::claimed_version(&bytes)) {
            (Err(Flaw::Damaged), Some(found)) if found != record.version => {
                let (name, expected) = (name.clone(), record.version);
                return Err(VaultError::Misplaced { path, name, found, expected });
            }
            (opened, _) => opened.map_err(|flaw| self.flawed(flaw, &path, Some(name)))?,
        };
        if blake3::hash(&bytes) != record.digest {
            return Err(damaged());
        }
        let fields = Fields::decode(&opened.content).ok_or_else(damaged)?;
        Ok(Credential {
            name: name.clone(),
            fields,
            created_at: record.created_at,
            updated_at: record.updated_at,
            bindings: record.bindings.clone(),
        })
    }

    /// Writes a credential under a number of its own, then makes it the current one.
    fn store(
        &self,
        index: &Index,
        name: Name,
        fields: &Fields,
        bindings: Vec<String>,
    ) -> Result<(), VaultError> {
        let mut next = index.next();
        let updated_at = (self.clock)();
        let mut record = Record {
            version: next.generation,
            created_at: index.records.get(&name).map_or(updated_at, |old| old.created_at),
            updated_at,
            bindings,
            fields: fields.names().cloned().collect(),
            digest: [0; 32],
        };
        let bytes = self.seal(Kind::Credential, record.version, &record.known(&name), &fields.encode())?;
        record.digest = blake3::hash(&bytes).into();
        let path = files::credential_path(&self.dir, record.version);
        next.insert(name, record)?;
        files::write(&path, &bytes)?;
        self.commit(&next)
    }

    /// The one moment of change; what the old index named goes afterwards.
    fn commit(&self, next: &Index) -> Result<(), VaultError> {
        self.write_index(next)?;
        self.seen.fetch_max(next.generation, Ordering::AcqRel);
        self.sweep(next);
        Ok(())
    }

    fn write_index(&self, index: &Index) -> Result<(), VaultError> {
        let bytes = self.seal(Kind::Index, index.generation, &[], &index.encode())?;
        files::write(&index_path(&self.dir), &bytes)
    }

    fn seal(&self, kind: Kind, version: u64, known: &[u8], content: &[u8]) -> Result<Vec<u8>, VaultError> {
        let sealed = envelope::seal(kind, &self.key, version, known, content);
        let sealed = sealed.map_err(|e| VaultError::Random(e.to_string()))?;
        sealed.ok_or(VaultError::TooBig { what: "bytes in one file", most: index::FILE_MAX })
    }

    /// Removes what crashes and changes left. Never a file newer than the index: should the index
    /// turn out to be an old one, nothing is lost. A failure is no harm: the next change tries again.
    fn sweep(&self, index: &Index) {
        let current = |version| index.records.values().any(|record| record.version == version);
        for name in files::names(&self.dir).unwrap_or_default() {
            let old = files::credential_version(&name)
                .is_some_and(|version| version <= index.generation && !current(version));
            if old || name.ends_with(files::UNFINISHED) {
                let _ = files::remove(&self.dir.join(name));
            }
        }
    }

    fn flawed(&self, flaw: Flaw, path: &Path, name: Option<&Name>) -> VaultError {
        let path = path.to_owned();
        match flaw {
            Flaw::Damaged => VaultError::Damaged { path, name: name.cloned() },
            Flaw::Newer(found) => VaultError::Newer { path, found, known: envelope::FORMAT },
            // The index opened, so the key is the right one.
            Flaw::OtherKey if name.is_some() => VaultError::Damaged { path, name: name.cloned() },
            Flaw::OtherKey => VaultError::KeyOther { path, key: self.key.from.clone() },
        }
    }
}

fn index_path(dir: &Path) -> PathBuf {
    dir.join("index")
}

fn lock_path(dir: &Path) -> PathBuf {
    dir.join("lock")
}
