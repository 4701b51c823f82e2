//! What turns ask for, and the answers.

use super::refusal::Problem;
use super::turns::{blocking, told};
use super::{Refusal, Said};
use crate::answer::{CredentialForm, TurnAnswer};
use crate::house::House;
use crate::who::Who;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// The longest answer.
const TEXT_MAX: usize = 64 << 10;

/// An answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filled {
    /// The words; none where a credential was lacking, which is given by `POST /agent/credentials/{name}`.
    #[schema(example = "Documents")]
    text: Option<String>,
}

/// What a turn asks for.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct OpenForm {
    /// The turn, by which it is answered.
    pub turn: String,
    /// Who asked for the turn.
    pub asked_by: String,
    /// What was asked for.
    pub request: String,
    /// When, in UTC.
    pub began_at: String,
    /// The question.
    pub text: String,
    /// The credentials that are missing; without any, the question is answered in words.
    pub credentials: Vec<CredentialForm>,
    /// What can be chosen, in sentences; the answer is the number of one, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

impl From<metnos_gateway::Form> for OpenForm {
    fn from(form: metnos_gateway::Form) -> Self {
        let wanted = form.credentials.into_iter();
        let wanted = wanted.map(|wanted| CredentialForm { name: wanted.name, fields: wanted.fields });
        Self {
            turn: form.turn,
            asked_by: form.caller,
            request: form.request,
            began_at: form.began_at,
            text: form.text,
            credentials: wanted.collect(),
            choices: form.choices,
        }
    }
}

/// What turns of this person ask for; for the host, those of anybody.
#[utoipa::path(get, path = "/agent/forms", tag = "turns",
    responses((status = 200, body = Vec<OpenForm>), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn list(State(house): State<Arc<House>>, who: Who) -> Result<Json<Vec<OpenForm>>, Refusal> {
    blocking(move || house.open_forms(&who)).await.map(Json)
}

/// Answer what a turn asks for; the turn goes on with it, at the step where it stopped.
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
    let started = match filled.text {
        Some(text) if text.trim().is_empty() || text.len() > TEXT_MAX => {
            return Err(Failure::wrong_args(format!("an answer has 1 to {TEXT_MAX} bytes")).into());
        }
        Some(text) => house.reply(&who, &id, text).await?,
        None => house.go_on(&who, &id).await?,
    };
    told(&house, &who, started, false).await
}

impl House {
    /// What turns of this person ask for; for the host, those of anybody.
    fn open_forms(&self, who: &Who) -> Result<Vec<OpenForm>, Failure> {
        let person = (!who.is_host()).then_some(who.person.id.as_str());
        Ok(self.gateway.forms(person)?.into_iter().map(OpenForm::from).collect())
    }
}
