//! The key of the vault: a credential of systemd when there is one, else a file made at first use.

use crate::VaultError;
use crate::files::{self, Content};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const FILE: &str = "vault.key";
const HEAD: &[u8] = b"metnos-vault-key 1\n";
const FILE_MAX: usize = 256;
const SYSTEMD_DIR: &str = "CREDENTIALS_DIRECTORY";
const SYSTEMD_NAME: &str = "metnos-vault-key";
const ID_CONTEXT: &str = "metnos vault 1 key id";

/// The key. Never printed, kept in one place on the heap, wiped when dropped.
pub(crate) struct Key {
    secret: Box<Zeroizing<[u8; 32]>>,
    id: [u8; 8],
    /// Where it came from, for messages.
    pub(crate) from: PathBuf,
}

/// Where the key is kept.
pub(crate) enum Place {
    /// Given by systemd: read only, and no other one is looked for.
    Systemd(PathBuf),
    /// A file of this instance.
    File(PathBuf),
}

impl Place {
    /// A credential of systemd wins, also over a key file: who sets it up means it.
    pub(crate) fn find(
        config_dir: &Path,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, VaultError> {
        if let Some(dir) = env(SYSTEMD_DIR).filter(|dir| !dir.is_empty()) {
            let path = Path::new(&dir).join(SYSTEMD_NAME);
            if !path.is_absolute() {
                let error = io::Error::other(format!("{SYSTEMD_DIR} must be an absolute path"));
                return Err(VaultError::io(&path)(error));
            }
            match std::fs::symlink_metadata(&path) {
                Ok(_) => return Ok(Self::Systemd(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(VaultError::io(&path)(error)),
            }
        }
        Ok(Self::File(config_dir.join("keys").join(FILE)))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Systemd(path) | Self::File(path) => path,
        }
    }

    /// The key, if nobody else can read it.
    pub(crate) fn load(&self) -> Result<Key, VaultError> {
        let path = self.path().to_owned();
        let Some(Content { bytes: text, stat }) = files::read(&path, FILE_MAX)? else {
            return Err(VaultError::KeyLost { path });
        };
        let mode = stat.st_mode & 0o7777;
        let (others, root_may_own) = match self {
            // systemd lets the service read through an access list, which shows as group bits.
            Self::Systemd(_) => (0o007, true),
            Self::File(_) => (0o077, false),
        };
        if mode & others != 0 {
            return Err(VaultError::KeyOpen { path, mode });
        }
        if stat.st_uid != rustix::process::geteuid().as_raw() && !(root_may_own && stat.st_uid == 0) {
            return Err(VaultError::KeyForeign { path });
        }
        let body = match (text.strip_prefix(HEAD), self) {
            (Some(body), _) => body.strip_suffix(b"\n"),
            // What `openssl rand -hex 32` makes is accepted where people make it themselves.
            (None, Self::Systemd(_)) => Some(text.strip_suffix(b"\n").unwrap_or(&text)),
            (None, Self::File(_)) => None,
        };
        let mut secret = Box::new(Zeroizing::new([0; 32]));
        match body.and_then(|body| unhex(body, &mut secret)) {
            Some(()) => Ok(Key::new(secret, path)),
            None => Err(VaultError::KeyMalformed { path }),
        }
    }

    /// The key, made now if there is none. The caller holds the lock and knows that nothing was
    /// written with a lost one.
    pub(crate) fn load_or_make(&self) -> Result<Key, VaultError> {
        match (self.load(), self) {
            (Err(VaultError::KeyLost { .. }), Self::File(path)) => {
                if let Some(dir) = path.parent() {
                    files::make_dirs(dir)?;
                }
                let mut secret = Box::new(Zeroizing::new([0; 32]));
                getrandom::fill(secret.as_mut_slice()).map_err(|e| VaultError::Random(e.to_string()))?;
                match files::create(path, &text(&secret)) {
                    // Another vault with the same configuration was faster.
                    Err(VaultError::Io { error, .. }) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    other => other?,
                }
                self.load()
            }
            (other, _) => other,
        }
    }
}

impl Key {
    fn new(secret: Box<Zeroizing<[u8; 32]>>, from: PathBuf) -> Self {
        let mut id = [0; 8];
        let mut derive = blake3::Hasher::new_derive_key(ID_CONTEXT);
        derive.update(secret.as_slice()).finalize_xof().fill(&mut id);
        Self { secret, id, from }
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.secret
    }

    /// Tells one key from another without telling the key.
    pub(crate) fn id(&self) -> [u8; 8] {
        self.id
    }
}

fn text(secret: &[u8; 32]) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Zeroizing::new(Vec::with_capacity(HEAD.len() + 65));
    text.extend_from_slice(HEAD);
    for byte in secret {
        text.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    text.push(b'\n');
    text
}

fn unhex(text: &[u8], into: &mut [u8; 32]) -> Option<()> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in into.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(())
}
