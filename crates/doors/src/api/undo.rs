//! The way back, as the terminal takes it: the latest change, a named one, a try, and what there is.

use super::refusal::Problem;
use super::turns::blocking;
use super::{Refusal, Said};
use crate::house::House;
use crate::undone::{UndoTold, changes, undo};
use crate::who::Who;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// How long what is at work is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What to take back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoWish {
    /// A turn, or one change of it; the latest change that can be without it.
    turn: Option<String>,
    /// Only say what would happen.
    #[serde(default)]
    dry_run: bool,
}

/// Take back the latest change, or a named one; or say what would be taken back.
#[utoipa::path(post, path = "/agent/undo", tag = "turns", request_body = UndoWish,
    responses((status = 200, body = UndoTold), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn back(
    State(house): State<Arc<House>>,
    who: Who,
    Said(wish): Said<UndoWish>,
) -> Result<Json<UndoTold>, Refusal> {
    let told = blocking(move || {
        let until = Instant::now() + PATIENCE;
        let mut go_on = |_: &_| Instant::now() < until;
        undo(house.runtime(), &who.caller(), wish.turn.as_deref(), wish.dry_run, &mut go_on)
    });
    Ok(Json(told.await?))
}

/// What was changed, and whether it can be taken back.
#[utoipa::path(get, path = "/agent/undo", tag = "turns",
    responses((status = 200, body = Vec<Value>), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn list(
    State(house): State<Arc<House>>,
    who: Who,
) -> Result<Json<Vec<Map<String, Value>>>, Refusal> {
    Ok(Json(blocking(move || changes(house.runtime(), &who.caller())).await?))
}
