//! The host binary as verified bytes in a sealed memory file. Cells run the file in memory, so
//! what runs is what was hashed, whatever happens on disk meanwhile.

use metnos_executor::lab::{self, Layer};
use metnos_executor::wire;
use rustix::fs::{Mode, OFlags};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// How much is read, hashed and kept at once: small enough to stay in the processor's cache, so
/// that a cold call does not pay for three passes over the whole binary.
const PIECE: usize = 256 << 10;

/// A verified host.
#[derive(Debug)]
pub struct HostImage {
    file: std::fs::File,
    digest: String,
}

impl HostImage {
    /// Reads the binary once, refuses it unless its blake3 is `expected`, and seals it.
    pub fn load(path: &Path, expected: &str) -> io::Result<Self> {
        let mut source = open(path)?;
        let mut file = wire::memory_file("metnos-host")?;
        let mut hasher = blake3::Hasher::new();
        let mut piece = vec![0; PIECE];
        loop {
            let n = match source.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            let read = piece.get(..n).unwrap_or_default();
            hasher.update(read);
            file.write_all(read)?;
        }
        let digest = hasher.finalize().to_hex().to_string();
        if digest != expected && !lab::without(Layer::HostDigest) {
            let short = |d: &str| d.chars().take(12).collect::<String>();
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "{} has digest {}…, the signed record says {}…",
                    path.display(),
                    short(&digest),
                    short(expected)
                ),
            ));
        }
        wire::seal(&file)?;
        Ok(Self { file, digest: expected.to_owned() })
    }

    /// Its blake3.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// Opens a regular file; a link or a pipe put in its place is refused, and never waited for.
fn open(path: &Path) -> io::Result<std::fs::File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let strange = |what: &str| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{} is {what}, expected a file", path.display()))
    };
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => std::fs::File::from(file),
        Err(rustix::io::Errno::LOOP) => return Err(strange("a symbolic link")),
        Err(e) => return Err(e.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(strange("something else"));
    }
    Ok(file)
}

impl AsFd for HostImage {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn what_is_sealed_is_what_was_hashed_whatever_its_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("host");
        for length in [0, 1, PIECE - 1, PIECE, 2 * PIECE + 7] {
            let bytes: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            let digest = blake3::hash(&bytes).to_hex().to_string();
            let image = HostImage::load(&path, &digest).unwrap();
            let mut kept = vec![0; length + 1];
            assert_eq!(image.file.read_at(&mut kept, 0).unwrap(), length);
            assert_eq!(kept[..length], bytes);
            assert!(image.file.write_at(b"x", 0).is_err(), "a sealed image was written");
        }
    }

    #[test]
    fn a_binary_with_another_digest_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("host");
        std::fs::write(&path, b"another").unwrap();
        let expected = blake3::hash(b"approved").to_hex().to_string();
        assert_eq!(HostImage::load(&path, &expected).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
