//! Who was erased, and that nothing of them is left in the file.

use super::{Db, sql};
use crate::{Error, Result};
use jiff::Timestamp;
use rusqlite::OptionalExtension;

/// How far an erasure came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erasure {
    /// It was begun and has no end: the next one finishes it.
    Begun,
    /// It ended.
    Ended,
}

impl Db {
    /// Says that an erasure begins, before anything goes. The mark stays for good.
    pub fn begin_erasure(&self, mark: &str, now: Timestamp) -> Result<()> {
        self.write("begin an erasure", |tx| tx.execute(sql::GONE_BEGIN, (mark, now.to_string())).map(|_| ()))
    }

    /// Says that everything is gone.
    pub fn end_erasure(&self, mark: &str, now: Timestamp) -> Result<()> {
        self.write("end an erasure", |tx| tx.execute(sql::GONE_END, (mark, now.to_string())).map(|_| ()))
    }

    /// How far the erasure under this mark came, if there was one.
    pub fn erasure(&self, mark: &str) -> Result<Option<Erasure>> {
        let ended: Option<bool> = self
            .with("look for an erasure", |c| c.query_row(sql::GONE, [mark], |row| row.get(0)).optional())?;
        Ok(ended.map(|ended| if ended { Erasure::Ended } else { Erasure::Begun }))
    }

    /// Writes the file anew without what was let go of, and empties the log beside it: no byte of it is left in
    /// either. Fails while another process reads what was there before.
    pub fn scour(&self) -> Result<()> {
        let busy: i64 = self.with("write the database anew", |c| {
            c.execute_batch(sql::REWRITE)?;
            c.query_row(sql::EMPTY_LOG, [], |row| row.get(0))
        })?;
        if busy == 0 { Ok(()) } else { Err(Error::InUse { path: self.path.clone() }) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn no_byte_of_what_went_is_left_in_the_file_or_its_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sqlite");
        let db = Db::open(&path).unwrap();
        // As an older binary left it: deleted, and still there to be read.
        let older = rusqlite::Connection::open(&path).unwrap();
        older.pragma_update(None, "secure_delete", false).unwrap();
        for n in 0..300 {
            db.begin_turn(
                &format!("A{n:03}"),
                "ada/cli",
                None,
                "c",
                &"zanzibar ".repeat(9),
                Timestamp::now(),
            )
            .unwrap();
        }
        older.execute("DELETE FROM turns WHERE id < 'A200'", []).unwrap();
        let left = || {
            let files = ["x.sqlite", "x.sqlite-wal"].map(|name| std::fs::read(dir.path().join(name)));
            files.into_iter().flatten().any(|bytes| bytes.windows(8).any(|part| part == b"zanzibar"))
        };
        db.forget_person("ada", &super::super::Named::default()).unwrap();
        assert!(left(), "deleting alone does not take it out of the file");
        db.scour().unwrap();
        assert!(!left());
        db.check().unwrap();
        older.execute("BEGIN", []).unwrap();
        older.query_row("SELECT count(*) FROM turns", [], |row| row.get::<_, i64>(0)).unwrap();
        db.with("be quick", |c| c.busy_timeout(std::time::Duration::ZERO)).unwrap();
        assert!(db.scour().is_err(), "who still reads the old log keeps it");
    }

    #[test]
    fn an_erasure_that_was_cut_is_known_from_one_that_ended() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        assert_eq!(db.erasure("m").unwrap(), None);
        db.begin_erasure("m", now).unwrap();
        assert_eq!(db.erasure("m").unwrap(), Some(Erasure::Begun));
        db.end_erasure("m", now).unwrap();
        assert_eq!(db.erasure("m").unwrap(), Some(Erasure::Ended));
        db.begin_erasure("m", now).unwrap();
        assert_eq!(db.erasure("m").unwrap(), Some(Erasure::Begun), "begun again, it has no end again");
    }
}
