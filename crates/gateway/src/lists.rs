//! The lists a step works on: when it runs, and when it is allowed later.

use crate::conduct::Gateway;
use metnos_executor::Failure;
use metnos_memory::db::Turn;
use metnos_runtime::call::Lists;
use metnos_runtime::guards::Principal;
use metnos_turn::{Effect, Source, State};
use std::io::Read;

/// Among how many earlier turns of a conversation its last list is looked for.
pub(crate) const EARLIER: u32 = 50;

impl Gateway {
    /// What the same person asked in this conversation, the newest first. Whoever names a conversation of somebody
    /// else finds it empty.
    pub(crate) fn earlier(&self, caller: &str, conversation: &str, most: u32) -> Result<Vec<Turn>, Failure> {
        let turns = self.db(|db| db.turns(Some(conversation), most))?;
        Ok(only_of(caller, turns))
    }

    /// The list a reference of `turn` means; `earlier` gives what was asked before, the newest first.
    pub(crate) fn list(
        &self,
        turn: &str,
        source: Source,
        earlier: impl FnOnce() -> Result<Vec<Turn>, Failure>,
    ) -> Result<(Box<dyn Read>, String), Failure> {
        let last = || {
            let shown = earlier()?.into_iter().find_map(|known| Some((known.id, known.shown? as usize)));
            shown.ok_or_else(|| Failure::wrong_args("there is no earlier list in this conversation"))
        };
        let scratch = self.scratch();
        match source {
            Source::Step(step) => Ok((scratch.whole(turn, step)?, place(turn, step))),
            Source::OneOfStep(step, index) => {
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                Ok((scratch.one(turn, step, index)?, format!("{}#{index}", place(turn, step))))
            }
            Source::Turn => {
                last().and_then(|(turn, step)| Ok((scratch.whole(&turn, step)?, place(&turn, step))))
            }
            Source::OneOfTurn(index) => last().and_then(|(turn, step)| {
                Ok((scratch.one(&turn, step, index)?, format!("{}#{index}", place(&turn, step))))
            }),
        }
    }

    /// The lists of the step a turn waits to do. Whether they are still what was asked about is for the guards to say.
    pub fn waiting_lists(&self, turn: &str) -> Result<Option<Lists>, Failure> {
        let (Some(known), Some([entries, with])) = (self.turn(turn)?, self.last_sources(turn)?) else {
            return Ok(None);
        };
        // What was asked since then is no part of it.
        let earlier = || {
            let turns = self.db(|db| db.turns_before(&known.conversation, turn, EARLIER))?;
            Ok(only_of(&known.caller, turns))
        };
        let list = |source: Option<Source>| {
            source.map(|source| self.list(turn, source, earlier).map(|(list, _)| list)).transpose()
        };
        Ok(Some(Lists { entries: list(entries)?, with: list(with)? }))
    }

    /// Where the lists of the last step of a turn come from, if it came to one.
    fn last_sources(&self, turn: &str) -> Result<Option<[Option<Source>; 2]>, Failure> {
        let (mut state, mut last) = (State::default(), None);
        for entry in self.entries(turn)? {
            let (next, effects) = self.machine().step(state, entry.event);
            state = next;
            for effect in effects {
                if let Effect::Invoke { entries, with, .. } = effect {
                    last = Some([entries, with]);
                }
            }
        }
        Ok(last)
    }
}

/// Where the list of a step lies, below the state folder.
fn place(turn: &str, step: usize) -> String {
    format!("turns/{turn}/{step}.jsonl")
}

/// The turns of this caller's person.
fn only_of(caller: &str, mut turns: Vec<Turn>) -> Vec<Turn> {
    let who = Principal::parse(caller).user;
    turns.retain(|turn| Principal::parse(&turn.caller).user == who);
    turns
}
