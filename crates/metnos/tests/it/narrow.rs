//! What is said narrows what is done, on disk: what was not named is still there afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use serde_json::Value;
use std::time::{Duration, UNIX_EPOCH};

fn ask(house: &House, text: &str) -> Value {
    house.run(&["--json", "ask", "--conversation", "test", text]).json()
}

/// Asks, says yes to what waits for one, and gives what is left in a folder.
fn done(house: &House, text: &str, folder: &str) -> Vec<String> {
    let said = ask(house, text);
    if let Some(approval) = said["approval"].as_str() {
        house.run(&["approve", approval]);
    }
    names(house, folder)
}

fn names(house: &House, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(house.home().join(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn aged(house: &House, path: &str, text: &str, seconds: u64) {
    let path = house.write(path, text);
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn only_empty_files_go_when_empty_files_are_deleted() {
    for text in ["delete the empty files in Downloads", "elimina i file vuoti in Downloads"] {
        let house = House::new();
        house.write("Downloads/empty.txt", "");
        house.write("Downloads/full.txt", "words");
        assert_eq!(done(&house, text, "Downloads"), ["full.txt"], "{text}");
    }
}

#[test]
fn the_oldest_of_every_group_of_copies_stays() {
    for text in ["delete the duplicates in Downloads", "elimina i duplicati in Downloads"] {
        let house = House::new();
        for (name, content, seconds) in [
            ("a-copy.txt", "same words", 2_000),
            ("original.txt", "same words", 1_000),
            ("z-copy.txt", "same words", 3_000),
            ("one.bin", "other words!", 5_000),
            ("two.bin", "other words!", 4_000),
            ("alone.txt", "nothing like it", 6_000),
        ] {
            aged(&house, &format!("Downloads/{name}"), content, seconds);
        }
        assert_eq!(done(&house, text, "Downloads"), ["alone.txt", "original.txt", "two.bin"], "{text}");
    }
}

#[test]
fn what_is_not_understood_leaves_everything_where_it_is() {
    let house = House::new();
    house.write("Downloads/a.txt", "a");
    house.write("Downloads/.b.txt", "b");
    for text in [
        "delete the big files in Downloads",
        "delete some files in Downloads",
        "elimina i file nuovi in Downloads",
        "delete files in Downloads tomorrow",
        "devo eliminare i file in Downloads?",
        "elimina tutti i file",
        "annulla tutto",
        "stop everything",
    ] {
        assert_eq!(done(&house, text, "Downloads"), [".b.txt", "a.txt"], "{text}");
    }
    assert_eq!(done(&house, "delete the hidden files in Downloads", "Downloads"), ["a.txt"]);
}

#[test]
fn a_greeting_is_answered_and_no_gap_is_noted() {
    let house = House::new();
    for (text, word) in [("hello", "PDF"), ("grazie", "Prego"), ("undo everything", "undo --list")] {
        let said = ask(&house, text);
        assert_eq!(said["status"], "done", "{said}");
        assert!(said["text"].as_str().is_some_and(|said| said.contains(word)), "{said}");
    }
}
