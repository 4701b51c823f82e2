//! A credential that a step lacked, given over a door. It is taken in and never shown again.

use super::refusal::Problem;
use super::turns::blocking;
use super::{Refusal, Said};
use crate::house::House;
use crate::who::Admin;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// The fields of a credential.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fields {
    /// By name, such as `token`, or `user` and `password`.
    fields: BTreeMap<String, String>,
}

/// Keep a credential in the vault; only the host does. The turn that lacked it goes on by `POST /agent/forms/{turn}`.
#[utoipa::path(post, path = "/agent/credentials/{name}", tag = "people", request_body = Fields,
    params(("name" = String, Path, description = "The credential, as the failed step named it")),
    responses((status = 204, description = "It is kept"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn keep(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Path(name): Path<String>,
    Said(given): Said<Fields>,
) -> Result<StatusCode, Refusal> {
    let fields = given.fields.into_iter().collect();
    blocking(move || house.runtime().set_credential(&name, fields, &who.caller())).await?;
    Ok(StatusCode::NO_CONTENT)
}
