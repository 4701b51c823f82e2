//! What turns let the person choose from, and the choice.

use super::refusal::Problem;
use super::turns::{told, wants_events};
use super::{Refusal, Said};
use crate::answer::TurnAnswer;
use crate::house::House;
use crate::who::Who;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// A choice.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Picked {
    /// The offer, by its number: a choice from one that is over changes nothing.
    offer: u32,
    /// The choice, by its number; 0 for none of them.
    #[schema(example = 2)]
    choice: u32,
}

/// Choose from what a turn offers; the turn goes on with that, through the same guards as any plan.
#[utoipa::path(post, path = "/agent/offers/{id}", tag = "turns", request_body = Picked,
    params(("id" = String, Path, description = "The turn that offers")),
    responses((status = 200, body = TurnAnswer), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn choose(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
    headers: HeaderMap,
    Said(picked): Said<Picked>,
) -> Result<Response, Refusal> {
    let started = house.choose(&who, &id, picked.offer, picked.choice.to_string()).await?;
    told(&house, &who, started, wants_events(&headers)).await
}
