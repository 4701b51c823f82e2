//! A vault in a scratch folder.

use jiff::Timestamp;
use metnos_vault::{Fields, Secret, Vault, VaultError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

/// Every second counts up with each look, so that two moments differ.
pub(crate) fn clock() -> Timestamp {
    static NOW: AtomicI64 = AtomicI64::new(1_800_000_000);
    Timestamp::from_second(NOW.fetch_add(1, Ordering::Relaxed)).unwrap()
}

pub(crate) fn fields(pairs: &[(&str, &str)]) -> Fields {
    Fields::new(pairs.iter().map(|(name, value)| (*name, Secret::new((*value).to_owned())))).unwrap()
}

pub(crate) fn token(value: &str) -> Fields {
    fields(&[("token", value)])
}

pub(crate) fn open_at(root: &Path) -> Result<Vault, VaultError> {
    Vault::open(&root.join("config"), &root.join("state"), |_| None, clock)
}

/// Every file of a folder with its content.
pub(crate) type Snapshot = BTreeMap<String, Vec<u8>>;

pub(crate) struct House {
    pub(crate) root: tempfile::TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn open(&self) -> Result<Vault, VaultError> {
        open_at(self.root.path())
    }

    pub(crate) fn vault(&self) -> Vault {
        self.open().unwrap()
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.root.path().join("state/vault")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.root.path().join("config/keys/vault.key")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    /// The files of the vault, without the lock, which holds nothing.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let files = std::fs::read_dir(self.dir()).unwrap().map(|e| e.unwrap());
        let files = files.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap()));
        files.filter(|(name, _)| name != "lock").collect()
    }

    /// Puts the folder into exactly this state.
    pub(crate) fn restore(&self, files: &Snapshot) {
        for name in self.snapshot().keys() {
            std::fs::remove_file(self.file(name)).unwrap();
        }
        for (name, bytes) in files {
            std::fs::write(self.file(name), bytes).unwrap();
        }
    }
}

/// The token of a credential.
pub(crate) fn token_of(vault: &Vault, name: &str) -> Result<String, VaultError> {
    let credential = vault.get(name)?;
    Ok(credential.fields.get("token").unwrap().expose().to_owned())
}
