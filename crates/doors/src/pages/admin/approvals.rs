//! What waits for a yes.

use super::{For, Visit};
use crate::answer::Card;
use crate::api::Refusal;
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

/// How many cards are shown; the rest comes when these are answered.
const MOST: usize = 50;

#[derive(Clone, Serialize)]
struct View {
    approvals: Vec<Card>,
    count: usize,
}

#[derive(Template)]
#[template(path = "admin/approvals.html")]
struct Page {
    shell: Shell,
    view: View,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    who: Result<Who, Refusal>,
    headers: HeaderMap,
) -> Response {
    let visit = Visit { house, who, headers, page: "approvals", open: For::Everybody };
    let look = |house: &House, who: &Who| {
        let mut approvals = house.waiting(who)?;
        let count = approvals.len();
        approvals.truncate(MOST);
        Ok(View { approvals, count })
    };
    visit.show(look, |shell, view| Page { shell, view }).await
}
