//! Everything the database holds of one person: to be handed out, or to be let go of.

use super::turns::turn;
use super::{Db, Turn, sql};
use crate::Result;
use rusqlite::Row;

/// A call of a turn, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCall {
    /// Its id.
    pub call_id: String,
    /// What ran.
    pub executor: String,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// How far it is.
    pub state: String,
    /// What came of it, as JSON, when that was small.
    pub outcome: Option<String>,
}

/// A decision with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// Which kind.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What was decided, as JSON.
    pub body: String,
}

/// How much was let go of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Turns, with their logs and gaps.
    pub turns: usize,
    /// Outcomes of calls.
    pub calls: usize,
    /// Kept plans.
    pub plans: usize,
    /// Decisions.
    pub decisions: usize,
}

impl Db {
    /// Every turn of a person, the oldest first.
    pub fn whole_turns(&self, person: &str) -> Result<Vec<Turn>> {
        self.with("read turns", |c| c.prepare_cached(sql::PERSON_TURNS)?.query_map([person], turn)?.collect())
    }

    /// What nothing could do for a person: turn, request, words, when.
    pub fn gaps_of(&self, person: &str) -> Result<Vec<(String, String, String, String)>> {
        self.with("read gaps", |c| {
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            c.prepare_cached(sql::PERSON_GAPS)?.query_map([person], row)?.collect()
        })
    }

    /// The calls of a turn, in order.
    pub fn calls_of(&self, turn: &str) -> Result<Vec<StoredCall>> {
        self.with("read calls", |c| {
            let row = |row: &Row<'_>| {
                Ok(StoredCall {
                    call_id: row.get(0)?,
                    executor: row.get(1)?,
                    started_at: row.get(2)?,
                    ended_at: row.get(3)?,
                    state: row.get(4)?,
                    outcome: row.get(5)?,
                })
            };
            c.prepare_cached(sql::CALLS_OF_TURN)?.query_map([turn], row)?.collect()
        })
    }

    /// Every decision of every kind.
    pub fn all_decisions(&self) -> Result<Vec<Ruled>> {
        self.with("read decisions", |c| {
            let row = |r: &Row<'_>| Ok(Ruled { kind: r.get(0)?, id: r.get(1)?, body: r.get(2)? });
            c.prepare_cached(sql::DECISIONS_ALL)?.query_map([], row)?.collect()
        })
    }

    /// Lets go of a person in one step: turns with their logs, outcomes of calls (those of the turns and the
    /// ones named), kept plans and the decisions named. What models cost stays counted.
    pub fn forget_person(
        &self,
        person: &str,
        calls: &[String],
        decisions: &[(String, String)],
    ) -> Result<Forgotten> {
        let turns: Vec<String> = self.whole_turns(person)?.into_iter().map(|turn| turn.id).collect();
        self.write("let go of a person", |tx| {
            let mut gone = Forgotten::default();
            for turn in &turns {
                gone.calls += tx.prepare_cached(sql::CALLS_OF_TURN_FORGET)?.execute([turn])?;
                tx.prepare_cached(sql::MODEL_UNLINK)?.execute([turn])?;
                gone.turns += tx.prepare_cached(sql::TURN_FORGET)?.execute([turn])?;
            }
            for call in calls {
                gone.calls += tx.prepare_cached(sql::CALL_FORGET)?.execute([call])?;
            }
            gone.plans = tx.execute(sql::PLANS_FORGET, [person])?;
            for (kind, id) in decisions {
                gone.decisions += tx.prepare_cached(sql::DECISION_FORGET)?.execute([kind, id])?;
            }
            Ok(gone)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn one_person_goes_and_the_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        for (id, caller) in [("A", "ada/cli"), ("B", "adam/cli"), ("C", "ada/telegram"), ("D", "a_a/cli")] {
            db.begin_turn(id, caller, None, "c", "r", now).unwrap();
            db.log_turn(id, 1, "e").unwrap();
            db.note_gap(id, "r", "w", now).unwrap();
        }
        assert_eq!(db.whole_turns("ada").unwrap().len(), 2);
        assert_eq!(db.gaps_of("ada").unwrap().len(), 2);
        assert_eq!(db.whole_turns("a_a").unwrap().len(), 1, "a name is no pattern");
        assert_eq!(db.forget_person("ada", &[], &[]).unwrap().turns, 2);
        assert!(db.whole_turns("ada").unwrap().is_empty() && db.gaps_of("ada").unwrap().is_empty());
        assert_eq!(db.whole_turns("adam").unwrap().len(), 1);
    }
}
