//! What persons decided, as signed text: the meaning is for whoever reads it.

use super::{Db, sql};
use crate::Result;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction};

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its id, among those of its kind.
    pub id: String,
    /// What was decided.
    pub body: String,
    /// Over kind, id and body.
    pub signature: Vec<u8>,
}

impl Db {
    /// Records a decision, in place of an earlier one with the same id.
    pub fn decide(&self, kind: &str, decision: &Decision, now: Timestamp) -> Result<()> {
        let Decision { id, body, signature } = self.sealed_decision(decision)?;
        self.write("record a decision", |tx| {
            tx.execute(sql::DECISION_PUT, (kind, id, body, signature, now.to_string())).map(|_| ())
        })
    }

    /// Records a decision where none of its kind has this id; false when one has.
    pub fn decide_new(&self, kind: &str, decision: &Decision, now: Timestamp) -> Result<bool> {
        let Decision { id, body, signature } = self.sealed_decision(decision)?;
        let added = self.write("record a decision", |tx| {
            tx.execute(sql::DECISION_NEW, (kind, id, body, signature, now.to_string()))
        })?;
        Ok(added == 1)
    }

    /// Puts `new` in the place of `old`; false when it is no longer `old` that stands there.
    pub fn redecide(&self, kind: &str, old: &Decision, new: &Decision, now: Timestamp) -> Result<bool> {
        let new = self.sealed_decision(new)?;
        let swapped = self.write("change a decision", |tx| {
            let Some(stands) = self.stands(tx, kind, old)? else { return Ok(0) };
            let row = (kind, &old.id, stands, &new.body, &new.signature, now.to_string());
            tx.execute(sql::DECISION_SWAP, row)
        })?;
        Ok(swapped == 1)
    }

    /// Removes what is recorded under an id, whatever its kind.
    pub fn undecide(&self, id: &str) -> Result<()> {
        self.write("remove a decision", |tx| tx.execute(sql::DECISION_REMOVE, [id]).map(|_| ()))
    }

    /// Removes one decision, unless another stands there by now.
    pub fn drop_decision(&self, kind: &str, old: &Decision) -> Result<()> {
        self.write("remove a decision", |tx| match self.stands(tx, kind, old)? {
            Some(stands) => tx.execute(sql::DECISION_DROP, (kind, &old.id, stands)).map(|_| ()),
            None => Ok(()),
        })
    }

    /// All decisions of a kind, by id.
    pub fn decisions(&self, kind: &str) -> Result<Vec<Decision>> {
        let found = self
            .with("read decisions", |c| c.prepare_cached(sql::DECISIONS)?.query_map([kind], row)?.collect());
        found.map(|rows| self.open_decisions(rows))
    }

    /// The decisions of a kind whose ids are not before `id`, by id.
    pub fn decisions_from(&self, kind: &str, id: &str) -> Result<Vec<Decision>> {
        let found = self.with("read decisions", |c| {
            c.prepare_cached(sql::DECISIONS_FROM)?.query_map([kind, id], row)?.collect()
        });
        found.map(|rows| self.open_decisions(rows))
    }

    /// One decision.
    pub fn decision(&self, kind: &str, id: &str) -> Result<Option<Decision>> {
        let found = self.with("read a decision", |c| {
            c.prepare_cached(sql::DECISION)?.query_row([kind, id], row).optional()
        })?;
        Ok(found.map(|row| Decision { body: self.opened(row.body), ..row }))
    }

    /// What is written where `old` is thought to stand, if it does: it may have been sealed otherwise since.
    fn stands(&self, tx: &Transaction<'_>, kind: &str, old: &Decision) -> rusqlite::Result<Option<String>> {
        let found = tx.prepare_cached(sql::DECISION)?.query_row([kind, &old.id], row).optional()?;
        Ok(found.map(|row| row.body).filter(|body| self.opened(body.clone()) == old.body))
    }

    fn sealed_decision(&self, decision: &Decision) -> Result<Decision> {
        Ok(Decision { body: self.sealed(&decision.body)?, ..decision.clone() })
    }

    fn open_decisions(&self, rows: Vec<Decision>) -> Vec<Decision> {
        rows.into_iter().map(|row| Decision { body: self.opened(row.body), ..row }).collect()
    }

    /// A number that another one replaces when any process changed the database.
    pub fn version(&self) -> Result<(i64, u64)> {
        self.with("look at the database", |c| {
            let others = c.prepare_cached("PRAGMA data_version")?.query_row([], |r| r.get(0))?;
            Ok((others, c.total_changes()))
        })
    }

    /// How often an executor that changes things was called to its end.
    pub fn times_used(&self, executor: &str) -> Result<u64> {
        let count: i64 = self.with("count calls", |c| {
            c.prepare_cached(sql::CALLS_COUNT)?.query_row([executor], |r| r.get(0))
        })?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Lets go of a call that was claimed and never begun.
    pub fn release_call(&self, call_id: &str) -> Result<()> {
        self.write("release a call", |tx| tx.execute(sql::CALL_RELEASE, [call_id]).map(|_| ()))
    }
}

fn row(r: &rusqlite::Row<'_>) -> rusqlite::Result<Decision> {
    Ok(Decision { id: r.get(0)?, body: r.get(1)?, signature: r.get(2)? })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_decision_is_replaced_only_by_who_knows_it() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        let decision = |body: &str| Decision { id: "1".into(), body: body.into(), signature: vec![1] };
        let now = Timestamp::UNIX_EPOCH;
        db.decide("grant", &decision("a"), now).unwrap();
        assert!(db.redecide("grant", &decision("a"), &decision("b"), now).unwrap());
        assert!(!db.redecide("grant", &decision("a"), &decision("c"), now).unwrap());
        assert_eq!(db.decisions("grant").unwrap(), [decision("b")]);
        assert!(db.decisions("rule").unwrap().is_empty());
    }

    #[test]
    fn one_decision_is_found_made_once_and_removed_as_it_was_seen() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("m.sqlite")).unwrap();
        let decision = |body: &str| Decision { id: "anna".into(), body: body.into(), signature: vec![1] };
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(db.decision("person", "anna").unwrap(), None);
        assert!(db.decide_new("person", &decision("a"), now).unwrap());
        assert!(!db.decide_new("person", &decision("b"), now).unwrap(), "the first stays");
        assert!(db.decide_new("level", &decision("b"), now).unwrap(), "another kind is another row");
        assert_eq!(db.decision("person", "anna").unwrap(), Some(decision("a")));
        db.drop_decision("person", &decision("b")).unwrap();
        assert_eq!(db.decision("person", "anna").unwrap(), Some(decision("a")));
        db.drop_decision("person", &decision("a")).unwrap();
        assert_eq!(db.decision("person", "anna").unwrap(), None);
        for kind in ["sender", "token", "code"] {
            db.decide(kind, &decision("a"), now).unwrap();
        }
        assert!(db.decide("nonsense", &decision("a"), now).is_err());
    }

    #[test]
    fn a_change_by_another_connection_shows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.sqlite");
        let (db, other) = (Db::open(&path).unwrap(), Db::open(&path).unwrap());
        let before = db.version().unwrap();
        assert_eq!(db.version().unwrap(), before);
        let decision = Decision { id: "1".into(), body: "a".into(), signature: vec![] };
        other.decide("rule", &decision, Timestamp::UNIX_EPOCH).unwrap();
        assert_ne!(db.version().unwrap(), before);
    }
}
