//! One verified archive of everything this instance is, made while others work.
//!
//! What belongs together is packed while nobody is at work: the database as of one moment, then how far the audit
//! reaches, the journal, the vault. What is only ever added or replaced as a whole follows while work goes on.
//! It is written beside its place, synced, read back from the disk and verified; only then it has its name.

use super::pack::{LeftOut, Walk, resolved};
use super::{FREE_LINKS, SECTIONS, section};
use crate::runtime::Runtime;
use metnos_archive::{Frame, Keys, Lock, Packer, Said};
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{Audit, Extent, Kind};
use rustix::fs::{Advice, FlockOperation, RenameFlags, flock};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long work may take to pause.
const PATIENCE: Duration = Duration::from_secs(60);
/// How the name of a database copy begins, while it is packed.
const COPY: &str = ".backup-";

/// A backup that was made and verified.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Made {
    /// Where it lies.
    pub file: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// How many files are in it.
    pub files: usize,
    /// How many bytes they have.
    pub content_bytes: u64,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// Whether only who has the passphrase or a key can read it; without that, keys and credentials are not in it.
    pub encrypted: bool,
}

impl Runtime {
    /// Makes a backup at `target`, for whom `lock` says; what is there is replaced only when `force` is said. One that
    /// everybody can read holds neither keys nor credentials.
    pub fn backup(&self, target: &Path, lock: &Lock, force: bool) -> Result<Made, Failure> {
        let target = resolved(target)?;
        outside(&self.home, &target)?;
        if let Ok(there) = target.symlink_metadata()
            && (!force || !there.is_file())
        {
            return Err(Failure::new(
                ErrorClass::DstExists,
                format!("{} is already there", target.display()),
            )
            .with_hint("name another file, or replace this one with --force"));
        }
        // It may hold every key: that one was made is worth a line.
        let encrypted = lock.is_closed();
        let file = target.display().to_string();
        self.note(Kind::Config, json!({ "what": "backup", "file": file, "encrypted": encrypted }))?;
        let mut part = Part::begin(&target)?;
        let (manifest, left_out, keys) = self.pack(&mut part, lock)?;
        part.read_back(manifest.bytes(), &keys)?;
        let file = part.name_it(force)?;
        let bytes = file.metadata().map_err(|e| Failure::io(file.display(), &e))?.len();
        Ok(Made {
            bytes,
            files: manifest.files(),
            content_bytes: manifest.bytes(),
            file,
            left_out,
            encrypted,
        })
    }

    fn pack(
        &self,
        part: &mut Part,
        lock: &Lock,
    ) -> Result<(metnos_archive::Manifest, Vec<LeftOut>, Keys), Failure> {
        let io = |e: std::io::Error| Failure::io(part.path.display(), &e);
        let (sink, keys) = lock.begin(BufWriter::with_capacity(1 << 20, &part.file))?;
        let frame = Frame::begin(sink).map_err(io)?;
        let state = self.home.state_dir();
        sweep(&state);
        let still = crate::halt::hold_still(&state, PATIENCE)?.ok_or_else(|| {
            Failure::new(ErrorClass::Conflict, "something is at work and does not end")
                .with_hint("try again later, or end it with metnos stop")
        })?;
        // In this order: the database remembers how far the audit came, and must not know of more than there is.
        let databases = Databases::copy(&state)?;
        let extent =
            Audit::extent(&self.home.audit_dir(), &state).map_err(|e| Failure::internal(e.to_string()))?;
        let keep = Duration::from_secs(u64::from(self.config.turns.keep_days.get()) * 86_400);
        let open = |name: &Path| lock.is_closed() || !KEYS.iter().any(|secret| name == Path::new(secret));
        let belongs = |name: &Path| open(name) && belongs(name, keep) && reach(name, &extent) > 0;
        let most = |name: &Path| reach(name, &extent);
        let mut walk = Walk {
            out: Packer::new(frame),
            belongs: &belongs,
            most: &most,
            free_links: FREE_LINKS,
            left_out: Vec::new(),
        };
        let vault = lock_vault(&state);
        walk.tree(&self.home.config_dir(), Path::new("config"))?;
        walk.tree(&state, Path::new("state"))?;
        drop(vault);
        for (name, copy) in &databases.0 {
            let file = File::open(copy).map_err(|e| Failure::io(copy.display(), &e))?;
            walk.out.file(&Path::new("state").join(name), &file, u64::MAX)?;
        }
        if !extent.head.is_empty() {
            walk.out.text(Path::new("state/audit.head"), &extent.head)?;
        }
        walk.journal(&state.join("journal"), Path::new("state/journal"))?;
        drop(still);
        for name in SECTIONS.iter().filter(|name| !["config", "state"].contains(*name)) {
            if let Some(dir) = section(&self.home, name) {
                walk.tree(&dir, Path::new(name))?;
            }
        }
        let Walk { out: packer, left_out, .. } = walk;
        let at = jiff::Timestamp::now().to_string();
        let said = Said {
            keyless: !lock.is_closed(),
            instance: self.key.public().to_hex(),
            holds: super::restore::holds(&self.home, Some(&databases.main())),
        };
        let (frame, manifest) = packer.finish(env!("CARGO_PKG_VERSION"), &at, said)?;
        let full = |e: std::io::Error| {
            let failure = Failure::io(part.path.display(), &e);
            match failure.class {
                ErrorClass::TooLarge => failure.with_hint("free some space, or name a file on another disk"),
                _ => failure,
            }
        };
        frame.finish().and_then(|sink| sink.finish()).map_err(full)?.flush().map_err(full)?;
        part.file.sync_all().map_err(full)?;
        Ok((manifest, left_out, keys))
    }
}

/// What a backup that everybody can read does not hold, by its names in one.
pub(super) const KEYS: [&str; 2] = ["config/keys", "state/vault"];

/// What does not belong in a backup: what only a running process needs, what can be made again, logs, lists that
/// would be let go of anyway, and what is packed another way.
fn belongs(name: &Path, keep: Duration) -> bool {
    let Ok(below) = name.strip_prefix("state") else {
        return name != Path::new("workspace/.birth") && name != Path::new("workspace/.doctor");
    };
    let mut parts = below.iter().filter_map(|part| part.to_str());
    let Some(first) = parts.next() else { return true };
    if first == "turns" {
        return match parts.next() {
            Some(turn) => is_young(turn, keep),
            None => true,
        };
    }
    let made_again =
        ["reserve", "kept.json", "locks", "logs", "serve.json", ".probe", "journal", "audit.head"];
    let ends = [".lock", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".tmp"];
    let is_file = parts.next().is_none();
    let of_the_moment = is_file && ends.iter().any(|end| first.ends_with(end));
    !(made_again.contains(&first) || first.starts_with(COPY) || of_the_moment)
}

/// Whether the lists of a turn are still kept: its id tells when it was.
fn is_young(turn: &str, keep: Duration) -> bool {
    let Ok(id) = metnos_executor::Ulid::from_string(turn) else { return false };
    let made = SystemTime::UNIX_EPOCH + Duration::from_millis(id.timestamp_ms());
    made.elapsed().map_or(true, |age| age <= keep)
}

/// How far a file is packed: what was appended to the audit since belongs to the next backup.
fn reach(name: &Path, extent: &Extent) -> u64 {
    let Ok(day) = name.strip_prefix("workspace/.audit/executors") else { return u64::MAX };
    let Some(day) = day.to_str().filter(|day| day.ends_with(".jsonl")) else { return u64::MAX };
    // A day that began later has nothing in this one.
    extent.files.iter().find(|(name, _)| name == day).map_or(0, |(_, length)| *length)
}

/// Whoever writes into what is backed up would back up what it writes.
fn outside(home: &Home, target: &Path) -> Result<(), Failure> {
    let inside = SECTIONS.iter().filter_map(|name| section(home, name)).find(|dir| {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        target.starts_with(dir)
    });
    match inside {
        None => Ok(()),
        Some(dir) => Err(Failure::wrong_args(format!(
            "{} lies in {}, which is what is backed up",
            target.display(),
            dir.display()
        ))
        .with_hint("name a file outside it, best on another disk")),
    }
}

fn lock_vault(state: &Path) -> Option<File> {
    let file = File::open(state.join("vault/lock")).ok()?;
    flock(&file, FlockOperation::LockShared).ok()?;
    Some(file)
}

/// Copies of the databases, gone when this is.
struct Databases(Vec<(String, PathBuf)>);

impl Databases {
    fn copy(state: &Path) -> Result<Self, Failure> {
        let mut copies = Self(Vec::new());
        let items = std::fs::read_dir(state).map_err(|e| Failure::io(state.display(), &e))?;
        for item in items {
            let name = item.map_err(|e| Failure::io(state.display(), &e))?.file_name();
            let Some(name) = name.to_str().filter(|n| n.ends_with(".sqlite") && !n.starts_with('.')) else {
                continue;
            };
            let to = state.join(format!("{COPY}{}-{name}", metnos_executor::Ulid::new()));
            copies.0.push((name.to_owned(), to.clone()));
            metnos_memory::db::copy(&state.join(name), &to).map_err(|e| {
                Failure::internal(e.to_string()).with_hint(e.hint().unwrap_or_else(|| "metnos doctor".into()))
            })?;
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(&to, private).map_err(|e| Failure::io(to.display(), &e))?;
        }
        Ok(copies)
    }
}

impl Databases {
    /// The copy of the records.
    fn main(&self) -> PathBuf {
        let found = self.0.iter().find(|(name, _)| name == "metnos.sqlite");
        found.map(|(_, copy)| copy.clone()).unwrap_or_default()
    }
}

impl Drop for Databases {
    fn drop(&mut self) {
        for (_, copy) in &self.0 {
            let _ = std::fs::remove_file(copy);
        }
    }
}

/// Removes copies that a cut backup left.
pub(super) fn sweep(state: &Path) {
    for item in std::fs::read_dir(state).into_iter().flatten().flatten() {
        let name = item.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(COPY));
        let old = |meta: std::fs::Metadata| meta.modified().ok()?.elapsed().ok();
        if ours && item.metadata().ok().and_then(old).is_some_and(|age| age > PATIENCE * 60) {
            let _ = std::fs::remove_file(item.path());
        }
    }
}

/// The archive before it has its name. Dropped without one, it is gone.
struct Part {
    file: File,
    path: PathBuf,
    target: PathBuf,
    named: bool,
}

impl Part {
    fn begin(target: &Path) -> Result<Self, Failure> {
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = target.with_file_name(format!(".{name}.part"));
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        let open = || OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        let file = match open() {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                // A cut backup left it, unless somebody is writing it now.
                let left = File::open(&path).map_err(io)?;
                flock(&left, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
                    Failure::new(ErrorClass::Conflict, format!("{} is being written", target.display()))
                })?;
                std::fs::remove_file(&path).map_err(io)?;
                open().map_err(io)?
            }
            opened => opened.map_err(io)?,
        };
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|e| io(e.into()))?;
        Ok(Self { file, path, target: target.to_owned(), named: false })
    }

    /// Reads it from the disk and verifies all of it.
    fn read_back(&self, bytes: u64, keys: &Keys) -> Result<(), Failure> {
        // What is only in memory proves nothing about the disk.
        let _ = rustix::fs::fadvise(&self.file, 0, None, Advice::DontNeed);
        metnos_archive::check(&self.path, keys, &SECTIONS, FREE_LINKS, bytes).map(|_| ()).map_err(|failure| {
            let why = format!("what the disk gives back is not what was written: {}", failure.message);
            Failure::internal(why).with_hint("try another disk")
        })
    }

    fn name_it(mut self, force: bool) -> Result<PathBuf, Failure> {
        let io = |e: std::io::Error| Failure::io(self.target.display(), &e);
        let how = if force { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
        let cwd = rustix::fs::CWD;
        rustix::fs::renameat_with(cwd, &self.path, cwd, &self.target, how).map_err(|e| io(e.into()))?;
        self.named = true;
        let parent = self.target.parent().unwrap_or(Path::new("/"));
        File::open(parent).and_then(|dir| dir.sync_all()).map_err(io)?;
        Ok(self.target.clone())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.named {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_running_process_needs_stays_out() {
        let keep = Duration::from_secs(86_400);
        let inside = |name: &str| belongs(Path::new(name), keep);
        for yes in
            ["config/metnos.toml", "state/STOPPED", "state/vault/index", "state/blobs/x", "workspace/a.lock"]
        {
            assert!(inside(yes), "{yes}");
        }
        for no in [
            "state/reserve",
            "state/serve.lock",
            "state/metnos.sqlite-wal",
            "state/logs",
            "state/turns/x.lock",
        ] {
            assert!(!inside(no), "{no}");
        }
        let now = metnos_executor::Ulid::new();
        assert!(inside(&format!("state/turns/{now}")));
        assert!(!inside(&format!("state/turns/{}", metnos_executor::Ulid::from_parts(1, 1))));
    }
}
