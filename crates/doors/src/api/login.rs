//! Coming in and going out with a browser.

use super::refusal::Problem;
use super::turns::blocking;
use super::{Knock, Refusal};
use crate::house::House;
use crate::who::{Who, cookie_name, csrf_of};
use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::people::Person;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// How long a session lasts, in seconds.
const WEEK: u32 = 7 * 24 * 3600;

/// The one-use token of a login link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ticket {
    token: String,
    /// Yes: also where somebody else is logged in in this browser.
    #[serde(default)]
    switch: bool,
}

/// Who is logged in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The id of the person.
    id: String,
    /// Their name.
    name: String,
    /// `host`, `member` or `guest`.
    role: String,
    /// Over which channel.
    channel: String,
    /// Their language, if they chose one.
    language: Option<String>,
    /// Their zone, if they chose one.
    zone: Option<String>,
    /// What pages of this session send along as `X-CSRF`.
    csrf: Option<String>,
}

impl Me {
    fn new(person: &Person, channel: &str, csrf: Option<String>) -> Self {
        Self {
            id: person.id.clone(),
            name: person.name.clone(),
            role: person.role.as_str().to_owned(),
            channel: channel.to_owned(),
            language: person.language.clone(),
            zone: person.zone.clone(),
            csrf,
        }
    }
}

fn cookie(house: &House, value: &str, age: u32) -> String {
    let secure = if house.secure { "; Secure" } else { "" };
    let name = cookie_name(house);
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}

/// Exchange the one-use token of a login link for a session.
#[utoipa::path(post, path = "/login", tag = "people", request_body = Ticket,
    responses((status = 200, body = Me), (status = "4XX", body = Problem)))]
pub(crate) async fn login(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Knock(ticket): Knock<Ticket>,
) -> Result<Response, Refusal> {
    let agent = headers.get("user-agent").and_then(|value| value.to_str().ok()).unwrap_or("a browser");
    let label: String = agent.chars().filter(|c| !c.is_control()).take(64).collect();
    let shared = Arc::clone(&house);
    let entered = blocking(move || {
        // A link that somebody else sent must not put this browser into their house by itself.
        if !ticket.switch
            && let Some(here) = shared.logged_in(&headers)?
            && let Some(next) =
                shared.runtime().login_for(&ticket.token)?.filter(|next| next.id != here.person.id)
        {
            let speech = shared.words.speak(here.person.language.as_deref());
            let names = [("here", here.person.name.as_str()), ("next", next.name.as_str())];
            return Err(Failure::new(ErrorClass::Conflict, speech.say("login-other", &names)));
        }
        shared.tries.listen(|| match shared.runtime().exchange_login(&ticket.token, &label) {
            Ok(entered) => Ok(Some(entered)),
            Err(failure) if failure.class == ErrorClass::Internal => Err(failure),
            Err(_) => Ok(None),
        })
    })
    .await?;
    let Some((person, secret)) = entered else {
        return Err(Failure::new(
            ErrorClass::Unauthorized,
            "this link was used, is too old, or is none of ours",
        )
        .with_hint("metnos login-link makes another one")
        .into());
    };
    let me = Me::new(&person, "web", Some(csrf_of(&secret)));
    Ok(([(SET_COOKIE, cookie(&house, &secret, WEEK))], Json(me)).into_response())
}

/// End this session.
#[utoipa::path(post, path = "/logout", tag = "people",
    responses((status = 204, description = "It has ended"), (status = "4XX", body = Problem)), security(("session" = [])))]
pub(crate) async fn logout(State(house): State<Arc<House>>, who: Who) -> Result<Response, Refusal> {
    if who.csrf.is_none() {
        return Err(Failure::wrong_args("only a browser logs out; a program has a token")
            .with_hint("metnos devices revoke ID ends it")
            .into());
    }
    let shared = Arc::clone(&house);
    blocking(move || {
        shared.runtime().revoke_token(&who.token, &who.caller())?;
        shared.end_session(&who)
    })
    .await?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie(&house, "", 0))]).into_response())
}

/// Who is logged in.
#[utoipa::path(get, path = "/agent/me", tag = "people",
    responses((status = 200, body = Me), (status = "4XX", body = Problem)), security(("token" = []), ("session" = [])))]
pub(crate) async fn me(who: Who) -> Json<Me> {
    Json(Me::new(&who.person, who.channel, who.csrf.clone()))
}
