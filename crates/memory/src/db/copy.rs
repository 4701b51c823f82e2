//! A copy of a database as of one moment, while others may be writing to it.

use super::{BUSY, fault, sql};
use crate::Result;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Copies the database at `from` to `to`, which must not be there. It holds everything that was committed
/// when it began and nothing that was committed later.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    // Not created when it is missing: an empty copy would look like one.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copied = (|| {
        let connection = Connection::open_with_flags(from, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.execute(sql::COPY, [to.to_string_lossy()])
    })();
    copied.map(|_| ()).map_err(|e| fault(from, "copy the database", e))
}

/// How many turns the database at `path` holds, without opening it for writing.
pub fn count_turns(path: &Path) -> Result<u64> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let count = || -> rusqlite::Result<i64> {
        Connection::open_with_flags(path, flags)?.query_row(sql::TURNS_COUNT, [], |row| row.get(0))
    };
    count().map(|n| u64::try_from(n).unwrap_or(0)).map_err(|e| fault(path, "count turns", e))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Db;

    #[test]
    fn a_copy_is_whole_while_another_one_writes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        let db = Db::open(&path).unwrap();
        db.raise("a", 1).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (2..200).for_each(|n| {
                    db.raise("a", n).unwrap();
                })
            });
            copy(&path, &dir.path().join("copy.sqlite")).unwrap();
        });
        let copied = Db::open(&dir.path().join("copy.sqlite")).unwrap();
        copied.check().unwrap();
        assert!((1..200).contains(&copied.counter("a").unwrap()));
        assert!(copy(&dir.path().join("none"), &dir.path().join("b")).is_err());
        assert!(copy(&path, &dir.path().join("copy.sqlite")).is_err(), "nothing is written over");
    }
}
