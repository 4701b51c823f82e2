//! What stands in a tar, plain or packed.

use super::{Bounds, Kind, Member, What, check_bounds, check_ratio, unreadable};
use metnos_executor::{ErrorClass, Failure};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The unpacked bytes of a tar, bounded while they flow: a bomb is noticed before it is read.
pub(in crate::changes) struct Stream {
    inner: Box<dyn Read>,
    seen: u64,
    packed: u64,
    most: u64,
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.seen = self.seen.saturating_add(n as u64);
        check_ratio(self.seen, self.packed, self.most).map_err(io::Error::other)?;
        if self.seen > self.most {
            let message = format!("unpacks to more than {} bytes", self.most);
            return Err(io::Error::other(Failure::new(ErrorClass::TooLarge, message)));
        }
        Ok(n)
    }
}

/// The tar inside `file`, from its beginning.
pub(in crate::changes) fn open_tar(
    file: &File,
    kind: Kind,
    bounds: Bounds,
) -> io::Result<tar::Archive<Stream>> {
    let mut file = file.try_clone()?;
    let packed = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let buffered = io::BufReader::with_capacity(256 << 10, file);
    let inner: Box<dyn Read> = match kind {
        Kind::TarGz => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
        Kind::TarZst => Box::new(zstd::stream::read::Decoder::with_buffer(buffered)?),
        _ => Box::new(buffered),
    };
    // A plain tar is not packed: what it holds is what it is.
    let packed = if kind == Kind::Tar { u64::MAX } else { packed };
    // Headers and padding come on top of the content.
    let headers = (bounds.members as u64).saturating_mul(4096);
    Ok(tar::Archive::new(Stream { inner, seen: 0, packed, most: bounds.bytes.saturating_add(headers) }))
}

/// Every member, by reading the archive once.
pub(in crate::changes) fn list_tar(file: &File, kind: Kind, bounds: Bounds) -> Result<Vec<Member>, Failure> {
    let mut archive = open_tar(file, kind, bounds).map_err(|e| unreadable(&e))?;
    let (mut members, mut bytes) = (Vec::new(), 0u64);
    for (at, entry) in archive.entries().map_err(|e| unreadable(&e))?.enumerate() {
        let entry = entry.map_err(|e| unreadable(&e))?;
        let header = entry.header();
        let kind = header.entry_type();
        let what = if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
            What::File
        } else if kind.is_dir() {
            What::Dir
        } else if kind.is_symlink() || kind.is_hard_link() {
            What::Refused("a link")
        } else if kind.is_pax_global_extensions() {
            continue;
        } else {
            What::Refused("a device or another special file")
        };
        let size = if what == What::File { entry.size() } else { 0 };
        bytes = bytes.saturating_add(size);
        check_bounds(bytes, members.len().saturating_add(1), bounds)?;
        members.push(Member {
            at,
            name: entry.path_bytes().into_owned(),
            what,
            size,
            mode: header.mode().ok(),
            mtime: header.mtime().ok().and_then(|t| i64::try_from(t).ok()),
        });
    }
    Ok(members)
}
