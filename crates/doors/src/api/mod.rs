//! The API: one file a group of routes. What is described in `/openapi.json` is what is routed here.

mod approvals;
mod arriving;
mod body;
mod credentials;
mod feedback;
mod files;
mod forms;
mod health;
pub(crate) mod hooks;
mod login;
mod offers;
mod refusal;
mod turns;
mod undo;
mod v1;

pub(crate) use body::{Knock, Said};
pub use forms::OpenForm;
pub(crate) use health::resident;
pub(crate) use refusal::{Refusal, told_in};
pub(crate) use turns::blocking;
pub use turns::{Rows, TurnListed, TurnRequest};

use crate::house::House;
use crate::{pages, shield};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Described;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The API, before its routes are added.
#[derive(OpenApi)]
#[openapi(info(
    title = "Metnos",
    description = "One mind, several doors: ask, watch, decide, undo. Every change passes the same guards as at the terminal."
))]
struct Api;

fn routed() -> (Router<Arc<House>>, Described) {
    let (router, mut api) = OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(turns::ask))
        .routes(routes!(turns::submit))
        .routes(routes!(turns::list))
        .routes(routes!(turns::one))
        .routes(routes!(turns::entries))
        .routes(routes!(turns::steps))
        .routes(routes!(files::file))
        .routes(routes!(turns::stream))
        .routes(routes!(turns::cancel))
        .routes(routes!(feedback::feedback))
        .routes(routes!(feedback::undo))
        .routes(routes!(undo::back, undo::list))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::decide))
        .routes(routes!(forms::list))
        .routes(routes!(forms::answer))
        .routes(routes!(offers::choose))
        .routes(routes!(credentials::keep))
        .routes(routes!(login::login))
        .routes(routes!(login::logout))
        .routes(routes!(login::me))
        .routes(routes!(health::healthz))
        .routes(routes!(health::metrics))
        .routes(routes!(hooks::fire))
        .routes(routes!(v1::models))
        .routes(routes!(v1::chat))
        .split_for_parts();
    let schemes = api.components.get_or_insert_default();
    schemes.add_security_scheme(
        "token",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build()),
    );
    schemes.add_security_scheme(
        "session",
        SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(crate::who::COOKIE_NAME))),
    );
    (router, api)
}

/// Everything that is served.
pub(crate) fn router(house: &Arc<House>) -> Router {
    let (routes, api) = routed();
    let api = Arc::new(serde_json::to_string(&api).unwrap_or_default());
    routes
        .route("/openapi.json", get(move || health::openapi(Arc::clone(&api))))
        .merge(pages::router())
        .fallback(shield::nowhere)
        .method_not_allowed_fallback(shield::nowhere_so)
        .layer(from_fn_with_state(Arc::clone(house), shield::shield))
        .with_state(Arc::clone(house))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_says_what_it_is_for() {
        for (path, item) in routed().1.paths.paths {
            for operation in [item.get, item.post, item.put, item.delete].into_iter().flatten() {
                assert!(operation.summary.is_some_and(|text| !text.is_empty()), "{path} has no summary");
            }
        }
    }
}
