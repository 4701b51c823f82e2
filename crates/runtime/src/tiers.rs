//! The models that configuration binds, as executors and turns ask them: within the budget, with the key
//! from the vault, written down whatever came of it.

use crate::minds::{Minds, Prompt, Role, Told, Used};
use crate::runtime::Runtime;
use jiff::Timestamp;
use metnos_executor::{ErrorClass, Failure};
use metnos_llm::{Client, Constraint, Key, LlmError, Question, Shape, Spent, Tier, Tiers, Usage};
use metnos_memory::db::{ModelCall, ModelUse};
use serde_json::Value;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How often somebody is looked for who wants to stop.
const LOOK: Duration = Duration::from_millis(50);
/// The most tokens of an answer to an executor.
const ANSWER_TOKENS: u64 = 800;

/// What a question may still use.
pub struct Room {
    /// The key of the server, if it wants one.
    pub key: Option<Key>,
    /// The time.
    pub wall: Duration,
    /// The tokens.
    pub tokens: u64,
}

impl Runtime {
    /// The models that are bound.
    pub fn tiers(&self) -> Arc<Tiers> {
        Arc::clone(&self.tiers.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads again which models are bound. A configuration that is not understood meanwhile changes nothing here.
    pub(crate) fn reload_tiers(&self) {
        if let Ok(config) = crate::config::Config::load(&self.home) {
            *self.tiers.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config.tiers);
        }
    }

    /// What is left for a question, or why nobody is asked. The day is the one of the person's zone.
    pub fn model_room(
        &self,
        turn: Option<&str>,
        zone: &jiff::tz::TimeZone,
        tier: &Tier,
    ) -> Result<Room, LlmError> {
        let budget = self.config.budget;
        let here = Timestamp::now().to_zoned(zone.clone());
        let midnight = here.start_of_day().map_or(Timestamp::MIN, |day| day.timestamp());
        let used = |turn: Option<&str>, since| {
            self.db.model_use(turn, since).map(spent).map_err(|e| LlmError::Unready(e.to_string()))
        };
        let day = used(None, midnight)?;
        let of_turn = match turn {
            Some(turn) => used(Some(turn), Timestamp::MIN)?,
            None => Spent::default(),
        };
        if let Some(limit) = budget.used_up(of_turn, day) {
            return Err(LlmError::OverBudget(limit));
        }
        let key = tier.credential.as_deref().map(|name| self.model_key(name)).transpose();
        Ok(Room {
            key: key.map_err(|failure| LlmError::Unready(failure.message))?,
            wall: Duration::from_millis(budget.left_ms(of_turn)),
            tokens: budget.left_tokens(of_turn, day),
        })
    }
}

/// Bytes of what a model is told beside the text, for each question.
const AROUND: usize = 2_000;
/// Bytes of one token of a question, at most.
const TOKEN: usize = 3;

/// What so many questions about so many bytes of text may cost at most, in millionths.
pub(crate) fn costs(tier: &Tier, bytes: usize, questions: u64) -> u64 {
    let asked = (bytes.div_ceil(TOKEN) as u64)
        .saturating_add(questions.saturating_mul(AROUND.div_ceil(TOKEN) as u64));
    let told = questions.saturating_mul(ANSWER_TOKENS);
    tier.price_in.of(asked).saturating_add(tier.price_out.of(told))
}

/// A question whose answer is waited for beside somebody who may want to stop.
pub struct Waited {
    /// What the model is to do.
    pub system: String,
    /// What it is to do it with, without secrets.
    pub user: String,
    /// What an answer looks like.
    pub constraint: Constraint,
    /// How long it may be.
    pub most_tokens: u64,
}

impl Waited {
    /// Waits in another thread, so that nobody has to go on waiting who wants to stop. What was sent is then answered to
    /// nobody, and ends at its timeout.
    pub fn wait(
        self,
        client: Client,
        wall: Duration,
        stopped: &dyn Fn() -> bool,
    ) -> Result<metnos_llm::Answer, Failure> {
        let (sender, receiver) = channel();
        let began = Instant::now();
        let ask = move || {
            let Self { system, user, constraint, most_tokens } = self;
            let question =
                Question { system: &system, user: &user, constraint: Some(&constraint), most_tokens };
            // Nobody may be waiting any more.
            let _ = sender.send(client.ask(&question, wall));
        };
        let thread = std::thread::Builder::new().name("model".into()).spawn(ask);
        thread.map_err(|e| Failure::io("asking a model", &e))?;
        loop {
            let text = match receiver.recv_timeout(LOOK) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => {
                    Err(LlmError::Unreachable("the question was given up".to_owned()))
                }
                Err(RecvTimeoutError::Timeout) if stopped() => Err(LlmError::Stopped),
                Err(RecvTimeoutError::Timeout) => continue,
            };
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            return Ok(metnos_llm::Answer { text, usage: Usage { ms, ..Usage::default() } });
        }
    }
}

impl Minds for Runtime {
    fn has(&self, role: Role) -> bool {
        self.tiers().of(tier_of(role)).is_some()
    }

    fn ask(&self, role: Role, prompt: &Prompt<'_>, schema: &Value, stopped: &dyn Fn() -> bool) -> Told {
        let Some(tier) = self.tiers().of(tier_of(role)).cloned() else {
            return Told::unasked(Failure::new(
                ErrorClass::DependencyMissing,
                crate::minds::how_to_bind(role),
            ));
        };
        let Some(shape) = Shape::of_schema(schema) else {
            return Told::unasked(Failure::internal("an answer is wanted that cannot be described"));
        };
        let (constraint, model) = (Constraint::new(shape), tier.model.clone());
        let room = match self.model_room(None, &jiff::tz::TimeZone::system(), &tier) {
            Ok(room) => room,
            Err(e) => return Told::unasked(self.unhelped(&e)),
        };
        // A secret in a document is shown to no model.
        let asked = Waited {
            system: prompt.system.to_owned(),
            user: self.told(prompt.user),
            constraint: constraint.clone(),
            most_tokens: ANSWER_TOKENS.min(room.tokens),
        };
        let answer = match asked.wait(Client::new(tier, room.key), room.wall, stopped) {
            Ok(answer) => answer,
            Err(failure) => return Told::unasked(failure),
        };
        let usage = answer.usage;
        let call = ModelCall {
            turn: None,
            role: role.word().to_owned(),
            model,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            ms: usage.ms,
            cost: usage.cost,
            outcome: answer.text.as_ref().map_or_else(LlmError::word, |_| "answered").to_owned(),
        };
        let noted = self.db.note_model(&call, Timestamp::now());
        let read = || {
            noted.map_err(|e| Failure::internal(e.to_string()))?;
            if matches!(answer.text, Err(LlmError::Stopped)) {
                return Err(Failure::new(ErrorClass::Cancelled, "stopped while a model was being asked"));
            }
            let text = answer.text.map_err(|e| self.unhelped(&e))?;
            constraint.read(&text).map_err(|e| Failure::internal(format!("the answer of the model: {e}")))
        };
        let used = Used { tokens_in: usage.tokens_in, tokens_out: usage.tokens_out, cost: usage.cost };
        Told { answer: read(), used }
    }
}

impl Runtime {
    fn unhelped(&self, error: &LlmError) -> Failure {
        Failure::new(ErrorClass::DependencyMissing, self.told(&error.to_string()))
    }
}

fn tier_of(role: Role) -> metnos_llm::Role {
    match role {
        Role::Fast => metnos_llm::Role::Fast,
        Role::Middle => metnos_llm::Role::Middle,
        Role::Frontier => metnos_llm::Role::Frontier,
    }
}

fn spent(used: ModelUse) -> Spent {
    Spent { tokens: used.tokens, ms: used.ms, cost: used.cost }
}
