//! The key that says "this instance approved it".

use crate::files;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const SECRET_FILE: &str = "instance.key";
const PUBLIC_FILE: &str = "instance.pub";
const SECRET_HEAD: &str = "metnos-instance-key 1\n";
const PUBLIC_HEAD: &str = "metnos-instance-pub 1\n";

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file system said no.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// Others can read the secret.
    #[error("{path} can be read by others (mode {mode:04o})")]
    Open {
        /// Which file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Somebody else owns the secret.
    #[error("{path} belongs to another user")]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// Not a key.
    #[error("{path} is not a key of Metnos")]
    Malformed {
        /// Which file.
        path: PathBuf,
    },
    /// There is one already: replacing it would orphan everything it signed.
    #[error("{path} is already there")]
    Exists {
        /// Which file.
        path: PathBuf,
    },
    /// The kernel gave no randomness.
    #[error("no randomness: {0}")]
    Random(String),
}

impl KeyError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Open { path, .. } => Some(format!("chmod 600 {}", path.display())),
            Self::Foreign { path } => Some(format!("chown it to this account: {}", path.display())),
            Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => {
                Some("run `metnos init`".to_owned())
            }
            Self::Malformed { .. } => {
                Some("restore it from a copy; a new key needs `metnos init`".to_owned())
            }
            _ => None,
        }
    }
}

/// The secret half. Never printed, wiped when dropped.
pub struct InstanceKey(SigningKey);

impl std::fmt::Debug for InstanceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InstanceKey({})", self.public().to_hex())
    }
}

impl InstanceKey {
    /// A new key.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0u8; 32];
        getrandom::fill(&mut seed).map_err(|e| KeyError::Random(e.to_string()))?;
        let key = Self(SigningKey::from_bytes(&seed));
        seed.fill(0);
        Ok(key)
    }

    /// The key kept in `dir`, if nobody else can read it.
    pub fn load(dir: &Path) -> Result<Self, KeyError> {
        let path = dir.join(SECRET_FILE);
        let io = |error| KeyError::Io { path: path.clone(), error };
        let meta = std::fs::symlink_metadata(&path).map_err(io)?;
        let mode = meta.permissions().mode() & 0o7777;
        if meta.is_file() && mode & 0o077 != 0 {
            return Err(KeyError::Open { path, mode });
        }
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(KeyError::Foreign { path });
        }
        let (mut text, _) = files::read(&path, 256).map_err(io)?;
        let secret = decode(&text, SECRET_HEAD);
        text.fill(0);
        secret.map(|bytes| Self(SigningKey::from_bytes(&bytes))).ok_or(KeyError::Malformed { path })
    }

    /// Keeps the key in `dir` (0700) as a file of mode 0600 beside its public half. Never replaces one.
    pub fn save(&self, dir: &Path) -> Result<(), KeyError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| KeyError::Io { path, error }
        };
        files::make_dirs(dir).map_err(io(dir))?;
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)).map_err(io(dir))?;
        let path = dir.join(SECRET_FILE);
        let mut text = format!("{SECRET_HEAD}{}\n", hex(self.0.as_bytes())).into_bytes();
        let saved = files::create_atomic(&path, &text, 0o600);
        text.fill(0);
        saved.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => KeyError::Exists { path: path.clone() },
            _ => KeyError::Io { path: path.clone(), error },
        })?;
        self.public().save(dir)
    }

    /// The half that verifies.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs `message`. Callers put their purpose in front of it, so that no signature serves two.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

/// The half that verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// True when this instance signed exactly `message`.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = Signature::from_slice(signature) else { return false };
        self.0.verify_strict(message, &signature).is_ok()
    }

    /// As 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        hex(self.0.as_bytes())
    }

    /// The public key kept in `dir`.
    pub fn load(dir: &Path) -> Result<Self, KeyError> {
        let path = dir.join(PUBLIC_FILE);
        let (text, _) =
            files::read(&path, 256).map_err(|error| KeyError::Io { path: path.clone(), error })?;
        let key = decode(&text, PUBLIC_HEAD).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        key.map(Self).ok_or(KeyError::Malformed { path })
    }

    fn save(&self, dir: &Path) -> Result<(), KeyError> {
        let path = dir.join(PUBLIC_FILE);
        let text = format!("{PUBLIC_HEAD}{}\n", self.to_hex());
        files::write_atomic(&path, text.as_bytes(), 0o644).map_err(|error| KeyError::Io { path, error })
    }
}

fn decode(text: &[u8], head: &str) -> Option<[u8; 32]> {
    let body = text.strip_prefix(head.as_bytes())?.strip_suffix(b"\n")?;
    unhex(std::str::from_utf8(body).ok()?)
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Exactly `N` bytes from lower-case hexadecimal digits.
pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    if text.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_key_survives_the_disk_and_is_never_replaced_or_shown() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path().join("config/keys");
        let key = InstanceKey::generate().unwrap();
        key.save(&keys).unwrap();
        let again = InstanceKey::load(&keys).unwrap();
        assert_eq!(again.public(), key.public());
        assert_eq!(PublicKey::load(&keys).unwrap(), key.public());
        assert!(key.public().verify(b"x", &again.sign(b"x")));
        assert!(!key.public().verify(b"y", &again.sign(b"x")));
        assert!(!key.public().verify(b"x", b"short"));
        let secret = std::fs::read_to_string(keys.join(SECRET_FILE)).unwrap();
        let secret = secret.lines().nth(1).unwrap().to_owned();
        assert!(!format!("{key:?}").contains(&secret));
        assert!(matches!(InstanceKey::generate().unwrap().save(&keys), Err(KeyError::Exists { .. })));
        let mode = |p: &Path| std::fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&keys), mode(&keys.join(SECRET_FILE))), (0o700, 0o600));
        assert_eq!(files::names(&keys).unwrap(), ["instance.key", "instance.pub"]);
    }

    #[test]
    fn a_key_that_others_can_read_is_refused_with_the_remedy() {
        let dir = tempfile::tempdir().unwrap();
        InstanceKey::generate().unwrap().save(dir.path()).unwrap();
        let path = dir.path().join(SECRET_FILE);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let error = InstanceKey::load(dir.path()).unwrap_err();
        assert_eq!(error.hint().unwrap(), format!("chmod 600 {}", path.display()));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, "garbage").unwrap();
        assert!(matches!(InstanceKey::load(dir.path()), Err(KeyError::Malformed { .. })));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(InstanceKey::load(dir.path()).unwrap_err().hint().unwrap(), "run `metnos init`");
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(InstanceKey::load(dir.path()).is_err());
    }
}
