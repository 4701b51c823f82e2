//! A backup becomes a house again: only where there is none, only after all of it was verified.
//!
//! A mark stands in the state folder from before the first byte until after the last one is on the disk. While it
//! stands nothing opens the house; the next `restore` or `init` clears what was written and begins anew. It was
//! put there because the place was empty, so everything beside it is of the restore that was cut. What was open when the
//! backup was made is ended before anybody can come in.

use super::daemon::none_serves;
use super::restored::{Ended, Rolled};
use super::{FREE_LINKS, SECTIONS, section};
use crate::people::Live;
use crate::runtime::{Options, Runtime};
use metnos_archive::{Holds, Keys, Manifest};
use metnos_executor::home::Home;
use metnos_executor::keys::InstanceKey;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::Audit;
use rustix::fs::{FlockOperation, flock, statvfs, syncfs};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// The mark.
const MARK: &str = "RESTORING";
/// What it says where keys were found that are not of the restore.
const KEYS_STAY: &str = "the keys and the vault were here before\n";

/// What was restored.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Restored {
    /// How many files.
    pub files: usize,
    /// How many bytes.
    pub bytes: u64,
    /// When the backup was made.
    pub made_at: String,
    /// By which version.
    pub made_by: String,
    /// How many lines the audit had then; later ones are not in it.
    pub audit_lines: u64,
    /// Whether keys and credentials were not in it: those that were here are as they were.
    pub keyless: bool,
    /// How many credentials the house had then.
    pub credentials: u64,
    /// What was open then and is ended now.
    pub ended: Option<Ended>,
    /// Who and what is let in again, as it was then.
    pub live: Vec<Live>,
    /// Why the house could not be opened to look, if it could not: what was open ends when it first is.
    pub unopened: Option<String>,
}

impl Restored {
    /// Ends what was open, and finds out who may come in. A house that cannot be opened is restored all the same.
    fn settle(&mut self, home: &Home) {
        let settled = InstanceKey::load(&home.keys_dir())
            .map_err(|e| Failure::wrong_args(e.to_string()))
            .and_then(|key| Runtime::as_found(home.clone(), key, Options::default()))
            .and_then(|runtime| Ok((runtime.settle_restored()?, runtime.live()?)));
        match settled {
            Ok((ended, live)) => (self.ended, self.live) = (ended, live),
            Err(failure) => self.unopened = Some(failure.message),
        }
    }
}

fn mark(home: &Home) -> PathBuf {
    home.state_dir().join(MARK)
}

/// Whether a restore was cut here.
pub fn was_cut(home: &Home) -> bool {
    mark(home).symlink_metadata().is_ok()
}

/// The refusal to open a house that is only half there.
pub(crate) fn refuse_half(home: &Home) -> Result<(), Failure> {
    match was_cut(home) {
        false => Ok(()),
        true => Err(Failure::wrong_args("a restore is at work here or was cut; this is half a house")
            .with_hint("metnos restore FILE begins again; metnos init clears it and sets up a new one")),
    }
}

/// What stands in the way of a restore: everything of an instance that is there, but for the keys where the backup
/// has none.
fn in_the_way(home: &Home, keyless: bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let stays = if keyless { vec![home.keys_dir(), home.state_dir().join("vault")] } else { Vec::new() };
    for dir in SECTIONS.iter().filter_map(|name| section(home, name)) {
        match std::fs::read_dir(&dir) {
            Ok(items) => {
                let names = items.flatten().map(|item| item.path());
                let ours = |path: &PathBuf| path.file_name().is_some_and(|name| name == MARK);
                found.extend(names.filter(|path| !ours(path) && !stays.contains(path)));
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            // What cannot be looked at is there.
            Err(_) => found.push(dir),
        }
    }
    found
}

/// How far a house has come, as well as that can be told; `records` is a copy of its records.
pub(super) fn holds(home: &Home, records: Option<&Path>) -> Holds {
    let database = home.state_dir().join("metnos.sqlite");
    let database = records.unwrap_or(&database);
    let turns = metnos_memory::db::count_turns(database).unwrap_or(0);
    let lines = Audit::extent_lines(&home.state_dir());
    let credentials =
        crate::vault::open(home).and_then(|vault| vault.list().map_err(|e| crate::vault::failed(&e)));
    let credentials = credentials.map_or(0, |all| all.len() as u64);
    Holds { audit_lines: lines, turns, credentials }
}

/// What would be lost if this backup took the place of what is here.
fn rolled_back(home: &Home, manifest: &Manifest) -> String {
    let (is, was) = (holds(home, None), manifest.said.holds);
    let gone = |now: u64, then: u64, what: &str| match now.checked_sub(then) {
        Some(0) | None => None,
        Some(more) => Some(format!("{more} {what}")),
    };
    let mut all: Vec<String> = vec![
        gone(is.turns, was.turns, "turns"),
        gone(is.audit_lines, was.audit_lines, "lines of the audit"),
        gone(is.credentials, was.credentials, "credentials"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if all.is_empty() {
        all.push("nothing that is counted".into());
    }
    format!("it would roll this house back from now to {}: {} would go", manifest.at, all.join(", "))
}

/// Refuses a backup without keys where the keys of the house it was made of are not.
fn beside_its_keys(home: &Home, manifest: &Manifest) -> Result<(), Failure> {
    let there = metnos_executor::keys::PublicKey::load(&home.keys_dir()).map(|key| key.to_hex());
    let hint = "put config/keys of that Metnos back first; its files can be taken out with tar --zstd -xf";
    match there {
        Ok(key) if key == manifest.said.instance => Ok(()),
        Ok(_) => Err(Failure::wrong_args(
            "this backup was made without keys, and the keys that are here are those of another Metnos",
        )
        .with_hint(hint)),
        Err(_) => Err(Failure::wrong_args(
            "this backup was made without keys: it becomes a house again only beside the keys it was made with",
        )
        .with_hint(hint)),
    }
}

/// Restores `archive`, which `keys` open, into `home`, which must be empty. One without keys is restored beside those
/// that are there, and leaves them and the vault as they are.
pub fn restore(home: &Home, archive: &Path, keys: &Keys) -> Result<Restored, Failure> {
    none_serves(home)?;
    let inside = SECTIONS.iter().filter_map(|name| section(home, name));
    let resolved = archive.canonicalize().map_err(|e| Failure::io(archive.display(), &e))?;
    if inside.clone().any(|dir| resolved.starts_with(dir.canonicalize().unwrap_or(dir))) {
        return Err(Failure::wrong_args(format!("{} lies in the house itself", archive.display()))
            .with_hint("move it elsewhere first"));
    }
    let cut = was_cut(home);
    // All of it is verified before the first byte is written.
    let room =
        room(&home.state_dir()).saturating_add(if cut { occupied(&in_the_way(home, false)) } else { 0 });
    let checked = metnos_archive::check(archive, keys, &SECTIONS, FREE_LINKS, room)?;
    let keyless = checked.manifest.said.keyless;
    if keyless {
        beside_its_keys(home, &checked.manifest)?;
    }
    let there = in_the_way(home, keyless);
    if !there.is_empty() && !cut {
        let named: Vec<String> = there.iter().take(5).map(|path| path.display().to_string()).collect();
        let more = there.len().saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(Failure::new(
            ErrorClass::DstExists,
            format!(
                "a backup is restored only into an empty home; here are {}{more}; {}",
                named.join(", "),
                rolled_back(home, &checked.manifest)
            ),
        )
        .with_hint("set METNOS_HOME to another folder, or make a backup of this one and metnos uninstall"));
    }
    let begun = Begun::begin(home, keyless)?;
    let mut restored = Restored {
        files: checked.manifest.files(),
        bytes: checked.manifest.bytes(),
        made_at: checked.manifest.at.clone(),
        made_by: checked.manifest.metnos.clone(),
        audit_lines: checked.manifest.said.holds.audit_lines,
        keyless,
        credentials: checked.manifest.said.holds.credentials,
        ended: None,
        live: Vec::new(),
        unopened: None,
    };
    let place = |name: &Path| {
        let mut parts = name.components();
        let Some(Component::Normal(first)) = parts.next() else { return None };
        Some(section(home, first.to_str()?)?.join(parts.as_path())).map(|path| trimmed(&path))
    };
    let said = Rolled { made_at: restored.made_at.clone(), audit_lines: restored.audit_lines };
    let written = checked.unpack(&SECTIONS, FREE_LINKS, &place).and_then(|()| begun.end(home, &said));
    written.inspect_err(|_| {
        // What can be cleared now need not wait for the next one; the mark goes last.
        let _ = clear(home);
    })?;
    restored.settle(home);
    Ok(restored)
}

/// `a/b/` is another spelling of `a/b`.
fn trimmed(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Clears what a cut restore left; false when there was none.
pub fn clear_cut(home: &Home) -> Result<bool, Failure> {
    if !was_cut(home) {
        return Ok(false);
    }
    let _begun = Begun::begin(home, keys_stay(home))?;
    clear(home)?;
    Ok(true)
}

/// Whether the restore that began here found keys, which it leaves alone.
fn keys_stay(home: &Home) -> bool {
    std::fs::read_to_string(mark(home)).is_ok_and(|text| text.contains(KEYS_STAY))
}

fn clear(home: &Home) -> Result<(), Failure> {
    for path in in_the_way(home, keys_stay(home)) {
        remove(&path).map_err(|e| Failure::io(path.display(), &e))?;
    }
    let mark = mark(home);
    std::fs::remove_file(&mark).map_err(|e| Failure::io(mark.display(), &e))
}

/// Removes a thing and everything in it; a link is removed, never followed.
pub(crate) fn remove(path: &Path) -> std::io::Result<()> {
    match path.symlink_metadata() {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
        Ok(meta) if meta.is_dir() => {
            // A folder may have been restored without the right to write to it.
            open_up(path);
            std::fs::remove_dir_all(path)
        }
        Ok(_) => std::fs::remove_file(path),
    }
}

fn open_up(dir: &Path) {
    let _ = std::fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    for item in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if item.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&item.path());
        }
    }
}

/// The bytes that the disk of `dir` has left.
fn room(dir: &Path) -> u64 {
    let there = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("/"));
    statvfs(there).map_or(u64::MAX, |stat| stat.f_bavail.saturating_mul(stat.f_frsize))
}

fn occupied(paths: &[PathBuf]) -> u64 {
    paths.iter().map(|path| super::sizes::bytes(path)).fold(0, u64::saturating_add)
}

/// A restore that began: its mark stands and is held.
struct Begun(File);

impl Begun {
    fn begin(home: &Home, keyless: bool) -> Result<Self, Failure> {
        for dir in SECTIONS.iter().filter_map(|name| section(home, name)) {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&dir);
            made.map_err(|e| Failure::io(dir.display(), &e))?;
        }
        let path = mark(home);
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        let stood = was_cut(home);
        let opened =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = opened.map_err(io)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| Failure::new(ErrorClass::Conflict, "another restore is at work here"))?;
        if stood {
            // What the one before found is not of it.
            let keyless = keyless || keys_stay(home);
            for left in in_the_way(home, keyless) {
                remove(&left).map_err(|e| Failure::io(left.display(), &e))?;
            }
        } else if let Some(there) = in_the_way(home, keyless).first() {
            // Somebody came while the archive was verified.
            let _ = std::fs::remove_file(&path);
            return Err(Failure::new(ErrorClass::DstExists, format!("{} is there now", there.display())));
        }
        let keys = if keyless { KEYS_STAY } else { "" };
        file.set_len(0).map_err(io)?;
        file.write_all(format!("a restore began here and has not ended\n{keys}").as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(io)?;
        File::open(home.state_dir()).and_then(|dir| dir.sync_all()).map_err(io)?;
        Ok(Self(file))
    }

    /// Everything is on the disk; then the mark goes. Another one stays until what was open is ended.
    fn end(self, home: &Home, said: &Rolled) -> Result<(), Failure> {
        super::restored::set_mark(home, said)?;
        for dir in SECTIONS.iter().filter_map(|name| section(home, name)) {
            let io = |e: std::io::Error| Failure::io(dir.display(), &e);
            let file = File::open(&dir).map_err(io)?;
            syncfs(&file).map_err(|e| io(e.into()))?;
        }
        let path = mark(home);
        std::fs::remove_file(&path).map_err(|e| Failure::io(path.display(), &e))?;
        drop(self.0);
        File::open(home.state_dir())
            .and_then(|dir| dir.sync_all())
            .map_err(|e| Failure::io(home.state_dir().display(), &e))
    }
}
