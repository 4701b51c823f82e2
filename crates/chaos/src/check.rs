//! After each fault: is every byte where it should be?

use crate::explain::told_by_journal;
use crate::house::{House, Ran};
use crate::kills::EARLIER;
use crate::tree::Tree;
use serde_json::Value;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A content is nowhere, or an answered change is gone.
    Lost,
    /// A tree that is neither before nor after nor told by the journal.
    Half,
    /// Records, start or audit do not hold.
    Broken,
}

/// One thing that went wrong.
pub(crate) type Wrong = (Class, String);

/// What is known of a case: the tree before and after, when nothing disturbs it.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    pub(crate) before: Tree,
    pub(crate) after: Tree,
    /// The tree before the change that came before, if one did.
    pub(crate) first: Option<Tree>,
}

/// What was disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// The call.
    Exec,
    /// Taking it back.
    Undo,
}

/// Starts Metnos again and looks at everything. `ran` is how the disturbed command ended.
pub(crate) fn check(house: &House, oracle: &Oracle, deed: Deed, call: &str, ran: &Ran) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    if ran.hung {
        wrong.push((Class::Broken, "the disturbed command never ended".into()));
    }
    let mut list = house.run(&["undo", "--list", "--json"]);
    if list.code != Some(0) {
        wrong.push((Class::Broken, format!("the first start: {}", list.told())));
        // What a second start finds is worth knowing too.
        list = house.run(&["undo", "--list", "--json"]);
    }
    let state = match (list.code, list.json()) {
        (Some(0), Some(Value::Array(turns))) => turns.into_iter().find(|turn| turn["turn"] == call),
        _ => {
            wrong.push((Class::Broken, format!("undo --list: {}", list.told())));
            None
        }
    };
    let told = |field: &str| state.as_ref().map_or(Value::Null, |turn| turn[field].clone());
    let (operations, state) = (told("operations"), told("state").as_str().unwrap_or("none").to_owned());
    if matches!(state.as_str(), "damaged" | "open" | "undoing") {
        wrong.push((Class::Broken, format!("the journal says {state} after a start: {}", list.told())));
    }
    match Tree::of(&house.home(), &house.second) {
        Ok(tree) => {
            look(house, oracle, deed, call, ran, &state, &tree, &mut wrong);
            let untouched = tree.differs(&oracle.before, true).is_empty();
            if deed == Deed::Exec && untouched && state == "done" && operations != 0 {
                wrong.push((Class::Broken, format!("done, yet nothing of {operations} operations is there")));
            }
        }
        Err(why) => wrong.push((Class::Broken, why)),
    }
    if let Some(first) = &oracle.first {
        chained(house, first, oracle, &mut wrong);
    }
    audited(house, call, ran, &mut wrong);
    usable(house, &mut wrong);
    wrong
}

#[allow(clippy::too_many_arguments, reason = "one look, taken apart from the start and the audit")]
fn look(
    house: &House,
    oracle: &Oracle,
    deed: Deed,
    call: &str,
    ran: &Ran,
    state: &str,
    tree: &Tree,
    wrong: &mut Vec<Wrong>,
) {
    nothing_lost(oracle, tree, "after the start", wrong);
    for name in tree.strangers() {
        wrong.push((Class::Broken, format!("{name} was left in the tree")));
    }
    let from_before = tree.differs(&oracle.before, true);
    let from_after = tree.differs(&oracle.after, false);
    let is_before = from_before.is_empty();
    let is_after = from_after.is_empty() && !is_before;
    // An answer counts only when it says that all went well.
    let released = ran.json().is_some_and(|answer| match deed {
        Deed::Exec => answer["ok"] == true && answer["fail_count"] == 0,
        Deed::Undo => answer["undone"] == call && answer["conflicts"].as_array().is_some_and(Vec::is_empty),
    });
    match (deed, released) {
        (Deed::Exec, true) if !is_after => {
            wrong.push((Class::Lost, format!("answered, yet not there ({state}): {}", few(&from_after))));
        }
        (Deed::Undo, true) if !is_before => {
            wrong.push((Class::Lost, format!("answered, yet not back ({state}): {}", few(&from_before))));
        }
        (Deed::Exec, _) if is_after && state != "done" => {
            wrong.push((Class::Broken, format!("complete, yet {state}: it cannot be undone")));
        }
        _ => {}
    }
    if !is_before && !is_after {
        let told = match deed {
            Deed::Exec if state == "done" => told_by_journal(house, call, &oracle.before, &oracle.after)
                .map(|told| tree.differs(&told, false)),
            _ => Err(format!("the journal says {state}")),
        };
        match told {
            Ok(differences) if differences.is_empty() => {}
            Ok(differences) => {
                let left = recovered(house, call);
                wrong.push((Class::Half, format!("not as the journal tells: {}{left}", few(&differences))));
            }
            Err(why) => wrong.push((Class::Half, format!("{why}: {}", few(&from_before)))),
        }
    }
    if state == "done" && !is_before {
        undone(house, oracle, call, wrong);
    }
}

/// What a repair of the call left as it was, for whoever looks into it.
fn recovered(house: &House, call: &str) -> String {
    let lines = house.audit().unwrap_or_default();
    let line = lines.iter().rev().find(|line| line["kind"] == "recovery" && line["call_id"] == call);
    line.map(|line| format!("; the repair left {}", line["detail"]["left"])).unwrap_or_default()
}

/// Whatever became of the call, the change before it can be taken back.
fn chained(house: &House, first: &Tree, oracle: &Oracle, wrong: &mut Vec<Wrong>) {
    let ran = house.run(&["undo", EARLIER, "--json"]);
    match Tree::of(&house.home(), &house.second) {
        Ok(tree) => {
            let oracle = Oracle { before: first.clone(), ..oracle.clone() };
            nothing_lost(&oracle, &tree, "after both were undone", wrong);
            let differences = tree.differs(first, true);
            if !differences.is_empty() {
                let told = format!("undoing the change before leaves {}; {}", few(&differences), ran.told());
                wrong.push((Class::Half, told));
            }
        }
        Err(why) => wrong.push((Class::Broken, why)),
    }
}

/// What is recorded as done can be taken back to the last byte.
fn undone(house: &House, oracle: &Oracle, call: &str, wrong: &mut Vec<Wrong>) {
    let ran = house.run(&["undo", call, "--json"]);
    match Tree::of(&house.home(), &house.second) {
        Ok(tree) => {
            nothing_lost(oracle, &tree, "after undo", wrong);
            let differences = tree.differs(&oracle.before, true);
            if !differences.is_empty() {
                let told = format!("undo leaves {}; {}", few(&differences), ran.told());
                wrong.push((Class::Half, told));
            } else if ran.code != Some(0) {
                wrong.push((Class::Broken, format!("undo: {}", ran.told())));
            }
        }
        Err(why) => wrong.push((Class::Broken, why)),
    }
}

/// Every content of before is in the tree or kept.
fn nothing_lost(oracle: &Oracle, tree: &Tree, when: &str, wrong: &mut Vec<Wrong>) {
    let there = tree.contents();
    for (content, path) in oracle.before.contents() {
        if !there.contains_key(&content) && !tree.kept.contains(&content) {
            wrong.push((Class::Lost, format!("{when}: the content of {} is nowhere", path.display())));
        }
    }
}

fn audited(house: &House, call: &str, ran: &Ran, wrong: &mut Vec<Wrong>) {
    let verify = house.run(&["audit", "verify", "--json"]);
    if verify.code != Some(0) || verify.json().is_none_or(|said| said["ok"] != true) {
        wrong.push((Class::Broken, format!("audit verify: {}", verify.told())));
    }
    let lines = match house.audit() {
        Ok(lines) => lines,
        Err(why) => return wrong.push((Class::Broken, why)),
    };
    let kinds: Vec<&str> =
        lines.iter().filter(|l| l["call_id"] == call).filter_map(|l| l["kind"].as_str()).collect();
    let ended = kinds.iter().any(|kind| matches!(*kind, "close" | "interrupted"));
    if kinds.contains(&"open") && !ended {
        wrong.push((Class::Broken, format!("the audit never closed the call: {kinds:?}")));
    }
    let answered = ran.json().is_some_and(|answer| answer["call_id"] == call && answer["ok"] == true);
    if answered && !kinds.contains(&"close") {
        wrong.push((Class::Broken, format!("answered without a line in the audit: {kinds:?}")));
    }
}

/// A fault that passed leaves every executor usable.
fn usable(house: &House, wrong: &mut Vec<Wrong>) {
    let list = house.run(&["executors", "list", "--json"]);
    let Some(Value::Array(rows)) = list.json() else {
        return wrong.push((Class::Broken, format!("executors list: {}", list.told())));
    };
    let odd = |row: &&Value| row["state"] != "active";
    let names: Vec<String> =
        rows.iter().filter(odd).map(|row| format!("{} {}", row["name"], row["state"])).collect();
    if !names.is_empty() {
        wrong.push((Class::Broken, format!("out of use: {}", few(&names))));
    }
}

fn few(differences: &[String]) -> String {
    let mut text = differences.iter().take(4).cloned().collect::<Vec<_>>().join("; ");
    if differences.len() > 4 {
        text.push_str(&format!("; and {} more", differences.len() - 4));
    }
    text
}
