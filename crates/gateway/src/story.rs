//! A turn as it is told while it happens: from its log, so that it can be told again from any point, also
//! after a restart.

use crate::conduct::Gateway;
use metnos_executor::Failure;
use metnos_turn::{Entry, Event, State, Status, Trouble};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader};

/// What one entry of the log tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// The number of the entry, from 1.
    pub n: u32,
    /// What happened, in order.
    pub beats: Vec<Beat>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Beat {
    /// There is a plan.
    Plan {
        /// Its steps.
        steps: Vec<Planned>,
        /// The stage that gave it.
        stage: Option<&'static str>,
    },
    /// A model is being asked.
    Model {
        /// In which role.
        role: String,
    },
    /// A step begins.
    Begins {
        /// Which one, from 1.
        step: u64,
        /// The executor.
        tool: String,
    },
    /// A step has ended.
    Did {
        /// Which one, from 1.
        step: u64,
        /// The call, for the audit and undo.
        call_id: String,
        /// Items handled.
        ok: u64,
        /// Items not handled.
        failed: u64,
        /// The first of those, in words.
        failures: Vec<String>,
        /// How long its list is.
        count: u64,
        /// Why it failed as a whole.
        error: Option<Trouble>,
    },
    /// One thing is missing.
    Asks {
        /// The question.
        text: String,
    },
    /// The person chooses; the number of the offer is that of the moment.
    Offers {
        /// The question.
        text: String,
        /// What can be chosen, in sentences.
        choices: Vec<String>,
    },
    /// It is over, or waits for a yes or a credential.
    Ends {
        /// How: see [`metnos_turn::Ending`]. Where there is a picture, `drawing` is the part of the text that draws it
        /// in letters.
        ending: Map<String, Value>,
    },
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// The executor.
    pub tool: String,
    /// Its arguments, references as such.
    pub args: Map<String, Value>,
}

impl Gateway {
    /// What happened in a turn after the entry `after`; nothing when nothing did.
    pub fn story(&self, turn: &str, after: u32) -> Result<Vec<Moment>, Failure> {
        let log = self.told_entries(turn)?;
        if log.len() < after as usize || (log.len() == after as usize && !self.was_undone(turn)?) {
            return Ok(Vec::new());
        }
        let end = u32::try_from(log.len()).unwrap_or(u32::MAX).saturating_add(1);
        let mut state = State::default();
        let mut told = Vec::new();
        let mut drawing = None;
        for (n, entry) in (1..).zip(log) {
            let before = state.plan.clone();
            state = self.machine().step(state, entry.event.clone()).0;
            if let Event::Done { got, .. } = &entry.event {
                drawing = got.fields.get("plain").cloned();
            }
            if n <= after {
                continue;
            }
            let fresh = state.plan.as_ref().filter(|plan| before.as_ref() != Some(*plan));
            let plan = fresh.map(|plan| Beat::Plan {
                steps: plan
                    .steps
                    .iter()
                    .map(|step| Planned { tool: step.tool.clone(), args: step.args.clone() })
                    .collect(),
                stage: state.stage.map(metnos_turn::Stage::word),
            });
            let mut last = next(&entry.effects);
            if let (Some(Beat::Ends { ending }), Some(drawing)) = (&mut last, &drawing)
                && ending.contains_key("picture")
            {
                ending.insert("drawing".into(), drawing.clone());
            }
            let beats = did(&entry.event).into_iter().chain(plan).chain(last).collect();
            told.push(Moment { n, beats });
        }
        if end > after
            && self.was_undone(turn)?
            && let Some(mut ending) = self.undone_ending(&state)
        {
            // A restore ends what waited as well.
            if let Some(why) = self.restored_since(turn)? {
                ending.insert("text".into(), why.into());
            }
            told.push(Moment { n: end, beats: vec![Beat::Ends { ending }] });
        }
        Ok(told)
    }

    /// Whether a turn that waited for somebody was ended because something of it was taken back. Its log ends where it
    /// waited, so that it can be decided again.
    pub(crate) fn was_undone(&self, turn: &str) -> Result<bool, Failure> {
        let stopped = Some(Status::Cancelled.word());
        if self.turn(turn)?.and_then(|known| known.status).as_deref() != stopped {
            return Ok(false);
        }
        let last = self.db(|db| db.turn_entries(turn))?.pop();
        let last = last.and_then(|line| serde_json::from_str::<Entry>(&line).ok());
        let open = [Status::Waits.word(), Status::Asks.word()];
        let waits = |entry: Entry| {
            entry.effects.last().and_then(|effect| Some(open.contains(&effect.get("status")?.as_str()?)))
        };
        Ok(last.and_then(waits) == Some(true))
    }

    /// What is said of a turn whose question a restore ended.
    pub(crate) fn restored_since(&self, turn: &str) -> Result<Option<String>, Failure> {
        let last = self.entries(turn)?.pop();
        let asked = last.and_then(|entry| entry.effects.last()?.get("approval")?.as_str().map(str::to_owned));
        let approval = asked.map(|id| self.runtime.approval(&id)).transpose()?.flatten();
        Ok(approval.and_then(|approval| self.runtime.void_since_restore(&approval)))
    }

    /// What is said at the end of such a turn.
    pub(crate) fn undone_ending(&self, state: &State) -> Option<Map<String, Value>> {
        let ending = self.machine().undone(state);
        serde_json::to_value(ending).ok()?.as_object().cloned()
    }

    /// A part of the list that is the answer of a turn, and how long the whole is.
    pub fn shown(
        &self,
        turn: &str,
        from: usize,
        most: usize,
    ) -> Result<(Vec<Map<String, Value>>, u64), Failure> {
        let Some(step) = self.turn(turn)?.and_then(|known| known.shown) else { return Ok((Vec::new(), 0)) };
        let (mut rows, mut count) = (Vec::new(), 0);
        let list = BufReader::new(self.scratch().whole(turn, step as usize)?);
        for line in list.split(b'\n') {
            let line = line.map_err(|e| Failure::io("the answer", &e))?;
            if count >= from as u64 && rows.len() < most {
                rows.extend(serde_json::from_slice::<Map<String, Value>>(&line).ok());
            }
            count += 1;
        }
        Ok((rows, count))
    }
}

fn did(event: &Event) -> Option<Beat> {
    let Event::Done { step, got } = event else { return None };
    Some(Beat::Did {
        step: *step as u64,
        call_id: got.call_id.clone(),
        ok: got.ok_count,
        failed: got.fail_count,
        failures: got.failed.clone(),
        count: got.count,
        error: got.error.clone(),
    })
}

/// What was decided, as it was written down.
fn next(effects: &[Value]) -> Option<Beat> {
    let effect = effects.last()?.as_object()?;
    let text = |key: &str| effect.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(match text("effect").as_str() {
        "invoke" => Beat::Begins {
            step: effect.get("step").and_then(Value::as_u64).unwrap_or_default(),
            tool: text("tool"),
        },
        "ask" => match crate::offer::offered(effects) {
            Some((text, choices)) => Beat::Offers { text, choices },
            None => Beat::Asks { text: text("text") },
        },
        "consult" => Beat::Model { role: text("role") },
        "finish" => {
            let mut ending = effect.clone();
            ending.shift_remove("effect");
            Beat::Ends { ending }
        }
        _ => return None,
    })
}
