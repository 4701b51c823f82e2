//! Setting up, upgrading and rolling back: the seeds this binary was built with and the host they
//! run in, signed by this instance.

use crate::host::hosts_dir;
use crate::runtime::{Options, Runtime};
use metnos_executor::home::{Home, Root};
use metnos_executor::keys::InstanceKey;
use metnos_executor::manifest::Manifest;
use metnos_executor::record::Host;
use metnos_executor::{ErrorClass, Failure};
use metnos_executor::{Part, Refusal};
use metnos_memory::audit::{Kind, Line};
use metnos_vocab::ExecutorName;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of an executor, by their place in its folder.
pub(crate) type Parts = &'static [(&'static str, &'static [u8])];

include!(concat!(env!("OUT_DIR"), "/seeds.rs"));

/// The host a binary was built with.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its blake3, baked into `metnos`.
    pub digest: String,
    /// Where its file lies.
    pub path: PathBuf,
}

impl Built {
    /// The host beside the running binary, bound to it by the digest it was built with.
    pub fn beside(digest: Option<&str>) -> Result<Self, Failure> {
        let Some(digest) = digest else {
            return Err(Failure::new(
                ErrorClass::SandboxUnavailable,
                "this metnos was built without its host",
            )
            .with_hint("build with: make build"));
        };
        let exe = std::env::current_exe().map_err(|e| Failure::io("this program", &e))?;
        let path = exe.parent().unwrap_or(Path::new("/")).join("metnos-host");
        Ok(Self { digest: digest.to_owned(), path })
    }

    /// The host's bytes, refused unless they are the ones this binary was built with.
    fn read(&self) -> Result<Vec<u8>, Failure> {
        let bytes = std::fs::read(&self.path).map_err(|e| Failure::io(self.path.display(), &e))?;
        if blake3::hash(&bytes).to_hex().as_str() == self.digest {
            return Ok(bytes);
        }
        Err(Failure::new(
            ErrorClass::Forbidden,
            format!("{} is not the host this metnos was built with", self.path.display()),
        )
        .with_hint("build both together: make build"))
    }
}

/// What setting up or upgrading did.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Installed {
    /// Seeds newly signed and installed.
    pub installed: Vec<String>,
    /// Seeds that were already there, unchanged.
    pub kept: Vec<String>,
    /// Seeds that broke a birth promise here and are in quarantine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// True when another host became the approved one.
    pub host_changed: bool,
    /// The approved host.
    pub host: String,
}

/// True when this home has keys and an approved host.
pub fn is_set_up(home: &Home) -> bool {
    !crate::house::restore::was_cut(home)
        && home.keys_dir().join("instance.key").exists()
        && home.root_dir(Root::Seed).join("HOST").exists()
}

/// Sets up a home: keys, folders, database, audit, host, seeds. Running it again repairs and
/// changes nothing that is right.
pub fn init(home: &Home, built: &Built) -> Result<Installed, Failure> {
    built.read()?;
    crate::house::restore::clear_cut(home)?;
    for dir in [home.config_dir(), home.state_dir(), home.workspace(), home.executors_dir(), home.audit_dir()]
    {
        make_private(&dir)?;
    }
    let key = match InstanceKey::load(&home.keys_dir()) {
        Ok(key) => key,
        Err(_) if !home.keys_dir().join("instance.key").exists() => {
            let key = InstanceKey::generate().map_err(|e| Failure::internal(e.to_string()))?;
            key.save(&home.keys_dir()).map_err(|e| Failure::internal(e.to_string()))?;
            key
        }
        Err(e) => return Err(Failure::internal(e.to_string()).with_hint(e.hint().unwrap_or_default())),
    };
    let runtime = Runtime::with_key(home.clone(), key, Options { warm: true, built: None })?;
    runtime.begin_workspace()?;
    let mut done = runtime.install(built)?;
    if !done.installed.is_empty() {
        done.failed = runtime.rebirth();
    }
    Ok(done)
}

impl Runtime {
    /// The files a workspace begins with; what is there is left alone.
    fn begin_workspace(&self) -> Result<(), Failure> {
        let path = self.agents_file();
        match path.symlink_metadata() {
            Ok(_) => Ok(()),
            Err(_) => write_durably(&path, crate::guards::channels::DEFAULT.as_bytes()),
        }
    }

    /// Installs the host and the seeds of this build. Returns what changed.
    pub fn install(&self, built: &Built) -> Result<Installed, Failure> {
        let mut done = Installed { host: built.digest.clone(), ..Installed::default() };
        done.host_changed = self.install_host(built)?;
        for (name, files) in SEEDS {
            let name = ExecutorName::parse(name).map_err(|e| Failure::internal(e.to_string()))?;
            if self.install_seed(&name, files)? { &mut done.installed } else { &mut done.kept }
                .push(name.to_string());
        }
        if done.host_changed || !done.installed.is_empty() {
            self.note(
                Kind::Lifecycle,
                json!({ "act": "install", "host": done.host, "seeds": done.installed }),
            )?;
            self.moved_executors()?;
        }
        Ok(done)
    }

    /// Installs one seed and makes it current. False when it was so already; one that was put away
    /// by a person or by a check stays where it is.
    fn install_seed(&self, name: &ExecutorName, files: &[(&str, &[u8])]) -> Result<bool, Failure> {
        let manifest =
            files.iter().find(|(path, _)| *path == "manifest.toml").map_or(&[][..], |(_, bytes)| bytes);
        let manifest = Manifest::from_bytes(manifest, &format!("{name}/manifest.toml"))
            .map_err(|e| Failure::internal(e.to_string()))?;
        let version = manifest.executor.version;
        match self.catalog.resolve(name, None) {
            Ok(there) if there.manifest.executor.version >= version => return Ok(false),
            Err(refusal) if refusal.part == Part::Lifecycle => return Ok(false),
            _ => {}
        }
        self.catalog
            .install(Root::Seed, name, &version, files, &self.key)
            .map_err(crate::lifecycle::failed)?;
        self.catalog.promote(name, &version, &self.key).map_err(crate::lifecycle::failed)?;
        Ok(true)
    }

    /// Puts back the host of this build where its file or record was damaged.
    pub(crate) fn repair_host(&self, built: &Built) -> Result<(), Failure> {
        if self.host.check(&self.catalog).is_err() {
            self.install_host(built)?;
        }
        Ok(())
    }

    /// Approves the host of this build. Returns false when it was the approved one already.
    fn install_host(&self, built: &Built) -> Result<bool, Failure> {
        let bytes = built.read()?;
        let dir = hosts_dir(&self.home);
        std::fs::create_dir_all(&dir).map_err(|e| Failure::io(dir.display(), &e))?;
        let file = dir.join(&built.digest);
        self.make_room(&file)?;
        write_durably(&file, &bytes)?;
        self.make_room(&self.home.root_dir(Root::Seed).join("HOST"))?;
        let known = self.catalog.host().ok();
        if known.as_ref().is_some_and(|h| h.blake3 == format!("blake3:{}", built.digest)) {
            return Ok(false);
        }
        self.approve_host(&built.digest, known.map(|h| h.blake3))?;
        Ok(true)
    }

    /// A folder where a file belongs steps aside as evidence; a file can be replaced where it lies.
    fn make_room(&self, path: &Path) -> Result<(), Failure> {
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        if !path.symlink_metadata().is_ok_and(|m| m.is_dir()) {
            return Ok(());
        }
        let evidence = self.home.quarantine_dir().join(".evidence");
        std::fs::create_dir_all(&evidence).map_err(io)?;
        std::fs::rename(path, evidence.join(format!("host-{}", metnos_executor::Ulid::new()))).map_err(io)
    }

    fn approve_host(&self, digest: &str, previous: Option<String>) -> Result<(), Failure> {
        let version = env!("CARGO_PKG_VERSION");
        let version = version.parse().map_err(|e| Failure::internal(format!("version {version}: {e}")))?;
        let record = Host { version, blake3: format!("blake3:{digest}"), previous, counter: 0 };
        self.catalog.store_host(record, &self.key).map(|_| ()).map_err(|e| refused("HOST", &e))
    }

    /// Goes back to the host before the last upgrade; again goes forward.
    pub fn roll_back(&self) -> Result<Installed, Failure> {
        let host = self.catalog.host().map_err(|e| refused("HOST", &e))?;
        let Some(previous) = host.previous else {
            return Err(Failure::new(ErrorClass::NotFound, "there is no host to go back to"));
        };
        let digest = previous.trim_start_matches("blake3:").to_owned();
        let path = hosts_dir(&self.home).join(&digest);
        Built { digest: digest.clone(), path }.read()?;
        self.approve_host(&digest, Some(host.blake3))?;
        self.note(Kind::Lifecycle, json!({ "act": "roll_back", "host": digest }))?;
        Ok(Installed { host_changed: true, host: digest, ..Installed::default() })
    }

    /// One audit line about the house itself.
    pub(crate) fn note(&self, kind: Kind, detail: serde_json::Value) -> Result<(), Failure> {
        let mut line = Line::new(kind);
        line.caller = Some("host/cli".into());
        line.detail = self.redactor().redact(&detail, &[]);
        self.audit
            .append(line)
            .map(|_| ())
            .map_err(|e| Failure::internal(format!("the audit could not be written: {e}")))
    }
}

/// The embedded parts of a seed, for re-approval.
pub(crate) fn embedded(name: &str) -> Option<Parts> {
    SEEDS.iter().find(|(n, _)| *n == name).map(|(_, files)| *files)
}

pub(crate) fn refused(what: &str, refusal: &Refusal) -> Failure {
    Failure::new(ErrorClass::PolicyViolation, format!("{what}: {refusal}"))
}

fn make_private(dir: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|e| Failure::io(dir.display(), &e))
}

/// Writes a file so that it is there as a whole or not at all. An equal file is left alone.
fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let io = |e: std::io::Error| Failure::io(path.display(), &e);
    let is_file = path.symlink_metadata().is_ok_and(|m| m.is_file());
    if is_file && std::fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let temp = path.with_extension("new");
    let mut file = std::fs::File::create(&temp).map_err(io)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io)?;
    std::fs::rename(&temp, path).map_err(io)?;
    let parent = path.parent().unwrap_or(Path::new("/"));
    std::fs::File::open(parent).and_then(|d| d.sync_all()).map_err(io)
}
