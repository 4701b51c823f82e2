//! The roots the person opened to Metnos.

use super::{Db, sql};
use crate::Result;
use jiff::Timestamp;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// One opened root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The folder.
    pub path: PathBuf,
    /// When it was opened.
    pub added_at: Timestamp,
    /// By whom.
    pub by: String,
}

impl Db {
    /// Opens `path`; false when it already was.
    pub fn add_root(&self, path: &Path, by: &str, now: Timestamp) -> Result<bool> {
        let bytes = path.as_os_str().as_bytes();
        self.write("open a root", |tx| tx.execute(sql::ROOT_ADD, (bytes, now.to_string(), by))).map(|n| n > 0)
    }

    /// Closes `path`; false when it was not open.
    pub fn remove_root(&self, path: &Path) -> Result<bool> {
        let bytes = path.as_os_str().as_bytes();
        self.write("close a root", |tx| tx.execute(sql::ROOT_REMOVE, [bytes])).map(|n| n > 0)
    }

    /// Every opened root, by path.
    pub fn roots(&self) -> Result<Vec<Root>> {
        let rows: Vec<(Vec<u8>, String, String)> = self.with("read the territory", |c| {
            c.prepare(sql::ROOTS)?.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect()
        })?;
        rows.into_iter()
            .map(|(path, added_at, by)| {
                let path = PathBuf::from(OsString::from_vec(path));
                Ok(Root { path, added_at: super::moment("territory.added_at", &added_at)?, by })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn roots_keep_their_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        let odd = PathBuf::from(OsString::from_vec(b"/data/\xff\n".to_vec()));
        assert!(db.add_root(&odd, "host", Timestamp::UNIX_EPOCH).unwrap());
        assert!(!db.add_root(&odd, "host", Timestamp::UNIX_EPOCH).unwrap());
        assert_eq!(db.roots().unwrap()[0].path, odd);
        assert!(db.remove_root(&odd).unwrap());
        assert!(!db.remove_root(&odd).unwrap());
        assert!(db.roots().unwrap().is_empty());
    }
}
