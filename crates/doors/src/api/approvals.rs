//! Questions that wait for a yes, and their answers.

use super::refusal::Problem;
use super::turns::{blocking, told, wants_events, watched};
use super::{Refusal, Said};
use crate::answer::{Card, Stands, TurnAnswer};
use crate::house::House;
use crate::who::{Who, person_of};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use metnos_runtime::guards::Answer;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// What a person answers.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    /// This once.
    Once,
    /// Here, for this conversation.
    Session,
    /// Here, until revoked.
    Always,
    /// No.
    No,
    /// No, and never again.
    Never,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Once => Self::Once,
            Decision::Session => Self::Session,
            Decision::Always => Self::Always,
            Decision::No => Self::No,
            Decision::Never => Self::Never,
        }
    }
}

/// An answer to a question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decided {
    /// The answer.
    answer: Decision,
    /// False: do not wait until the turn has gone on; it is watched elsewhere.
    #[serde(default = "yes")]
    wait: bool,
}

fn yes() -> bool {
    true
}

/// A decision that was taken, where no turn goes on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Taken {
    /// The question.
    approval: String,
}

/// The questions that wait for this person; for the host, for anybody.
#[utoipa::path(get, path = "/agent/approvals", tag = "approvals",
    responses((status = 200, body = Vec<Card>), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn list(State(house): State<Arc<House>>, who: Who) -> Result<Json<Vec<Card>>, Refusal> {
    blocking(move || house.waiting(&who)).await.map(Json)
}

/// Answer a question. After a yes the step runs, as whoever asked for it, and its turn goes on; as events with
/// `Accept: text/event-stream`.
#[utoipa::path(post, path = "/agent/approvals/{id}", tag = "approvals", request_body = Decided,
    params(("id" = String, Path, description = "The question")),
    responses((status = 200, body = TurnAnswer), (status = 202, body = Taken), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn decide(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
    headers: HeaderMap,
    Said(decided): Said<Decided>,
) -> Result<Response, Refusal> {
    let (shared, asker, question) = (Arc::clone(&house), who.clone(), id.clone());
    let before = blocking(move || shared.told_so_far(&asker, &question)).await?;
    let started = house.decide(&who, &id, decided.answer.into()).await?;
    let of_turn = started.turn() != id;
    if of_turn && wants_events(&headers) {
        return watched(&house, &who, started.turn(), before);
    }
    if decided.wait && of_turn {
        return told(&house, &who, started, false).await;
    }
    if !of_turn {
        started.ended().await?;
    }
    Ok((StatusCode::ACCEPTED, Json(Taken { approval: id })).into_response())
}

impl House {
    /// How much of the turn of a question was told when it was asked.
    fn told_so_far(&self, who: &Who, id: &str) -> Result<u32, metnos_executor::Failure> {
        let call = self.question(who, id)?.call_id;
        let Some(turn) = call.as_deref().and_then(metnos_runtime::call::turn_of) else { return Ok(0) };
        Ok(self.gateway.story(turn, 0)?.last().map_or(0, |moment| moment.n))
    }

    /// The questions that wait, as cards.
    pub(crate) fn waiting(&self, who: &Who) -> Result<Vec<Card>, metnos_executor::Failure> {
        let mine = |caller: &str| who.is_host() || person_of(caller) == who.person.id;
        let all = self.runtime().open_questions()?;
        let cards = all.iter().filter(|question| mine(&question.caller)).map(|question| self.card(question));
        Ok(cards.filter(|card| card.standing == Stands::Pending).collect())
    }

    /// The turns this person may see.
    pub(crate) fn turns_of(
        &self,
        who: &Who,
        before: Option<&str>,
        most: u32,
    ) -> Result<Vec<metnos_memory::db::Turn>, metnos_executor::Failure> {
        let person = (!who.is_host()).then_some(who.person.id.as_str());
        self.gateway.turns_of(person, before, most)
    }
}
