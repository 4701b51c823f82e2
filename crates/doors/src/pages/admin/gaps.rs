//! What nothing could do.

use super::{AdminPage, Before, For, ROWS, paged};
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::extract::Query;
use metnos_executor::Failure;
use serde::Serialize;

#[derive(Clone, Serialize)]
struct Row {
    turn: String,
    request: String,
    words: String,
    at: String,
}

#[derive(Serialize)]
pub(super) struct View {
    gaps: Vec<Row>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "admin/gaps.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "gaps";
    const FOR: For = For::Host;
    type Asked = Query<Before<String>>;
    type View = View;

    fn look(house: &House, _: &Who, Query(wanted): Self::Asked) -> Result<View, Failure> {
        let found =
            house.runtime().db().gaps_before(wanted.before.as_deref(), ROWS + 1).map_err(super::broken)?;
        let row = |gap: metnos_memory::db::Gap| Row {
            turn: gap.turn,
            request: gap.request,
            words: gap.words,
            at: gap.at,
        };
        let (gaps, next) = paged(found, row, |gap| gap.turn.clone());
        Ok(View { gaps, next })
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}
