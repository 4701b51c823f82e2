//! Styles, scripts and pictures of the pages, part of the program.

use crate::shield::nowhere;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

/// Name, kind, content.
const ASSETS: &[(&str, &str, &[u8])] = &[
    ("metnos.css", "text/css; charset=utf-8", include_bytes!("../../assets/metnos.css")),
    ("chat.js", "text/javascript; charset=utf-8", include_bytes!("../../assets/chat.js")),
    ("login.js", "text/javascript; charset=utf-8", include_bytes!("../../assets/login.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../assets/icon.svg")),
];

/// One of them.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => {
            ([(CONTENT_TYPE, *kind), (CACHE_CONTROL, "no-cache")], *bytes).into_response()
        }
        None => nowhere().await,
    }
}
