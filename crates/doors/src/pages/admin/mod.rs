//! The pages about the house. Each is one file and one template, and answers JSON to a program. The host sees
//! everything; anybody else sees what is theirs.

mod approvals;
mod executors;
mod gaps;
mod models;
mod models_setup;
mod overview;
mod people;
mod plans;
mod safety;
mod system;
mod turn;
mod turns;
mod undo;

use super::shell::{Shell, html, wants_json};
use crate::api::{Refusal, blocking};
use crate::house::House;
use crate::who::Who;
use askama::Template;
use axum::extract::{FromRequestParts, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use metnos_executor::{ErrorClass, Failure};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many rows a page of a list has.
const ROWS: u32 = 50;

/// Every page about the house, and what its buttons do.
pub(super) fn router() -> Router<Arc<House>> {
    Router::new()
        .route("/admin", get(|| async { Redirect::permanent("/admin/") }))
        .route("/admin/", get(shown::<overview::Page>))
        .route("/admin/turns", get(shown::<turns::Page>))
        .route("/admin/turns/{id}", get(shown::<turn::Page>))
        .route("/admin/turns/{id}/replay", post(turn::replay))
        .route("/admin/executors", get(shown::<executors::Page>))
        .route("/admin/executors/{name}", get(shown::<executors::OnePage>))
        .route("/admin/plans", get(shown::<plans::Page>))
        .route("/admin/plans/{id}", post(plans::judge))
        .route("/admin/safety", get(shown::<safety::Page>))
        .route("/admin/safety/revoke", post(safety::revoke))
        .route("/admin/safety/verify", post(safety::verify))
        .route("/admin/approvals", get(shown::<approvals::Page>))
        .route("/admin/people", get(shown::<people::Page>))
        .route("/admin/people/me", post(people::me))
        .route("/admin/people/admit", post(people::admit))
        .route("/admin/people/revoke", post(people::revoke))
        .route("/admin/people/unpair", post(people::unpair))
        .route("/admin/people/token", post(people::token))
        .route("/admin/models", get(shown::<models::Page>))
        .route("/admin/models/look", post(models_setup::look))
        .route("/admin/models/try", post(models_setup::attempt))
        .route("/admin/models/bind", post(models_setup::bind))
        .route("/admin/gaps", get(shown::<gaps::Page>))
        .route("/admin/undo", get(shown::<undo::Page>))
        .route("/admin/undo/{id}", post(undo::take_back))
        .route("/admin/system", get(shown::<system::Page>))
        .route("/admin/system/doctor", post(system::doctor))
        .route("/admin/system/stop", post(system::stop))
        .route("/admin/system/resume", post(system::resume))
}

/// What a button is told.
#[derive(Serialize)]
struct Done {
    /// In words.
    text: String,
    /// True when the page is to be left as it is.
    stay: bool,
}

/// A page that says one thing.
#[derive(Template)]
#[template(path = "admin/plain.html")]
struct Plain {
    shell: Shell,
    text: String,
    hint: Option<String>,
}

/// Who a page is for.
#[derive(Clone, Copy)]
enum For {
    Everybody,
    Host,
    /// The host; in a browser, others are led to another page.
    HostOr(&'static str),
}

/// A page about the house.
trait AdminPage: Template + Sized {
    /// The key of its title and of its entry in the menu.
    const NAME: &'static str;
    const FOR: For;
    /// What it reads from its address: nothing, a path, a query.
    type Asked: FromRequestParts<Arc<House>> + Send + 'static;
    /// What is on it, as a program reads it.
    type View: Serialize + Send + 'static;

    fn look(house: &House, who: &Who, asked: Self::Asked) -> Result<Self::View, Failure>;

    fn draw(shell: Shell, view: Self::View) -> Self;
}

/// Shows a page, or says why not, in the form that was asked for.
async fn shown<P: AdminPage>(
    State(house): State<Arc<House>>,
    who: Result<Who, Refusal>,
    asked: P::Asked,
    headers: HeaderMap,
) -> Response {
    let json = wants_json(&headers);
    let who = match who {
        Ok(who) => who,
        Err(refusal) if json || refusal.status() != StatusCode::UNAUTHORIZED => {
            return refusal.into_response();
        }
        Err(_) => return Redirect::to("/login").into_response(),
    };
    let shell = Shell::new(&house, &who, P::NAME);
    let looked = match P::FOR {
        For::HostOr(instead) if !who.is_host() && !json => return Redirect::to(instead).into_response(),
        For::Host | For::HostOr(_) if !who.is_host() => {
            Err(Failure::new(ErrorClass::Forbidden, shell.t("host-only")).with_hint(shell.t("host-only-how")))
        }
        _ => {
            let looked = tokio::task::spawn_blocking(move || P::look(&house, &who, asked)).await;
            looked.unwrap_or_else(|_| Err(Failure::internal("this could not be looked up")))
        }
    };
    match looked {
        Ok(view) if json => Json(view).into_response(),
        Ok(view) => html(&P::draw(shell, view)),
        Err(failure) if json => Refusal::from(failure).into_response(),
        Err(failure) => {
            let status = Refusal::from(failure.clone()).status();
            let failure = failure.in_language(shell.speech.language());
            let mut response = html(&Plain { shell, text: failure.message, hint: failure.hint });
            *response.status_mut() = status;
            response
        }
    }
}

/// Does what a button says; its page is then drawn again.
async fn acted<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<Json<Done>, Refusal> {
    blocking(act).await?;
    Ok(Json(Done { text: String::new(), stay: false }))
}

/// What a list goes on before.
#[derive(Clone, Debug, Deserialize)]
struct Before<K> {
    before: Option<K>,
}

/// One page of what was found (which is one more than a page, if there is more), and what the next goes on before.
fn paged<T, R, K>(found: Vec<T>, row: impl FnMut(T) -> R, key: impl Fn(&R) -> K) -> (Vec<R>, Option<K>) {
    let more = found.len() > ROWS as usize;
    let rows: Vec<R> = found.into_iter().take(ROWS as usize).map(row).collect();
    let next = rows.last().filter(|_| more).map(key);
    (rows, next)
}

/// What is kept, in bytes.
fn sizes(house: &House) -> Vec<(&'static str, u64)> {
    let kept = house.runtime().kept_sizes();
    vec![
        ("turns", kept.turns),
        ("undo", kept.undo),
        ("logs", kept.logs),
        ("database", kept.database),
        ("audit", kept.audit),
    ]
}

/// A store that could not be read.
fn broken(error: metnos_memory::Error) -> Failure {
    Failure::internal(error.to_string())
}
