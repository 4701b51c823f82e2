//! Writes an archive, one thing after the other, and its manifest at the end.

use crate::manifest::{Entry, FORMAT, Kind, MANIFEST, Manifest, Said};
use metnos_executor::{BytePath, ErrorClass, Failure};
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Files up to this size are read before their size is written: they may shrink while somebody writes.
const SMALL: u64 = 4 << 20;

/// What an archive is written with.
pub struct Packer<W: Write> {
    tar: tar::Builder<W>,
    entries: Vec<Entry>,
}

/// Reads and remembers the digest of what was read.
pub(crate) struct Hashing<R> {
    pub(crate) source: R,
    pub(crate) digest: blake3::Hasher,
    pub(crate) read: u64,
}

impl<R: Read> Hashing<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, digest: blake3::Hasher::new(), read: 0 }
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.digest.update(buffer.get(..read).unwrap_or_default());
        self.read += read as u64;
        Ok(read)
    }
}

impl<W: Write> Packer<W> {
    /// Into `out`.
    pub fn new(out: W) -> Self {
        Self { tar: tar::Builder::new(out), entries: Vec::new() }
    }

    /// A folder.
    pub fn dir(&mut self, name: &Path, meta: &Metadata) -> Result<(), Failure> {
        let entry = entry(name, Kind::Dir, meta);
        let mut header = header(&entry, tar::EntryType::Directory);
        self.tar.append_data(&mut header, name, io::empty()).map_err(|e| failed(name, &e))?;
        self.entries.push(entry);
        Ok(())
    }

    /// A link, with where it leads.
    pub fn link(&mut self, name: &Path, target: &Path, meta: &Metadata) -> Result<(), Failure> {
        let mut entry = entry(name, Kind::Link, meta);
        entry.blake3 = blake3::hash(target.as_os_str().as_bytes()).to_hex().to_string();
        let mut header = header(&entry, tar::EntryType::Symlink);
        self.tar.append_link(&mut header, name, target).map_err(|e| failed(name, &e))?;
        self.entries.push(entry);
        Ok(())
    }

    /// An open file, as far as `most` bytes of it.
    pub fn file(&mut self, name: &Path, file: &File, most: u64) -> Result<(), Failure> {
        let meta = file.metadata().map_err(|e| failed(name, &e))?;
        let size = meta.len().min(most);
        if size <= SMALL {
            let mut bytes = Vec::new();
            file.take(size).read_to_end(&mut bytes).map_err(|e| failed(name, &e))?;
            return self.bytes(name, &bytes, &meta);
        }
        let mut entry = Entry { size, ..entry(name, Kind::File, &meta) };
        let mut header = header(&entry, tar::EntryType::Regular);
        let mut source = Hashing::new(file.take(size));
        self.tar.append_data(&mut header, name, &mut source).map_err(|e| failed(name, &e))?;
        if source.read != size {
            return Err(Failure::new(
                ErrorClass::Conflict,
                format!("{} became shorter while it was read", name.display()),
            )
            .with_hint("try again when nobody writes it"));
        }
        entry.blake3 = source.digest.finalize().to_hex().to_string();
        self.entries.push(entry);
        Ok(())
    }

    /// A file whose bytes are here, with the rights and the time of `meta`.
    pub fn bytes(&mut self, name: &Path, bytes: &[u8], meta: &Metadata) -> Result<(), Failure> {
        self.put(Entry { size: bytes.len() as u64, ..entry(name, Kind::File, meta) }, bytes)
    }

    /// A file that is made here.
    pub fn text(&mut self, name: &Path, text: &[u8]) -> Result<(), Failure> {
        let path = BytePath(name.to_owned());
        let size = text.len() as u64;
        self.put(
            Entry { path, kind: Kind::File, size, mode: 0o600, mtime: (0, 0), blake3: String::new() },
            text,
        )
    }

    fn put(&mut self, mut entry: Entry, bytes: &[u8]) -> Result<(), Failure> {
        entry.blake3 = blake3::hash(bytes).to_hex().to_string();
        let mut header = header(&entry, tar::EntryType::Regular);
        let name = entry.path.0.clone();
        self.tar.append_data(&mut header, &name, bytes).map_err(|e| failed(&name, &e))?;
        self.entries.push(entry);
        Ok(())
    }

    /// Ends without a manifest: an archive for people, not one that is restored.
    pub fn into_inner(self) -> Result<W, Failure> {
        self.tar.into_inner().map_err(|e| failed(Path::new("the archive"), &e))
    }

    /// Writes the manifest and gives it, with what was written to.
    pub fn finish(mut self, metnos: &str, at: &str, said: Said) -> Result<(W, Manifest), Failure> {
        let entries = std::mem::take(&mut self.entries);
        let manifest =
            Manifest { format: FORMAT, metnos: metnos.to_owned(), at: at.to_owned(), said, entries };
        let text = serde_json::to_vec(&manifest).map_err(|e| Failure::internal(e.to_string()))?;
        self.text(Path::new(MANIFEST), &text)?;
        Ok((self.into_inner()?, manifest))
    }
}

fn entry(name: &Path, kind: Kind, meta: &Metadata) -> Entry {
    Entry {
        path: BytePath(name.to_owned()),
        kind,
        size: 0,
        mode: meta.mode() & 0o777,
        mtime: (meta.mtime(), u32::try_from(meta.mtime_nsec()).unwrap_or(0)),
        blake3: String::new(),
    }
}

fn header(entry: &Entry, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(entry.size);
    header.set_mode(entry.mode);
    header.set_mtime(u64::try_from(entry.mtime.0).unwrap_or(0));
    header
}

fn failed(name: &Path, error: &io::Error) -> Failure {
    let failure = Failure::io(name.display(), error);
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            failure.with_hint("free some space, or name a file on another disk")
        }
        _ => failure,
    }
}
