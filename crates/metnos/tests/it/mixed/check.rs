//! Whether plan, card, audit and disk say the same of every request.

use super::disk::{Record, Tree, journal, tree};
use super::rows::{Row, planned};
use crate::support::House;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A turn as its record has it.
struct Turn {
    id: String,
    request: String,
    status: Option<String>,
    log: Vec<Value>,
}

/// Everything the house wrote down.
struct Books {
    turns: Vec<Turn>,
    /// The questions, by their call.
    cards: HashMap<String, Vec<Value>>,
    /// The lines of the audit about calls, by call, in order.
    audit: BTreeMap<String, Vec<Value>>,
    /// The journal, by call.
    journal: HashMap<String, Record>,
    /// The calls of the journal in the order in which they ended.
    order: Vec<String>,
}

/// What was compared, so that nothing passes because there was nothing to compare.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) turns: usize,
    pub(super) steps: usize,
    pub(super) cards_used: usize,
    pub(super) cards_refused: usize,
    pub(super) changes: usize,
    pub(super) interrupted: usize,
}

fn read(house: &House) -> Books {
    let state = house.metnos().join("state");
    let db = rusqlite::Connection::open(state.join("metnos.sqlite")).unwrap();
    let parsed = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let log = |id: &str| -> Vec<Value> {
        let mut rows = db.prepare("SELECT entry FROM turn_entries WHERE turn = ?1 ORDER BY n").unwrap();
        rows.query_map([id], |row| row.get(0)).unwrap().map(|text| parsed(text.unwrap())).collect()
    };
    let mut rows = db.prepare("SELECT id, request, status FROM turns ORDER BY id").unwrap();
    let turns = rows
        .query_map([], |row| {
            let id: String = row.get(0)?;
            Ok(Turn { log: log(&id), id, request: row.get(1)?, status: row.get(2)? })
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut rows = db.prepare("SELECT body FROM decisions WHERE kind = 'approval'").unwrap();
    let mut cards: HashMap<String, Vec<Value>> = HashMap::new();
    for body in rows.query_map([], |row| row.get(0)).unwrap() {
        let card = parsed(body.unwrap());
        if let Some(call) = card["call_id"].as_str() {
            cards.entry(call.to_owned()).or_default().push(card);
        }
    }
    let mut audit: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut order = Vec::new();
    for line in house.audit_lines() {
        if !matches!(line["kind"].as_str(), Some("call" | "open" | "close" | "interrupted" | "refused")) {
            continue;
        }
        let Some(call) = line["call_id"].as_str().map(str::to_owned) else { continue };
        if line["kind"] == "close" || line["kind"] == "interrupted" {
            order.push(call.clone());
        }
        audit.entry(call).or_default().push(line);
    }
    let journal = journal(&state).into_iter().map(|record| (record.call.clone(), record)).collect();
    Books { turns, cards, audit, journal, order }
}

/// Compares; every disagreement is a line.
pub(super) fn agree(house: &House, rows: &[Row], roots: &[(PathBuf, Tree)]) -> (Compared, Vec<String>) {
    let books = read(house);
    let mut compared = Compared::default();
    let mut wrong = Vec::new();
    let plans = plans(house, &books, rows);
    let mut ran = HashSet::new();
    for turn in &books.turns {
        let Some(row) = plans.get(turn.id.as_str()) else { continue };
        compared.turns += 1;
        let interrupted = matches!(turn.status.as_deref(), None | Some("interrupted"));
        compared.interrupted += usize::from(interrupted);
        if !interrupted && !ran.insert(turn.request.as_str()) {
            wrong.push(format!("{:?} ran twice", turn.request));
        }
        let mut say = |what: String| wrong.push(format!("{} {:?}: {what}", turn.id, turn.request));
        compared.steps += plan_holds(turn, row, &mut say);
        for n in 1..=row.steps.len() {
            let call = format!("{}-{n}", turn.id);
            audit_holds(&books, turn, &call, interrupted, &mut say);
            cards_hold(&books, row, n, &call, &mut compared, &mut say);
        }
    }
    for (call, record) in &books.journal {
        compared.changes += 1;
        let lines = books.audit.get(call).map(Vec::as_slice).unwrap_or_default();
        let opened: Vec<&str> = lines
            .iter()
            .filter(|line| line["kind"] == "open")
            .filter_map(|line| line["detail"]["intent"].as_str())
            .collect();
        // What a kill cut between the two was not begun.
        let begun = record.ops.iter().any(|(_, seen)| seen["performed"] == true);
        if begun && record.intents.iter().any(|intent| !opened.contains(&intent.as_str())) {
            wrong.push(format!("{call}: the journal has an intent that the audit has not"));
        }
        if record.shelf == "open" || record.shelf == "undoing" {
            wrong.push(format!("{call}: left on the shelf {}", record.shelf));
        }
    }
    for (root, before) in roots {
        wrong.extend(disk_holds(&books, root, before));
    }
    (compared, wrong)
}

/// The plan of each turn about one of the rows. What was said before in its conversation may be meant by its words;
/// the planner is told the same.
fn plans<'a>(house: &House, books: &'a Books, rows: &[Row]) -> HashMap<&'a str, Row> {
    let known: HashMap<&str, &Row> = rows.iter().map(|row| (row.query.as_str(), row)).collect();
    let mut plans = HashMap::new();
    let (mut turns, mut lines) = (Vec::new(), Vec::new());
    for turn in &books.turns {
        let Some(row) = known.get(turn.request.as_str()) else { continue };
        let before = turn.log.first().and_then(|entry| entry["event"]["context"].as_array());
        match before.filter(|before| !before.is_empty()) {
            None => drop(plans.insert(turn.id.as_str(), (*row).clone())),
            Some(before) => {
                turns.push(turn);
                lines.push(json!({ "id": turn.id, "query": turn.request, "context": before }));
            }
        }
    }
    for (turn, answer) in turns.into_iter().zip(planned(house, &lines, &[])) {
        let steps = answer["plan"]["steps"].as_array().cloned().unwrap_or_default();
        plans.insert(turn.id.as_str(), Row { query: turn.request.clone(), steps });
    }
    plans
}

/// The steps that were begun are the first ones of the plan, with its arguments.
fn plan_holds(turn: &Turn, row: &Row, say: &mut dyn FnMut(String)) -> usize {
    let effects = turn.log.iter().flat_map(|entry| entry["effects"].as_array().cloned().unwrap_or_default());
    let invoked: Vec<Value> = effects.filter(|effect| effect["effect"] == "invoke").collect();
    for effect in &invoked {
        let n = effect["step"].as_u64().unwrap() as usize;
        let Some(step) = row.steps.get(n - 1) else {
            say(format!("step {n} is not in the plan"));
            continue;
        };
        if effect["tool"] != step["tool"] {
            say(format!("step {n} ran {}, planned {}", effect["tool"], step["tool"]));
        }
        for (name, value) in step["args"].as_object().unwrap() {
            let refers = matches!(name.as_str(), "from_step" | "with_step" | "from_turn" | "index" | "pick")
                || value.to_string().contains("${");
            if !refers && effect["args"][name] != *value {
                say(format!("step {n}: {name} is {}, planned {value}", effect["args"][name]));
            }
        }
        if let Some(from) = step["args"]["from_step"].as_u64()
            && effect["entries"]["step"].as_u64() != Some(from)
        {
            say(format!("step {n} works on {}, planned on step {from}", effect["entries"]));
        }
    }
    invoked.len()
}

/// What the turn says of a call is what the audit says of it.
fn audit_holds(books: &Books, turn: &Turn, call: &str, interrupted: bool, say: &mut dyn FnMut(String)) {
    let lines = books.audit.get(call).map(Vec::as_slice).unwrap_or_default();
    let of = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
    let ends = of("call") + of("close") + of("interrupted");
    if ends > 1 || (of("open") > 0 && ends == 0) {
        say(format!("{call}: {} open lines, {ends} ends", of("open")));
    }
    let ended = lines.iter().rfind(|line| matches!(line["kind"].as_str(), Some("call" | "close")));
    let told: Vec<&Value> =
        turn.log.iter().map(|entry| &entry["event"]["got"]).filter(|got| got["call_id"] == call).collect();
    let last = told.last();
    let wrong = match (last, ended) {
        (Some(got), Some(line)) if got["error"].is_null() => {
            let same =
                line["counts"]["ok"] == got["ok_count"] && line["counts"]["failed"] == got["fail_count"];
            (!same).then(|| format!("the audit counts {}, the turn {got}", line["counts"]))
        }
        (Some(got), Some(line)) => {
            let class = &got["error"]["class"];
            let same = line["exit"] == *class || class == "needs_approval";
            (!same).then(|| format!("the audit says {}, the turn {class}", line["exit"]))
        }
        (Some(got), None) => {
            got["error"].is_null().then(|| "the turn has it done, the audit has no line".to_owned())
        }
        (None, Some(_)) => (!interrupted).then(|| "the audit has it, the turn does not".to_owned()),
        (None, None) => None,
    };
    if let Some(what) = wrong {
        say(format!("{call}: {what}"));
    }
}

/// A card is about its step; what ran with it is what it showed; what was refused did not run.
fn cards_hold(
    books: &Books,
    row: &Row,
    n: usize,
    call: &str,
    compared: &mut Compared,
    say: &mut dyn FnMut(String),
) {
    let lines = books.audit.get(call).map(Vec::as_slice).unwrap_or_default();
    let opened = lines.iter().find(|line| line["kind"] == "open");
    for card in books.cards.get(call).map(Vec::as_slice).unwrap_or_default() {
        let id = card["id"].as_str().unwrap();
        if card["executor"] != row.steps[n - 1]["tool"] {
            say(format!(
                "{call}: the card asks about {}, the plan has {}",
                card["executor"],
                row.steps[n - 1]["tool"]
            ));
        }
        let used = opened.is_some_and(|line| {
            let verdicts = line["verdicts"].as_array().unwrap();
            verdicts.iter().any(|v| v["guard"] == "approval" && v["reason"] == id)
        });
        match card["standing"].as_str().unwrap() {
            "rejected" if used => say(format!("{call}: refused, and it ran")),
            "rejected" => compared.cards_refused += 1,
            "consumed" if used => {
                compared.cards_used += 1;
                shown_is_done(books, call, &card["card"], say);
            }
            _ if used => say(format!("{call}: ran with a question that is {}", card["standing"])),
            _ => {}
        }
    }
}

/// Names, counts and sizes of the card are those of the intent.
fn shown_is_done(books: &Books, call: &str, card: &Value, say: &mut dyn FnMut(String)) {
    let Some(record) = books.journal.get(call) else { return };
    let sources = record.sources();
    if sources.is_empty() {
        return;
    }
    let executor = card["executor"].as_str().unwrap();
    if matches!(executor, "move_files" | "delete_files")
        && card["count"].as_u64() != Some(sources.len() as u64)
    {
        say(format!("{call}: the card counts {}, the journal {}", card["count"], sources.len()));
    }
    for name in card["names"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let whole = sources.iter().any(|path| path.ends_with(name));
        let above = sources.iter().any(|path| path.iter().any(|part| part.to_string_lossy() == name));
        if !whole && !above {
            say(format!("{call}: the card names {name}, the journal does not"));
        }
    }
}

/// The disk is what it was, changed by what the journal says, in the order of the audit.
fn disk_holds(books: &Books, root: &Path, before: &Tree) -> Vec<String> {
    let mut expected = before.clone();
    for record in books.order.iter().filter_map(|call| books.journal.get(call)) {
        let below = |op: &Value| {
            let keys = ["path", "src", "dst"].iter().filter_map(|key| op[*key].as_str());
            keys.into_iter().any(|path| Path::new(path).starts_with(root))
        };
        if record.ops.iter().any(|(op, _)| below(op)) {
            record.apply(&mut expected);
        }
    }
    differences("the journal", &expected, &tree(root))
}

/// What differs between two trees.
pub(super) fn differences(by: &str, expected: &Tree, there: &Tree) -> Vec<String> {
    let missing = expected.iter().filter(|(path, thing)| there.get(*path) != Some(thing));
    let missing = missing
        .map(|(path, thing)| format!("{}: {thing:?} by {by}, {:?} on disk", path.display(), there.get(path)));
    let more = there.keys().filter(|path| !expected.contains_key(*path));
    let more = more.map(|path| format!("{}: on disk, not by {by}", path.display()));
    missing.chain(more).collect()
}
