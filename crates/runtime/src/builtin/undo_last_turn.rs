//! `undo_last_turn`: takes back the latest change of whoever asks, as `metnos undo` does.

use super::{Builtin, Plan, Report, Wish};
use crate::call::turn_of;
use crate::runtime::Runtime;
use crate::text::bounded;
use crate::undo::{NAME, Outcome as Undone, Turn as Change, Waits};
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_undo::Purpose;
use serde_json::json;

/// Letters of the request that are told.
const SHOWN: usize = 120;
/// Letters that two forms of a word share at least, and letters in which they differ at most.
const STEM: usize = 4;
const ENDING: usize = 5;

pub(super) const BUILTIN: Builtin = Builtin {
    name: NAME,
    schema: include_str!("undo_last_turn.json"),
    pattern: "undo_last_turn()",
    out: "results=[{turn,executor,reversed,conflicts}]",
    changes: false,
    needs: None,
    list: false,
    plan,
};

fn plan(_runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let (caller, lang, about) = (wish.caller.to_owned(), wish.lang.to_owned(), wish.text("about").to_owned());
    // Undo writes its own lines, between which it acts; this one only says that it was asked for.
    Ok(Plan::look("system:undo", move |work| {
        let mut outcome = Outcome::default();
        let (runtime, mut told) = (work.runtime, false);
        let mut go_on = |waits: &Waits| {
            if !std::mem::replace(&mut told, true) {
                work.door.says(&runtime.waits_for(&lang, waits));
            }
            !work.door.cancelled()
        };
        runtime.wait_for_changes(&caller, None, &mut go_on)?;
        let last = runtime.last_change(&caller)?;
        if let Some(last) = last.as_ref().filter(|_| !about.is_empty()) {
            is_meant(work.runtime, last, &about, &lang)?;
        }
        // The one that was looked at, even if another came meanwhile.
        let id = last.as_ref().map(|last| turn_of(&last.id).unwrap_or(&last.id));
        let undone =
            id.map(|id| runtime.undo(&caller, Some(id), Purpose::Undo, &mut go_on)).transpose()?.flatten();
        let Some(undone) = undone else {
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

/// Refuses to take back a change that the words of the request do not name.
fn is_meant(runtime: &Runtime, last: &Change, about: &str, lang: &str) -> Result<(), Failure> {
    let what = asked_for(runtime, last);
    if is_named(about, &format!("{what} {}", last.executor.replace('_', " "))) {
        return Ok(());
    }
    let values = [("what", bounded(&what, SHOWN)), ("about", bounded(about, SHOWN))];
    let why =
        runtime.say(lang, "undo_other", &values.each_ref().map(|(name, value)| (*name, value.as_str())));
    Err(Failure::new(ErrorClass::Conflict, why).with_hint("metnos undo --list"))
}

/// Whether each of these words is among those of a change, maybe in another form.
fn is_named(about: &str, change: &str) -> bool {
    let known: Vec<String> = change.split_whitespace().map(bare).collect();
    about.split_whitespace().map(bare).all(|word| known.iter().any(|other| is_same(&word, other)))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '~' && c != '/').to_lowercase()
}

/// The same word, or two forms of one: "moved" is "move". Names of files have no other form.
fn is_same(a: &str, b: &str) -> bool {
    let is_plain = |word: &str| word.chars().all(char::is_alphabetic);
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longest = a.chars().count().max(b.chars().count());
    a == b || (is_plain(a) && is_plain(b) && shared >= STEM && longest - shared <= ENDING)
}

/// What a change was asked for with.
fn asked_for(runtime: &Runtime, change: &Change) -> String {
    let turn = turn_of(&change.id).and_then(|turn| runtime.db().turn(turn).ok().flatten());
    turn.map_or_else(|| change.executor.clone(), |turn| turn.request)
}

/// What was taken back, as it was asked for.
fn said(runtime: &Runtime, undone: &Undone, lang: &str) -> String {
    let what = asked_for(runtime, &undone.turn);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_by_the_words_it_was_asked_for_with() {
        let change = "sposta i pdf in ~/Archivio move files";
        for about in ["move", "moved", "spostamento", "pdf", "spostamento ~/Archivio"] {
            assert!(is_named(about, change), "{about}");
        }
        for about in ["deletion", "first", "spostamento ~/Archivio2", "move report.txt", "copy"] {
            assert!(!is_named(about, change), "{about}");
        }
        assert!(!is_named("report.txt", "delete report-old.txt"));
    }
}
