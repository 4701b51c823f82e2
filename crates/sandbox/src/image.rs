//! The host binary as verified bytes in a sealed memory file. Cells run the file in memory, so
//! what runs is what was hashed, whatever happens on disk meanwhile.

use metnos_executor::wire;
use rustix::fs::{Mode, OFlags};
use std::io::{self, Read, Write};
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
        let bytes = read(path)?;
        let digest = blake3::hash(&bytes).to_hex().to_string();
        if digest != expected {
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
        Ok(Self { file, digest })
    }

    /// Its blake3.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// Reads a regular file; a link or a pipe put in its place is refused, and never waited for.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let strange = |what: &str| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{} is {what}, expected a file", path.display()))
    };
    let mut file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => std::fs::File::from(file),
        Err(rustix::io::Errno::LOOP) => return Err(strange("a symbolic link")),
        Err(e) => return Err(e.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(strange("something else"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl AsFd for HostImage {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
