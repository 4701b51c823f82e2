//! Turns: what was asked, the log of what happened, how it ended.

use super::{Db, sql};
use crate::{Error, Result};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row};

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its id.
    pub id: String,
    /// Who asked.
    pub caller: String,
    /// In which conversation.
    pub conversation: String,
    /// The words.
    pub request: String,
    /// When it began.
    pub began_at: String,
    /// When it ended, if it did.
    pub ended_at: Option<String>,
    /// How it ended, if it did.
    pub status: Option<String>,
    /// The step whose list was the answer.
    pub shown: Option<u32>,
    /// The stage that gave the plan.
    pub stage: Option<String>,
    /// How long each phase took, as JSON.
    pub phases: Option<String>,
    /// What who asked came in by, where that can be taken back: the id of a token, a sender, a hook.
    pub came_by: Option<String>,
}

impl Db {
    /// Writes down that a turn began.
    pub fn begin_turn(
        &self,
        id: &str,
        caller: &str,
        came_by: Option<&str>,
        conversation: &str,
        request: &str,
        now: Timestamp,
    ) -> Result<()> {
        let request = self.sealed(request)?;
        self.write("begin a turn", |tx| {
            let row = (id, caller, came_by, conversation, request, now.to_string());
            tx.execute(sql::TURN_BEGIN, row).map(|_| ())
        })
    }

    /// Adds one entry to the log of a turn.
    pub fn log_turn(&self, id: &str, n: u32, entry: &str) -> Result<()> {
        let entry = self.sealed(entry)?;
        self.write("log a turn", |tx| tx.execute(sql::TURN_LOG, (id, n, entry)).map(|_| ()))
    }

    /// Writes down how a turn ended.
    pub fn end_turn(&self, id: &str, status: &str, shown: Option<u32>, now: Timestamp) -> Result<()> {
        self.write("end a turn", |tx| {
            tx.execute(sql::TURN_END, (id, status, shown, now.to_string())).map(|_| ())
        })
    }

    /// Writes down how a turn ended, which stage gave its plan and how long it took. Nothing is decided by the latter.
    pub fn close_turn(
        &self,
        id: &str,
        status: &str,
        shown: Option<u32>,
        (stage, phases): (Option<&str>, &str),
        now: Timestamp,
    ) -> Result<()> {
        self.write("end a turn", |tx| {
            tx.execute(sql::TURN_CLOSE, (id, status, shown, now.to_string(), stage, phases)).map(|_| ())
        })
    }

    /// Writes down what nothing could do.
    pub fn note_gap(&self, turn: &str, request: &str, words: &str, now: Timestamp) -> Result<()> {
        let (request, words) = (self.sealed(request)?, self.sealed(words)?);
        self.write("note a gap", |tx| {
            tx.execute(sql::GAP, (turn, request, words, now.to_string())).map(|_| ())
        })
    }

    /// One turn, if it is known.
    pub fn turn(&self, id: &str) -> Result<Option<Turn>> {
        let found = self.with("read a turn", |c| c.query_row(sql::TURN, [id], turn).optional())?;
        Ok(found.map(|turn| self.open_turn(turn)))
    }

    /// The latest turns of a conversation, or of all, the newest first.
    pub fn turns(&self, conversation: Option<&str>, most: u32) -> Result<Vec<Turn>> {
        // One question for each: with one for both, a conversation would be looked for in all turns.
        match conversation {
            None => self.turns_of(None, None, most),
            Some(name) => {
                let found = self.with("read turns", |c| {
                    c.prepare_cached(sql::TURNS_IN)?.query_map((name, most), turn)?.collect()
                });
                found.map(|turns| self.open_turns_of(turns))
            }
        }
    }

    /// The turns of a conversation older than `before`, the newest first.
    pub fn turns_before(&self, conversation: &str, before: &str, most: u32) -> Result<Vec<Turn>> {
        let found = self.with("read turns", |c| {
            c.prepare_cached(sql::TURNS_IN_BEFORE)?.query_map((conversation, before, most), turn)?.collect()
        });
        found.map(|turns| self.open_turns_of(turns))
    }

    /// The turns of one person over all channels, or of all, older than `before`, the newest first.
    pub fn turns_of(&self, person: Option<&str>, before: Option<&str>, most: u32) -> Result<Vec<Turn>> {
        let callers = person.map(|person| format!("{person}/*"));
        let found = self.with("read turns", |c| {
            c.prepare_cached(sql::TURNS_OF)?.query_map((callers, before, most), turn)?.collect()
        });
        found.map(|turns| self.open_turns_of(turns))
    }

    /// Writes down that a turn that waited goes on.
    pub fn reopen_turn(&self, id: &str) -> Result<()> {
        self.write("go on with a turn", |tx| tx.execute(sql::TURN_REOPEN, [id]).map(|_| ()))
    }

    /// Writes down that a turn was cut off; false when it has an end.
    pub fn interrupt_turn(&self, id: &str, now: Timestamp) -> Result<bool> {
        self.write("end a turn", |tx| tx.execute(sql::TURN_INTERRUPT, (id, now.to_string()))).map(|n| n == 1)
    }

    /// The turns of a caller, or of all, that have no end, the oldest first.
    pub fn open_turns(&self, caller: Option<&str>) -> Result<Vec<Turn>> {
        let found = self
            .with("read turns", |c| c.prepare_cached(sql::TURNS_OPEN)?.query_map([caller], turn)?.collect());
        found.map(|turns| self.open_turns_of(turns))
    }

    /// The log of a turn as far as it goes, in order.
    pub fn turn_entries(&self, id: &str) -> Result<Vec<String>> {
        let found: Vec<String> = self.with("read a turn", |c| {
            c.prepare_cached(sql::TURN_ENTRIES)?.query_map([id], |row| row.get(0))?.collect()
        })?;
        Ok(found.into_iter().map(|entry| self.opened(entry)).collect())
    }

    /// The log of a turn that must have one, in order.
    pub fn turn_log(&self, id: &str) -> Result<Vec<String>> {
        let found = self.turn_entries(id)?;
        if found.is_empty() { Err(Error::UnknownTurn { id: id.to_owned() }) } else { Ok(found) }
    }

    /// Lets go of at most `most` turns that began before `before`, the oldest first, with their logs. Never the
    /// latest, never one that waits for an answer or has no end. Gives how many went.
    pub fn forget_turns(&self, before: Timestamp, most: u32) -> Result<usize> {
        self.write("let go of turns", |tx| tx.execute(sql::TURNS_FORGET, (before.to_string(), most)))
    }

    /// Copies the turns that are there, with their logs, until there are at least `wanted`: a long history to measure with.
    pub fn multiply_turns(&self, wanted: usize) -> Result<()> {
        self.write("multiply turns", |tx| {
            let count: i64 = tx.query_row(sql::TURNS_COUNT, [], |row| row.get(0))?;
            let missing = i64::try_from(wanted).unwrap_or(i64::MAX).saturating_sub(count);
            if count > 0 && missing > 0 {
                let copies = (missing + count - 1) / count;
                tx.execute(sql::TURNS_COPY, [copies])?;
                tx.execute(sql::TURN_ENTRIES_COPY, [copies])?;
            }
            Ok(())
        })
    }

    /// What nothing could do, the newest first: request, words, when.
    pub fn gaps(&self, most: u32) -> Result<Vec<(String, String, String)>> {
        let found: Vec<(String, String, String)> = self.with("read gaps", |c| {
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            c.prepare_cached(sql::GAPS)?.query_map([most], row)?.collect()
        })?;
        let open = |(turn, request, words)| (turn, self.opened(request), self.opened(words));
        Ok(found.into_iter().map(open).collect())
    }
}

pub(super) fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: row.get(0)?,
        caller: row.get(1)?,
        conversation: row.get(2)?,
        request: row.get(3)?,
        began_at: row.get(4)?,
        ended_at: row.get(5)?,
        status: row.get(6)?,
        shown: row.get(7)?,
        stage: row.get(8)?,
        phases: row.get(9)?,
        came_by: row.get(10)?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_found_again_with_its_log_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        db.begin_turn("A", "host/cli", None, "c", "what time is it", now).unwrap();
        db.begin_turn("B", "host/cli", None, "d", "another", now).unwrap();
        for n in [2, 1, 3] {
            db.log_turn("A", n, &format!("entry {n}")).unwrap();
        }
        db.end_turn("A", "done", Some(1), now).unwrap();
        assert_eq!(db.turn_log("A").unwrap(), ["entry 1", "entry 2", "entry 3"]);
        assert!(matches!(db.turn_log("B"), Err(Error::UnknownTurn { .. })));
        let of_c = db.turns(Some("c"), 10).unwrap();
        assert_eq!((of_c.len(), of_c[0].shown, of_c[0].status.as_deref()), (1, Some(1), Some("done")));
        assert_eq!(db.turns(None, 10).unwrap()[0].id, "B");
        assert!(db.log_turn("A", 1, "again").is_err(), "what happened is not written over");
    }
    #[test]
    fn old_turns_go_in_batches_and_never_one_that_waits() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let old: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        for id in ["A", "B", "C", "D", "E"] {
            db.begin_turn(id, "host/cli", None, "c", "r", old).unwrap();
            db.log_turn(id, 1, "e").unwrap();
        }
        for id in ["A", "C", "E"] {
            db.end_turn(id, "done", None, old).unwrap();
        }
        db.end_turn("B", "waits", None, old).unwrap();
        let now = Timestamp::now();
        assert_eq!(db.forget_turns(old, 10).unwrap(), 0);
        assert_eq!(db.forget_turns(now, 1).unwrap(), 1);
        assert!(db.turn("A").unwrap().is_none() && db.turn_log("A").is_err());
        assert_eq!(db.forget_turns(now, 10).unwrap(), 1);
        let left: Vec<String> = db.turns(None, 9).unwrap().into_iter().map(|turn| turn.id).collect();
        assert_eq!(left, ["E", "D", "B"], "the latest, an open one, one that waits");
    }
}
