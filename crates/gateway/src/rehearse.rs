//! A request that is looked at as a whole and changes nothing: steps that only look run, so that the others are known
//! with what they would work on; steps that change something are taken as far as their card, and no further.

use crate::conduct::{Asked, Gateway, TurnDoor};
use crate::consult::Wanted;
use crate::phases::Phases;
use crate::recall::Opening;
use crate::story::Planned;
use metnos_executor::{ErrorClass, Failure, Ulid};
use metnos_runtime::call::Provenance;
use metnos_runtime::guards::Rehearsal;
use metnos_turn::{Effect, Event, Got, Source, State, Status, numbered};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rehearsed {
    /// It only looks, and was done.
    Looked,
    /// It would be done without a question.
    Would,
    /// It would raise a card.
    Asks,
    /// It works on what an earlier step would make, so more cannot be told.
    Depends,
    /// It would be refused.
    Refused,
    /// The request would not come so far.
    Unreached,
}

/// One step.
#[derive(Clone, Debug, Serialize)]
pub struct StepRehearsed {
    /// Which one, from 1.
    pub step: usize,
    /// The executor.
    pub tool: String,
    /// Its arguments, as planned.
    pub args: Map<String, Value>,
    /// What became of it.
    pub state: Rehearsed,
    /// The card, the files and where they would go.
    #[serde(flatten)]
    pub would: Rehearsal,
    /// The steps whose outcome it needs and which were not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<usize>,
    /// Why it would be refused, and what helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// A whole request.
#[derive(Clone, Debug, Serialize)]
pub struct Dry {
    /// The language of the request.
    pub language: String,
    /// Its steps.
    pub steps: Vec<StepRehearsed>,
    /// What would be said, where nothing was left to pretend: an answer, a gap, a question.
    pub text: Option<String>,
    /// How it ended, as far as it came.
    pub status: Option<Status>,
}

impl Gateway {
    /// Takes a request through all of its steps without changing anything.
    pub fn rehearse(&self, asked: &Asked, door: &mut dyn TurnDoor) -> Result<Dry, Failure> {
        let turn = Ulid::new().to_string();
        let dry = self.rehearsed(asked, &turn, door);
        self.scratch().let_go(&turn);
        dry
    }

    fn rehearsed(&self, asked: &Asked, turn: &str, door: &mut dyn TurnDoor) -> Result<Dry, Failure> {
        let context = self.context(asked)?;
        let Opening { mut event, mut reading } = self.opening(asked, context, &mut Phases::default())?;
        let (mut state, mut steps) = (State::default(), Vec::<StepRehearsed>::new());
        let (mut text, mut status) = (None, None);
        loop {
            let (next, effects) = self.machine().step_read(state, event, reading.take());
            state = next;
            let Some(effect) = effects.into_iter().next() else { break };
            event = match effect {
                Effect::Invoke { step, tool, args, entries, with, derived, unsaid } => {
                    let sources = (entries, with);
                    let provenance = Provenance { derived, unsaid, ..Provenance::default() };
                    let pretended: BTreeSet<usize> = steps
                        .iter()
                        .filter(|one| one.state != Rehearsed::Looked)
                        .map(|one| one.step)
                        .collect();
                    let planned = state.plan.as_ref().and_then(|plan| plan.steps.get(step - 1));
                    let shown = planned.map_or_else(|| args.clone(), |step| step.args.clone());
                    let needs: Vec<usize> =
                        pretended.into_iter().filter(|n| refers(&shown, sources, *n)).collect();
                    let mut one = StepRehearsed {
                        step,
                        tool: tool.clone(),
                        args: shown,
                        state: Rehearsed::Depends,
                        would: Rehearsal::default(),
                        needs,
                        error: None,
                    };
                    let mut got = match one.needs.is_empty() {
                        true => {
                            self.look_at(asked, &state, turn, (tool, args, sources, provenance), &mut one)?
                        }
                        false => pretend(1),
                    };
                    // What is not there may be what an earlier step would make.
                    let changed =
                        steps.iter().filter(|before| before.would.changes).map(|before| before.step);
                    if one.error.as_ref().is_some_and(|error| error.class == ErrorClass::NotFound) {
                        one.needs = changed.collect();
                        if !one.needs.is_empty() {
                            (one.state, one.error, got) = (Rehearsed::Depends, None, pretend(1));
                        }
                    }
                    let refused = one.state == Rehearsed::Refused;
                    steps.push(one);
                    if refused {
                        break;
                    }
                    Event::Done { step, got: Box::new(got) }
                }
                Effect::Consult { role, system, user, constraint, most_tokens } => {
                    let wanted = Wanted { role, system, user, constraint, most_tokens };
                    self.consult(None, &asked.now, wanted, &self.runtime.tiers(), door)?
                }
                Effect::Measure { role } => self.measure(role, &self.runtime.tiers()),
                Effect::Candidates { step, most, around } => {
                    self.candidates(asked, &state, turn, (step, most, around))?
                }
                Effect::Ask { text: question, choices, .. } => {
                    (text, status) = (Some(numbered(&question, &choices)), Some(Status::Asks));
                    break;
                }
                Effect::Finish(ending) => {
                    if steps.iter().all(|one| one.state == Rehearsed::Looked) {
                        (text, status) = (Some(ending.text), Some(ending.status));
                    }
                    break;
                }
            };
        }
        // What would not be reached is still part of the plan.
        for (n, left) in state.plan.iter().flat_map(|plan| &plan.steps).enumerate().skip(steps.len()) {
            steps.push(StepRehearsed {
                step: n + 1,
                tool: left.tool.clone(),
                args: left.args.clone(),
                state: Rehearsed::Unreached,
                would: Rehearsal::default(),
                needs: Vec::new(),
                error: None,
            });
        }
        Ok(Dry { language: state.language.clone(), steps, text, status })
    }

    /// One step: looked at, and done if it only looks and nobody would be asked.
    #[allow(clippy::type_complexity, reason = "one step's parts, used once, here")]
    fn look_at(
        &self,
        asked: &Asked,
        state: &State,
        turn: &str,
        (tool, args, sources, provenance): (
            String,
            Map<String, Value>,
            (Option<Source>, Option<Source>),
            Provenance,
        ),
        one: &mut StepRehearsed,
    ) -> Result<Got, Failure> {
        let spec = || {
            self.spec(asked, state, turn, one.step, tool.clone(), args.clone(), sources, provenance.clone())
        };
        let rehearsed = spec().and_then(|spec| self.runtime().rehearse(spec));
        match rehearsed {
            Ok(would) => {
                let looks = !would.changes && would.card.is_none();
                let done = if looks { Some(self.looked(turn, one.step, spec()?)?) } else { None };
                let count = would.count.max(1);
                one.state = match (looks, &would.card) {
                    (true, _) => Rehearsed::Looked,
                    (false, Some(_)) => Rehearsed::Asks,
                    (false, None) => Rehearsed::Would,
                };
                one.would = would;
                if let Some(got) = &done {
                    one.would.count = got.count;
                }
                Ok(done.unwrap_or_else(|| pretend(count)))
            }
            Err(failure) => {
                one.state = Rehearsed::Refused;
                one.error = Some(failure);
                Ok(Got::default())
            }
        }
    }

    fn looked(&self, turn: &str, step: usize, spec: metnos_runtime::call::Spec) -> Result<Got, Failure> {
        let spec = metnos_runtime::call::Spec { call_id: None, ..spec };
        let done = self.runtime().call(spec, &mut metnos_runtime::call::Silent);
        self.keep(turn, step, done)
    }
}

/// What a step that was not done is taken to have given, so that the rest of the plan is seen.
fn pretend(count: u64) -> Got {
    Got { ok: true, ok_count: count, count, ..Got::default() }
}

/// Whether a step works on what step `n` gives.
fn refers(args: &Map<String, Value>, (entries, with): (Option<Source>, Option<Source>), n: usize) -> bool {
    let from = |source: Option<Source>| matches!(source, Some(Source::Step(step) | Source::OneOfStep(step, _)) if step == n);
    from(entries) || from(with) || Value::Object(args.clone()).to_string().contains(&format!("${{step{n}."))
}

impl StepRehearsed {
    /// The step as it is planned.
    pub fn planned(&self) -> Planned {
        Planned { tool: self.tool.clone(), args: self.args.clone() }
    }
}
