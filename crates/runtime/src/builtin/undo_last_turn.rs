//! `undo_last_turn`: takes back the latest change of whoever asks, as `metnos undo` does.

use super::{Builtin, Plan, Report, Wish};
use crate::call::turn_of;
use crate::runtime::Runtime;
use crate::text::bounded;
use crate::undo::{NAME, Outcome as Undone};
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_undo::Purpose;
use serde_json::{Value, json};

/// Letters of the request that are told.
const SHOWN: usize = 120;

pub(super) const BUILTIN: Builtin = Builtin {
    name: NAME,
    schema: include_str!("undo_last_turn.json"),
    description,
    changes: false,
    needs: None,
    list: false,
    plan,
};

fn description() -> Value {
    json!({
        "en": { "scope": "Take back the latest change that you made through Metnos.",
            "pattern": "undo_last_turn()", "not": "An older one: metnos undo --list.",
            "out": "results=[{turn,executor,reversed,conflicts}]" },
        "it": { "scope": "Annulla l'ultima modifica che hai fatto con Metnos.",
            "pattern": "undo_last_turn()", "not": "Una più vecchia: metnos undo --list.",
            "out": "results=[{turn,executor,reversed,conflicts}]" },
    })
}

fn plan(_runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let (caller, lang) = (wish.caller.to_owned(), wish.lang.to_owned());
    // Undo writes its own lines, between which it acts; this one only says that it was asked for.
    Ok(Plan::look("system:undo", move |work| {
        let mut outcome = Outcome::default();
        let Some(undone) = work.runtime.undo(&caller, None, Purpose::Undo)? else {
            outcome.fields.insert("text".into(), work.runtime.say(&lang, "nothing_to_undo", &[]).into());
            return Report::of(outcome, ListName::Results, &[]);
        };
        outcome.ok_count = undone.reversed;
        outcome.fields.insert("summary".into(), said(work.runtime, &undone, &lang).into());
        for (index, conflict) in undone.conflicts.iter().enumerate() {
            outcome.fail(index as u64, conflict.path.clone(), ErrorClass::Conflict, conflict.why.clone());
        }
        let record = json!({ "turn": undone.turn.id, "executor": undone.turn.executor,
            "reversed": undone.reversed, "conflicts": undone.conflicts.len(), "voided": undone.voided, "_origin": Origin::Local.as_str() });
        Report::of(outcome, ListName::Results, &[record])
    }))
}

/// What was taken back, as it was asked for.
fn said(runtime: &Runtime, undone: &Undone, lang: &str) -> String {
    let turn = turn_of(&undone.turn.id).and_then(|turn| runtime.db().turn(turn).ok().flatten());
    let what = turn.map_or_else(|| undone.turn.executor.clone(), |turn| turn.request);
    let (reversed, all) = (undone.reversed, undone.reversed + undone.conflicts.len() as u64);
    // Never "taken back" for what was not.
    let key = match (reversed, undone.conflicts.is_empty()) {
        (_, true) => "undone",
        (0, false) => "not_undone",
        (_, false) => "partly_undone",
    };
    let (reversed, all) = (reversed.to_string(), all.to_string());
    let values = [("what", bounded(&what, SHOWN)), ("reversed", reversed), ("all", all)];
    let mut text = runtime.say(lang, key, &values.each_ref().map(|(name, value)| (*name, value.as_str())));
    if undone.voided > 0 {
        let voided = runtime.say(lang, "voided", &[("count", &undone.voided.to_string())]);
        text = format!("{text}\n{voided}");
    }
    text
}
