//! The one host program behind all native seeds: which one is approved, whether the file still is
//! that one, and the verified image that cells run.

use metnos_executor::catalog::Catalog;
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_executor::{Part, Refusal};
use metnos_executor::{record, versions};
use metnos_sandbox::HostImage;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where bubblewrap is looked for; not taken from the environment.
const BWRAP: [&str; 2] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"];

/// The bubblewrap binary of this machine.
pub(crate) fn bwrap() -> PathBuf {
    BWRAP.iter().map(PathBuf::from).find(|p| p.exists()).unwrap_or_else(|| PathBuf::from(BWRAP[0]))
}

/// Which bubblewrap this is: another file is another bubblewrap. Asking it for its version would
/// cost every start a process.
pub(crate) fn bwrap_identity() -> String {
    stamp(&bwrap()).map_or_else(String::new, |s| format!("{s:?}"))
}

/// What bubblewrap says of itself, or nothing.
pub(crate) fn bwrap_version() -> String {
    static SAID: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    SAID.get_or_init(|| {
        let said = std::process::Command::new(bwrap()).arg("--version").env_clear().output();
        said.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default()
    })
    .clone()
}

/// Device, inode, size, modification and change of a file: equal means untouched.
type Stamp = (u64, u64, u64, i64, i64, i64, i64);

fn stamp(path: &Path) -> Option<Stamp> {
    let m = std::fs::symlink_metadata(path).ok()?;
    Some((m.dev(), m.ino(), m.size(), m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec()))
}

struct Checked {
    record: Option<Stamp>,
    binary: Option<Stamp>,
    image: Arc<HostImage>,
}

/// The way to the approved host.
pub(crate) struct HostDoor {
    seeds: PathBuf,
    hosts: PathBuf,
    checked: Mutex<Option<Checked>>,
}

impl HostDoor {
    pub(crate) fn new(home: &Home) -> Self {
        Self {
            seeds: home.root_dir(metnos_executor::home::Root::Seed),
            hosts: hosts_dir(home),
            checked: Mutex::new(None),
        }
    }

    /// The check of every call: the signed record and the file it names are what they were, or
    /// are verified again. What runs is the image in memory, never the file.
    pub(crate) fn check(&self, catalog: &Catalog) -> Result<(), Refusal> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let record_stamp = stamp(&self.seeds.join("HOST"));
        if let Some(known) = &*checked {
            let binary = self.hosts.join(known.image.digest());
            if known.record.is_some() && known.record == record_stamp && known.binary == stamp(&binary) {
                return Ok(());
            }
        }
        *checked = None;
        let host: record::Host = catalog.host()?;
        let digest = host.blake3.trim_start_matches("blake3:").to_owned();
        let path = self.hosts.join(&digest);
        let binary = stamp(&path);
        let image = HostImage::load(&path, &digest)
            .map_err(|e| Refusal::new(Part::HostBinary, format!("metnos-host {}: {e}", host.version)))?;
        *checked = Some(Checked { record: record_stamp, binary, image: Arc::new(image) });
        Ok(())
    }

    /// The verified image; `check` comes first.
    pub(crate) fn image(&self) -> Result<Arc<HostImage>, Failure> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.as_ref().map(|c| Arc::clone(&c.image)).ok_or_else(|| {
            Failure::new(ErrorClass::SandboxUnavailable, "no verified metnos-host")
                .with_hint("metnos upgrade")
        })
    }

    /// The blake3 of the verified image, if there is one.
    pub(crate) fn digest(&self) -> Option<String> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.as_ref().map(|c| c.image.digest().to_owned())
    }
}

impl crate::Runtime {
    /// What a call failed with: where the approved host is not the one this program was built with and the two do not
    /// understand each other, that is said instead.
    pub(crate) fn in_step(&self, failure: Failure) -> Failure {
        let own = self.built.is_some() && self.built == self.host.digest().as_deref();
        if own || !versions::is_misunderstood(&failure) { failure } else { versions::misunderstood() }
    }
}

/// Where approved host programs are kept, one file each, named by digest.
pub(crate) fn hosts_dir(home: &Home) -> PathBuf {
    home.executors_dir().join(".host")
}
