//! Plans that are kept: what they are for, what they are worth, and buttons to star, reject and forget them.

use super::{AdminPage, Before, Done, For, ROWS, acted, paged};
use crate::api::{Refusal, Said};
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, State};
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

#[derive(Serialize)]
pub(super) struct View {
    plans: Vec<Row>,
    next: Option<i64>,
}

#[derive(Template)]
#[template(path = "admin/plans.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "plans";
    const FOR: For = For::Everybody;
    type Asked = Query<Before<i64>>;
    type View = View;

    fn look(house: &House, who: &Who, Query(wanted): Self::Asked) -> Result<View, Failure> {
        let found = house.gateway.plans_before(&who.caller(), wanted.before, ROWS + 1)?;
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
        let (plans, next) = paged(found, row, |plan| plan.id);
        Ok(View { plans, next })
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
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
) -> Result<Json<Done>, Refusal> {
    acted(move || {
        let caller = who.caller();
        match judged.act {
            Judgement::Star => house.gateway.star(&caller, id).map(|_| ()),
            Judgement::Reject => house.gateway.reject(&caller, id).map(|_| ()),
            Judgement::Forget => house.gateway.forget_plans(&caller, Some(id)).map(|_| ()),
        }
    })
    .await
}
