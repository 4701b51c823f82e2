//! Numbers that never go back, so that an old signed record is not a valid one.

use super::{Db, sql};
use crate::Result;
use rusqlite::OptionalExtension;

impl Db {
    /// The counter called `key`; zero when it was never raised.
    pub fn counter(&self, key: &str) -> Result<u64> {
        let value: Option<i64> =
            self.with("read a counter", |c| c.query_row(sql::COUNTER_GET, [key], |r| r.get(0)).optional())?;
        Ok(value.and_then(|v| u64::try_from(v).ok()).unwrap_or(0))
    }

    /// Raises `key` to `value`; a lower value changes nothing. Gives the value in force.
    pub fn raise(&self, key: &str, value: u64) -> Result<u64> {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        let now: i64 =
            self.write("raise a counter", |tx| tx.query_row(sql::COUNTER_RAISE, (key, value), |r| r.get(0)))?;
        Ok(u64::try_from(now).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_counter_never_goes_back() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        assert_eq!(db.counter("CURRENT/get_now").unwrap(), 0);
        assert_eq!(db.raise("CURRENT/get_now", 7).unwrap(), 7);
        assert_eq!(db.raise("CURRENT/get_now", 3).unwrap(), 7);
        assert_eq!(db.counter("CURRENT/get_now").unwrap(), 7);
        assert_eq!(db.raise("CURRENT/get_now", u64::MAX).unwrap(), i64::MAX as u64);
    }
}
