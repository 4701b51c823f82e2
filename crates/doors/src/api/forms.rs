//! What a turn asked for, answered.

use super::refusal::Problem;
use super::turns::told;
use super::{Refusal, Said};
use crate::answer::TurnAnswer;
use crate::house::House;
use crate::who::Who;
use axum::extract::{Path, State};
use axum::response::Response;
use metnos_executor::Failure;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// An answer in words.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filled {
    /// The words.
    #[schema(example = "Documents")]
    text: String,
}

/// Answer the one question of a turn; the turn goes on with it.
#[utoipa::path(post, path = "/agent/forms/{id}", tag = "turns", request_body = Filled,
    params(("id" = String, Path, description = "The turn that asks")),
    responses((status = 200, body = TurnAnswer), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn answer(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
    Said(filled): Said<Filled>,
) -> Result<Response, Refusal> {
    if filled.text.trim().is_empty() || filled.text.len() > 64 << 10 {
        return Err(Failure::wrong_args("an answer has 1 to 65536 bytes").into());
    }
    let started = house.reply(&who, &id, filled.text).await?;
    told(&house, &who, started, false).await
}
