//! Asks a model, for a turn or for a plan to look at: within the budget, with the key from the vault,
//! written down whatever came of it, and left at once when the person wants no more of it.

use crate::conduct::{Asked, Gateway, TurnDoor};
use metnos_engine::{Answer, Clock, Explain, Offer, Request};
use metnos_executor::Failure;
use metnos_llm::{Client, Constraint, LlmError, Role, Tiers, Usage};
use metnos_memory::db::ModelCall;
use metnos_runtime::Waited;
use metnos_turn::{Bound, Effect, Event, State};
use std::num::NonZeroU64;
use std::time::Duration;

/// A question to a model.
pub(crate) struct Wanted {
    pub(crate) role: Role,
    pub(crate) system: String,
    pub(crate) user: String,
    pub(crate) constraint: Constraint,
    pub(crate) most_tokens: u64,
}

/// A plan to look at, and what a model had to do with it.
pub struct Thought {
    /// The answer.
    pub answer: Answer,
    /// Why.
    pub explain: Explain,
    /// Why a model that was asked gave no plan.
    pub unhelped: Option<String>,
    /// The answers of a model that were no plan.
    pub invalid: u32,
    /// The tokens that were used for it.
    pub tokens: u64,
}

impl Gateway {
    /// Asks a model and gives what came of it as the next event of the turn.
    pub(crate) fn consult(
        &self,
        turn: Option<&str>,
        now: &jiff::Zoned,
        wanted: Wanted,
        tiers: &Tiers,
        door: &mut dyn TurnDoor,
    ) -> Result<Event, Failure> {
        let role = wanted.role;
        let Some(mut tier) = tiers.of(role).cloned() else {
            let said = format!("no model is bound to {}", role.word());
            return Ok(Event::NotConsulted { why: "unready".into(), said });
        };
        tier.context = NonZeroU64::new(tier.holds(self.rooms.known(&tier)));
        door.consults(&tier.model);
        let model = tier.model.clone();
        let (told, usage) = match self.runtime.model_room(turn, now.time_zone(), &tier) {
            Ok(room) => self.wait(Client::new(tier, room.key), wanted, room.wall, room.tokens, door)?,
            Err(error) => (Err(error), Usage::default()),
        };
        let outcome = told.as_ref().map_or_else(|error| error.word(), |_| "answered");
        let call = ModelCall {
            turn: turn.map(str::to_owned),
            role: role.word().to_owned(),
            model,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            ms: usage.ms,
            cost: usage.cost,
            outcome: outcome.to_owned(),
        };
        self.db(|db| db.note_model(&call, jiff::Timestamp::now()))?;
        Ok(match told {
            Ok(text) => Event::Consulted { text },
            Err(LlmError::Stopped) => Event::Cancelled,
            Err(error) => {
                let said = self.runtime.told(&error.to_string());
                Event::NotConsulted { why: error.word().to_owned(), said }
            }
        })
    }

    /// Waits for the answer, for as long as the person does.
    fn wait(
        &self,
        client: Client,
        wanted: Wanted,
        wall: Duration,
        left: u64,
        door: &mut dyn TurnDoor,
    ) -> Result<(Result<String, LlmError>, Usage), Failure> {
        let asked = Waited {
            system: wanted.system,
            // A secret typed in the wrong place is shown to no model.
            user: self.runtime.told(&wanted.user),
            constraint: wanted.constraint,
            most_tokens: wanted.most_tokens.min(left),
        };
        let stopped = || door.cancelled() || metnos_runtime::halt::stopped(&self.runtime.home).is_some();
        let answer = asked.wait(client, wall, &stopped)?;
        Ok((answer.text, answer.usage))
    }

    /// The plan for a request, with a model's help where one is bound and needed; nothing runs.
    pub fn think(
        &self,
        asked: &Asked,
        context: &[String],
        door: &mut dyn TurnDoor,
    ) -> Result<Thought, Failure> {
        self.think_with(&self.runtime.tiers(), asked, context, door)
    }

    /// The same with these models, which may not be the ones that are bound.
    pub fn think_with(
        &self,
        tiers: &Tiers,
        asked: &Asked,
        context: &[String],
        door: &mut dyn TurnDoor,
    ) -> Result<Thought, Failure> {
        let request = Request { text: &asked.text, language: asked.language.as_deref(), context };
        let (answer, mut explain) = self.machine().planner().plan(&request, &Clock::at(asked.now.clone()));
        let began = jiff::Timestamp::now();
        let mut thought =
            Thought { answer, explain: Explain::default(), unhelped: None, invalid: 0, tokens: 0 };
        let models = tiers.bound();
        let mut event = Event::Asked {
            text: asked.text.clone(),
            language: asked.language.clone(),
            now: asked.now.timestamp().to_string(),
            zone: asked.now.time_zone().iana_name().unwrap_or("UTC").to_owned(),
            context: context.to_vec(),
            recalled: None,
            models: models.clone(),
            bound: Bound::new(),
            base: None,
            advise: false,
        };
        let mut state = State::default();
        let unsure = match &thought.answer {
            Answer::Gap(_) | Answer::Offer(_) => true,
            Answer::Plan(plan) => plan.steps.iter().any(|step| step.dormant.is_some()),
            Answer::Ask(_) | Answer::Help | Answer::Say(_) => false,
        };
        while unsure && !models.is_empty() {
            let (next, effects) = self.machine().step(state, event);
            state = next;
            event = match effects.into_iter().next() {
                Some(Effect::Measure { role }) => self.measure(role, tiers),
                Some(Effect::Consult { role, system, user, constraint, most_tokens }) => {
                    explain.notes.push(format!("the {} model was asked", role.word()));
                    let wanted = Wanted { role, system, user, constraint, most_tokens };
                    self.consult(None, &asked.now, wanted, tiers, door)?
                }
                _ => break,
            };
        }
        if !state.offers().is_empty() {
            thought.answer = Answer::Offer(Offer { offers: state.offers().to_vec() });
        }
        (thought.invalid, thought.unhelped) = (state.helped.refused, state.helped.unhelped);
        if let Some(plan) = state.plan {
            thought.answer = Answer::Plan(plan);
            thought.unhelped = None;
        }
        thought.explain = explain;
        thought.tokens = self.db(|db| db.model_use(None, began))?.tokens;
        Ok(thought)
    }

    /// What models were asked for a turn.
    pub fn model_calls(&self, turn: &str) -> Result<Vec<ModelCall>, Failure> {
        self.db(|db| db.model_calls(turn))
    }
}
