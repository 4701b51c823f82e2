//! Archives: which kinds there are, and what stands in one.

mod tarball;
mod zipped;

pub(super) use tarball::{list_tar, open_tar};
pub(super) use zipped::list_zip;

use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::path::Path;

pub(super) use metnos_executor::formats::Archive as Kind;

/// The name of an archive without its ending, for the folder it unpacks into.
pub(super) fn without_ending(name: &[u8]) -> Vec<u8> {
    let cut = Kind::ending(name).map_or(0, |end| end.len());
    match name.get(..name.len().saturating_sub(cut)) {
        Some(stem) if cut > 0 && !stem.is_empty() => stem.to_vec(),
        _ => [name, b".d"].concat(),
    }
}

/// Opens a regular file: never through a link, never waiting on a pipe.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// What a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A file to write.
    File,
    /// A directory to make.
    Dir,
    /// Something that is never unpacked, with the reason.
    Refused(&'static str),
}

/// One thing in an archive, as the archive describes it.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its place in the archive.
    pub(super) at: usize,
    /// Its name, byte for byte.
    pub(super) name: Vec<u8>,
    /// What it is.
    pub(super) what: What,
    /// Its size, as announced.
    pub(super) size: u64,
    /// Permission bits.
    pub(super) mode: Option<u32>,
    /// Seconds since 1970.
    pub(super) mtime: Option<i64>,
}

/// How much an archive may hold.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Bytes in all, unpacked.
    pub(super) bytes: u64,
    /// Members.
    pub(super) members: usize,
}

/// An archive that unpacks to more than this many times its size is a trap, once it is beyond
/// [`RATIO_FROM`].
const RATIO: u64 = 200;
const RATIO_FROM: u64 = 10 << 20;

/// Refuses `unpacked` bytes out of `packed`, unless whoever asked wants any number of bytes.
pub(super) fn check_ratio(unpacked: u64, packed: u64, most: u64) -> Result<(), Failure> {
    if most != u64::MAX && unpacked > RATIO_FROM && unpacked > packed.saturating_mul(RATIO) {
        return Err(Failure::new(
            ErrorClass::TooLarge,
            format!(
                "{packed} bytes unpack to {unpacked} or more: an archive bomb; max_bytes = 0 unpacks it all the same"
            ),
        ));
    }
    Ok(())
}

/// Refuses more `bytes` or `members` than `bounds` allow.
pub(super) fn check_bounds(bytes: u64, members: usize, bounds: Bounds) -> Result<(), Failure> {
    if bytes > bounds.bytes {
        return Err(Failure::new(
            ErrorClass::TooLarge,
            format!("unpacks to more than {} bytes", bounds.bytes),
        )
        .with_hint("max_bytes raises the cap"));
    }
    if members > bounds.members {
        return Err(Failure::new(
            ErrorClass::TooLarge,
            format!("holds more than {} members", bounds.members),
        ));
    }
    Ok(())
}

/// An error of a decoder: what it cannot read is a broken archive.
pub(super) fn unreadable(error: &io::Error) -> Failure {
    match error.get_ref().and_then(|e| e.downcast_ref::<Failure>()) {
        Some(failure) => failure.clone(),
        None if error.raw_os_error().is_some() => Failure::io("the archive", error),
        None => Failure::new(ErrorClass::UnsupportedFormat, format!("not a readable archive: {error}")),
    }
}
