//! What stood at a path: enough to recognise a thing later and to see whether it changed.

use crate::eyes::Eyes;
use rustix::fs::{AtFlags, FileType, Stat, Statx, StatxFlags, readlinkat, statx};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

/// What a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// A thing as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is.
    pub kind: Kind,
    /// Its number in its file system.
    pub ino: u64,
    /// Permission bits.
    pub mode: u32,
    /// Bytes.
    pub size: u64,
    /// Modification, seconds and nanoseconds.
    pub mtime: (i64, u32),
    /// When it came into being, where the file system tells: numbers are used again, and often at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<(i64, u32)>,
    /// Where a link leads, as a digest. A link cannot be synced, so a power loss may take the date it was
    /// given; its target comes with its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
}

impl Fact {
    /// What stands at `path`; `None` when nothing does. No link is followed, also none on the way: once
    /// a folder is swapped for a link, nothing stands below it any more.
    pub fn at(path: &Path) -> io::Result<Option<Self>> {
        Eyes::default().at(path)
    }

    /// What has this name in an open directory; a link is not followed.
    pub(crate) fn named(dir: impl AsFd, name: &OsStr) -> rustix::io::Result<Self> {
        let asked = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let mut found = Self::from(&statx(&dir, name, AtFlags::SYMLINK_NOFOLLOW, asked)?);
        if found.kind == Kind::Link {
            found.target = Some(digest(readlinkat(&dir, name, Vec::new())?.as_bytes()));
        }
        Ok(found)
    }

    /// What an open file is.
    pub fn of(file: impl AsFd) -> io::Result<Self> {
        let asked = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        Ok(Self::from(&statx(&file, "", AtFlags::EMPTY_PATH, asked)?))
    }

    /// True when this is that very thing, whatever its content by now.
    pub fn is(&self, other: &Self) -> bool {
        let born_apart = matches!((self.born, other.born), (Some(a), Some(b)) if a != b);
        self.kind == other.kind && self.ino == other.ino && !born_apart
    }

    /// True when nothing tells the content of one from the content of the other.
    pub fn looks_like(&self, other: &Self) -> bool {
        let alike = match (self.target, other.target) {
            (Some(a), Some(b)) => a == b,
            _ => self.mtime == other.mtime,
        };
        self.kind == other.kind && self.size == other.size && alike
    }

    /// True when this could be a copy of the other: nothing tells their contents apart, and the rights are the same.
    pub fn could_be(&self, other: &Self) -> bool {
        const RIGHTS: u32 = 0o777;
        let rights = self.kind == Kind::Link || self.mode & RIGHTS == other.mode & RIGHTS;
        self.looks_like(other) && rights
    }

    /// True when this is that very thing and nobody wrote to it since.
    pub fn is_unchanged(&self, since: &Self) -> bool {
        // The time of a folder moves with every name in it.
        self.is(since) && (self.kind == Kind::Dir || self.looks_like(since))
    }
}

/// Enough of a digest to tell targets apart.
fn digest(target: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(target).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

fn kind(mode: u32) -> Kind {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Dir,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

impl From<&Statx> for Fact {
    fn from(found: &Statx) -> Self {
        let mode = u32::from(found.stx_mode);
        let tells = found.stx_mask & StatxFlags::BTIME.bits() != 0;
        Self {
            kind: kind(mode),
            ino: found.stx_ino,
            mode: mode & 0o7777,
            size: found.stx_size,
            mtime: (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec),
            born: tells.then_some((found.stx_btime.tv_sec, found.stx_btime.tv_nsec)),
            target: None,
        }
    }
}

impl From<&Stat> for Fact {
    fn from(stat: &Stat) -> Self {
        Self {
            kind: kind(stat.st_mode),
            ino: stat.st_ino,
            mode: stat.st_mode & 0o7777,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime: (stat.st_mtime, u32::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            born: None,
            target: None,
        }
    }
}
