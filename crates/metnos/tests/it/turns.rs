//! Turns that were cut off are told of once and never run again; their lists are let go by age and by size.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

const FILES: usize = 3000;

fn ask(house: &House, text: &str) -> Value {
    house.run(&["--json", "ask", "--conversation", "test", text]).json()
}

fn lists(house: &House) -> Vec<PathBuf> {
    let turns = std::fs::read_dir(house.metnos().join("state/turns")).unwrap();
    let mut found: Vec<PathBuf> =
        turns.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn look_again(house: &House) {
    let _ = std::fs::remove_file(house.metnos().join("state/turns/.looked"));
}

#[test]
fn a_turn_whose_process_died_is_told_of_once_with_what_was_done() {
    let house = House::new();
    for n in 0..FILES {
        house.write(&format!("Many/{n:05}.txt"), format!("content {n}"));
    }
    let mut command = house.command();
    command.args(["--json", "ask", "--conversation", "test", "copy the files in Many to Other"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let at_work =
        || std::fs::read_dir(house.metnos().join("state/journal/open")).is_ok_and(|mut d| d.next().is_some());
    let end = Instant::now() + Duration::from_secs(60);
    while !at_work() && child.try_wait().unwrap().is_none() && Instant::now() < end {
        std::thread::yield_now();
    }
    assert!(child.try_wait().unwrap().is_none(), "it was over before it could be cut off");
    child.kill().unwrap();
    child.wait().unwrap();

    let next = ask(&house, "what time is it");
    let cut = &next["interrupted"][0];
    assert_eq!(cut["request"], "copy the files in Many to Other", "{next}");
    assert!(cut["done"][0].as_str().is_some_and(|step| step.contains(&format!("{FILES} ok"))), "{cut}");
    assert!(cut["cut"].as_str().is_some_and(|tool| tool.ends_with("_files")), "{cut}");
    assert!(cut["next"].as_str().is_some_and(|next| next.contains("undo --list")), "{cut}");
    let turn = cut["turn"].as_str().unwrap();
    let seen = house.run(&["--json", "turns", turn]).json();
    assert_eq!(seen["status"], "interrupted", "{seen}");
    assert_eq!(
        (seen["steps"].as_array().unwrap().len(), seen["done"].as_array().unwrap().len()),
        (2, 1),
        "{seen}"
    );
    assert!(house.run(&["turns"]).stdout.contains("interrupted"));
    assert_eq!(ask(&house, "what time is it").get("interrupted"), None, "it is said once");
    assert_eq!(house.run(&["replay", turn]).code, Some(0));
    let calls = house.audit_lines();
    let begun = calls.iter().filter(|l| l["kind"] == "open" && l["call_id"] == format!("{turn}-2")).count();
    assert!(begun <= 1, "nothing runs twice");
    house.chain_holds();
}

#[test]
fn a_turn_that_runs_in_another_process_is_not_called_interrupted() {
    let house = House::new();
    let db = || rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    ask(&house, "what time is it");
    let (alive, dead) = ("01ARZ3NDEKTSV4RRFFQ69G5FA0", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
    for id in [alive, dead] {
        db().execute(
            "INSERT INTO turns (id, caller, conversation, request, began_at) VALUES (?1, 'host/cli', 'x', 'r', '2026')",
            [id],
        )
        .unwrap();
    }
    let lock = std::fs::File::create(house.metnos().join(format!("state/turns/{alive}.lock"))).unwrap();
    lock.lock().unwrap();
    let told = ask(&house, "what time is it");
    let cut: Vec<&Value> = told["interrupted"].as_array().unwrap().iter().map(|turn| &turn["turn"]).collect();
    assert_eq!(cut, [dead], "{told}");
    drop(lock);
    assert_eq!(ask(&house, "what time is it")["interrupted"][0]["turn"], alive);
}

#[test]
fn old_lists_go_by_age_and_beyond_the_budget_and_the_last_stays() {
    let house = House::new();
    house.write("Documents/a.txt", "x");
    for _ in 0..4 {
        assert_eq!(ask(&house, "find the files in Documents")["status"], "done");
    }
    assert_eq!(lists(&house).len(), 4);
    // One of long ago.
    let old = house.metnos().join("state/turns/01ARZ3NDEKTSV4RRFFQ69G5FAV");
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("1.jsonl"), "{}\n").unwrap();
    ask(&house, "what time is it");
    assert!(old.exists(), "there was a look within the hour");
    look_again(&house);
    ask(&house, "what time is it");
    assert!(!old.exists(), "older than keep_days");
    assert!(lists(&house).len() >= 4);

    std::fs::write(house.metnos().join("config/metnos.toml"), "[turns]\nbudget_mb = 0\n").unwrap();
    look_again(&house);
    assert_eq!(ask(&house, "find the files in Documents")["status"], "done");
    assert_eq!(lists(&house).len(), 1, "what was answered last stays");
    assert_eq!(ask(&house, "how many are they?")["text"], "1");
    look_again(&house);
    ask(&house, "what time is it");
    let gone = ask(&house, "how many are they?");
    assert_eq!(gone["status"], "failed", "{gone}");
    assert!(gone["text"].as_str().unwrap().contains("no longer kept"), "{gone}");

    std::fs::write(house.metnos().join("config/metnos.toml"), "[turns]\nkeep_dais = 3\n").unwrap();
    let wrong = house.run(&["ask", "what time is it"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[test]
fn the_largest_of_many_are_the_largest_of_all() {
    const MANY: usize = 10_500;
    let house = House::new();
    for n in 0..MANY {
        house.write(&format!("Heap/{:02}/{n:05}.txt", n % 20), vec![b'x'; usize::from(n % 7 == 0)]);
    }
    // The last that a walk would meet.
    house.write("Heap/zz/largest.txt", "the largest of all");
    let answer = ask(&house, "show the largest file in Heap");
    assert_eq!(answer["entries"][0]["name"], "largest.txt", "{answer}");
    assert_eq!(ask(&house, "how many files are in Heap?")["text"], (MANY + 1).to_string());
}

#[test]
fn the_prefilter_ranks_a_catalog_from_outside_and_names_the_place_of_an_error() {
    let house = House::bare();
    let catalog = json!([
        { "name": "send_email", "description": "Sends a mail.", "affinity": ["mail"], "args": { "to": {} } },
        { "name": "find_files", "description": "Finds files.", "affinity": [], "args": {} },
    ]);
    house.write("catalog.json", catalog.to_string());
    house.write("queries.jsonl", "{\"query\": \"find my files\"}\n\n{\"query\": \"manda una mail\"}\n");
    let args = ["prefilter", "--catalog", "catalog.json", "--queries", "queries.jsonl", "--json"];
    let ran = house.run(&args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["query"], &lines[0]["ranked"][0]), (&json!("find my files"), &json!("find_files")));
    assert_eq!(lines[1]["ranked"][0], "send_email");
    assert!(lines.iter().all(|line| line["micros"].is_u64()));
    assert!(!house.metnos().exists(), "it needs nothing that is set up");

    for (file, text, place) in [
        ("queries.jsonl", "{\"query\": \"a\"}\n{\"question\": 1}\n", "queries.jsonl: line 2"),
        ("catalog.json", "[{\"name\": \"a\"},\n {\"description\": 3}]", "catalog.json: line 2"),
        ("catalog.json", "[", "catalog.json: line 1"),
    ] {
        house.write(file, text);
        let ran = house.run(&args);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.json()["error"]["message"].as_str().unwrap().contains(place), "{ran:?}");
        house.write("catalog.json", catalog.to_string());
        house.write("queries.jsonl", "{\"query\": \"find my files\"}\n");
    }
    let missing = house.run(&["--json", "prefilter", "--catalog", "none.json", "--queries", "queries.jsonl"]);
    assert!(missing.code != Some(0) && missing.stdout.contains("none.json"), "{missing:?}");
}
