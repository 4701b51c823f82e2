//! The mounts of this process: the same files may be reachable by more than one name.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One mount: `root`, a folder inside file system `device`, appears at `point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    device: Vec<u8>,
    root: PathBuf,
    pub(super) point: PathBuf,
}

/// The mounts, in the order they were made: `id parent major:minor root point …`, one a line; blanks inside a path are octal.
pub(super) fn parse(text: &[u8]) -> Vec<Mount> {
    text.split(|b| *b == b'\n')
        .filter_map(|line| {
            let mut fields = line.split(|b| *b == b' ').skip(2);
            let device = fields.next()?.to_vec();
            Some(Mount { device, root: unescape(fields.next()?), point: unescape(fields.next()?) })
        })
        .collect()
}

fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..]) => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

/// Every other name of `path`, or of a folder inside it, that the mounts give. A mount that shows
/// only a part of `path` counts with its whole mount point.
pub(super) fn other_names(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    // The latest of the deepest mounts above a path is the one that shows it.
    let shows = mounts
        .iter()
        .enumerate()
        .filter(|(_, m)| path.starts_with(&m.point))
        .max_by_key(|(at, m)| (m.point.components().count(), *at))
        .map(|(_, m)| m);
    let Some(inner) = shows.and_then(|m| Some(m.root.join(path.strip_prefix(&m.point).ok()?))) else {
        return Vec::new();
    };
    let inner: PathBuf = inner.components().collect();
    let device = shows.map(|m| &m.device);
    mounts
        .iter()
        .filter(|m| Some(&m.device) == device)
        .filter_map(|m| {
            let name = match inner.strip_prefix(&m.root) {
                Ok(rest) => m.point.join(rest).components().collect(),
                Err(_) if m.root.starts_with(&inner) => m.point.clone(),
                Err(_) => return None,
            };
            (name != path).then_some(name)
        })
        .collect()
}
