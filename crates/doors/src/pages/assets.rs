//! Styles, scripts and pictures of the pages, part of the program.

use crate::shield::nothing;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name, kind, content.
const ASSETS: &[(&str, &str, &[u8])] = &[
    ("metnos.css", "text/css; charset=utf-8", include_bytes!("../../assets/metnos.css")),
    ("admin.js", SCRIPT, include_bytes!("../../assets/admin.js")),
    ("card.js", SCRIPT, include_bytes!("../../assets/card.js")),
    ("chat.js", SCRIPT, include_bytes!("../../assets/chat.js")),
    ("common.js", SCRIPT, include_bytes!("../../assets/common.js")),
    ("credential.js", SCRIPT, include_bytes!("../../assets/credential.js")),
    ("login.js", SCRIPT, include_bytes!("../../assets/login.js")),
    ("models.js", SCRIPT, include_bytes!("../../assets/models.js")),
    ("table.js", SCRIPT, include_bytes!("../../assets/table.js")),
    ("turn.js", SCRIPT, include_bytes!("../../assets/turn.js")),
    ("watch.js", SCRIPT, include_bytes!("../../assets/watch.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../assets/icon.svg")),
];

/// One of them.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => {
            ([(CONTENT_TYPE, *kind), (CACHE_CONTROL, "no-cache")], *bytes).into_response()
        }
        None => nothing(),
    }
}
