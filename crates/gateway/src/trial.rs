//! A model that is not bound yet, tried: whether it answers, how much it holds, and what it makes of requests that are
//! not understood without one. Nothing runs.

use crate::conduct::{Asked, Gateway, TurnDoor};
use metnos_engine::Answer;
use metnos_executor::{ErrorClass, Failure};
use metnos_llm::{Role, Tiers};
use metnos_runtime::config::Binding;
use metnos_turn::{Bound, Effect, Event, State};
use serde::Serialize;
use std::time::Duration;

/// How long a model may take to say one word: it may have to be loaded first.
const PATIENCE: Duration = Duration::from_secs(60);
/// An answer that takes longer than this asks for more patience than usual.
const SLOW_MS: u64 = 20_000;
/// How much more.
const PATIENT: std::num::NonZeroU32 = std::num::NonZeroU32::MIN.saturating_add(179);

/// What came of asking a model one word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// How long it took.
    pub ms: u64,
    /// How many tokens it holds, where its server tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

/// A request with and without a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The words.
    pub request: String,
    /// What is said to it without.
    pub before: String,
    /// What would be done with it, in sentences; several are offered.
    pub after: Vec<String>,
    /// Why it was of no help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unhelped: Option<String>,
}

impl Gateway {
    /// Asks a model one word.
    pub fn try_model(&self, binding: &Binding) -> Result<Answered, Failure> {
        self.tried(binding).map_err(|failure| match failure.class {
            ErrorClass::Timeout => Failure { class: ErrorClass::DependencyMissing, ..failure },
            _ => failure,
        })
    }

    fn tried(&self, binding: &Binding) -> Result<Answered, Failure> {
        let tier = binding.tier();
        if let Some(flaw) = tier.flaw() {
            return Err(Failure::wrong_args(flaw));
        }
        let ms = self.runtime.try_tier(binding.role, &tier, PATIENCE)?;
        let mut tiers = Tiers::default();
        tiers.bind(binding.role, tier.clone());
        self.measure(binding.role, &tiers);
        Ok(Answered { ms, context: self.rooms.known(&tier) })
    }

    /// Whether a model that answered before, and then gave no answer in time, is still there: one that is busy is.
    pub fn still_there(&self, binding: &Binding) -> Result<(), Failure> {
        match self.tried(binding) {
            Err(failure) if failure.class != ErrorClass::Timeout => Err(failure),
            _ => Ok(()),
        }
    }

    /// What a model makes of a request that is not understood without one; `None` where it is.
    pub fn example(
        &self,
        binding: &Binding,
        asked: &Asked,
        door: &mut dyn TurnDoor,
    ) -> Result<Option<Example>, Failure> {
        let Some(before) = self.unread(asked) else { return Ok(None) };
        let mut tiers = Tiers::default();
        let mut tier = binding.tier();
        tier.timeout_seconds = PATIENT;
        // A role that is not asked for plans is shown by the one that is.
        tiers.bind(Role::Wise, tier);
        let thought = self.think_with(&tiers, asked, &[], door)?;
        let language = asked.language.clone().unwrap_or_default();
        let machine = self.machine();
        let says = |plan| machine.says(&language, plan, None);
        let after = match &thought.answer {
            Answer::Plan(plan) => vec![says(plan)],
            Answer::Offer(offer) => offer.offers.iter().map(|choice| says(&choice.plan)).collect(),
            _ => Vec::new(),
        };
        Ok(Some(Example { request: asked.text.clone(), before, after, unhelped: thought.unhelped }))
    }

    /// What is said to a request without any model, where it is not understood.
    fn unread(&self, asked: &Asked) -> Option<String> {
        let event = Event::Asked {
            text: asked.text.clone(),
            language: asked.language.clone(),
            now: asked.now.timestamp().to_string(),
            zone: asked.now.time_zone().iana_name().unwrap_or("UTC").to_owned(),
            context: Vec::new(),
            recalled: None,
            models: Vec::new(),
            bound: Bound::new(),
            base: None,
            advise: false,
        };
        let (state, effects) = self.machine().step(State::default(), event);
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        match effects.first()? {
            Effect::Finish(ending) if state.plan.is_none() && !ending.words.is_empty() => {
                Some(first(&ending.text))
            }
            Effect::Ask { text, choices, .. } if !choices.is_empty() => Some(first(text)),
            _ => None,
        }
    }
}

/// The binding with the patience that answers of this length ask for.
pub fn patient(binding: Binding, slowest_ms: u64) -> Binding {
    Binding { timeout_seconds: (slowest_ms > SLOW_MS).then_some(PATIENT), ..binding }
}
