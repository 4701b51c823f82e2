//! Which birth tests passed, and in which environment: another host, kernel or bubblewrap asks
//! for them again.

use super::{Db, sql};
use crate::Result;
use jiff::Timestamp;
use rusqlite::OptionalExtension;

/// What birth tests depend on beside the executor itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Digest of `metnos-host`.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Bubblewrap version.
    pub bwrap: String,
}

/// The executor whose birth tests ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Birth {
    /// Its name.
    pub executor: String,
    /// Its version.
    pub version: String,
    /// Digest of its signed parts.
    pub digest: String,
}

impl Db {
    /// Records how the birth tests of `birth` went in `env`.
    pub fn record_birth(&self, birth: &Birth, env: &Environment, passed: bool, now: Timestamp) -> Result<()> {
        self.write("record birth tests", |tx| {
            let id = (&birth.executor, &birth.version, &birth.digest, &env.host, &env.kernel, &env.bwrap);
            tx.execute(sql::BIRTH_SET, (id.0, id.1, id.2, id.3, id.4, id.5, passed, now.to_string()))
        })
        .map(|_| ())
    }

    /// How the birth tests of `birth` went in `env`; `None` when they never ran there.
    pub fn birth(&self, birth: &Birth, env: &Environment) -> Result<Option<bool>> {
        self.with("read birth tests", |c| {
            let id = (&birth.executor, &birth.version, &birth.digest, &env.host, &env.kernel, &env.bwrap);
            c.query_row(sql::BIRTH_GET, id, |r| r.get(0)).optional()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn another_kernel_asks_for_the_tests_again() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        let birth = Birth { executor: "get_now".into(), version: "1.0.0".into(), digest: "d".into() };
        let env = Environment { host: "h".into(), kernel: "6.8".into(), bwrap: "0.9".into() };
        assert_eq!(db.birth(&birth, &env).unwrap(), None);
        db.record_birth(&birth, &env, false, Timestamp::UNIX_EPOCH).unwrap();
        db.record_birth(&birth, &env, true, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(db.birth(&birth, &env).unwrap(), Some(true));
        let newer = Environment { kernel: "6.9".into(), ..env };
        assert_eq!(db.birth(&birth, &newer).unwrap(), None);
    }
}
