//! `config/keys/admin.key`: the secret of whoever owns this machine's files. Made at first use.

use super::tokens;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const NAME: &str = "admin.key";
const HEAD: &str = "metnos-admin-key 1\n";
const FILE_MAX: u64 = 256;

impl Runtime {
    /// The admin key, made now if there is none; refused where others could have read it.
    pub fn admin_key(&self) -> Result<String, Failure> {
        let dir = self.home.keys_dir();
        let path = dir.join(NAME);
        match read(&path) {
            Err(failure) if failure.class == ErrorClass::NotFound => {}
            other => return other,
        }
        self.note_people(Some("host/cli"), json!({ "what": "admin key made" }))?;
        make(&dir, &path, &format!("{HEAD}{}\n", tokens::random()?))?;
        read(&path)
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let io = |e: std::io::Error| Failure::io(path.display(), &e);
    // Neither a link nor a pipe put in its place is followed or waited for.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(io)?;
    let meta = file.metadata().map_err(io)?;
    let mode = meta.permissions().mode() & 0o7777;
    if !meta.is_file() || mode & 0o077 != 0 {
        let why = format!("{} can be read by others (mode {mode:04o})", path.display());
        return Err(Failure::new(ErrorClass::PermissionDenied, why).with_hint(format!(
            "if nobody read it: chmod 600 {0}; else remove it, another is made",
            path.display()
        )));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        let why = format!("{} belongs to another user", path.display());
        return Err(Failure::new(ErrorClass::PermissionDenied, why)
            .with_hint(format!("chown it to this account: {}", path.display())));
    }
    let mut text = String::new();
    file.take(FILE_MAX).read_to_string(&mut text).map_err(io)?;
    let key = text.strip_prefix(HEAD).and_then(|rest| rest.strip_suffix('\n'));
    let key = key.filter(|key| key.len() >= 40 && key.bytes().all(|b| b.is_ascii_graphic()));
    key.map(str::to_owned).ok_or_else(|| {
        Failure::new(ErrorClass::UnsupportedFormat, format!("{} is not an admin key", path.display()))
            .with_hint("remove it; another is made at the next use")
    })
}

/// Whole or absent, also after a power loss; who comes second leaves the first one's in place.
fn make(dir: &Path, path: &Path, text: &str) -> Result<(), Failure> {
    let io = |e: std::io::Error| Failure::io(path.display(), &e);
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
    let temp = dir.join(format!(".{NAME}.{}.tmp", metnos_executor::Ulid::new()));
    let made = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temp)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        renameat_with(CWD, &temp, CWD, path, RenameFlags::NOREPLACE)?;
        File::open(dir)?.sync_all()
    })();
    if made.is_err() {
        let _ = std::fs::remove_file(&temp);
    }
    match made {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other.map_err(io),
    }
}
