//! What nothing could do.

use super::{For, ROWS, Visit};
use crate::api::Refusal;
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    before: Option<String>,
}

#[derive(Clone, Serialize)]
struct Row {
    turn: String,
    request: String,
    words: String,
    at: String,
}

#[derive(Clone, Serialize)]
struct View {
    gaps: Vec<Row>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "admin/gaps.html")]
struct Page {
    shell: Shell,
    view: View,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    who: Result<Who, Refusal>,
    headers: HeaderMap,
    Query(wanted): Query<Wanted>,
) -> Response {
    let visit = Visit { house, who, headers, page: "gaps", open: For::Host };
    let look = move |house: &House, _: &Who| look(house, wanted.before.as_deref());
    visit.show(look, |shell, view| Page { shell, view }).await
}

fn look(house: &House, before: Option<&str>) -> Result<View, Failure> {
    let found = house.runtime().db().gaps_before(before, ROWS + 1);
    let found = found.map_err(|e| Failure::internal(e.to_string()))?;
    let more = found.len() > ROWS as usize;
    let row = |gap: metnos_memory::db::Gap| Row {
        turn: gap.turn,
        request: gap.request,
        words: gap.words,
        at: gap.at,
    };
    let gaps: Vec<Row> = found.into_iter().take(ROWS as usize).map(row).collect();
    Ok(View { next: gaps.last().filter(|_| more).map(|gap| gap.turn.clone()), gaps })
}
