//! The models that configuration binds, as executors and turns ask them: within the budget, with the key
//! from the vault, written down whatever came of it.

use crate::minds::{Minds, Prompt, Role};
use crate::runtime::Runtime;
use jiff::Timestamp;
use metnos_executor::{ErrorClass, Failure};
use metnos_llm::{Client, Constraint, Key, LlmError, Question, Shape, Spent, Tier};
use metnos_memory::db::{ModelCall, ModelUse};
use serde_json::Value;
use std::time::Duration;

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

impl Minds for Runtime {
    fn has(&self, role: Role) -> bool {
        self.config.tiers.of(tier_of(role)).is_some()
    }

    fn ask(&self, role: Role, prompt: &Prompt<'_>, schema: &Value) -> Result<Value, Failure> {
        let Some(tier) = self.config.tiers.of(tier_of(role)).cloned() else {
            return Err(Failure::new(ErrorClass::DependencyMissing, crate::minds::how_to_bind(role)));
        };
        let shape = Shape::of_schema(schema)
            .ok_or_else(|| Failure::internal("an answer is wanted that cannot be described"))?;
        let (constraint, model) = (Constraint::new(shape), tier.model.clone());
        let room = self.model_room(None, &jiff::tz::TimeZone::system(), &tier);
        let room = room.map_err(|e| self.unhelped(&e))?;
        // A secret in a document is shown to no model.
        let user = self.told(prompt.user);
        let question = Question {
            system: prompt.system,
            user: &user,
            constraint: Some(&constraint),
            most_tokens: ANSWER_TOKENS.min(room.tokens),
        };
        let answer = Client::new(tier, room.key).ask(&question, room.wall);
        let call = ModelCall {
            turn: None,
            role: role.word().to_owned(),
            model,
            tokens_in: answer.usage.tokens_in,
            tokens_out: answer.usage.tokens_out,
            ms: answer.usage.ms,
            cost: answer.usage.cost,
            outcome: answer.text.as_ref().map_or_else(LlmError::word, |_| "answered").to_owned(),
        };
        self.db.note_model(&call, Timestamp::now()).map_err(|e| Failure::internal(e.to_string()))?;
        let text = answer.text.map_err(|e| self.unhelped(&e))?;
        constraint.read(&text).map_err(|e| Failure::internal(format!("the answer of the model: {e}")))
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
