//! The kept plans, for people: listed, starred, rejected, forgotten.

use crate::conduct::Gateway;
use crate::recall::{REJECTED, Standing, person, plan_of, standing};
use metnos_engine::Plan;
use metnos_engine::shortcut::Shape;
use metnos_executor::Failure;
use metnos_memory::db::{Db, KeptPlan};

/// A kept plan and what it is worth.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What is kept.
    pub kept: KeptPlan,
    /// The plan, holes shown as such.
    pub plan: Plan,
    /// What it is worth now.
    pub standing: Standing,
}

impl Gateway {
    /// The kept plans of a person.
    pub fn plans(&self, caller: &str) -> Result<Vec<Listed>, Failure> {
        let day = self.db(Db::use_days)?;
        Ok(self.db(|db| db.plans(person(caller)))?.into_iter().map(|kept| self.listed(kept, day)).collect())
    }

    /// The kept plans of a person with a number below `before`, the newest first.
    pub fn plans_before(&self, caller: &str, before: Option<i64>, most: u32) -> Result<Vec<Listed>, Failure> {
        let day = self.db(Db::use_days)?;
        let kept = self.db(|db| db.plans_before(person(caller), before, most))?;
        Ok(kept.into_iter().map(|kept| self.listed(kept, day)).collect())
    }

    /// One kept plan of a person.
    pub fn kept_plan(&self, caller: &str, id: i64) -> Result<Listed, Failure> {
        let day = self.db(Db::use_days)?;
        let kept = self.db(|db| db.plan(id))?.filter(|kept| kept.person == person(caller));
        kept.map(|kept| self.listed(kept, day)).ok_or_else(|| unknown(id))
    }

    fn listed(&self, kept: KeptPlan, day: u32) -> Listed {
        let shown = serde_json::from_str::<Shape>(&kept.body).ok().map(|shape| shape.shown());
        let plan = shown.or_else(|| plan_of(&kept)).unwrap_or_default();
        let language = self.runtime().language(&kept.person);
        let standing = standing(&kept, &self.machine(), &language, day);
        Listed { kept, plan, standing }
    }

    /// Gives a plan a star: it is used from now on.
    pub fn star(&self, caller: &str, id: i64) -> Result<Listed, Failure> {
        self.kept_plan(caller, id)?;
        self.db(|db| db.star_plan(id))?;
        self.kept_plan(caller, id)
    }

    /// Gives the plan of the last turn of a conversation a star; nothing when nothing was kept of it.
    pub fn star_last(&self, caller: &str, conversation: &str) -> Result<Option<Listed>, Failure> {
        let Some(turn) = self.db(|db| db.turns(Some(conversation), 1))?.pop() else { return Ok(None) };
        match self.db(|db| db.plans_of_turn(&turn.id))?.first() {
            Some(kept) => self.star(caller, kept.id).map(Some),
            None => Ok(None),
        }
    }

    /// Stars (`true`) or rejects (`false`) what was kept of a turn; gives how many plans that are.
    pub fn judge_plans(&self, caller: &str, turn: &str, good: Option<bool>) -> Result<usize, Failure> {
        let kept = self.db(|db| db.plans_of_turn(turn))?;
        for plan in &kept {
            match good {
                Some(true) => self.star(caller, plan.id).map(|_| ())?,
                Some(false) => self.reject(caller, plan.id).map(|_| ())?,
                None => {}
            }
        }
        Ok(kept.len())
    }

    /// Takes a plan out of use for a while.
    pub fn reject(&self, caller: &str, id: i64) -> Result<Listed, Failure> {
        self.kept_plan(caller, id)?;
        let day = self.db(Db::use_days)?;
        self.db(|db| db.retire_plan(id, day, REJECTED))?;
        self.kept_plan(caller, id)
    }

    /// Forgets one plan of a person, or all of them; gives how many.
    pub fn forget_plans(&self, caller: &str, id: Option<i64>) -> Result<usize, Failure> {
        match id {
            Some(id) => {
                self.kept_plan(caller, id)?;
                self.db(|db| db.forget_plan(id)).map(usize::from)
            }
            None => self.db(|db| db.forget_plans(person(caller))),
        }
    }
}

fn unknown(id: i64) -> Failure {
    Failure::wrong_args(format!("there is no kept plan {id}")).with_hint("metnos memory plans")
}
