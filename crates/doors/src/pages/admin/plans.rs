//! Plans that are kept: what they are for, what they are worth, and buttons to star, reject and forget them.

use super::{For, ROWS, Visit};
use crate::api::{Refusal, Said, blocking};
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    before: Option<i64>,
}

#[derive(Clone, Serialize)]
struct Row {
    id: i64,
    request: String,
    kind: String,
    steps: Vec<String>,
    state: &'static str,
    why: String,
    uses: u32,
    starred: bool,
    last_at: String,
    last_turn: String,
}

#[derive(Clone, Serialize)]
struct View {
    plans: Vec<Row>,
    next: Option<i64>,
}

#[derive(Template)]
#[template(path = "admin/plans.html")]
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
    let visit = Visit { house, who, headers, page: "plans", open: For::Everybody };
    visit.show(move |house, who| look(house, who, wanted.before), |shell, view| Page { shell, view }).await
}

fn look(house: &House, who: &Who, before: Option<i64>) -> Result<View, Failure> {
    let found = house.gateway.plans_before(&who.caller(), before, ROWS + 1)?;
    let more = found.len() > ROWS as usize;
    let row = |listed: metnos_gateway::Listed| Row {
        id: listed.kept.id,
        request: listed.kept.request,
        kind: listed.kept.kind,
        steps: listed.plan.steps.iter().map(|step| step.tool.clone()).collect(),
        state: listed.standing.state,
        why: listed.standing.why,
        uses: listed.kept.uses,
        starred: listed.kept.starred,
        last_at: listed.kept.last_at,
        last_turn: listed.kept.last_turn,
    };
    let plans: Vec<Row> = found.into_iter().take(ROWS as usize).map(row).collect();
    Ok(View { next: plans.last().filter(|_| more).map(|plan| plan.id), plans })
}

/// What becomes of a plan.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Judgement {
    Star,
    Reject,
    Forget,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Judged {
    act: Judgement,
}

pub(super) async fn judge(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<i64>,
    Said(judged): Said<Judged>,
) -> Result<Json<Value>, Refusal> {
    blocking(move || {
        let caller = who.caller();
        match judged.act {
            Judgement::Star => house.gateway.star(&caller, id).map(|_| ()),
            Judgement::Reject => house.gateway.reject(&caller, id).map(|_| ()),
            Judgement::Forget => house.gateway.forget_plans(&caller, Some(id)).map(|_| ()),
        }
    })
    .await?;
    Ok(Json(json!({ "ok": true })))
}
