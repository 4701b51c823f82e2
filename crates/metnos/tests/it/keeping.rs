//! What is kept for undo ends some day: by age, by size, by a yes; never silently.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::session::Session;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const MB: usize = 1_000_000;

fn configure(house: &House, text: &str) {
    std::fs::write(house.metnos().join("config/metnos.toml"), text).unwrap();
}

/// Deletes a fresh file of so many bytes and gives the id of the call.
fn delete(house: &House, name: &str, bytes: usize) -> String {
    house.write(name, vec![b'x'; bytes]);
    let done = house.exec("delete_files", json!({ "paths": [name] }));
    assert_eq!(done["ok"], true, "{done}");
    done["call_id"].as_str().unwrap().to_owned()
}

fn listed(house: &House, id: &str) -> Value {
    let all = house.run(&["--json", "undo", "--list"]).json();
    let found = all.as_array().unwrap().iter().find(|turn| turn["turn"] == id).cloned();
    found.unwrap_or_else(|| panic!("{id} is not listed in {all}"))
}

fn state(house: &House, id: &str) -> String {
    listed(house, id)["state"].as_str().unwrap().to_owned()
}

fn kept(house: &House, id: &str) -> PathBuf {
    house.home().join(".metnos-undo").join(id)
}

/// Any change, after which it is looked at what is due; also when somebody looked a moment ago.
fn look(house: &House) {
    let _ = std::fs::remove_file(house.metnos().join("state/kept.json"));
    let done = house.exec("create_dirs", json!({ "paths": [format!("look-{}", rank(house))] }));
    assert_eq!(done["ok"], true, "{done}");
}

fn rank(house: &House) -> usize {
    house.audit_lines().len()
}

/// The lines that tell that something was let go of by itself.
fn let_go(house: &House) -> Vec<Value> {
    let ours =
        |line: &Value| line["detail"]["what"] == "undo forgotten" && line["caller"] == "metnos/keeping";
    house.audit_lines().into_iter().filter(ours).collect()
}

/// Writes a record of the journal anew, with its digest.
fn rewrite(path: &Path, change: impl Fn(String) -> String) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let cut = text.trim_end().rfind('\n').unwrap() + 1;
    let body = change(text[..cut].to_owned());
    let digest = blake3::hash(body.as_bytes()).to_hex().to_string();
    let lines = body.lines().count();
    std::fs::write(path, format!("{body}{{\"lines\":{lines},\"blake3\":\"{digest}\"}}\n")).unwrap();
    digest
}

/// Makes an act seem to have happened so many days ago, or from now, with Metnos in use on every day since.
fn shift(house: &House, id: &str, days: i64) {
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    for ago in 0..=days.saturating_neg() {
        let day = (jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * ago)).to_string();
        db.execute("INSERT OR IGNORE INTO use_days (day) VALUES (?1)", [&day[..10]]).unwrap();
    }
    shift_alone(house, id, days);
}

/// The same, and nothing was done in between: a clock that jumped, or a machine that was off.
fn shift_alone(house: &House, id: &str, days: i64) {
    let dir = house.metnos().join("state/journal/done").join(id);
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * days);
    let intent = dir.join("1.jsonl");
    let old = blake3::hash(without_end(&intent).as_bytes()).to_hex().to_string();
    let new = rewrite(&intent, |body| {
        let (head, rest) = body.split_once('\n').unwrap();
        let mut head: serde_json::Map<String, Value> = serde_json::from_str(head).unwrap();
        head["at"] = at.to_string().into();
        format!("{}\n{rest}", serde_json::to_string(&head).unwrap())
    });
    rewrite(&dir.join("closed.jsonl"), |body| body.replace(&old, &new));
    assert_eq!(state(house, id), "done");
}

fn without_end(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text[..text.trim_end().rfind('\n').unwrap() + 1].to_owned()
}

#[test]
fn a_clock_that_jumps_frees_nothing() {
    let house = House::new();
    let old = delete(&house, "old.txt", 5);
    shift_alone(&house, &old, -4000);
    look(&house);
    assert_eq!(state(&house, &old), "done", "ten years in one jump are one day");
    assert_eq!(house.run(&["--json", "undo", &old]).json()["reversed"], 1);
}

#[test]
fn what_is_old_is_let_go_with_a_line_and_a_date_and_undo_says_so() {
    let house = House::new();
    let (old, young) = (delete(&house, "old.txt", 5), delete(&house, "young.txt", 7));
    shift(&house, &old, -31);
    shift(&house, &young, -29);
    look(&house);
    let turn = listed(&house, &old);
    assert_eq!((&turn["state"], &turn["kept_bytes"]), (&json!("freed"), &json!(5)), "{turn}");
    assert!(turn["freed"].as_str().unwrap().starts_with("20"), "{turn}");
    assert!(!kept(&house, &old).exists());
    let lines = let_go(&house);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["detail"]["turn"], &lines[0]["detail"]["bytes"]), (&json!(old), &json!(5)));
    assert!(lines[0]["detail"]["why"].as_str().unwrap().contains("keep_days"));
    let ran = house.run(&["undo", &old]);
    assert!(ran.code == Some(1) && ran.stderr.contains("was freed on"), "{ran:?}");
    // What is listed as undoable is.
    assert_eq!(state(&house, &young), "done");
    assert_eq!(house.run(&["--json", "undo", &young]).json()["reversed"], 1);
    assert_eq!(std::fs::read(house.home().join("young.txt")).unwrap(), b"xxxxxxx");
    look(&house);
    assert_eq!(let_go(&house).len(), 1, "a second look finds nothing");
    house.chain_holds();
}

#[test]
fn beyond_the_budget_the_oldest_goes_first_and_at_once() {
    let house = House::new();
    configure(&house, "[undo]\nbudget_mb = 5\n");
    let ids: Vec<String> = (0..4).map(|n| delete(&house, &format!("{n}.bin"), 2 * MB)).collect();
    let states: Vec<String> = ids.iter().map(|id| state(&house, id)).collect();
    assert_eq!(states, ["freed", "freed", "done", "done"]);
    assert!(let_go(&house).iter().all(|l| l["detail"]["why"].as_str().unwrap().contains("budget_mb")));
    assert_eq!(house.run(&["--json", "undo"]).json()["undone"], json!(ids[3]));
    assert_eq!(house.run(&["--json", "undo"]).json()["undone"], json!(ids[2]));
    assert_eq!(house.run(&["--json", "undo"]).json()["undone"], Value::Null);
    house.chain_holds();
}

#[test]
fn a_running_session_lets_go_behind_its_answers() {
    let house = House::new();
    let old = delete(&house, "old.txt", 5);
    shift(&house, &old, -40);
    std::fs::remove_file(house.metnos().join("state/kept.json")).unwrap();
    let mut session = Session::start(&house);
    assert_eq!(session.call("get_now", json!({}))["ok"], true);
    // It ends when all of it is done.
    assert_eq!(session.end(), Some(0));
    assert_eq!(state(&house, &old), "freed");
    assert_eq!(let_go(&house).len(), 1);
}

#[test]
fn a_clock_that_went_back_frees_nothing_that_is_new() {
    let house = House::new();
    configure(&house, "[undo]\nbudget_mb = 3\n");
    let future = delete(&house, "future.bin", 2 * MB);
    shift(&house, &future, 400);
    let ledger = house.metnos().join("state/kept.json");
    let text = std::fs::read_to_string(&ledger).unwrap().replace("\"looked_at\":\"20", "\"looked_at\":\"21");
    std::fs::write(&ledger, text).unwrap();
    // By the clock it is the oldest of all, and it is the latest.
    let now = delete(&house, "now.bin", 2 * MB);
    assert_eq!((state(&house, &now), state(&house, &future)), ("done".into(), "freed".into()));
    assert_eq!(house.run(&["--json", "undo"]).json()["undone"], json!(now));
    let ledger: Value = serde_json::from_slice(&std::fs::read(ledger).unwrap()).unwrap();
    assert!(ledger["looked_at"].as_str().unwrap().starts_with("20"), "{ledger}");
}

#[test]
fn a_cut_between_the_date_and_the_bytes_is_finished_and_told_once() {
    let house = House::new();
    let id = delete(&house, "a.txt", 5);
    let journal = house.metnos().join("state/journal");
    let intent = std::fs::read(journal.join("done").join(&id).join("1.jsonl")).unwrap();
    let kept_file = kept(&house, &id).join("1-0");
    assert_eq!(house.run(&["undo", "--forget", &id]).code, Some(0));
    std::fs::write(journal.join("freed").join(&id).join("1.jsonl"), intent).unwrap();
    std::fs::create_dir_all(kept(&house, &id)).unwrap();
    std::fs::write(&kept_file, "xxxxx").unwrap();
    let date = listed(&house, &id)["freed"].clone();
    assert!(date.is_string() && house.run(&["undo", &id]).stderr.contains("was freed on"));
    look(&house);
    assert!(!kept(&house, &id).exists(), "the bytes are gone");
    assert_eq!(listed(&house, &id)["freed"], date);
    assert_eq!(let_go(&house).len(), 0);
}

#[test]
fn what_is_damaged_being_undone_or_away_is_left_alone() {
    let house = House::new();
    let ids: Vec<String> = ["a", "b", "c"].iter().map(|name| delete(&house, name, 5)).collect();
    for id in &ids {
        shift(&house, id, -90);
    }
    let journal = house.metnos().join("state/journal");
    let (damaged, undoing, away) = (&ids[0], &ids[1], &ids[2]);
    let record = journal.join("done").join(damaged).join("1.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace("home/a", "home/z")).unwrap();
    // Something stands in the way of the undo, which stays begun.
    std::fs::write(journal.join("done").join(undoing).join("undoing"), "\n").unwrap();
    std::fs::rename(journal.join("done").join(undoing), journal.join("undoing").join(undoing)).unwrap();
    // As if its disk were not there.
    std::fs::rename(kept(&house, away), house.home().join("elsewhere")).unwrap();
    look(&house);
    assert_eq!(state(&house, damaged), "damaged");
    assert_eq!(state(&house, undoing), "undone", "the start finished it");
    assert_eq!(std::fs::read(house.home().join("b")).unwrap(), b"xxxxx");
    assert_eq!(state(&house, away), "done");
    std::fs::rename(house.home().join("elsewhere"), kept(&house, away)).unwrap();
    assert_eq!(house.run(&["--json", "undo", away]).json()["reversed"], 1);
    assert_eq!(let_go(&house).len(), 0);
}

#[test]
fn while_everything_is_stopped_nothing_is_let_go() {
    let house = House::new();
    let old = delete(&house, "old.txt", 5);
    shift(&house, &old, -40);
    std::fs::remove_file(house.metnos().join("state/kept.json")).unwrap();
    assert_eq!(house.run(&["stop"]).code, Some(0));
    let session = Session::start(&house);
    assert_eq!(session.end(), Some(0));
    assert_eq!(state(&house, &old), "done");
    assert_eq!(house.run(&["--json", "undo", &old]).json()["reversed"], 1);
}

#[test]
fn a_configuration_that_is_not_understood_frees_nothing() {
    let house = House::new();
    let old = delete(&house, "old.txt", 5);
    shift(&house, &old, -40);
    std::fs::remove_file(house.metnos().join("state/kept.json")).unwrap();
    for wrong in ["[undo]\nkeep_dais = 3\n", "[undo]\nkeep_days = 0\n", "[undo]\nbudget_mb = -1\n", "\u{0}"] {
        configure(&house, wrong);
        let ran = house.run_with(&["exec", "--stdin"], b"");
        assert_eq!(ran.code, Some(2), "{wrong}: {ran:?}");
        assert!(ran.stderr.contains("metnos.toml"), "{ran:?}");
    }
    assert!(kept(&house, &old).exists());
    configure(&house, "");
    assert_eq!(state(&house, &old), "done");
}

#[test]
fn the_card_says_when_there_will_be_room() {
    let house = House::supervised();
    configure(&house, "[undo]\nkeep_days = 12\n");
    house.write("a.bin", vec![0; 3 * MB]);
    let ran = house.exec_asking("delete_files", json!({ "paths": ["a.bin"] }));
    let card = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(card.contains("Can be undone") && card.contains("12 days; frees nothing"), "{card}");
    assert!(house.whole_card(&ran).contains("3 MB in 12 days"), "{}", house.whole_card(&ran));
}

/// The question that deleting raises: its id and its card, with all that is behind it.
fn asked(house: &House, name: &str, args: Value) -> (String, String) {
    let ran = house.exec_asking(name, args);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    (ran.json()["error"]["approval"].as_str().unwrap().to_owned(), house.whole_card(&ran))
}

#[test]
fn what_is_larger_than_the_budget_is_deleted_for_good_only_after_a_yes_that_says_so() {
    let house = House::new();
    configure(&house, "[undo]\nbudget_mb = 1\n");
    let big = house.write("tree/deep/big.bin", vec![b'x'; 2 * MB]);
    house.write("tree/small.txt", "small");
    for (name, args) in [
        ("delete_files", json!({ "paths": ["tree/deep/big.bin"] })),
        ("delete_dirs", json!({ "paths": ["tree"], "recursive": true })),
    ] {
        let (id, card) = asked(&house, name, args.clone());
        let says = card.contains("Cannot be undone: deleted permanently")
            && card.contains("permanently?")
            && card.contains("Frees 2 MB at once");
        assert!(says, "{card}");
        assert_eq!(house.run(&["reject", &id]).code, Some(0));
        assert!(big.exists(), "a no is a no");
    }
    let (id, _) = asked(&house, "delete_dirs", json!({ "paths": ["tree"], "recursive": true }));
    let done = house.run(&["--json", "approve", &id]).json();
    assert_eq!(done["ok"], true, "{done}");
    assert!(!house.home().join("tree").exists());
    let call = done["call_id"].as_str().unwrap();
    assert!(!kept(&house, call).exists(), "nothing is kept");
    let turn = listed(&house, call);
    assert_eq!((&turn["state"], turn["freed"].is_string()), (&json!("permanent"), true), "{turn}");
    let ran = house.run(&["undo", call]);
    assert!(ran.code == Some(1) && ran.stderr.contains("deleted permanently"), "{ran:?}");
    assert_eq!(house.run(&["--json", "undo"]).json()["undone"], Value::Null);
    let opened =
        house.audit_lines().into_iter().find(|l| l["call_id"] == call && l["kind"] == "open").unwrap();
    assert_eq!(opened["detail"]["permanent"], true, "{opened}");
    house.chain_holds();
}

#[test]
fn a_yes_to_what_can_be_undone_is_none_to_what_cannot() {
    let house = House::supervised();
    configure(&house, "[undo]\nbudget_mb = 1\n");
    let file = house.write("a.bin", "small");
    let (id, card) = asked(&house, "delete_files", json!({ "paths": ["a.bin"] }));
    assert!(card.contains("Can be undone"), "{card}");
    std::fs::write(&file, vec![b'x'; 2 * MB]).unwrap();
    let ran = house.run(&["--json", "approve", &id]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("Cannot be undone"), "{ran:?}");
    assert!(file.exists());
}

#[test]
fn with_no_budget_every_deletion_asks_and_what_holds_nothing_can_still_be_undone() {
    let house = House::new();
    configure(&house, "[undo]\nbudget_mb = 0\n");
    house.write("a.txt", "text");
    house.write("empty", "");
    let (_, card) = asked(&house, "delete_files", json!({ "paths": ["a.txt"] }));
    assert!(card.contains("Cannot be undone"), "{card}");
    assert_eq!(house.exec("delete_files", json!({ "paths": ["empty"] }))["ok"], true);
    assert_eq!(house.run(&["--json", "undo"]).json()["reversed"], 1);
    // The latest change is never let go for its size.
    let args = json!({ "path": "a.txt", "content": "other", "mode": "overwrite" });
    assert_eq!(house.exec("write_files", args)["ok"], true);
    assert_eq!(house.run(&["--json", "undo"]).json()["reversed"], 1);
    assert_eq!(std::fs::read(house.home().join("a.txt")).unwrap(), b"text");
}

#[test]
fn a_deletion_for_good_that_was_cut_before_the_bytes_went_is_finished() {
    let house = House::new();
    configure(&house, "[undo]\nbudget_mb = 1\n");
    // As the records are after the call and before the bytes go.
    let id = delete(&house, "a.bin", 5);
    let dir = house.metnos().join("state/journal/done").join(&id);
    let old = blake3::hash(without_end(&dir.join("1.jsonl")).as_bytes()).to_hex().to_string();
    let new = rewrite(&dir.join("1.jsonl"), |body| body.replacen("}\n", ",\"permanent\":true}\n", 1));
    rewrite(&dir.join("closed.jsonl"), |body| body.replace(&old, &new));
    assert_eq!(state(&house, &id), "permanent");
    assert_eq!(house.run(&["--json", "undo"]).json()["undone"], Value::Null);
    look(&house);
    assert!(!kept(&house, &id).exists());
    assert_eq!(state(&house, &id), "permanent");
}
