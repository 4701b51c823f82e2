//! What people look at: pages of turns, gaps, plans and model calls, each bounded and found by its key; and how
//! many turns there were a day.

use super::models::call;
use super::plans::kept;
use super::turns::turn;
use super::{Db, KeptPlan, ModelCall, Turn, sql};
use crate::Result;
use jiff::Timestamp;

/// One day of use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// Which one, in UTC: `2026-11-15`.
    pub day: String,
    /// Turns that began on it.
    pub turns: u64,
    /// Those of them that did what was asked, wholly or partly.
    pub good: u64,
}

/// What nothing could do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The turn.
    pub turn: String,
    /// What was asked.
    pub request: String,
    /// What was understood of it.
    pub words: String,
    /// When.
    pub at: String,
}

/// A question to a model, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCallAt {
    /// Its number.
    pub id: i64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What it was.
    pub call: ModelCall,
}

impl Db {
    /// The turns of one person or of all, of one status or of all (`running` is one), older than `before`.
    pub fn turns_like(
        &self,
        person: Option<&str>,
        before: Option<&str>,
        status: Option<&str>,
        most: u32,
    ) -> Result<Vec<Turn>> {
        let callers = person.map(|person| format!("{person}/*"));
        let found = self.with("read turns", |c| {
            c.prepare_cached(sql::TURNS_LIKE)?.query_map((callers, before, status, most), turn)?.collect()
        });
        found.map(|turns| self.open_turns_of(turns))
    }

    /// How many turns there were on each day, from the turn `from` on.
    pub fn turns_a_day(&self, from: &str) -> Result<Vec<Day>> {
        self.with("count turns", |c| {
            let day = |row: &rusqlite::Row<'_>| {
                let count = |at| row.get::<_, i64>(at).map(|n| u64::try_from(n).unwrap_or(0));
                Ok(Day { day: row.get(0)?, turns: count(1)?, good: count(2)? })
            };
            c.prepare_cached(sql::TURNS_A_DAY)?.query_map([from], day)?.collect()
        })
    }

    /// How long the phases of the latest turns took, from the turn `from` on: the day and the phases as JSON.
    pub fn turn_phases(&self, from: &str, most: u32) -> Result<Vec<(String, String)>> {
        self.with("read phases", |c| {
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            c.prepare_cached(sql::TURN_PHASES)?.query_map((from, most), row)?.collect()
        })
    }

    /// What nothing could do, before the turn `before`, the newest first.
    pub fn gaps_before(&self, before: Option<&str>, most: u32) -> Result<Vec<Gap>> {
        let found: Vec<Gap> = self.with("read gaps", |c| {
            let gap = |row: &rusqlite::Row<'_>| {
                Ok(Gap { turn: row.get(0)?, request: row.get(1)?, words: row.get(2)?, at: row.get(3)? })
            };
            c.prepare_cached(sql::GAPS_BEFORE)?.query_map((before, most), gap)?.collect()
        })?;
        let open = |gap: Gap| Gap { request: self.opened(gap.request), words: self.opened(gap.words), ..gap };
        Ok(found.into_iter().map(open).collect())
    }

    /// The kept plans of a person with a number below `before`, the newest first.
    pub fn plans_before(&self, person: &str, before: Option<i64>, most: u32) -> Result<Vec<KeptPlan>> {
        let found = self.with("read plans", |c| {
            c.prepare_cached(sql::PLANS_BEFORE)?.query_map((person, before, most), kept)?.collect()
        });
        found.map(|plans| self.open_plans(plans))
    }

    /// The questions to models since a moment, with a number below `before`, the newest first.
    pub fn model_calls_since(
        &self,
        since: Timestamp,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<ModelCallAt>> {
        self.with("read model calls", |c| {
            let at = |row: &rusqlite::Row<'_>| {
                Ok(ModelCallAt { call: call(row)?, id: row.get(8)?, at: row.get(9)? })
            };
            let since = since.as_millisecond();
            c.prepare_cached(sql::MODEL_CALLS_SINCE)?.query_map((since, before, most), at)?.collect()
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn pages_of_turns_meet_without_a_gap_and_days_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let day = |n: i64| Timestamp::from_second(n * 86_400).unwrap();
        for n in 0..10_i64 {
            let (id, caller) = (format!("T{n}"), if n % 2 == 0 { "host/web" } else { "anna/web" });
            db.begin_turn(&id, caller, None, "c", "r", day(n / 5)).unwrap();
            if n != 3 {
                db.close_turn(&id, if n == 4 { "failed" } else { "done" }, None, (None, "{}"), day(n))
                    .unwrap();
            }
        }
        let ids = |turns: Vec<Turn>| turns.into_iter().map(|turn| turn.id).collect::<Vec<_>>();
        assert_eq!(ids(db.turns_like(None, None, None, 3).unwrap()), ["T9", "T8", "T7"]);
        assert_eq!(ids(db.turns_like(Some("anna"), Some("T7"), None, 9).unwrap()), ["T5", "T3", "T1"]);
        assert_eq!(ids(db.turns_like(None, None, Some("failed"), 9).unwrap()), ["T4"]);
        assert_eq!(ids(db.turns_like(None, None, Some("running"), 9).unwrap()), ["T3"]);
        let days = db.turns_a_day("T0").unwrap();
        assert_eq!(days.iter().map(|day| (day.turns, day.good)).collect::<Vec<_>>(), [(5, 3), (5, 5)]);
        assert_eq!(db.turns_a_day("T7").unwrap()[0].turns, 3);
        assert_eq!(db.turn_phases("T0", 4).unwrap().len(), 4);
        db.note_gap("T1", "fly", "fly", day(0)).unwrap();
        db.note_gap("T2", "sing", "sing", day(0)).unwrap();
        assert_eq!(db.gaps_before(None, 1).unwrap()[0].turn, "T2");
        assert_eq!(db.gaps_before(Some("T2"), 9).unwrap()[0].request, "fly");
    }
}
