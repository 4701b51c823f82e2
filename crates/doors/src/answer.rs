//! A turn as programs read it: where it stands, what was said, what it waits for. Read from its record, so that
//! it is the same whoever asks and however often the house was opened in between. The terminal reads the same value,
//! with a daemon and without one.

use crate::house::House;
use crate::who::Who;
use metnos_executor::Failure;
use metnos_gateway::{Beat, Gateway};
use metnos_memory::db::Turn;
use metnos_runtime::Runtime;
use metnos_runtime::guards::{Approval, Standing};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// How many rows of a list come with an answer; the rest is asked for.
pub const ROWS: usize = 60;

/// A turn and its answer.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct TurnAnswer {
    /// The id of the turn.
    pub turn: String,
    /// What was asked.
    pub request: String,
    /// When, in UTC.
    pub began_at: String,
    /// `running`, `done`, `partly`, `failed`, `waits`, `asks`, `cancelled`, `unclear`, `gap`, `dormant`, `interrupted`.
    pub status: String,
    /// The answer, in the person's language.
    pub text: String,
    /// The stage that gave the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The first rows of the list that is the answer.
    pub entries: Vec<Map<String, Value>>,
    /// The fields of them that people read.
    #[serde(default)]
    pub columns: Vec<String>,
    /// How long that list is.
    pub count: u64,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The question that waits for a yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Card>,
    /// What is missing, as a question to be answered by `POST /agent/forms/{turn}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What can be chosen from, by `POST /agent/offers/{turn}`. `question` says the same in letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferCard>,
    /// Credentials that a step lacks. The host gives each by `POST /agent/credentials/{name}`; then
    /// `POST /agent/forms/{turn}` without words goes on at that step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<CredentialForm>,
    /// True when a model made the plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
    /// What was made of the words: which were taken for others, and which were not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The answer as an SVG picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The part of `text` that draws the same picture in letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawing: Option<String>,
    /// How many of its steps did something.
    #[serde(default)]
    pub steps: u64,
    /// What of its changes was taken back since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<TakenBack>,
    /// True while something it changed can be taken back by `POST /agent/turns/{turn}/undo`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undoable: bool,
}

/// What a turn lets the person choose from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct OfferCard {
    /// Its number within the turn.
    pub offer: u32,
    /// The question.
    pub text: String,
    /// What can be chosen.
    pub choices: Vec<OfferChoice>,
}

/// One thing that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct OfferChoice {
    /// By this number, from 1.
    pub number: u32,
    /// What would be done, or what is meant.
    pub says: String,
}

impl OfferCard {
    /// The offer with this number.
    pub(crate) fn new(offer: u32, text: String, choices: Vec<String>) -> Self {
        let choices = (1..).zip(choices).map(|(number, says)| OfferChoice { number, says }).collect();
        Self { offer, text, choices }
    }
}

/// How much of what a turn changed was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TakenBack {
    /// Everything.
    Wholly,
    /// Some of it.
    Partly,
}

impl TakenBack {
    /// From where the journal has its changes.
    fn of(states: &[&str]) -> Option<Self> {
        let back = states.iter().filter(|state| **state == "undone").count();
        match back {
            0 if !states.contains(&"partly_undone") => None,
            n if n == states.len() => Some(Self::Wholly),
            _ => Some(Self::Partly),
        }
    }
}

/// What is asked for one credential.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CredentialForm {
    /// The credential.
    pub name: String,
    /// Its fields.
    pub fields: Vec<String>,
}

/// A question that waits for a yes.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// The turn it belongs to, if it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Two lines: what would happen, how many, where; how it is taken back.
    pub text: String,
    /// Names, the reason, the capability, the grant: a sentence each.
    pub details: Vec<String>,
    /// The language of both.
    pub lang: String,
    /// What would run.
    pub executor: String,
    /// Who asked for it.
    pub asked_by: String,
    /// How many things it is about, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// True when a yes may hold for longer than once.
    pub can_last: bool,
    /// Where it stands.
    pub standing: Stands,
    /// From when it is void.
    pub expires_at: String,
}

/// Where a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    /// Nobody has answered.
    Pending,
    /// Yes, and not used yet.
    Approved,
    /// No.
    Rejected,
    /// Yes, and used.
    Consumed,
    /// Nobody answered in time.
    Expired,
}

impl Card {
    /// A question as a card.
    pub fn of(runtime: &Runtime, approval: &Approval) -> Self {
        let standing = match approval.standing {
            Standing::Pending if !approval.is_live(jiff::Timestamp::now()) => Stands::Expired,
            Standing::Pending => Stands::Pending,
            Standing::Approved => Stands::Approved,
            Standing::Rejected => Stands::Rejected,
            Standing::Consumed => Stands::Consumed,
        };
        let call = approval.call_id.as_deref();
        let shown = runtime.question_card(approval);
        Self {
            id: approval.id.clone(),
            turn: call.and_then(metnos_runtime::call::turn_of).map(str::to_owned),
            text: shown.text,
            details: shown.details,
            lang: approval.lang.clone(),
            executor: approval.executor.clone(),
            asked_by: approval.caller.clone(),
            count: approval.card.count,
            can_last: approval.grantable.is_some(),
            standing,
            expires_at: approval.expires_at.clone(),
        }
    }
}

impl TurnAnswer {
    /// Where a turn stands, with the first [`ROWS`] rows of its list.
    pub fn of(gateway: &Gateway, known: Turn) -> Result<Self, Failure> {
        let story = gateway.story(&known.id, 0)?;
        let newest = story.last().map_or(0, |moment| moment.n);
        let last = story.iter().rev().flat_map(|moment| moment.beats.iter().rev()).next();
        let host = metnos_runtime::guards::Principal::parse(&known.caller).is_host();
        let mut answer = Self {
            turn: known.id.clone(),
            request: known.request,
            began_at: known.began_at,
            status: known.status.unwrap_or_else(|| "running".into()),
            text: String::new(),
            stage: known.stage,
            entries: Vec::new(),
            columns: Vec::new(),
            count: 0,
            next: None,
            approval: None,
            question: None,
            offer: None,
            credentials: Vec::new(),
            by_model: false,
            note: None,
            picture: None,
            drawing: None,
            steps: 0,
            taken_back: None,
            undoable: false,
        };
        match last {
            Some(Beat::Ends { ending }) => {
                let text = |key: &str| ending.get(key).and_then(Value::as_str).map(str::to_owned);
                answer.text = text("text").unwrap_or_default();
                answer.next = text("next");
                answer.note = text("note");
                answer.picture = text("picture");
                answer.drawing = text("drawing");
                answer.by_model = ending.get("by_model") == Some(&Value::Bool(true));
                if let Some(approval) =
                    text("approval").map(|id| gateway.runtime().approval(&id)).transpose()?.flatten()
                {
                    answer.approval =
                        (answer.status == "waits").then(|| Card::of(gateway.runtime(), &approval));
                }
                let did = || {
                    story.iter().flat_map(|moment| &moment.beats).filter_map(|beat| match beat {
                        Beat::Did { call_id, error, .. } => Some((call_id, error)),
                        _ => None,
                    })
                };
                answer.steps = did().filter(|(_, error)| error.is_none()).count() as u64;
                answer.undoable = did().any(|(call, _)| gateway.runtime().can_undo(call));
                let changes = did().filter_map(|(call, _)| gateway.runtime().changed_by(call));
                answer.taken_back = TakenBack::of(&changes.map(|change| change.state).collect::<Vec<_>>());
                if host && answer.status == "asks" {
                    answer.credentials = lacked(gateway, ending, &answer.began_at)?;
                }
                // A list that was let go of is an answer without rows.
                (answer.entries, answer.count) = gateway.shown(&known.id, 0, ROWS).unwrap_or_default();
                answer.columns = metnos_gateway::columns(&answer.entries);
            }
            Some(Beat::Asks { text }) if answer.status == "asks" => {
                answer.text = text.clone();
                answer.question = Some(text.clone());
            }
            Some(Beat::Offers { text, choices }) if answer.status == "asks" => {
                answer.text = metnos_gateway::numbered(text, choices);
                answer.question = Some(answer.text.clone());
                answer.offer = Some(OfferCard::new(newest, text.clone(), choices.clone()));
            }
            _ => {}
        }
        Ok(answer)
    }
}

/// The credentials that the step at which a turn stopped lacks still.
fn lacked(
    gateway: &Gateway,
    ending: &Map<String, Value>,
    began: &str,
) -> Result<Vec<CredentialForm>, Failure> {
    let asked = ending.get("credentials").cloned().unwrap_or(Value::Array(Vec::new()));
    let mut forms: Vec<CredentialForm> = serde_json::from_value(asked).unwrap_or_default();
    let kept = gateway.runtime().credentials()?;
    // What was kept before is asked for anew.
    let began: jiff::Timestamp = began.parse().unwrap_or(jiff::Timestamp::MAX);
    let given = |form: &CredentialForm| {
        kept.iter().any(|known| known.name.as_str() == form.name && known.updated_at >= began)
    };
    forms.retain(|form| !given(form));
    Ok(forms)
}

impl House {
    /// A question as a card.
    pub(crate) fn card(&self, approval: &Approval) -> Card {
        Card::of(self.runtime(), approval)
    }

    /// Where a turn of this person stands.
    pub(crate) fn answer(&self, who: &Who, turn: &str) -> Result<TurnAnswer, Failure> {
        let known = self.own_turn(who, turn)?;
        self.answer_of(known)
    }

    pub(crate) fn answer_of(&self, known: Turn) -> Result<TurnAnswer, Failure> {
        TurnAnswer::of(&self.gateway, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_in_part_says_so() {
        assert_eq!(TakenBack::of(&[]), None);
        assert_eq!(TakenBack::of(&["done", "freed"]), None);
        assert_eq!(TakenBack::of(&["undone", "undone"]), Some(TakenBack::Wholly));
        assert_eq!(TakenBack::of(&["undone", "done"]), Some(TakenBack::Partly));
        assert_eq!(TakenBack::of(&["partly_undone"]), Some(TakenBack::Partly));
    }
}
