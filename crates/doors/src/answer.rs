//! A turn as programs read it: where it stands, what was said, what it waits for. Read from its record, so that
//! it is the same whoever asks and however often the house was opened in between.

use crate::house::House;
use crate::who::Who;
use metnos_executor::Failure;
use metnos_gateway::Beat;
use metnos_memory::db::Turn;
use metnos_runtime::guards::{Approval, Standing};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// How many rows of a list come with an answer; the rest is asked for.
pub(crate) const ROWS: usize = 60;

/// A turn and its answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TurnAnswer {
    /// The id of the turn.
    pub(crate) turn: String,
    /// What was asked.
    pub(crate) request: String,
    /// When, in UTC.
    pub(crate) began_at: String,
    /// `running`, `done`, `partly`, `failed`, `waits`, `asks`, `cancelled`, `unclear`, `gap`, `dormant`, `interrupted`.
    pub(crate) status: String,
    /// The answer, in the person's language.
    pub(crate) text: String,
    /// The stage that gave the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stage: Option<String>,
    /// The first rows of the list that is the answer.
    pub(crate) entries: Vec<Map<String, Value>>,
    /// How long that list is.
    pub(crate) count: u64,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
    /// The question that waits for a yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<Card>,
    /// What is missing, as a question to be answered by `POST /agent/forms/{turn}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) question: Option<String>,
    /// Credentials that a step lacks. The host gives each by `POST /agent/credentials/{name}`; then
    /// `POST /agent/forms/{turn}` without words goes on at that step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) credentials: Vec<CredentialForm>,
    /// True when a model made the plan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) by_model: bool,
    /// The answer as an SVG picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    /// True while something it changed can be taken back by `POST /agent/turns/{turn}/undo`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) undoable: bool,
}

/// What is asked for one credential.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct CredentialForm {
    /// The credential.
    pub(crate) name: String,
    /// Its fields.
    pub(crate) fields: Vec<String>,
}

/// A question that waits for a yes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Card {
    /// Its id.
    pub(crate) id: String,
    /// The turn it belongs to, if it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<String>,
    /// What would happen, where, how serious.
    pub(crate) text: String,
    /// What would run.
    pub(crate) executor: String,
    /// Who asked for it.
    pub(crate) asked_by: String,
    /// True when a yes may hold for longer than once.
    pub(crate) can_last: bool,
    /// `pending`, `approved`, `rejected`, `consumed` or `expired`.
    pub(crate) standing: &'static str,
    /// From when it is void.
    pub(crate) expires_at: String,
}

impl House {
    /// A question as a card.
    pub(crate) fn card(&self, approval: &Approval) -> Card {
        let standing = match approval.standing {
            Standing::Pending if !approval.is_live(jiff::Timestamp::now()) => "expired",
            Standing::Pending => "pending",
            Standing::Approved => "approved",
            Standing::Rejected => "rejected",
            Standing::Consumed => "consumed",
        };
        let call = approval.call_id.as_deref();
        Card {
            id: approval.id.clone(),
            turn: call.and_then(metnos_runtime::call::turn_of).map(str::to_owned),
            text: self.runtime().card_text(approval),
            executor: approval.executor.clone(),
            asked_by: approval.caller.clone(),
            can_last: approval.grantable.is_some(),
            standing,
            expires_at: approval.expires_at.clone(),
        }
    }

    /// Where a turn of this person stands.
    pub(crate) fn answer(&self, who: &Who, turn: &str) -> Result<TurnAnswer, Failure> {
        let known = self.own_turn(who, turn)?;
        self.answer_of(known)
    }

    pub(crate) fn answer_of(&self, known: Turn) -> Result<TurnAnswer, Failure> {
        let story = self.gateway.story(&known.id, 0)?;
        let last = story.iter().rev().flat_map(|moment| moment.beats.iter().rev()).next();
        let host = metnos_runtime::guards::Principal::parse(&known.caller).is_host();
        let mut answer = TurnAnswer {
            turn: known.id.clone(),
            request: known.request,
            began_at: known.began_at,
            status: known.status.unwrap_or_else(|| "running".into()),
            text: String::new(),
            stage: known.stage,
            entries: Vec::new(),
            count: 0,
            next: None,
            approval: None,
            question: None,
            credentials: Vec::new(),
            by_model: false,
            picture: None,
            undoable: false,
        };
        match last {
            Some(Beat::Ends { ending }) => {
                let text = |key: &str| ending.get(key).and_then(Value::as_str).map(str::to_owned);
                answer.text = text("text").unwrap_or_default();
                answer.next = text("next");
                answer.picture = text("picture");
                answer.by_model = ending.get("by_model") == Some(&Value::Bool(true));
                if let Some(approval) =
                    text("approval").map(|id| self.runtime().approval(&id)).transpose()?.flatten()
                {
                    answer.approval = (answer.status == "waits").then(|| self.card(&approval));
                }
                answer.undoable = story.iter().flat_map(|moment| &moment.beats).any(|beat| match beat {
                    Beat::Did { call_id, .. } => self.runtime().can_undo(call_id),
                    _ => false,
                });
                if host && answer.status == "asks" {
                    answer.credentials = self.lacked(ending)?;
                }
                // A list that was let go of is an answer without rows.
                (answer.entries, answer.count) = self.gateway.shown(&known.id, 0, ROWS).unwrap_or_default();
            }
            Some(Beat::Asks { text }) if answer.status == "asks" => {
                answer.text = text.clone();
                answer.question = Some(text.clone());
            }
            _ => {}
        }
        Ok(answer)
    }

    /// The credentials that the step at which a turn stopped lacks still.
    fn lacked(&self, ending: &Map<String, Value>) -> Result<Vec<CredentialForm>, Failure> {
        let asked = ending.get("credentials").cloned().unwrap_or(Value::Array(Vec::new()));
        let mut forms: Vec<CredentialForm> = serde_json::from_value(asked).unwrap_or_default();
        let kept = self.runtime().credentials()?;
        forms.retain(|form| !kept.iter().any(|known| known.name.as_str() == form.name));
        Ok(forms)
    }
}
