//! Plans that are kept: one row for a request or for a shape, with what it was made of and how it did.
//!
//! What a row is worth is decided by whoever reads it; here it is counted.

use super::{Db, sql};
use crate::Result;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction};

/// Failures in a row after which a plan is not used for a while.
pub const FAILURES: u32 = 3;
/// How long, in days of use.
pub const RETIRED_DAYS: u32 = 30;
/// What was not used for so many days of use is forgotten, unless it has a star.
pub const IDLE_DAYS: u32 = 90;

/// What a plan is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKind {
    /// One request.
    Exact,
    /// Every request of one skeleton.
    Shape,
}

impl PlanKind {
    /// As it is written down.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Shape => "shape",
        }
    }
}

/// A plan as it is learned.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Whose request it was.
    pub person: String,
    /// What it is for.
    pub kind: PlanKind,
    /// The normal form of the request, or the key of the skeleton.
    pub key: String,
    /// The request.
    pub request: String,
    /// Its language.
    pub language: String,
    /// Who made the plan.
    pub source: String,
    /// The digest of what it was made with.
    pub made: String,
    /// The digests of its executors, as JSON.
    pub tools: String,
    /// The plan or the shape, as JSON.
    pub body: String,
    /// The turn in which it did what was asked.
    pub turn: String,
}

/// A plan that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPlan {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub person: String,
    /// `exact` or `shape`.
    pub kind: String,
    /// What it is found by.
    pub key: String,
    /// The request it was learned from.
    pub request: String,
    /// The language of that request.
    pub language: String,
    /// Who made it.
    pub source: String,
    /// The digest of what it was made with.
    pub made: String,
    /// The digests of its executors, as JSON.
    pub tools: String,
    /// The plan or the shape, as JSON.
    pub body: String,
    /// Clean uses.
    pub uses: u32,
    /// Failures since the last clean use.
    pub failures: u32,
    /// Whether somebody gave it a star.
    pub starred: bool,
    /// On which day of use it was retired, and why.
    pub retired: Option<(u32, String)>,
    /// The day of use on which it was last used.
    pub last_day: u32,
    /// The turn in which it was last used.
    pub last_turn: String,
    /// When that was.
    pub last_at: String,
}

impl KeptPlan {
    /// Whether it is retired on this day of use.
    pub fn is_retired(&self, day: u32) -> bool {
        self.retired.as_ref().is_some_and(|(since, _)| day < since.saturating_add(RETIRED_DAYS))
    }
}

impl Db {
    /// Notes that this day is one of use; gives the number of such days.
    pub fn use_day(&self, day: &str) -> Result<u32> {
        self.write("note a day", |tx| {
            tx.execute(sql::DAY_ADD, [day])?;
            tx.query_row(sql::DAYS, [], |row| row.get(0))
        })
    }

    /// The days of use so far, as dates, oldest first.
    pub fn days_of_use(&self) -> Result<Vec<String>> {
        self.with("list days", |c| {
            c.prepare_cached(sql::DAY_LIST)?.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// The number of days of use so far.
    pub fn use_days(&self) -> Result<u32> {
        self.with("count days", |c| c.query_row(sql::DAYS, [], |row| row.get(0)))
    }

    /// The plan kept under one of these keys.
    pub fn recall_plan(&self, person: &str, kind: PlanKind, keys: [&str; 2]) -> Result<Option<KeptPlan>> {
        let keys = [self.sealed(keys[0])?, self.sealed(keys[1])?];
        let found = self.with("recall a plan", |c| {
            c.prepare_cached(sql::PLAN_RECALL)?
                .query_row((person, kind.word(), &keys[0], &keys[1]), kept)
                .optional()
        })?;
        Ok(found.map(|plan| self.open_plan(plan)))
    }

    /// Notes that a plan did what was asked. One made otherwise, or retired long enough, starts again.
    pub fn learn_plan(&self, lesson: &Lesson, day: u32, now: Timestamp) -> Result<i64> {
        let lesson = &Lesson {
            key: self.sealed(&lesson.key)?,
            request: self.sealed(&lesson.request)?,
            body: self.sealed(&lesson.body)?,
            ..lesson.clone()
        };
        self.write("learn a plan", |tx| {
            tx.execute(sql::PLANS_AGE, [day.saturating_sub(IDLE_DAYS)])?;
            let key = (&lesson.person, lesson.kind.word(), &lesson.key, &lesson.key);
            let known = tx.query_row(sql::PLAN_RECALL, key, kept).optional()?;
            let other = |known: &KeptPlan| known.made != lesson.made || known.body != lesson.body;
            match known {
                Some(known) if known.is_retired(day) && !other(&known) => Ok(known.id),
                Some(known) if known.retired.is_none() && !other(&known) => {
                    used(tx, known.id, &lesson.turn, day, now)?;
                    Ok(known.id)
                }
                known => {
                    if let Some(known) = known {
                        tx.execute(sql::PLAN_FORGET, [known.id])?;
                    }
                    insert(tx, lesson, day, now)
                }
            }
        })
    }

    /// Notes a clean use of a plan that came from here.
    pub fn plan_used(&self, id: i64, turn: &str, day: u32, now: Timestamp) -> Result<()> {
        self.write("note the use of a plan", |tx| used(tx, id, turn, day, now))
    }

    /// Notes a failure; the third in a row retires the plan.
    pub fn plan_failed(&self, id: i64, day: u32) -> Result<()> {
        self.write("note the failure of a plan", |tx| failed(tx, sql::PLAN_FAILED, id, day))
    }

    /// Notes that what a plan did was taken back: a failure, after which its clean uses count from the start.
    pub fn plan_undone(&self, id: i64, day: u32) -> Result<()> {
        self.write("note that a plan was undone", |tx| failed(tx, sql::PLAN_UNDONE, id, day))
    }

    /// Takes a plan out of use for a while; false when it is not there.
    pub fn retire_plan(&self, id: i64, day: u32, why: &str) -> Result<bool> {
        self.write("retire a plan", |tx| tx.execute(sql::PLAN_RETIRE, (id, day, why))).map(|n| n == 1)
    }

    /// Gives a plan a star, which also ends its retirement; false when it is not there.
    pub fn star_plan(&self, id: i64) -> Result<bool> {
        self.write("star a plan", |tx| tx.execute(sql::PLAN_STAR, [id])).map(|n| n == 1)
    }

    /// Forgets a plan; false when it is not there.
    pub fn forget_plan(&self, id: i64) -> Result<bool> {
        self.write("forget a plan", |tx| tx.execute(sql::PLAN_FORGET, [id])).map(|n| n == 1)
    }

    /// Forgets all plans of a person; gives how many there were.
    pub fn forget_plans(&self, person: &str) -> Result<usize> {
        self.write("forget plans", |tx| tx.execute(sql::PLANS_FORGET, [person]))
    }

    /// One plan, if it is kept.
    pub fn plan(&self, id: i64) -> Result<Option<KeptPlan>> {
        let found = self.with("read a plan", |c| c.query_row(sql::PLAN, [id], kept).optional())?;
        Ok(found.map(|plan| self.open_plan(plan)))
    }

    /// All plans of a person, by number.
    pub fn plans(&self, person: &str) -> Result<Vec<KeptPlan>> {
        let found =
            self.with("read plans", |c| c.prepare_cached(sql::PLANS)?.query_map([person], kept)?.collect());
        found.map(|plans| self.open_plans(plans))
    }

    /// What was last used in a turn, requests before shapes.
    pub fn plans_of_turn(&self, turn: &str) -> Result<Vec<KeptPlan>> {
        let found = self
            .with("read plans", |c| c.prepare_cached(sql::PLANS_OF_TURN)?.query_map([turn], kept)?.collect());
        found.map(|plans| self.open_plans(plans))
    }
}

fn failed(tx: &Transaction<'_>, note: &str, id: i64, day: u32) -> rusqlite::Result<()> {
    let failures: Option<u32> = tx.query_row(note, [id], |row| row.get(0)).optional()?;
    if failures.is_some_and(|n| n >= FAILURES) {
        tx.execute(sql::PLAN_RETIRE, (id, day, format!("failed {FAILURES} times in a row")))?;
    }
    Ok(())
}

fn used(tx: &Transaction<'_>, id: i64, turn: &str, day: u32, now: Timestamp) -> rusqlite::Result<()> {
    tx.execute(sql::PLAN_USED, (id, turn, day, now.to_string())).map(|_| ())
}

fn insert(tx: &Transaction<'_>, lesson: &Lesson, day: u32, now: Timestamp) -> rusqlite::Result<i64> {
    let row = (
        &lesson.person,
        lesson.kind.word(),
        &lesson.key,
        &lesson.request,
        &lesson.language,
        &lesson.source,
        &lesson.made,
        &lesson.tools,
        &lesson.body,
        day,
        &lesson.turn,
        now.to_string(),
    );
    tx.execute(sql::PLAN_ADD, row)?;
    Ok(tx.last_insert_rowid())
}

pub(super) fn kept(row: &Row<'_>) -> rusqlite::Result<KeptPlan> {
    let (day, why): (Option<u32>, Option<String>) = (row.get(13)?, row.get(14)?);
    Ok(KeptPlan {
        id: row.get(0)?,
        person: row.get(1)?,
        kind: row.get(2)?,
        key: row.get(3)?,
        request: row.get(4)?,
        language: row.get(5)?,
        source: row.get(6)?,
        made: row.get(7)?,
        tools: row.get(8)?,
        body: row.get(9)?,
        uses: row.get(10)?,
        failures: row.get(11)?,
        starred: row.get(12)?,
        retired: day.map(|day| (day, why.unwrap_or_default())),
        last_day: row.get(15)?,
        last_turn: row.get(16)?,
        last_at: row.get(17)?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn lesson(key: &str, made: &str) -> Lesson {
        let text = |text: &str| text.to_owned();
        Lesson {
            person: text("host"),
            kind: PlanKind::Exact,
            key: text(key),
            request: text(key),
            language: text("en"),
            source: text("planner"),
            made: text(made),
            tools: text("{}"),
            body: text("{}"),
            turn: text("T"),
        }
    }

    fn db() -> (tempfile::TempDir, Db) {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        (dir, db)
    }

    #[test]
    fn a_plan_is_counted_and_another_maker_starts_it_again() {
        let (_dir, db) = db();
        let now = Timestamp::now();
        let id = db.learn_plan(&lesson("a", "1"), 1, now).unwrap();
        assert_eq!(db.learn_plan(&lesson("a", "1"), 1, now).unwrap(), id);
        db.star_plan(id).unwrap();
        let found = db.recall_plan("host", PlanKind::Exact, ["a", "z"]).unwrap().unwrap();
        assert_eq!((found.uses, found.starred), (2, true));
        assert!(db.recall_plan("guest", PlanKind::Exact, ["a", "a"]).unwrap().is_none());
        let again = db.learn_plan(&lesson("a", "2"), 1, now).unwrap();
        let found = db.plan(again).unwrap().unwrap();
        assert_eq!((found.uses, found.starred), (1, false), "a star is for a plan, not for a request");
        assert_eq!(db.plans("host").unwrap().len(), 1);
    }

    #[test]
    fn three_failures_in_a_row_retire_and_thirty_days_of_use_bring_back_to_the_start() {
        let (_dir, db) = db();
        let now = Timestamp::now();
        let id = db.learn_plan(&lesson("a", "1"), 5, now).unwrap();
        db.plan_failed(id, 5).unwrap();
        db.plan_failed(id, 5).unwrap();
        db.plan_used(id, "T", 5, now).unwrap();
        db.plan_failed(id, 5).unwrap();
        assert!(db.plan(id).unwrap().unwrap().retired.is_none(), "a clean use between counts");
        db.plan_failed(id, 6).unwrap();
        db.plan_failed(id, 7).unwrap();
        let retired = db.plan(id).unwrap().unwrap();
        assert!(retired.is_retired(7) && retired.is_retired(36) && !retired.is_retired(37));
        assert_eq!(db.learn_plan(&lesson("a", "1"), 36, now).unwrap(), id);
        assert_eq!(db.plan(id).unwrap().unwrap().uses, 2, "what is retired does not gather uses");
        let fresh = db.learn_plan(&lesson("a", "1"), 37, now).unwrap();
        let fresh = db.plan(fresh).unwrap().unwrap();
        assert_eq!((fresh.uses, fresh.failures, fresh.retired), (1, 0, None));
    }

    #[test]
    fn what_was_undone_has_no_clean_use_left_and_the_third_time_retires() {
        let (_dir, db) = db();
        let now = Timestamp::now();
        let id = db.learn_plan(&lesson("a", "1"), 5, now).unwrap();
        db.plan_used(id, "T", 5, now).unwrap();
        db.plan_undone(id, 5).unwrap();
        let undone = db.plan(id).unwrap().unwrap();
        assert_eq!((undone.uses, undone.failures, undone.retired), (0, 1, None));
        db.plan_used(id, "T", 5, now).unwrap();
        assert_eq!(db.plan(id).unwrap().unwrap().uses, 1, "it proves itself from the start");
        for _ in 0..3 {
            db.plan_undone(id, 6).unwrap();
        }
        assert!(db.plan(id).unwrap().unwrap().is_retired(6));
    }

    #[test]
    fn days_of_use_are_counted_once_and_what_idles_long_is_forgotten() {
        let (_dir, db) = db();
        assert_eq!(db.use_day("2026-11-15").unwrap(), 1);
        assert_eq!(db.use_day("2026-11-15").unwrap(), 1);
        assert_eq!(db.use_day("2027-11-15").unwrap(), 2, "the year between was not one of use");
        let now = Timestamp::now();
        let idle = db.learn_plan(&lesson("idle", "1"), 1, now).unwrap();
        let star = db.learn_plan(&lesson("star", "1"), 1, now).unwrap();
        db.star_plan(star).unwrap();
        db.learn_plan(&lesson("new", "1"), 1 + IDLE_DAYS, now).unwrap();
        assert!(db.plan(idle).unwrap().is_some());
        db.learn_plan(&lesson("new", "1"), 2 + IDLE_DAYS, now).unwrap();
        assert!(db.plan(idle).unwrap().is_none() && db.plan(star).unwrap().is_some());
    }
}
