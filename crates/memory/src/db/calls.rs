//! Calls by id: the same id gives the same outcome, and never stands for two requests.

use super::{Db, sql};
use crate::{Error, Result};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row};

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// It was begun and did not end yet.
    Open,
    /// It ended with the recorded outcome.
    Done,
    /// A crash ended it.
    Interrupted,
}

impl CallState {
    fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Interrupted => "interrupted",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Open, Self::Done, Self::Interrupted].into_iter().find(|s| s.as_str() == text)
    }
}

/// Where the outcome of a call is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// In the row, as JSON.
    Json(String),
    /// In a file, named relative to the state folder.
    Blob(String),
}

/// One recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its id.
    pub call_id: String,
    /// Digest of executor, arguments and input lists.
    pub request_hash: String,
    /// Who was called.
    pub executor: String,
    /// When it was begun.
    pub started_at: Timestamp,
    /// When it ended, if it did.
    pub ended_at: Option<Timestamp>,
    /// How far it came.
    pub state: CallState,
    /// What it answered, if it did.
    pub outcome: Option<Stored>,
}

/// What beginning a call found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// Nothing: this caller performs it.
    Fresh,
    /// The same request under the same id: running, done or interrupted. Nothing is performed.
    Known(Call),
}

impl Db {
    /// Claims `call_id` for a request. Exactly one caller gets [`Begun::Fresh`].
    pub fn begin_call(
        &self,
        call_id: &str,
        request_hash: &str,
        executor: &str,
        now: Timestamp,
    ) -> Result<Begun> {
        let known: Option<Raw> = self.write("begin a call", |tx| {
            let known = tx.query_row(sql::CALL_GET, [call_id], raw).optional()?;
            if known.is_none() {
                tx.execute(sql::CALL_BEGIN, (call_id, request_hash, executor, now.to_string()))?;
            }
            Ok(known)
        })?;
        match known.map(|raw| self.read_call(raw)).transpose()? {
            None => Ok(Begun::Fresh),
            Some(call) if call.request_hash == request_hash => Ok(Begun::Known(call)),
            Some(call) => Err(Error::Conflict { call_id: call.call_id }),
        }
    }

    /// Records how an open call ended. A call that already ended keeps its first outcome.
    pub fn finish_call(&self, call_id: &str, outcome: &Stored, now: Timestamp) -> Result<()> {
        self.end(call_id, CallState::Done, Some(outcome), now)
    }

    /// Records that a crash ended an open call.
    pub fn interrupt_call(&self, call_id: &str, outcome: Option<&Stored>, now: Timestamp) -> Result<()> {
        self.end(call_id, CallState::Interrupted, outcome, now)
    }

    /// The call with this id.
    pub fn call(&self, call_id: &str) -> Result<Option<Call>> {
        self.with("read a call", |c| c.query_row(sql::CALL_GET, [call_id], raw).optional())?
            .map(|raw| self.read_call(raw))
            .transpose()
    }

    /// Every call that was begun and did not end, oldest first.
    pub fn open_calls(&self) -> Result<Vec<Call>> {
        self.with("read the open calls", |c| {
            c.prepare(sql::CALLS_OPEN)?.query_map([], raw)?.collect::<rusqlite::Result<Vec<_>>>()
        })?
        .into_iter()
        .map(|raw| self.read_call(raw))
        .collect()
    }

    /// Forgets ended calls begun before `moment`; gives how many.
    pub fn forget_calls_before(&self, moment: Timestamp) -> Result<usize> {
        self.write("forget old calls", |tx| tx.execute(sql::CALLS_FORGET, [moment.to_string()]))
    }

    fn end(&self, call_id: &str, state: CallState, outcome: Option<&Stored>, now: Timestamp) -> Result<()> {
        let (json, blob) = match outcome {
            Some(Stored::Json(json)) => (Some(self.sealed(json)?), None),
            Some(Stored::Blob(blob)) => (None, Some(blob)),
            None => (None, None),
        };
        let changed = self.write("end a call", |tx| {
            tx.execute(sql::CALL_END, (call_id, state.as_str(), now.to_string(), json, blob))
        })?;
        if changed == 0 && self.call(call_id)?.is_none() {
            return Err(Error::UnknownCall { call_id: call_id.to_owned() });
        }
        Ok(())
    }

    fn read_call(&self, raw: Raw) -> Result<Call> {
        Raw { outcome: raw.outcome.map(|outcome| self.opened(outcome)), ..raw }.read()
    }
}

/// A row as SQLite gives it.
struct Raw {
    call_id: String,
    request_hash: String,
    executor: String,
    started_at: String,
    ended_at: Option<String>,
    state: String,
    outcome: Option<String>,
    outcome_blob: Option<String>,
}

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    Ok(Raw {
        call_id: row.get(0)?,
        request_hash: row.get(1)?,
        executor: row.get(2)?,
        started_at: row.get(3)?,
        ended_at: row.get(4)?,
        state: row.get(5)?,
        outcome: row.get(6)?,
        outcome_blob: row.get(7)?,
    })
}

impl Raw {
    fn read(self) -> Result<Call> {
        let state = CallState::parse(&self.state)
            .ok_or(Error::BadValue { what: "calls.state", value: self.state })?;
        Ok(Call {
            call_id: self.call_id,
            request_hash: self.request_hash,
            executor: self.executor,
            started_at: super::moment("calls.started_at", &self.started_at)?,
            ended_at: self.ended_at.map(|t| super::moment("calls.ended_at", &t)).transpose()?,
            state,
            outcome: self.outcome.map(Stored::Json).or(self.outcome_blob.map(Stored::Blob)),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_794_700_000 + second).unwrap()
    }

    #[test]
    fn the_same_id_gives_the_recorded_outcome() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        assert_eq!(db.begin_call("c1", "h1", "get_now", at(0)).unwrap(), Begun::Fresh);
        let Begun::Known(running) = db.begin_call("c1", "h1", "get_now", at(1)).unwrap() else { panic!() };
        assert_eq!((running.state, running.started_at), (CallState::Open, at(0)));
        let outcome = Stored::Json("{\"ok\":true}".into());
        db.finish_call("c1", &outcome, at(2)).unwrap();
        db.finish_call("c1", &Stored::Json("{}".into()), at(3)).unwrap();
        let Begun::Known(done) = db.begin_call("c1", "h1", "get_now", at(4)).unwrap() else { panic!() };
        assert_eq!((done.state, done.outcome, done.ended_at), (CallState::Done, Some(outcome), Some(at(2))));
    }

    #[test]
    fn the_same_id_for_another_request_is_a_conflict() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        db.begin_call("c1", "h1", "get_now", at(0)).unwrap();
        let error = db.begin_call("c1", "h2", "get_now", at(1)).err().unwrap();
        assert!(matches!(error, Error::Conflict { .. }));
        assert!(matches!(
            db.finish_call("c9", &Stored::Json("{}".into()), at(2)),
            Err(Error::UnknownCall { .. })
        ));
    }

    #[test]
    fn calls_cut_by_a_crash_are_listed_until_they_are_ended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        let db = Db::open(&path).unwrap();
        db.begin_call("b", "h", "move_files", at(1)).unwrap();
        db.begin_call("a", "h", "move_files", at(0)).unwrap();
        drop(db);
        let db = Db::open(&path).unwrap();
        let open: Vec<_> = db.open_calls().unwrap().into_iter().map(|c| c.call_id).collect();
        assert_eq!(open, ["a", "b"]);
        db.interrupt_call("a", None, at(5)).unwrap();
        db.finish_call("b", &Stored::Blob("outcomes/b".into()), at(5)).unwrap();
        assert!(db.open_calls().unwrap().is_empty());
        assert_eq!(db.call("a").unwrap().unwrap().state, CallState::Interrupted);
        assert_eq!(db.forget_calls_before(at(100)).unwrap(), 2);
        assert!(db.call("b").unwrap().is_none());
    }

    #[test]
    fn one_of_many_threads_performs_a_call() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        Db::open(&path).unwrap();
        let fresh = std::thread::scope(|s| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    s.spawn(|| {
                        let db = Db::open(&path).unwrap();
                        (0..20)
                            .filter(|n| {
                                db.begin_call(&format!("c{n}"), "h", "x", at(0)).unwrap() == Begun::Fresh
                            })
                            .count()
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum::<usize>()
        });
        assert_eq!(fresh, 20);
    }
}
