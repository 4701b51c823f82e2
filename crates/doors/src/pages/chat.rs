//! The chat, and the way in.

use super::Shell;
use super::shell::html;
use crate::api::Refusal;
use crate::house::House;
use crate::who::Who;
use crate::words::Speech;
use askama::Template;
use axum::extract::State;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "chat.html")]
struct Chat {
    shell: Shell,
}

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    speech: Speech,
}

#[derive(Template)]
#[template(path = "nowhere.html")]
struct Nowhere {
    speech: Speech,
}

/// The page of an address that leads nowhere.
pub(crate) fn nowhere(speech: Speech) -> Response {
    let mut response = html(&Nowhere { speech });
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The chat; whoever is not logged in is shown the way in.
pub(crate) async fn chat(State(house): State<Arc<House>>, who: Result<Who, Refusal>) -> Response {
    match who {
        Ok(who) => html(&Chat { shell: Shell::new(&house, &who, "chat") }),
        Err(_) => Redirect::to("/login").into_response(),
    }
}

/// The way in: the link carries a token in the part that browsers never send; the page's script exchanges it.
pub(crate) async fn login(State(house): State<Arc<House>>, headers: HeaderMap) -> Response {
    let language = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    html(&Login { speech: house.words.speak(language) })
}
