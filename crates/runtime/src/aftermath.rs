//! What follows for the rest of a turn when something of it was taken back.
//!
//! A later step was meant for what the earlier ones had done: deleting what was copied is right only while there is
//! a copy. So nothing more of such a turn changes anything, whatever waits for a yes is void, and what it was planned
//! with has not done what was wanted.

use crate::guards::{Asked, Principal, Standing, Void};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{Kind, Line};
use metnos_undo::State;
use serde_json::json;

/// The status of a turn that waits for a yes or for something it lacks, and of one that was stopped.
const OPEN: [&str; 2] = ["waits", "asks"];
const CANCELLED: &str = "cancelled";

impl Runtime {
    /// Ends a turn of which something was taken back; gives how many of its questions are void now.
    pub(crate) fn disown(&self, turn: &str, by: &str) -> Result<u64, Failure> {
        let voided = self.void_questions(turn, by)?;
        let unread = |e: metnos_memory::Error| Failure::internal(e.to_string());
        let Some(known) = self.db.turn(turn).map_err(unread)? else { return Ok(voided) };
        self.end_waiting(turn)?;
        let day = self.db.use_days().map_err(unread)?;
        let kept = self.db.plans(&Principal::parse(&known.caller).user).map_err(unread)?;
        for plan in kept.iter().filter(|plan| plan.last_turn == turn || plan.request == known.request) {
            self.db.plan_undone(plan.id, day).map_err(unread)?;
        }
        Ok(voided)
    }

    /// Voids what still waits for an answer, or was allowed and not used.
    fn void_questions(&self, turn: &str, by: &str) -> Result<u64, Failure> {
        let mut voided = 0;
        for (row, mut approval) in self.recent_approvals(|row| row.body.contains(turn))? {
            let of_turn = approval.call_id.as_deref().and_then(crate::call::turn_of) == Some(turn);
            if !of_turn || !matches!(approval.standing, Standing::Pending | Standing::Approved) {
                continue;
            }
            let mut line = Line::new(Kind::Approval);
            line.caller = Some(by.to_owned());
            line.executor = Some(approval.executor.clone());
            line.detail = json!({ "approval": approval.id, "answer": "void", "why": "something of the turn was undone" });
            self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
            approval.void(Void::Undone);
            // Who answered a moment ago finds the turn taken back when the step begins.
            voided += u64::from(self.exchange(&row, &approval).is_ok());
        }
        Ok(voided)
    }

    /// Refuses a step of a turn of which something was taken back before.
    pub(crate) fn stands(&self, asked: &Asked<'_>) -> Result<(), Failure> {
        let Some((turn, step)) = asked.call_id.and_then(|id| Some((crate::call::turn_of(id)?, id))) else {
            return Ok(());
        };
        let step: u32 = step[turn.len() + 1..].parse().unwrap_or(0);
        for earlier in 1..step {
            let act = self.journal.look(&format!("{turn}-{earlier}"));
            let act = act.map_err(|e| crate::undo::failed(&e))?;
            if act.is_some_and(|act| act.undone.is_some() || act.state == State::Undoing) {
                return Err(self.taken_back(asked.lang));
            }
        }
        Ok(())
    }

    /// Why a step of such a turn does not run.
    pub(crate) fn taken_back(&self, lang: &str) -> Failure {
        self.voided(Void::Undone, lang)
    }

    /// Why a question is not answered any more.
    pub(crate) fn voided(&self, why: Void, lang: &str) -> Failure {
        let key = match why {
            Void::Undone => "taken_back",
            Void::Restored => "restored",
            Void::Unused => "unused",
        };
        Failure::new(ErrorClass::Conflict, self.say(lang, key, &[])).with_hint(self.say(
            lang,
            "ask_again",
            &[],
        ))
    }

    /// Ends a turn that waits for an answer which will not be taken.
    pub(crate) fn end_waiting(&self, turn: &str) -> Result<(), Failure> {
        let unread = |e: metnos_memory::Error| Failure::internal(e.to_string());
        match self.db.turn(turn).map_err(unread)? {
            Some(known) if known.status.as_deref().is_some_and(|status| OPEN.contains(&status)) => {
                self.db.end_turn(turn, CANCELLED, known.shown, jiff::Timestamp::now()).map_err(unread)
            }
            _ => Ok(()),
        }
    }
}
