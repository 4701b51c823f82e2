//! The host binary as verified bytes in a sealed memory file. Cells run the file in memory, so
//! what runs is what was hashed, whatever happens on disk meanwhile.

use metnos_executor::lab::{self, Layer};
use metnos_executor::wire;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// A verified host.
#[derive(Debug)]
pub struct HostImage {
    file: std::fs::File,
    digest: String,
}

impl HostImage {
    /// Reads the binary once, refuses it unless its blake3 is `expected`, and seals it.
    pub fn load(path: &Path, expected: &str) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let digest = blake3::hash(&bytes).to_hex().to_string();
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
        let mut file = wire::memory_file("metnos-host")?;
        file.write_all(&bytes)?;
        wire::seal(&file)?;
        Ok(Self { file, digest: expected.to_owned() })
    }

    /// Its blake3.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

impl AsFd for HostImage {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
