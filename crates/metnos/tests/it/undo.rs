//! Undo, through the binary: every byte, mode and time comes back, what changed since is kept.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// What a person can see of a tree: content, mode and time of files, targets of links, names of folders.
type Tree = BTreeMap<String, (char, Vec<u8>, u32, i64)>;

fn tree(dir: &Path) -> Tree {
    fn walk(dir: &Path, base: &Path, all: &mut Tree) {
        for item in std::fs::read_dir(dir).unwrap() {
            let path = item.unwrap().path();
            let meta = std::fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(base).unwrap().to_string_lossy().into_owned();
            let seen = if meta.is_symlink() {
                ('l', std::fs::read_link(&path).unwrap().to_string_lossy().into_owned().into_bytes(), 0, 0)
            } else if meta.is_dir() {
                ('d', Vec::new(), meta.mode() & 0o7777, 0)
            } else {
                let time = meta.mtime() * 1_000_000_000 + meta.mtime_nsec();
                ('f', std::fs::read(&path).unwrap(), meta.mode() & 0o7777, time)
            };
            let is_dir = seen.0 == 'd';
            all.insert(name, seen);
            if is_dir {
                walk(&path, base, all);
            }
        }
    }
    let mut all = Tree::new();
    walk(dir, dir, &mut all);
    all
}

fn furnished() -> House {
    let house = House::new();
    for (path, text) in [
        ("docs/a.txt", "alpha"),
        ("docs/b.txt", "beta"),
        ("docs/deep/c.txt", "gamma"),
        ("docs/deep/er/d", ""),
    ] {
        house.write(path, text);
    }
    let a = house.home().join("docs/a.txt");
    std::fs::set_permissions(&a, std::fs::Permissions::from_mode(0o640)).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    std::fs::File::options().append(true).open(&a).unwrap().set_modified(old).unwrap();
    std::os::unix::fs::symlink("a.txt", house.home().join("docs/link")).unwrap();
    house
}

fn undo(house: &House) -> Value {
    house.run(&["--json", "undo"]).json()
}

#[test]
fn every_changer_is_undone() {
    let house = furnished();
    let docs = house.home().join("docs");
    let before = tree(&docs);
    let calls = [
        ("delete_files", json!({ "paths": ["docs/a.txt", "docs/link", "docs/deep/c.txt"] })),
        ("delete_dirs", json!({ "paths": ["docs/deep"], "recursive": true })),
        ("move_files", json!({ "paths": ["docs/a.txt", "docs/deep"], "dst_dir": "docs/elsewhere/now" })),
        ("write_files", json!({ "path": "docs/a.txt", "content": "another", "mode": "overwrite" })),
        ("write_files", json!({ "path": "docs/a.txt", "content": " and more", "mode": "append" })),
        ("write_files", json!({ "path": "docs/new/file.txt", "content": "new" })),
        ("create_dirs", json!({ "paths": ["docs/x/y/z"] })),
        ("compress_files", json!({ "paths": ["docs/deep", "docs/a.txt"], "dst": "docs/all.zip" })),
    ];
    for (name, args) in calls {
        let done = house.exec(name, args.clone());
        assert_eq!(done["ok"], true, "{name}: {done}");
        assert_ne!(tree(&docs), before, "{name} changed nothing");
        let undone = undo(&house);
        assert_eq!(undone["conflicts"], json!([]), "{name}: {undone}");
        assert_eq!(tree(&docs), before, "{name} {args}");
    }
    assert_eq!(undo(&house)["undone"], Value::Null);
    house.chain_holds();
}

#[test]
fn what_changed_since_is_a_conflict_and_is_kept() {
    let house = furnished();
    house.exec("delete_files", json!({ "paths": ["docs/a.txt", "docs/b.txt"] }));
    house.write("docs/a.txt", "mine now");
    let ran = house.run(&["--json", "undo"]);
    let undone = ran.json();
    assert_eq!((ran.code, &undone["reversed"]), (Some(1), &json!(1)));
    assert_eq!(undone["conflicts"].as_array().unwrap().len(), 1);
    assert_eq!(std::fs::read(house.home().join("docs/a.txt")).unwrap(), b"mine now");
    assert_eq!(std::fs::read(house.home().join("docs/b.txt")).unwrap(), b"beta");

    house.exec("write_files", json!({ "path": "docs/b.txt", "content": "theirs", "mode": "overwrite" }));
    std::thread::sleep(std::time::Duration::from_millis(20));
    house.write("docs/b.txt", "edited after");
    let undone = undo(&house);
    assert_eq!(undone["reversed"], 0, "{undone}");
    assert_eq!(std::fs::read(house.home().join("docs/b.txt")).unwrap(), b"edited after");
}

#[test]
fn trying_touches_nothing_and_forgetting_frees() {
    let house = furnished();
    house.exec("delete_files", json!({ "paths": ["docs/a.txt"] }));
    let gone = tree(&house.home());
    let tried = house.run(&["--json", "undo", "--dry-run"]).json();
    assert_eq!((&tried["dry_run"], &tried["reversed"]), (&json!(true), &json!(1)));
    assert_eq!(tree(&house.home()), gone);
    let listed = house.run(&["--json", "undo", "--list"]).json();
    assert_eq!((&listed[0]["executor"], &listed[0]["state"]), (&json!("delete_files"), &json!("done")));
    assert_eq!(listed[0]["kept_bytes"], 5);
    let turn = listed[0]["turn"].as_str().unwrap().to_owned();
    let freed = house.run(&["--json", "undo", "--forget", &turn]).json();
    assert_eq!(freed["freed_bytes"], 5);
    assert_eq!(undo(&house)["undone"], Value::Null);
    let listed = house.run(&["--json", "undo", "--list"]).json();
    assert_eq!((&listed[0]["turn"], &listed[0]["state"]), (&json!(turn), &json!("freed")), "{listed}");
    let ran = house.run(&["undo", &turn]);
    assert!(ran.code == Some(1) && ran.stderr.contains("was freed on"), "{ran:?}");
    assert!(!house.home().join("docs/a.txt").exists());
    assert_eq!(house.run(&["undo", "NOSUCHTURN"]).code, Some(1));
}

#[test]
fn a_named_turn_is_undone_before_later_ones() {
    let house = furnished();
    let first = house.exec("delete_files", json!({ "paths": ["docs/a.txt"] }));
    house.exec("delete_files", json!({ "paths": ["docs/b.txt"] }));
    let turn = first["call_id"].as_str().unwrap();
    let undone = house.run(&["--json", "undo", turn]).json();
    assert_eq!(undone["undone"], turn);
    assert!(house.home().join("docs/a.txt").exists() && !house.home().join("docs/b.txt").exists());
    assert_eq!(undo(&house)["reversed"], 1);
    assert!(house.home().join("docs/b.txt").exists());
}

#[test]
fn a_damaged_record_is_told_and_nothing_is_touched() {
    let house = furnished();
    let done = house.exec("delete_files", json!({ "paths": ["docs/a.txt"] }));
    let id = done["call_id"].as_str().unwrap();
    let record = house.metnos().join("state/journal/done").join(id).join("1.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace("docs/a.txt", "docs/b.txt")).unwrap();
    let listed = house.run(&["--json", "undo", "--list"]).json();
    assert_eq!(listed[0]["state"], "damaged");
    let ran = house.run(&["undo", id]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("damaged") && ran.stderr.contains("--forget"), "{ran:?}");
    assert_eq!(std::fs::read(house.home().join("docs/b.txt")).unwrap(), b"beta");
}

#[test]
fn what_is_kept_damaged_is_not_given_back() {
    let house = furnished();
    let done = house.exec("delete_files", json!({ "paths": ["docs/a.txt"] }));
    let kept = house.home().join(".metnos-undo").join(done["call_id"].as_str().unwrap()).join("1-0");
    std::fs::write(&kept, "forged").unwrap();
    let undone = undo(&house);
    assert_eq!(undone["reversed"], 0, "{undone}");
    assert!(undone["conflicts"][0]["why"].as_str().unwrap().contains("damaged"), "{undone}");
    assert!(!house.home().join("docs/a.txt").exists());
}

#[test]
fn what_is_kept_cannot_be_reached_by_any_call() {
    let house = furnished();
    house.exec("delete_files", json!({ "paths": ["docs/a.txt"] }));
    let kept = house.home().join(".metnos-undo");
    for (name, args) in [
        ("list_dirs", json!({ "paths": [kept] })),
        ("find_files", json!({ "base_path": kept, "hidden": true })),
        ("delete_dirs", json!({ "paths": [kept], "recursive": true })),
        ("move_files", json!({ "paths": [kept], "dst_dir": "docs" })),
    ] {
        let ran = house.exec_ran(name, args);
        assert_eq!(ran.json()["error"]["class"], "forbidden", "{name}: {ran:?}");
    }
    let found = house.exec("find_files", json!({ "base_path": house.home(), "hidden": true }));
    assert!(!found.to_string().contains(".metnos-undo/"), "{found}");
    assert_eq!(undo(&house)["reversed"], 1);
}

#[test]
fn a_removed_word_of_an_undo_is_damage_and_never_a_second_undo() {
    for name in ["undone.json", "undoing"] {
        let house = furnished();
        let done = house.exec("move_files", json!({ "paths": ["docs/a.txt"], "dst_dir": "docs/deep" }));
        let id = done["call_id"].as_str().unwrap();
        assert_eq!(undo(&house)["reversed"], 1);
        std::fs::remove_file(house.metnos().join("state/journal/undone").join(id).join(name)).unwrap();
        // By hand, to where it had been: a second undo would take it away again.
        let (here, there) = (house.home().join("docs/a.txt"), house.home().join("docs/deep/a.txt"));
        std::fs::rename(&here, &there).unwrap();
        let listed = house.run(&["--json", "undo", "--list"]).json();
        assert_eq!(listed[0]["state"], "damaged", "{name}: {listed}");
        assert!(listed[0]["damage"].as_str().unwrap().contains(name), "{listed}");
        let ran = house.run(&["undo", id]);
        assert!(ran.code == Some(1) && ran.stderr.contains("--forget"), "{name}: {ran:?}");
        assert_eq!(undo(&house)["undone"], Value::Null, "{name}");
        assert!(there.exists() && !here.exists(), "{name}");
    }
}

/// Asks, and gives the id of the question that waits.
fn waits(house: &House, text: &str) -> (String, String) {
    let asked = house.run(&["--json", "ask", "--conversation", "test", text]);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    (question(&asked.json()), asked.json()["turn"].as_str().unwrap().to_owned())
}

fn question(answer: &Value) -> String {
    answer["approval"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn undoing_something_of_a_turn_voids_what_the_rest_of_it_waits_for() {
    let house = House::supervised();
    let original = house.write("Documents/contract.pdf", "the only one");
    house.write("Backup/here.txt", "here");
    let (copy, turn) = waits(&house, "copy Documents/contract.pdf to Backup and then delete it");
    let copied = house.run(&["--json", "approve", &copy]);
    assert_eq!(copied.code, Some(4), "{copied:?}");
    assert!(house.home().join("Backup/contract.pdf").exists());
    let delete = question(&copied.json());
    let undone = house.run(&["--json", "undo"]).json();
    assert_eq!((&undone["reversed"], &undone["voided"]), (&json!(1), &json!(1)), "{undone}");
    assert!(!house.home().join("Backup/contract.pdf").exists());
    let late = house.run(&["approve", &delete]);
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(late.stderr.contains("was undone"), "{late:?}");
    assert_eq!(std::fs::read_to_string(original).unwrap(), "the only one");
    let told = house.run(&["--json", "turns", &turn]).json();
    assert_eq!(told["status"], "cancelled", "{told}");
    assert!(told["text"].as_str().unwrap().contains("was undone"), "{told}");
    assert_eq!(house.run(&["--json", "replay", &turn]).json()["differences"], json!([]));
    assert_eq!(house.run(&["--json", "approvals"]).json(), json!([]));
    house.chain_holds();
}

#[test]
fn a_step_that_needs_no_question_does_not_run_either_after_an_undo() {
    let house = House::supervised();
    house.write("Documents/contract.pdf", "the only one");
    let (copy, turn) = waits(&house, "copy Documents/contract.pdf to Backup and then delete it");
    house.run(&["--json", "approve", &copy]);
    house.run(&["--json", "undo"]);
    assert_eq!(house.run(&["policy", "level", "full"]).code, Some(0));
    // The very step of the plan, under its own id, at a level that asks nobody.
    let args = json!({ "paths": ["Documents/contract.pdf"] }).to_string();
    let ran = house.run(&["--json", "exec", "--call-id", &format!("{turn}-3"), "delete_files", &args]);
    assert_eq!(ran.json()["error"]["class"], "conflict", "{ran:?}");
    assert!(house.home().join("Documents/contract.pdf").exists());
}

#[test]
fn what_stood_in_the_way_of_an_undo_does_not_use_it_up() {
    let house = furnished();
    let before = tree(&house.home().join("docs"));
    house.exec("delete_files", json!({ "paths": ["docs/a.txt", "docs/b.txt"] }));
    house.write("docs/a.txt", "mine now");
    let ran = house.run(&["undo"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("1 of 2 taken back"), "{ran:?}");
    assert!(ran.stdout.contains("docs/a.txt: something stands") && ran.stdout.contains("again"), "{ran:?}");
    let listed = house.run(&["--json", "undo", "--list"]).json();
    assert_eq!(
        (listed.as_array().unwrap().len(), &listed[0]["state"]),
        (1, &json!("partly_undone")),
        "{listed}"
    );
    // Still in the way: nothing is lost by asking.
    assert_eq!(undo(&house)["reversed"], 0);
    // What was given back belongs to the person again, and a second try leaves it alone.
    house.write("docs/b.txt", "edited after it came back");
    std::fs::remove_file(house.home().join("docs/a.txt")).unwrap();
    let undone = undo(&house);
    assert_eq!((&undone["reversed"], &undone["conflicts"]), (&json!(1), &json!([])), "{undone}");
    assert_eq!(tree(&house.home().join("docs"))["a.txt"], before["a.txt"]);
    assert_eq!(std::fs::read(house.home().join("docs/b.txt")).unwrap(), b"edited after it came back");
    assert_eq!(house.run(&["--json", "undo", "--list"]).json()[0]["state"], "undone");
    assert_eq!(undo(&house)["undone"], Value::Null);
    house.chain_holds();
}

#[test]
fn what_was_moved_goes_back_once_its_old_place_is_free() {
    let house = furnished();
    house.exec("move_files", json!({ "paths": ["docs/a.txt", "docs/b.txt"], "dst_dir": "docs/deep" }));
    house.write("docs/a.txt", "another");
    assert_eq!(undo(&house)["reversed"], 1);
    assert!(house.home().join("docs/b.txt").exists());
    // By hand, to where it had been moved: that is meant, and stays.
    std::fs::rename(house.home().join("docs/b.txt"), house.home().join("docs/deep/b.txt")).unwrap();
    std::fs::remove_file(house.home().join("docs/a.txt")).unwrap();
    assert_eq!(undo(&house)["reversed"], 1);
    assert_eq!(std::fs::read(house.home().join("docs/a.txt")).unwrap(), b"alpha");
    assert!(house.home().join("docs/deep/b.txt").exists() && !house.home().join("docs/b.txt").exists());
}

#[test]
fn an_undo_in_words_says_what_stood_in_the_way_and_can_be_said_again() {
    let house = House::new();
    house.write("Documents/report.txt", "the report");
    // In broad daylight: at night more is asked back.
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", "--conversation", "test"];
    let ask = |text: &str| house.run(&[&["--json", "ask"][..], &now, &[text]].concat()).json();
    assert_eq!(ask("delete Documents/report.txt")["status"], "done");
    house.write("Documents/report.txt", "another report");
    let said = |answer: &Value| answer["text"].as_str().unwrap().to_owned();
    let blocked = ask("undo");
    assert_eq!(blocked["status"], "failed", "{blocked}");
    assert!(said(&blocked).contains("Not taken back: “delete Documents/report.txt”"), "{blocked}");
    assert!(said(&blocked).contains("report.txt: something stands at its place"), "{blocked}");
    let italian = house.run(&["--json", "ask", "--lang", "it", "annulla"]).json();
    assert!(said(&italian).contains("Non annullato: “delete"), "{italian}");
    std::fs::remove_file(house.home().join("Documents/report.txt")).unwrap();
    let back = ask("undo");
    assert_eq!(said(&back), "Taken back: “delete Documents/report.txt”.", "{back}");
    assert_eq!(std::fs::read(house.home().join("Documents/report.txt")).unwrap(), b"the report");
}
