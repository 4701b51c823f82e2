//! A file on its way out of the house. It is opened once and judged by what was opened: whatever its name leads to
//! a moment later is not what goes.

use crate::land::Land;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::core::{Act, Verdict};
use metnos_guard::policy::{Decision, Place};
use metnos_guard::resolve::resolve_in;
use metnos_memory::audit::{self, Line};
use rustix::fs::{Mode, OFlags};
use serde_json::json;
use std::fs::{File, Metadata};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file that somebody may take away.
#[derive(Debug)]
pub struct Handed {
    /// Open for reading.
    pub file: File,
    /// Where it really lies.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
    pub(crate) place: Place,
    pub(crate) state: String,
}

impl Handed {
    /// Its own name.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// What a browser or a phone shows as a picture, by how it begins; nothing that can carry a script.
    pub fn picture(&self) -> Option<&'static str> {
        let mut head = [0; 12];
        let read = self.file.read_at(&mut head, 0).unwrap_or_default();
        let webp = read == head.len() && head.starts_with(b"RIFF") && head.ends_with(b"WEBP");
        [
            (head.starts_with(b"\xff\xd8\xff"), "image/jpeg"),
            (head.starts_with(b"\x89PNG\r\n\x1a\n"), "image/png"),
            (head.starts_with(b"GIF8"), "image/gif"),
            (webp, "image/webp"),
        ]
        .into_iter()
        .find_map(|(is, kind)| is.then_some(kind))
    }
}

impl Runtime {
    /// Opens a file that `caller` wants to have at a door. No card can be shown there, so it must be one that they
    /// may read without being asked; that they took it is written down.
    pub fn hand_out(&self, caller: &str, session: &str, path: &Path) -> Result<Handed, Failure> {
        self.admitted(caller)?;
        let handed = self.opened(caller, path, &self.land_of(caller)?.home)?;
        let ruling = self.policy_check(caller, session, "fs:read", &handed.path.to_string_lossy())?;
        if ruling.decision != Decision::Allow {
            return Err(Failure::new(ErrorClass::PolicyViolation, ruling.text));
        }
        let mut line = Line::new(audit::Kind::Config);
        line.caller = Some(caller.to_owned());
        let detail = json!({ "what": "file handed out", "path": handed.path, "bytes": handed.bytes });
        line.detail = self.redactor().redact(&detail, &[]);
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        Ok(handed)
    }

    /// Where a name in the land of `caller` leads, if nothing forbids that it is read; it need not be there.
    pub(crate) fn named(&self, caller: &str, path: &Path, base: &Path) -> Result<PathBuf, Failure> {
        let land = self.land_of(caller)?;
        let found = resolve_in(&land.folders.here(path), base, &land.home)
            .map_err(|e| Failure::wrong_args(e.to_string()))?;
        allowed(&land, &found.path, None).map_err(|failure| land.told(failure))?;
        Ok(found.path)
    }

    /// Opens a file in the land of `caller`, if nothing forbids that it is read.
    pub(crate) fn opened(&self, caller: &str, path: &Path, base: &Path) -> Result<Handed, Failure> {
        let land = self.land_of(caller)?;
        let found = resolve_in(&land.folders.here(path), base, &land.home)
            .map_err(|e| Failure::wrong_args(e.to_string()))?;
        open_in(&land, &found.path).map_err(|failure| land.told(failure))
    }
}

fn open_in(land: &Land, path: &Path) -> Result<Handed, Failure> {
    // Said of the name first: whether something lies outside is nobody's business.
    allowed(land, path, None)?;
    let failed = |e: std::io::Error| Failure::io(path.display(), &e);
    // A pipe without a writer would keep us waiting.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?);
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        let what = if meta.is_dir() { "a folder" } else { "no file" };
        let hint = if meta.is_dir() { "pack it into an archive first" } else { "only files can be sent" };
        return Err(Failure::wrong_args(format!("{} is {what}", path.display())).with_hint(hint));
    }
    let real = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(failed)?;
    allowed(land, &real, Some((meta.dev(), meta.ino())))?;
    let place = match &real {
        real if real.starts_with(&land.workspace) => Place::Workspace,
        real if land.territory.contains(real) => Place::Territory,
        _ => Place::Outside,
    };
    Ok(Handed { file, bytes: meta.len(), place, state: state(&real, &meta), path: real })
}

/// Refuses what is core, and what is outside the territory where nobody can be asked about it.
fn allowed(land: &Land, path: &Path, id: Option<(u64, u64)>) -> Result<(), Failure> {
    let look = land.core.look().map_err(|e| Failure::new(ErrorClass::Forbidden, e.to_string()))?;
    if let Verdict::Core { reason, .. } = look.verdict_on(path, id, Act::Read) {
        return Err(Failure::new(ErrorClass::Forbidden, format!("{}: {reason}", path.display())));
    }
    match land.territory.contains(path) || land.lets_beyond() {
        true => Ok(()),
        false => Err(Failure::new(
            ErrorClass::PolicyViolation,
            format!("{} is outside the territory", path.display()),
        )
        .with_hint("metnos territory add opens a folder")),
    }
}

/// What a yes to this file is bound to.
fn state(path: &Path, meta: &Metadata) -> String {
    let (dev, ino, size) = (meta.dev(), meta.ino(), meta.len());
    format!("{} {dev} {ino} {size} {}.{}", path.display(), meta.mtime(), meta.mtime_nsec())
}
