//! The one place that opens SQLite, and the typed functions over its tables.

mod birth;
mod calls;
mod copy;
mod counters;
mod decisions;
mod glance;
mod gone;
mod health;
mod models;
mod person;
mod plans;
mod sealed;
mod sql;
mod telegram;
mod territory;
mod turns;

pub use birth::{Birth, Environment};
pub use calls::{Begun, Call, CallState, Stored};
pub use copy::{copy, count_turns};
pub use decisions::Decision;
pub use glance::{Day, Gap, ModelCallAt};
pub use gone::Erasure;
pub use health::{Health, examine};
pub use models::{ModelCall, ModelUse};
pub use person::{Forgotten, Named, Ruled, StoredCall, StoredMessage};
pub use plans::{FAILURES, IDLE_DAYS, KeptPlan, Lesson, PlanKind, RETIRED_DAYS};
pub use sealed::Seal;
pub use telegram::{TelegramFate, TelegramOut, TelegramUpdate, TelegramWaiting};
pub use territory::Root;
pub use turns::Turn;

use crate::{Error, Result};
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Every migration, in order; the position (from one) is the version it leads to.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_records.sql"),
    include_str!("../../migrations/0002_guards.sql"),
    include_str!("../../migrations/0003_system.sql"),
    include_str!("../../migrations/0004_turns.sql"),
    include_str!("../../migrations/0005_plans.sql"),
    include_str!("../../migrations/0006_models.sql"),
    include_str!("../../migrations/0007_people.sql"),
    include_str!("../../migrations/0008_telegram.sql"),
    include_str!("../../migrations/0009_telegram_again.sql"),
    include_str!("../../migrations/0010_turns_came_by.sql"),
    include_str!("../../migrations/0011_telegram_reader.sql"),
    include_str!("../../migrations/0012_telegram_doubts.sql"),
    include_str!("../../migrations/0013_gone.sql"),
];

/// How long a writer waits for another one.
const BUSY: Duration = Duration::from_secs(10);

/// `state/metnos.sqlite`, open. Every commit is on the disk before the function returns.
pub struct Db {
    path: PathBuf,
    connection: Mutex<Connection>,
    /// What texts pass before they are written, once it is known.
    seal: OnceLock<Arc<dyn Seal>>,
}

impl Db {
    /// Opens `path`, creating or migrating it. A database newer than this binary is refused.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(dir) = path.parent() {
            crate::durable::create_dir(dir)?;
        }
        let opened = Connection::open(path).map_err(|e| fault(path, "open the database", e))?;
        let db = Self { path: path.to_owned(), connection: Mutex::new(opened), seal: OnceLock::new() };
        db.prepare()?;
        Ok(db)
    }

    /// Reads every page and reports what is unsound; for `doctor`, not for every start.
    pub fn check(&self) -> Result<()> {
        let found: String = self.with("check the database", |c| c.query_row(sql::CHECK, [], |r| r.get(0)))?;
        if found == "ok" {
            return Ok(());
        }
        Err(Error::Corrupt { path: self.path.clone(), reason: found })
    }

    /// Where the database lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> Result<()> {
        self.with("prepare the database", |c| {
            c.busy_timeout(BUSY)?;
            c.pragma_update(None, "journal_mode", "WAL")?;
            c.pragma_update(None, "synchronous", "FULL")?;
            c.pragma_update(None, "foreign_keys", true)?;
            // What is let go of is overwritten, not only unlinked.
            c.pragma_update(None, "secure_delete", true)
        })?;
        let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
        let mut connection = self.lock();
        // The version is read inside the write lock: two processes may start at once.
        let found = (|| {
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let found: i64 = tx.pragma_query_value(None, "user_version", |r| r.get(0))?;
            for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
                tx.execute_batch(migration)?;
            }
            if found < known {
                tx.pragma_update(None, "user_version", known)?;
            }
            tx.commit()?;
            Ok(found)
        })()
        .map_err(|e| fault(&self.path, "migrate the database", e))?;
        if found > known {
            return Err(Error::Newer { path: self.path.clone(), found, known });
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere cannot leave a connection half-way: open transactions roll back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `act` in one immediate transaction.
    fn write<T>(
        &self,
        what: &'static str,
        act: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut connection = self.lock();
        (|| {
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = act(&tx)?;
            tx.commit()?;
            Ok(value)
        })()
        .map_err(|e| fault(&self.path, what, e))
    }

    /// Runs `act` on the connection.
    fn with<T>(&self, what: &'static str, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        act(&self.lock()).map_err(|e| fault(&self.path, what, e))
    }
}

/// A stored moment.
fn moment(what: &'static str, text: &str) -> Result<Timestamp> {
    text.parse().map_err(|_| Error::BadValue { what, value: text.to_owned() })
}

fn fault(path: &Path, what: &'static str, source: rusqlite::Error) -> Error {
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            Error::Corrupt { path: path.to_owned(), reason: source.to_string() }
        }
        _ => Error::Sqlite { what, source },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn opening_twice_keeps_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/metnos.sqlite");
        Db::open(&path).unwrap().raise("host", 3).unwrap();
        let db = Db::open(&path).unwrap();
        assert_eq!(db.counter("host").unwrap(), 3);
        db.check().unwrap();
    }

    #[test]
    fn commits_are_durable_and_the_log_is_wal() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        let pragma = |name: &str| -> String {
            db.with("read", |c| c.pragma_query_value(None, name, |r| r.get::<_, rusqlite::types::Value>(0)))
                .map(|v| format!("{v:?}"))
                .unwrap()
        };
        assert!(pragma("journal_mode").contains("wal"));
        assert!(pragma("synchronous").contains('2'));
        assert!(pragma("foreign_keys").contains('1'));
        assert!(pragma("secure_delete").contains('1'));
    }

    #[test]
    fn a_newer_database_is_refused_naming_both_versions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        let db = Db::open(&path).unwrap();
        db.with("raise", |c| c.pragma_update(None, "user_version", 99)).unwrap();
        drop(db);
        let error = Db::open(&path).err().unwrap();
        assert!(matches!(error, Error::Newer { found: 99, .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("99") && text.contains(&MIGRATIONS.len().to_string()), "{text}");
        assert!(error.hint().is_some());
    }

    #[test]
    fn a_file_that_is_no_database_is_named_with_the_next_step() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        std::fs::write(&path, vec![b'x'; 8192]).unwrap();
        let error = Db::open(&path).err().unwrap();
        assert!(matches!(error, Error::Corrupt { .. }), "{error}");
        assert!(error.hint().unwrap().contains("m.sqlite"));
        assert_eq!(std::fs::read(&path).unwrap(), vec![b'x'; 8192], "a damaged file is not touched");
    }

    #[test]
    fn a_damaged_page_is_found_by_check() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        let db = Db::open(&path).unwrap();
        for n in 0..500 {
            db.raise(&format!("key {n}"), n).unwrap();
        }
        drop(db);
        let mut bytes = std::fs::read(&path).unwrap();
        for byte in bytes.iter_mut().skip(4096) {
            *byte = 0x5a;
        }
        std::fs::write(&path, bytes).unwrap();
        let outcome = Db::open(&path).and_then(|db| db.check());
        assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{outcome:?}");
    }
}
