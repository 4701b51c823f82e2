//! An archive in the `age` format: for a passphrase, or for people by their public keys. Any tool that reads `age`
//! opens it, and what comes out is the archive.

use age::secrecy::SecretString;
use age::stream::{StreamReader, StreamWriter};
use age::{DecryptError, Decryptor, Encryptor, scrypt, x25519};
use metnos_executor::{ErrorClass, Failure};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// How an encrypted file begins.
const BEGINS: &[u8] = b"age-encryption.org/v1\n";

/// For whom an archive is written.
pub enum Lock {
    /// For whoever has the file.
    Open,
    /// For who knows the passphrase.
    Passphrase(SecretString),
    /// For who holds the key of one of them.
    Recipients(Vec<x25519::Recipient>),
}

/// What opens an archive.
pub enum Keys {
    /// Nothing is needed.
    None,
    /// A passphrase.
    Passphrase(SecretString),
    /// Private keys.
    Identities(Vec<x25519::Identity>),
}

impl Lock {
    /// For who knows this.
    pub fn passphrase(text: &str) -> Result<Self, Failure> {
        Ok(Self::Passphrase(secret(text)?))
    }

    /// For these, as `age-keygen` writes them.
    pub fn recipients(all: &[String]) -> Result<Self, Failure> {
        let one = |text: &String| {
            text.trim().parse::<x25519::Recipient>().map_err(|why| {
                Failure::wrong_args(format!("{text} is no recipient: {why}"))
                    .with_hint("a recipient begins with age1; age-keygen makes one")
            })
        };
        all.iter().map(one).collect::<Result<_, _>>().map(Self::Recipients)
    }

    /// Whether nobody else can read it.
    pub fn is_closed(&self) -> bool {
        !matches!(self, Self::Open)
    }

    /// Begins an archive in `out`, and gives what opens it: it is read back before it has its name. Where it is for
    /// others, that is a key of this process alone, which goes with it.
    pub fn begin<W: Write>(&self, out: W) -> Result<(Sink<W>, Keys), Failure> {
        let broken = |e: &dyn std::fmt::Display| Failure::internal(format!("encrypting: {e}"));
        let (encryptor, keys) = match self {
            Self::Open => return Ok((Sink::Open(out), Keys::None)),
            Self::Passphrase(secret) => {
                (Encryptor::with_user_passphrase(secret.clone()), Keys::Passphrase(secret.clone()))
            }
            Self::Recipients(all) => {
                let own = x25519::Identity::generate();
                let public = own.to_public();
                let everybody = all.iter().chain([&public]).map(|one| one as &dyn age::Recipient);
                let encryptor = Encryptor::with_recipients(everybody).map_err(|e| broken(&e))?;
                (encryptor, Keys::Identities(vec![own]))
            }
        };
        let sink = encryptor.wrap_output(out).map_err(|e| broken(&e))?;
        Ok((Sink::Closed(sink), keys))
    }
}

impl Keys {
    /// A passphrase.
    pub fn passphrase(text: &str) -> Result<Self, Failure> {
        Ok(Self::Passphrase(secret(text)?))
    }

    /// The private keys in a file that `age-keygen` wrote.
    pub fn identities(text: &str) -> Result<Self, Failure> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let one = |line: &str| {
            let parsed = line.parse::<x25519::Identity>();
            parsed.map_err(|why| {
                Failure::wrong_args(format!("a line of the identity file is no key: {why}"))
                    .with_hint("a key begins with AGE-SECRET-KEY-1")
            })
        };
        let all: Vec<x25519::Identity> = lines.map(one).collect::<Result<_, _>>()?;
        match all.is_empty() {
            true => Err(Failure::wrong_args("there is no key in the identity file")),
            false => Ok(Self::Identities(all)),
        }
    }
}

fn secret(text: &str) -> Result<SecretString, Failure> {
    let line = text.lines().next().unwrap_or_default();
    match line.is_empty() {
        true => Err(Failure::wrong_args("the passphrase is empty")
            .with_hint("it is the first line of the passphrase file")),
        false => Ok(SecretString::from(line.to_owned())),
    }
}

/// Where an archive is written to.
pub enum Sink<W: Write> {
    /// As it is.
    Open(W),
    /// Encrypted.
    Closed(StreamWriter<W>),
}

impl<W: Write> Sink<W> {
    /// Writes what is left of it, without which it does not open.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Open(out) => Ok(out),
            Self::Closed(out) => out.finish(),
        }
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Open(out) => out.write(bytes),
            Self::Closed(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Open(out) => out.flush(),
            Self::Closed(out) => out.flush(),
        }
    }
}

/// Where an archive is read from.
pub(crate) enum Source {
    Open(File),
    Closed(Box<StreamReader<File>>),
}

impl Source {
    /// The content of a file, decrypted where it must be.
    pub(crate) fn open(mut file: File, path: &Path, keys: &Keys) -> Result<Self, Failure> {
        let io = |e: io::Error| Failure::io(path.display(), &e);
        let mut first = Vec::new();
        (&mut file).take(BEGINS.len() as u64).read_to_end(&mut first).map_err(io)?;
        file.rewind().map_err(io)?;
        if first != BEGINS {
            return Ok(Self::Open(file));
        }
        let wrong = |e: DecryptError| refused(path, &e);
        let decryptor = Decryptor::new(file).map_err(wrong)?;
        let needs = |what: &str, option: &str| {
            Failure::wrong_args(format!("{} is encrypted {what}", path.display()))
                .with_hint(format!("say it with {option} FILE"))
        };
        let opened = match (keys, decryptor.is_scrypt()) {
            (Keys::Passphrase(secret), true) => {
                let identity = scrypt::Identity::new(secret.clone());
                decryptor.decrypt(std::iter::once(&identity as &dyn age::Identity))
            }
            (Keys::Identities(all), false) => {
                decryptor.decrypt(all.iter().map(|one| one as &dyn age::Identity))
            }
            (_, true) => return Err(needs("with a passphrase", "--passphrase-file")),
            (_, false) => return Err(needs("for the holder of a key", "--identity-file")),
        };
        opened.map(|reader| Self::Closed(Box::new(reader))).map_err(wrong)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Open(file) => file.read(buffer),
            Self::Closed(reader) => reader.read(buffer),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        match self {
            Self::Open(file) => file.seek(to),
            Self::Closed(reader) => reader.seek(to),
        }
    }
}

fn refused(path: &Path, error: &DecryptError) -> Failure {
    let nothing = "nothing was written";
    match error {
        DecryptError::NoMatchingKeys => Failure::new(
            ErrorClass::Unauthorized,
            format!("{} is encrypted for somebody else: none of these keys opens it", path.display()),
        )
        .with_hint(nothing),
        DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => Failure::new(
            ErrorClass::Unauthorized,
            format!("this passphrase does not open {}", path.display()),
        )
        .with_hint(nothing),
        DecryptError::Io(e) if e.kind() != io::ErrorKind::UnexpectedEof => Failure::io(path.display(), e),
        other => Failure::new(
            ErrorClass::UnsupportedFormat,
            format!("{} is encrypted and damaged: {other}", path.display()),
        )
        .with_hint("use another copy of it; nothing was written"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    fn written(lock: &Lock, dir: &Path) -> (std::path::PathBuf, Keys) {
        let path = dir.join("x.age");
        let (mut sink, keys) = lock.begin(File::create(&path).unwrap()).unwrap();
        sink.write_all(&[7; 200_000]).unwrap();
        sink.finish().unwrap();
        (path, keys)
    }

    fn read(path: &Path, keys: &Keys) -> Result<Vec<u8>, Failure> {
        let mut all = Vec::new();
        let mut source = Source::open(File::open(path).unwrap(), path, keys)?;
        source.read_to_end(&mut all).map_err(|e| Failure::io("x", &e))?;
        Ok(all)
    }

    #[test]
    fn it_opens_for_whom_it_was_written_and_for_nobody_else() {
        let dir = tempfile::tempdir().unwrap();
        let (ada, eve) = (x25519::Identity::generate(), x25519::Identity::generate());
        let lock = Lock::recipients(&[ada.to_public().to_string()]).unwrap();
        let (path, own) = written(&lock, dir.path());
        assert_eq!(read(&path, &own).unwrap(), [7; 200_000]);
        assert_eq!(read(&path, &Keys::Identities(vec![ada])).unwrap(), [7; 200_000]);
        let refused = read(&path, &Keys::Identities(vec![eve])).err().unwrap();
        assert_eq!(refused.class, ErrorClass::Unauthorized);
        assert_eq!(read(&path, &Keys::None).err().unwrap().class, ErrorClass::WrongArgs);
        std::fs::write(&path, &std::fs::read(&path).unwrap()[..100_000]).unwrap();
        assert!(read(&path, &own).is_err(), "cut");
    }

    #[test]
    fn only_the_right_passphrase_opens() {
        let dir = tempfile::tempdir().unwrap();
        let (path, _) = written(&Lock::passphrase("one two three\n").unwrap(), dir.path());
        assert_eq!(read(&path, &Keys::passphrase("one two three").unwrap()).unwrap(), [7; 200_000]);
        let refused = read(&path, &Keys::passphrase("one two").unwrap()).err().unwrap();
        assert_eq!(refused.class, ErrorClass::Unauthorized);
        assert!(Lock::passphrase("\n").is_err() && Keys::identities("# x\n").is_err());
        assert!(Lock::recipients(&["age1x".into()]).is_err());
    }
}
