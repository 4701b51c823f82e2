//! What was asked, page by page.

use super::overview::milliseconds;
use super::{AdminPage, For, ROWS, paged};
use crate::house::House;
use crate::pages::Shell;
use crate::who::{Who, person_of};
use askama::Template;
use axum::extract::Query;
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};

/// Every way a turn can stand.
const STATUSES: [&str; 11] = [
    "running",
    "waits",
    "asks",
    "done",
    "partly",
    "failed",
    "cancelled",
    "unclear",
    "gap",
    "dormant",
    "interrupted",
];

/// Which turns.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    before: Option<String>,
    status: Option<String>,
    person: Option<String>,
}

#[derive(Clone, Serialize)]
struct Row {
    turn: String,
    person: String,
    channel: String,
    request: String,
    began_at: String,
    status: String,
    stage: Option<String>,
    ms: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct View {
    turns: Vec<Row>,
    /// The id to go on before, if there is more.
    next: Option<String>,
    status: String,
    person: String,
    #[serde(skip)]
    people: Vec<(String, String)>,
    #[serde(skip)]
    first: bool,
}

#[derive(Template)]
#[template(path = "admin/turns.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
    statuses: [&'static str; 11],
}

impl AdminPage for Page {
    const NAME: &'static str = "turns";
    const FOR: For = For::Everybody;
    type Asked = Query<Wanted>;
    type View = View;

    fn look(house: &House, who: &Who, Query(wanted): Self::Asked) -> Result<View, Failure> {
        look(house, who, wanted)
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view, statuses: STATUSES }
    }
}

fn look(house: &House, who: &Who, wanted: Wanted) -> Result<View, Failure> {
    let said = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (before, status) = (said(wanted.before), said(wanted.status));
    let person = if who.is_host() { said(wanted.person) } else { Some(who.person.id.clone()) };
    let fits = |person: &String| person.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if person.as_ref().is_some_and(|person| !fits(person)) {
        return Err(Failure::wrong_args("the id of a person is small letters, digits and -"));
    }
    if status.as_ref().is_some_and(|status| !STATUSES.contains(&status.as_str())) {
        return Err(Failure::wrong_args("no turn stands like this")
            .with_hint(format!("status is one of {}", STATUSES.join(", "))));
    }
    let found = house
        .runtime()
        .db()
        .turns_like(person.as_deref(), before.as_deref(), status.as_deref(), ROWS + 1)
        .map_err(super::broken)?;
    let row = |turn: metnos_memory::db::Turn| Row {
        person: person_of(&turn.caller).to_owned(),
        channel: turn.caller.split_once('/').map(|(_, channel)| channel.to_owned()).unwrap_or_default(),
        turn: turn.id,
        request: turn.request,
        began_at: turn.began_at,
        status: turn.status.unwrap_or_else(|| "running".into()),
        stage: turn.stage,
        ms: turn.phases.as_deref().map(milliseconds),
    };
    let (turns, next) = paged(found, row, |row| row.turn.clone());
    let people = match who.is_host() {
        true => house.runtime().people()?.into_iter().map(|person| (person.id, person.name)).collect(),
        false => Vec::new(),
    };
    Ok(View {
        turns,
        next,
        status: status.unwrap_or_default(),
        person: person.unwrap_or_default(),
        people,
        first: before.is_none(),
    })
}
