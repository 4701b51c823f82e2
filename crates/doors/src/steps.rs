//! How a turn came about, for whoever looks back: the same value at the terminal and over the API.

use metnos_executor::Failure;
use metnos_gateway::{Gateway, ModelCall};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A turn from its words to its end.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct TurnSteps {
    /// Its id.
    pub turn: String,
    /// When it was asked, in UTC.
    pub at: String,
    /// When it ended, or began to wait.
    pub ended_at: Option<String>,
    /// What was asked.
    pub request: String,
    /// How it ended.
    pub status: String,
    /// The stage that gave the plan.
    pub stage: Option<String>,
    /// What each phase took.
    pub phases: Map<String, Value>,
    /// The steps of the plan, in words.
    pub steps: Vec<String>,
    /// What came of those that ran, in words.
    pub done: Vec<String>,
    /// What was said at the end.
    pub text: Option<String>,
    /// The models that were asked.
    pub models: Vec<ModelAsked>,
    /// The tokens that were used.
    pub tokens: u64,
    /// What that cost, in millionths.
    pub cost: u64,
}

/// One question to a model.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct ModelAsked {
    /// In which role.
    pub role: String,
    /// Which model.
    pub model: String,
    /// What came of it.
    pub outcome: String,
    /// Tokens of the question.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
    /// Milliseconds.
    pub ms: u64,
    /// In millionths.
    pub cost: u64,
}

impl From<ModelCall> for ModelAsked {
    fn from(call: ModelCall) -> Self {
        let ModelCall { role, model, outcome, tokens_in, tokens_out, ms, cost, .. } = call;
        Self { role, model, outcome, tokens_in, tokens_out, ms, cost }
    }
}

impl TurnSteps {
    /// A turn as it came about, if it is known.
    pub fn of(gateway: &Gateway, id: &str) -> Result<Option<Self>, Failure> {
        let Some(seen) = gateway.view(id)? else { return Ok(None) };
        let models: Vec<ModelAsked> = gateway.model_calls(id)?.into_iter().map(ModelAsked::from).collect();
        let status = gateway.standing(&seen.turn);
        let phases = seen.turn.phases.as_deref().and_then(|text| serde_json::from_str(text).ok());
        Ok(Some(Self {
            turn: seen.turn.id,
            at: seen.turn.began_at,
            ended_at: seen.turn.ended_at,
            request: seen.turn.request,
            status,
            stage: seen.turn.stage,
            phases: phases.unwrap_or_default(),
            steps: seen.steps,
            done: seen.done,
            text: seen.text,
            tokens: models.iter().map(|call| call.tokens_in + call.tokens_out).sum(),
            cost: models.iter().map(|call| call.cost).sum(),
            models,
        }))
    }
}
