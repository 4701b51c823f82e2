//! After a turn: keep its plan, reject it, take its changes back.

use super::refusal::Problem;
use super::turns::{blocking, told};
use super::{Refusal, Said};
use crate::house::House;
use crate::hub::Wanted;
use crate::who::{Who, person_of};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::Purpose;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// What a person thinks of a turn.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Feedback {
    /// Keep its plan for this request.
    Star,
    /// It was right.
    Good,
    /// It was wrong: its plan is not used again for a while.
    Bad,
    /// Do it again.
    Repeat,
}

/// What a person thinks of a turn.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Thought {
    feedback: Feedback,
}

/// What came of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Kept {
    /// The turn.
    turn: String,
    /// How many plans it is about: none when nothing was kept of the turn.
    plans: usize,
}

/// What was taken back.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Undone {
    /// The turn.
    turn: String,
    /// How many operations were reversed.
    reversed: u64,
    /// What was left as it is, and why.
    conflicts: Vec<String>,
}

/// Say what you think of a turn: star, good, bad, repeat.
#[utoipa::path(post, path = "/agent/turns/{id}/feedback", tag = "turns", request_body = Thought,
    params(("id" = String, Path, description = "The turn")),
    responses((status = 200, body = Kept), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn feedback(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
    Said(thought): Said<Thought>,
) -> Result<Response, Refusal> {
    let (shared, reader, turn) = (Arc::clone(&house), who.clone(), id.clone());
    let known = blocking(move || shared.own_turn(&reader, &turn)).await?;
    if matches!(thought.feedback, Feedback::Repeat) {
        let wanted = Wanted {
            text: known.request,
            // The host repeats somebody else's request as their own.
            conversation: match person_of(&known.caller) == who.person.id {
                true => known.conversation,
                false => who.conversation(None)?,
            },
            language: None,
            zone: None,
            turn: None,
            base: None,
        };
        let started = house.start(&who, wanted).await?;
        return told(&house, &who, started, false).await;
    }
    let turn = id.clone();
    let plans = blocking(move || {
        house.gateway.judge_plans(
            &known.caller,
            &turn,
            match thought.feedback {
                Feedback::Star => Some(true),
                Feedback::Bad => Some(false),
                Feedback::Good | Feedback::Repeat => None,
            },
        )
    })
    .await?;
    Ok(Json(Kept { turn: id, plans }).into_response())
}

/// Take back what a turn changed, its last step first.
#[utoipa::path(post, path = "/agent/turns/{id}/undo", tag = "turns",
    params(("id" = String, Path, description = "The turn")),
    responses((status = 200, body = Undone), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn undo(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
) -> Result<Json<Undone>, Refusal> {
    let undone = blocking(move || {
        let known = house.own_turn(&who, &id)?;
        let outcome = house.runtime().undo(&who.caller(), Some(&known.id), Purpose::Undo, &mut |_| false)?;
        let nothing =
            || Failure::new(ErrorClass::Conflict, "this turn changed nothing that can be taken back");
        let outcome = outcome.ok_or_else(nothing)?;
        let conflicts =
            outcome.conflicts.iter().map(|conflict| format!("{}: {}", conflict.path, conflict.why));
        Ok(Undone { turn: known.id, reversed: outcome.reversed, conflicts: conflicts.collect() })
    })
    .await?;
    Ok(Json(undone))
}
