//! Ten thousand calls leave ten thousand lines, and no change to any of them goes unseen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const CALLS: usize = 10_000;
/// One call in this many runs in a cell; the rest are refused by the schema, which costs a line too.
const IN_A_CELL: usize = 100;

fn busy_house(count: usize) -> House {
    let house = House::new();
    let mut calls = String::new();
    for n in 0..count {
        let args = if n % IN_A_CELL == 0 { json!({}) } else { json!({ "unknown": n }) };
        calls.push_str(&json!({ "executor": "get_now", "args": args }).to_string());
        calls.push('\n');
    }
    let ran = house.run_with(&["exec", "--stdin"], calls.as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), count));
    house
}

fn verify(house: &House) -> Ran {
    house.run(&["audit", "verify", "--json"])
}

/// It fails, and names a place: file and line.
fn is_found(house: &House, file: &str, lines: &[usize], what: &str) {
    let ran = verify(house);
    assert_eq!(ran.code, Some(1), "{what}: {ran:?}");
    let damage = ran.json()["damage"][0].as_str().unwrap_or_default().to_owned();
    let named = lines.iter().any(|line| damage.starts_with(&format!("{file}:{line} ")));
    assert!(named, "{what}: one of {lines:?} of {file} expected: {damage}");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.concat()
}

#[test]
fn the_chain_of_ten_thousand_calls_holds_and_shows_a_single_changed_bit() {
    let house = busy_house(CALLS);
    let report = verify(&house);
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(report.json()["lines"].as_u64().unwrap() > CALLS as u64, "{report:?}");
    for path in house.day_files() {
        let bytes = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
        let checkpoint = lines.iter().position(|l| l.windows(12).any(|w| w == b"\"checkpoint\""));
        for at in [Some(0), Some(lines.len() / 2), checkpoint, Some(lines.len() - 1)].into_iter().flatten() {
            let mut changed = bytes.clone();
            let start: usize = lines[..at].iter().map(|l| l.len()).sum();
            changed[start + lines[at].len() / 2] ^= 1;
            std::fs::write(&path, changed).unwrap();
            is_found(&house, &name(&path), &[at + 1, at + 2], &format!("line {} of {}", at + 1, lines.len()));
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(verify(&house).code, Some(0));
}

#[test]
fn every_edit_deletion_swap_copy_and_cut_is_found_where_it_is() {
    let house = busy_house(60);
    assert_eq!(verify(&house).code, Some(0));

    // Midnight may pass while this runs, so the file with the most lines is the one to damage.
    let days: Vec<(PathBuf, Vec<u8>)> =
        house.day_files().into_iter().map(|p| (p.clone(), std::fs::read(p).unwrap())).collect();
    let last_file = days.last().unwrap().0.clone();
    let (path, bytes) = days.iter().max_by_key(|(_, bytes)| bytes.len()).unwrap();
    let lines: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let (file, count) = (name(path), lines.len());
    let put = |lines: &[Vec<u8>]| std::fs::write(path, joined(lines)).unwrap();
    for at in [0, 1, count / 2, count - 2, count - 1] {
        let (line, after) = (at + 1, at + 2);
        let what = |act: &str| format!("{act} line {line} of {count}");

        let mut edited = lines.clone();
        let middle = edited[at].len() / 2;
        edited[at][middle] ^= 1;
        put(&edited);
        is_found(&house, &file, &[line, after], &what("edited"));

        let mut deleted = lines.clone();
        deleted.remove(at);
        put(&deleted);
        is_found(&house, &file, &[line, after], &what("deleted"));

        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        put(&doubled);
        is_found(&house, &file, &[line, after], &what("doubled"));

        if at + 1 < count {
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            put(&swapped);
            is_found(&house, &file, &[line, after], &what("swapped"));
        }
        put(&lines[..at]);
        let ran = verify(&house);
        assert_eq!(ran.code, Some(1), "{}: {ran:?}", what("cut before"));
        let mut torn = lines[..=at].to_vec();
        torn[at].truncate(middle);
        put(&torn);
        let ran = verify(&house);
        assert_eq!(ran.code, Some(1), "{}: {ran:?}", what("cut inside"));
        assert!(ran.json()["damage"][0].as_str().unwrap().contains(".jsonl:"), "{ran:?}");
    }
    put(&lines);
    assert_eq!(verify(&house).code, Some(0));

    // The file, the head, and everything together.
    let head = house.metnos().join("state/audit.head");
    let kept = std::fs::read(&head).unwrap();
    std::fs::remove_file(path).unwrap();
    let ran = verify(&house);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.json()["damage"][0].as_str().unwrap().contains(".jsonl:1 "), "{ran:?}");
    put(&lines);
    std::fs::remove_file(&head).unwrap();
    let ran = verify(&house);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.json()["damage"][0].as_str().unwrap().contains("audit.head"), "{ran:?}");
    let text = house.run(&["audit", "verify"]);
    assert!(text.code == Some(1) && text.stdout.contains("audit.head"), "{text:?}");
    for (path, _) in &days {
        std::fs::remove_file(path).unwrap();
    }
    let ran = verify(&house);
    assert_eq!(ran.code, Some(1), "everything removed: {ran:?}");
    std::fs::write(&head, kept).unwrap();
    for (path, bytes) in &days {
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(verify(&house).code, Some(0), "{}", last_file.display());
}

#[test]
fn a_chain_that_was_removed_with_its_head_stays_found_after_the_next_calls() {
    let house = House::new();
    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    std::fs::remove_dir_all(house.audit_dir()).unwrap();
    std::fs::remove_file(house.metnos().join("state/audit.head")).unwrap();
    assert_eq!(verify(&house).code, Some(1));
    for _ in 0..3 {
        assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    }
    let ran = verify(&house);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("an earlier start found the chain damaged"), "{ran:?}");
}

#[test]
fn every_call_can_be_found_again_by_number_by_id_and_by_executor() {
    let house = House::new();
    let answer = house.exec("get_now", json!({ "timezone": "Europe/Rome" }));
    house.exec("compute_numbers", json!({ "expression": "2 + 2" }));
    let id = answer["call_id"].as_str().unwrap();
    let shown = house.run(&["audit", "show", id, "--json"]).json();
    assert_eq!(shown[0]["executor"], "get_now", "{shown}");
    assert_eq!(shown[0]["input"]["timezone"], "Europe/Rome", "{shown}");
    let seq = shown[0]["seq"].as_u64().unwrap().to_string();
    let by_number = house.run(&["audit", "show", &seq, "--json"]).json();
    assert_eq!(by_number, shown);
    let tail = house.run(&["audit", "tail", "-n", "5", "--executor", "get_now", "--json"]).json();
    assert!(tail.as_array().unwrap().iter().all(|l| l["executor"] == "get_now"), "{tail}");
    let last = house.run(&["audit", "tail", "-n", "1", "--json"]).json();
    assert_eq!(last[0]["executor"], "compute_numbers", "{last}");
    let text = house.run(&["audit", "tail"]);
    assert!(text.stdout.contains("get_now"), "{text:?}");
    let nothing = house.run(&["audit", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--json"]);
    assert_eq!((nothing.code, &nothing.json()["error"]["class"]), (Some(1), &json!("not_found")));
}

#[test]
fn a_piped_call_says_which_items_it_worked_on_and_where_they_lie() {
    let house = House::new();
    for name in ["a.txt", "b.txt", "c.md"] {
        house.write(&format!("Documents/{name}"), name);
    }
    let told = house.run(&["--json", "ask", "delete the txt files in Documents"]).json();
    assert_eq!(told["status"], "done", "{told}");
    let turn = told["turn"].as_str().unwrap();
    let lines = house.audit_lines();
    let line = lines.iter().rev().find(|l| l["executor"] == "delete_files" && l["kind"] == "close").unwrap();
    let list = &line["lists"][0];
    assert_eq!((&list["name"], &list["count"]), (&json!("entries"), &json!(2)), "{line}");
    let place = house.metnos().join("state").join(list["from"].as_str().unwrap());
    assert!(place.to_str().unwrap().contains(turn), "{line}");
    let digest = format!("blake3:{}", blake3::hash(&std::fs::read(&place).unwrap()).to_hex());
    assert_eq!(list["digest"], digest, "what lies there is what it worked on: {line}");
    // The same for a list that is given on the command line, and for one answered later.
    let row = json!({ "path": house.home().join("Documents/c.md") });
    let entries = house.write("rows.jsonl", format!("{row}\n"));
    let got = house.run(&["exec", "get_files", "{}", "--entries", "rows.jsonl"]);
    assert_eq!(got.code, Some(0), "{got:?}");
    let line = house.audit_lines().pop().unwrap();
    assert_eq!(line["lists"][0]["from"], entries.to_str().unwrap(), "{line}");
    assert_eq!(line["lists"][0]["count"], 1, "{line}");
    house.chain_holds();
}

#[test]
fn a_yes_given_later_leaves_the_place_of_the_items_too() {
    let house = House::supervised();
    for name in ["a.txt", "b.txt"] {
        house.write(&format!("Documents/{name}"), name);
    }
    let waits = house.run(&["--json", "ask", "delete the txt files in Documents"]).json();
    let done = house.run(&["--json", "approve", waits["approval"].as_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let lines = house.audit_lines();
    let line = lines.iter().rev().find(|l| l["executor"] == "delete_files" && l["kind"] == "close").unwrap();
    assert_eq!(line["lists"][0]["count"], 2, "{line}");
    assert!(line["lists"][0]["from"].as_str().unwrap().starts_with("turns/"), "{line}");
}

#[test]
fn what_is_corrected_is_a_line_of_its_own_beside_the_first() {
    let house = House::new();
    let answer = house.exec("get_now", json!({ "timezone": "Europe/Rome" }));
    let id = answer["call_id"].as_str().unwrap();
    let first = house.run(&["audit", "show", id, "--json"]).json()[0].clone();
    let note = house.run(&["--json", "audit", "note", id, "this", "was a", "test"]);
    assert_eq!(note.code, Some(0), "{note:?}");
    assert_eq!(note.json()["about"], first["seq"], "{note:?}");
    let token = ["ghp", "_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let seq = first["seq"].as_u64().unwrap().to_string();
    assert_eq!(house.run(&["audit", "note", &seq, &format!("key {token}")]).code, Some(0));
    for key in [id, &seq] {
        let shown = house.run(&["audit", "show", key, "--json"]).json();
        let shown = shown.as_array().unwrap();
        assert_eq!(shown[0], first, "the first line stays as it was");
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert_eq!(
            (&shown[1]["kind"], &shown[1]["detail"]["text"]),
            (&json!("note"), &json!("this was a test"))
        );
        assert!(!shown[2].to_string().contains(&token), "{shown:?}");
    }
    for (args, class) in [
        (&["audit", "note", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"][..], "not_found"),
        (&["audit", "note", id, " "], "wrong_args"),
    ] {
        let refused = house.run(&[&["--json"][..], args].concat());
        assert_eq!(refused.json()["error"]["class"], class, "{refused:?}");
    }
    house.chain_holds();
}

#[test]
fn what_looks_like_a_secret_never_reaches_the_audit() {
    let house = House::new();
    // Shapes of well-known tokens, made up here; split so that no scanner takes them for real.
    let tokens = [
        ["ghp", "_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat(),
        ["AKIA", "QWERTYUIOPASDFGH"].concat(),
        ["xoxb", "-123456789012-123456789012-abcdefghijklmnopqrstuvwx"].concat(),
    ];
    for token in &tokens {
        let calls: [(&str, Value); 4] = [
            ("get_now", json!({ "timezone": token })),
            ("compute_texts", json!({ "texts": [format!("the key is {token} and that is that")] })),
            ("write_files", json!({ "path": "~/note.txt", "content": token, "mode": "overwrite" })),
            ("find_files", json!({ "base_path": format!("~/{token}") })),
        ];
        for (executor, args) in calls {
            house.exec_ran(executor, args);
        }
        house.exec_ran(token, json!({}));
        house.run_with(&["exec", "--stdin"], format!("{{\"executor\":\"{token}\"}}\n").as_bytes());
    }
    let text: String = house.day_files().iter().map(|f| std::fs::read_to_string(f).unwrap()).collect();
    for token in &tokens {
        assert!(!text.contains(token.as_str()), "{token} is in the audit");
    }
    assert!(text.contains("‹secret:"), "nothing was replaced");
    house.chain_holds();
}

/// Copies the chain and its head elsewhere, or back.
fn put(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_chain_put_back_with_its_head_is_found_by_whoever_knows_more() {
    let house = House::new();
    let mut session = crate::support::session::Session::start(&house);
    let mut call = || session.call("get_now", serde_json::json!({}));
    call();
    let kept = house.home().join("kept");
    let head = house.metnos().join("state/audit.head");
    put(&house.audit_dir(), &kept);
    std::fs::copy(&head, kept.join("head")).unwrap();
    for _ in 0..3 {
        call();
    }
    let exported = house.home().join("checkpoint.json");
    let exported = exported.to_str().unwrap();
    let ran = house.run(&["audit", "checkpoint", exported]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(house.run(&["audit", "verify", "--checkpoint", exported]).code, Some(0));
    let known = house.audit_lines().len();

    // Everything here is put back together: the chain holds in itself.
    let roll_back = || {
        for file in house.day_files() {
            std::fs::copy(kept.join(file.file_name().unwrap()), &file).unwrap();
        }
        std::fs::copy(kept.join("head"), &head).unwrap();
    };
    roll_back();
    let left = house.audit_lines().len();
    assert!(left < known);
    house.chain_holds();
    let found = house.run(&["--json", "audit", "verify", "--checkpoint", exported]);
    assert_eq!(found.code, Some(1), "what was exported knows more: {found:?}");
    assert!(found.json()["damage"].to_string().contains(&known.to_string()), "{found:?}");

    // A process that was open knows more too, and says so at its next line, from where to where.
    call();
    let told = house.audit_lines().into_iter().find(|line| line["kind"] == "damage").expect("it was noted");
    assert_eq!(told["detail"]["to"], left, "{told}");
    assert!(told["detail"]["from"].as_u64().unwrap() > left as u64, "{told}");
    assert_eq!(house.run(&["audit", "verify"]).code, Some(1));
    // One that somebody wrote by hand is none.
    let text = std::fs::read_to_string(exported).unwrap();
    std::fs::write(exported, text.replacen("\"seq\":", "\"seq\":1", 1)).unwrap();
    let forged = house.run(&["--json", "audit", "verify", "--checkpoint", exported]);
    assert_eq!(forged.json()["error"]["class"], "wrong_args", "{forged:?}");
}
