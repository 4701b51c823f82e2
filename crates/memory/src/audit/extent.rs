//! How far the chain reaches at one moment. Nothing in it is ever rewritten, so whoever copies each day file
//! as far as it reached, and the head of that moment, has a whole chain, however much is appended meanwhile.

use super::writer::{head_path, lock_file};
use super::{Audit, files};
use crate::{Error, Result};
use rustix::fs::{FlockOperation, flock};
use std::path::Path;

/// The chain at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The head file, byte for byte; empty when there is none.
    pub head: Vec<u8>,
    /// Each day file with its length.
    pub files: Vec<(String, u64)>,
}

impl Audit {
    /// How many lines the head in `state` tells of, whoever signed it.
    pub fn extent_lines(state: &Path) -> u64 {
        let text = std::fs::read(head_path(state)).unwrap_or_default();
        let seq = serde_json::from_slice::<serde_json::Value>(&text)
            .ok()
            .and_then(|head| head.get("seq")?.as_u64());
        seq.unwrap_or(0)
    }

    /// How far the chain in `dir` reaches now. Writers wait for as long as it takes to look.
    pub fn extent(dir: &Path, state: &Path) -> Result<Extent> {
        let lock = lock_file(state)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|e| Error::io("lock", state)(e.into()))?;
        let path = head_path(state);
        let head = match std::fs::read(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(Error::io("read", &path))?,
        };
        let length = |name: String| {
            let path = dir.join(&name);
            let meta = path.metadata().map_err(Error::io("look at", &path))?;
            Ok((name, meta.len()))
        };
        let files = files::list(dir)?.into_iter().map(length).collect::<Result<Vec<_>>>()?;
        Ok(Extent { head, files })
    }
}
