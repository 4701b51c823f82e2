//! A look at a database as it lies there, without making or migrating anything.

use super::{BUSY, MIGRATIONS, fault, sql};
use crate::{Error, Result};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// What a look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// The version it has.
    pub version: i64,
    /// The newest version this binary knows.
    pub known: i64,
}

/// Reads every page, the version, and whether it can be written; changes nothing.
pub fn examine(path: &Path) -> Result<Health> {
    let failed = |e: rusqlite::Error| fault(path, "look at the database", e);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    let found: String = connection.query_row(sql::CHECK, [], |row| row.get(0)).map_err(failed)?;
    if found != "ok" {
        return Err(Error::Corrupt { path: path.to_owned(), reason: found });
    }
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    connection.execute_batch(sql::CAN_WRITE).map_err(failed)?;
    Ok(Health { version, known: i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX) })
}
