//! The pages about the house. Each is one file and one template, and answers JSON to a program. The host sees
//! everything; anybody else sees what is theirs.

mod approvals;
mod executors;
mod gaps;
mod models;
mod overview;
mod people;
mod plans;
mod safety;
mod system;
mod turn;
mod turns;
mod undo;

use super::shell::{Shell, either, html, wants_json};
use crate::api::Refusal;
use crate::house::House;
use crate::who::Who;
use askama::Template;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use metnos_executor::{ErrorClass, Failure};
use serde::Serialize;
use std::sync::Arc;

/// How many rows a page of a list has.
const ROWS: u32 = 50;

/// Every page about the house, and what its buttons do.
pub(super) fn router() -> Router<Arc<House>> {
    Router::new()
        .route("/admin", get(|| async { Redirect::permanent("/admin/") }))
        .route("/admin/", get(overview::page))
        .route("/admin/turns", get(turns::page))
        .route("/admin/turns/{id}", get(turn::page))
        .route("/admin/turns/{id}/replay", post(turn::replay))
        .route("/admin/executors", get(executors::page))
        .route("/admin/executors/{name}", get(executors::one))
        .route("/admin/plans", get(plans::page))
        .route("/admin/plans/{id}", post(plans::judge))
        .route("/admin/safety", get(safety::page))
        .route("/admin/safety/revoke", post(safety::revoke))
        .route("/admin/safety/verify", post(safety::verify))
        .route("/admin/approvals", get(approvals::page))
        .route("/admin/people", get(people::page))
        .route("/admin/people/me", post(people::me))
        .route("/admin/people/admit", post(people::admit))
        .route("/admin/people/revoke", post(people::revoke))
        .route("/admin/people/unpair", post(people::unpair))
        .route("/admin/people/token", post(people::token))
        .route("/admin/models", get(models::page))
        .route("/admin/gaps", get(gaps::page))
        .route("/admin/undo", get(undo::page))
        .route("/admin/undo/{id}", post(undo::take_back))
        .route("/admin/system", get(system::page))
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Host,
    Everybody,
}

/// What somebody asked to see.
struct Visit {
    house: Arc<House>,
    who: Result<Who, Refusal>,
    headers: HeaderMap,
    page: &'static str,
    open: For,
}

impl Visit {
    /// Shows a page, or says why not, in the form that was asked for.
    async fn show<V, P>(
        self,
        look: impl FnOnce(&House, &Who) -> Result<V, Failure> + Send + 'static,
        draw: impl FnOnce(Shell, V) -> P,
    ) -> Response
    where
        V: Serialize + Clone + Send + 'static,
        P: Template,
    {
        let Self { house, who, headers, page, open } = self;
        let who = match who {
            Ok(who) => who,
            Err(refusal) if wants_json(&headers) || refusal.status() != StatusCode::UNAUTHORIZED => {
                return refusal.into_response();
            }
            Err(_) => return Redirect::to("/login").into_response(),
        };
        let shell = Shell::new(&house, &who, page);
        let looked = if open == For::Host && !who.is_host() {
            Err(Failure::new(ErrorClass::Forbidden, shell.t("host-only")).with_hint(shell.t("host-only-how")))
        } else {
            let looked = tokio::task::spawn_blocking(move || look(&house, &who)).await;
            looked.unwrap_or_else(|_| Err(Failure::internal("this could not be looked up")))
        };
        match looked {
            Ok(view) => either(&headers, &view.clone(), &draw(shell, view)),
            Err(failure) if wants_json(&headers) => Refusal::from(failure).into_response(),
            Err(failure) => {
                let status = Refusal::from(failure.clone()).status();
                let mut response = html(&Plain { shell, text: failure.message, hint: failure.hint });
                *response.status_mut() = status;
                response
            }
        }
    }
}

/// The person of a caller.
fn person_of(caller: &str) -> &str {
    caller.split('/').next().unwrap_or(caller)
}
