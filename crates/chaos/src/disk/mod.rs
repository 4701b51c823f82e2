//! A disk that forgets what was not synced, mounted through FUSE.

mod fs;
mod power;
mod store;

pub(crate) use power::Power;
pub(crate) use store::{Left, Store};

use crate::Done;
use crate::options::Model;
use fuser::{BackgroundSession, Config, MountOption, Session, SessionACL};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// One disk and the folder it is mounted on.
pub(crate) struct Disk {
    path: PathBuf,
    store: Arc<Mutex<Store>>,
    power: Arc<Power>,
    session: Option<BackgroundSession>,
}

impl Disk {
    /// An empty disk, mounted.
    pub(crate) fn new(path: &Path, power: &Arc<Power>, model: Model) -> Done<Self> {
        std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut disk = Self {
            path: path.to_owned(),
            store: Arc::new(Mutex::new(Store::new(model))),
            power: power.clone(),
            session: None,
        };
        disk.mount()?;
        Ok(disk)
    }

    /// Everything on it.
    pub(crate) fn copy(&self) -> Store {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Brings it back with this content.
    pub(crate) fn bring(&mut self, store: Store) -> Done {
        self.store = Arc::new(Mutex::new(store));
        self.mount()
    }

    fn mount(&mut self) -> Done {
        let mut config = Config::default();
        config.acl = SessionACL::All;
        config.mount_options = vec![
            MountOption::FSName("metnos-chaos".into()),
            MountOption::DefaultPermissions,
            MountOption::Exec,
            MountOption::NoAtime,
        ];
        let fs = fs::Forgetful { store: self.store.clone(), power: self.power.clone() };
        let session = Session::new(fs, &self.path, &config).and_then(Session::spawn);
        self.session = Some(session.map_err(|e| format!("mount {}: {e}", self.path.display()))?);
        Ok(())
    }

    /// Takes it away from its programs. What the kernel remembered of it goes with the mount.
    pub(crate) fn take_away(&mut self) {
        let Some(session) = self.session.take() else { return };
        // Lazily: a process that still dies keeps only the disk that is gone.
        let mut umount = Command::new("umount");
        let _ = umount.arg("-l").arg(&self.path).stderr(Stdio::null()).status();
        drop(session);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.take_away();
    }
}
