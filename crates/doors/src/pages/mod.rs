//! The pages: rendered here, with a little script of our own; nothing from elsewhere.

mod admin;
mod assets;
mod chat;
mod plot;
pub(crate) mod shell;

use crate::house::House;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

pub(crate) use chat::nowhere;
pub(crate) use shell::Shell;

/// Every page and what it needs.
pub(crate) fn router() -> Router<Arc<House>> {
    Router::new()
        .route("/", get(chat::chat))
        .route("/login", get(chat::login))
        .route("/assets/{name}", get(assets::asset))
        .merge(admin::router())
}
