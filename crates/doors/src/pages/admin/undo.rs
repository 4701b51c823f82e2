//! What was changed, and what of it can be taken back.

use super::{AdminPage, Before, Done, For, ROWS};
use crate::api::{Refusal, blocking};
use crate::house::House;
use crate::pages::Shell;
use crate::who::{Who, person_of};
use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, State};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::Purpose;
use metnos_runtime::call::turn_of;
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Serialize)]
struct Row {
    id: String,
    turn: Option<String>,
    /// What was asked for, where a turn is known.
    request: Option<String>,
    at: Option<String>,
    person: String,
    executor: String,
    state: &'static str,
    operations: u64,
    /// What is kept so that it can be taken back; none once that has happened.
    kept_bytes: Option<u64>,
    freed: Option<String>,
    damage: Option<String>,
    can: bool,
}

#[derive(Serialize)]
pub(super) struct View {
    changes: Vec<Row>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "admin/undo.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "undo";
    const FOR: For = For::Everybody;
    type Asked = Query<Before<String>>;
    type View = View;

    fn look(house: &House, who: &Who, Query(wanted): Self::Asked) -> Result<View, Failure> {
        look(house, who, wanted.before.as_deref())
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House, who: &Who, before: Option<&str>) -> Result<View, Failure> {
    let (found, next) = house.runtime().turns_before(&who.caller(), before, ROWS as usize)?;
    let row = |change: metnos_runtime::undo::Turn| {
        Ok(Row {
            request: house.runtime().request_of(&change.id)?,
            turn: turn_of(&change.id).map(str::to_owned),
            at: change.at.map(|at| at.to_string()),
            person: person_of(&change.user).to_owned(),
            executor: change.executor,
            state: change.state,
            operations: change.operations,
            kept_bytes: keeps(change.state).then_some(change.kept_bytes),
            freed: change.freed.map(|at| at.to_string()),
            damage: change.damage,
            can: matches!(change.state, "done" | "undoing" | "partly_undone") && change.operations > 0,
            id: change.id,
        })
    };
    Ok(View { changes: found.into_iter().map(row).collect::<Result<_, Failure>>()?, next })
}

/// Whether something is kept for a change in this state.
fn keeps(state: &str) -> bool {
    !matches!(state, "undone" | "rolled_back" | "freed" | "permanent")
}

pub(super) async fn take_back(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
) -> Result<Json<Done>, Refusal> {
    let speech = house.words.speak(who.person.language.as_deref());
    let outcome =
        blocking(move || house.runtime().undo(&who.caller(), Some(&id), Purpose::Undo, &mut |_| false))
            .await?;
    let outcome = outcome
        .ok_or_else(|| Failure::new(ErrorClass::Conflict, "there is nothing left of it to be taken back"))?;
    let mut text = speech.say("undone", &[("n", &outcome.reversed.to_string())]);
    for conflict in &outcome.conflicts {
        text.push_str(&format!("\n{}: {}", conflict.path, conflict.why));
    }
    // What was left as it is must be read before the page is drawn again.
    Ok(Json(Done { text, stay: !outcome.conflicts.is_empty() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_keeps_nothing() {
        assert!(keeps("done") && keeps("undoing") && keeps("damaged"));
        assert!(!keeps("undone") && !keeps("rolled_back") && !keeps("freed"));
    }
}
