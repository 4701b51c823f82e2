//! What people do on ordinary days, and what must not go wrong then.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// Asks in broad daylight: at night more is asked back.
fn ask(house: &House, text: &str) -> Ran {
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", "--conversation", "test"];
    house.run(&[&["--json", "ask"][..], &now, &[text]].concat())
}

fn text(answer: &Value) -> &str {
    answer["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

fn read(house: &House, path: &str) -> Option<String> {
    std::fs::read_to_string(house.home().join(path)).ok()
}

#[test]
fn what_could_not_be_copied_is_not_deleted_afterwards() {
    let house = House::new();
    for name in ["a", "b", "c", "ticket"] {
        house.write(&format!("Downloads/{name}.pdf"), format!("this is {name}"));
    }
    house.write("Archive/ticket.pdf", "another ticket");
    let rights = |mode| {
        let path = house.home().join("Downloads/ticket.pdf");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    rights(0o000);
    let ran = ask(&house, "copy the pdf files from Downloads to Archive and then delete them");
    let answer = ran.json();
    assert_eq!((ran.code, &answer["status"]), (Some(1), &json!("partly")), "{answer}");
    let said = text(&answer);
    assert!(said.contains("3 files") && said.contains("ticket.pdf"), "{answer}");
    assert!(said.contains("delete_files was not begun"), "{answer}");
    rights(0o600);
    for name in ["a", "b", "c", "ticket"] {
        let path = format!("Downloads/{name}.pdf");
        assert_eq!(read(&house, &path), Some(format!("this is {name}")), "{path}");
    }
    assert_eq!(read(&house, "Archive/ticket.pdf").as_deref(), Some("another ticket"));
    let replayed = house.run(&["--json", "replay", answer["turn"].as_str().unwrap()]).json();
    assert_eq!(replayed["differences"], json!([]), "{replayed}");
    // Without a conflict it goes through to its end.
    house.write("Downloads/only.txt", "only");
    let done = ask(&house, "copy the txt files from Downloads to Archive and then delete them").json();
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(
        (read(&house, "Downloads/only.txt"), read(&house, "Archive/only.txt")),
        (None, Some("only".into()))
    );
}

#[test]
fn an_undo_that_names_another_change_takes_nothing_back() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    house.write("Documents/b.txt", "beta");
    house.write("Archive/here.txt", "here");
    assert_eq!(ask(&house, "move Documents/a.txt to Archive").json()["status"], "done");
    assert_eq!(ask(&house, "delete Documents/b.txt").json()["status"], "done");
    for request in ["undo the move", "undo the first one"] {
        let ran = ask(&house, request);
        assert_eq!(ran.code, Some(1), "{request}: {ran:?}");
        assert!(text(&ran.json()).contains("The last change is “delete Documents/b.txt”"), "{ran:?}");
        assert_eq!(read(&house, "Documents/b.txt"), None, "{request}");
        assert_eq!(read(&house, "Archive/a.txt").as_deref(), Some("alpha"), "{request}");
    }
    let plain = ask(&house, "undo that, please").json();
    assert_eq!(text(&plain), "Taken back: “delete Documents/b.txt”.", "{plain}");
    assert_eq!(read(&house, "Documents/b.txt").as_deref(), Some("beta"));
    // Now the move is the last, and naming it is no hindrance.
    let named = ask(&house, "undo the move").json();
    assert_eq!(text(&named), "Taken back: “move Documents/a.txt to Archive”.", "{named}");
    assert_eq!(read(&house, "Documents/a.txt").as_deref(), Some("alpha"));
}

#[test]
fn what_is_appended_stands_on_a_line_of_its_own_and_the_card_shows_it() {
    let house = House::supervised();
    house.write("todo.txt", "milk");
    let asked = ask(&house, "append \"eggs\" to todo.txt").json();
    assert_eq!(asked["status"], "waits", "{asked}");
    let card = text(&asked);
    assert!(card.contains("Append text to 1 file") && card.contains("“eggs”"), "{asked}");
    assert!(card.contains("/todo.txt"), "{asked}");
    let done = house.run(&["--json", "approve", asked["approval"].as_str().unwrap()]).json();
    assert_eq!(text(&done), "Text appended to 1 file.", "{done}");
    assert_eq!(house.run(&["policy", "level", "full"]).code, Some(0));
    assert_eq!(ask(&house, "append \"bread\" to todo.txt").json()["status"], "done");
    assert_eq!(read(&house, "todo.txt").as_deref(), Some("milk\neggs\nbread\n"));
}

#[test]
fn a_card_says_copy_and_rename_and_the_new_name() {
    let house = House::supervised();
    house.write("Documents/a.pdf", "a");
    house.write("Archive/here.txt", "here");
    let copy = ask(&house, "copy Documents/a.pdf to Archive").json();
    assert!(text(&copy).contains("Copy 1 file"), "{copy}");
    let asked = ask(&house, "rename Documents/a.pdf to b.pdf");
    let rename = asked.json();
    assert!(text(&rename).contains("Rename 1 file") && text(&rename).contains("→ b.pdf"), "{rename}");
    // A yes to the whole kind is a yes to the executor, and says its name.
    assert!(house.whole_card(&asked).contains("“Move files”"), "{rename}");
    let done = house.run(&["--json", "approve", rename["approval"].as_str().unwrap()]).json();
    assert_eq!(text(&done), "1 file renamed.", "{done}");
    assert_eq!(read(&house, "Documents/b.pdf").as_deref(), Some("a"));
}

#[test]
fn what_is_certain_to_fail_is_said_before_anybody_is_asked() {
    let house = House::supervised();
    house.write("Documents/a.txt", "alpha");
    house.write("Documents/b.txt", "beta");
    house.write("Archive/a.txt", "another");
    house.write("Documents/Old/deep/big.bin", vec![b'x'; 3_000_000]);
    for (request, why) in [
        ("rename Documents/a.txt to b.txt", "Documents/b.txt is already there"),
        ("delete the folder Documents/Old", "and everything in it"),
    ] {
        let answer = ask(&house, request).json();
        assert_eq!(answer["status"], "failed", "{request}: {answer}");
        assert!(text(&answer).contains(why), "{request}: {answer}");
    }
    assert_eq!(house.run(&["--json", "approvals"]).json(), json!([]), "nobody was asked");
    let whole = ask(&house, "delete the folder Documents/Old and everything in it").json();
    assert!(text(&whole).contains("Delete 1 folder") && text(&whole).contains("3 MB"), "{whole}");
    let moved = ask(&house, "move Documents/Old to Archive").json();
    assert!(text(&moved).contains("Move 1 folder") && text(&moved).contains("3 MB"), "{moved}");
}

#[test]
fn a_card_tells_things_of_one_name_apart() {
    let house = House::supervised();
    for path in ["Documents/x.pdf", "Documents/old/x.pdf", "Documents/older/x.pdf"] {
        house.write(path, "the same bytes");
    }
    let asked = ask(&house, "delete the duplicates in Documents");
    assert_eq!(asked.json()["status"], "waits", "{asked:?}");
    let card = house.whole_card(&asked);
    let named = ["“old/x.pdf”", "“older/x.pdf”"].map(|name| card.contains(name));
    assert!(named.contains(&true), "which of them go: {card}");
    assert!(!card.contains("“x.pdf”, “x.pdf”"), "{card}");
}

#[test]
fn an_answer_counts_what_it_speaks_of() {
    let house = House::new();
    house.write("Documents/full/a.txt", "alpha");
    house.write("Documents/b.pdf", "beta");
    house.write("Documents/list.csv", "name,city\nAnna,Roma\nLuca,Milano\n");
    let said = |request: &str| text(&ask(&house, request).json()).to_owned();
    assert_eq!(said("create the folder Documents/Casa"), "1 folder created.");
    assert!(said("create the folder Documents/Casa").contains("already there"));
    let failed = said("delete the folder Documents/full");
    assert!(!failed.contains("deleted") && failed.contains("not empty"), "{failed}");
    let read = said("read Documents/list.csv");
    assert!(!read.contains("files read"), "{read}");
    assert!(!said("hello").contains("remind") && !said("ciao").contains("ricordami"));
}

#[test]
fn after_a_search_that_found_nothing_they_are_nothing() {
    let house = House::new();
    house.write("Downloads/a.png", "a");
    house.write("Documents/b.txt", "b");
    assert_eq!(ask(&house, "find the png files in Downloads").json()["entries"][0]["name"], "a.png");
    let none = ask(&house, "find the mp3 files in Documents").json();
    assert!(text(&none).contains("0 files"), "{none}");
    let deleted = ask(&house, "delete them").json();
    assert!(text(&deleted).contains("Nothing to do"), "{deleted}");
    assert_eq!(read(&house, "Downloads/a.png").as_deref(), Some("a"));
}

#[test]
fn how_much_space_something_takes_is_said() {
    let house = House::new();
    house.write("Music/a/x.mp3", vec![0u8; 3_000_000]);
    house.write("Music/y.mp3", vec![0u8; 1_000_000]);
    let music = ask(&house, "how big is the Music folder").json();
    assert!(text(&music).contains("In all 4.0 MB (4000000 B) in 2 files."), "{music}");
    let largest = ask(&house, "which folder takes the most space").json();
    assert_eq!((&largest["entries"][0]["name"], &largest["entries"][1]), (&json!("Music"), &Value::Null));
    std::fs::create_dir_all(house.home().join("Videos")).unwrap();
    let empty = ask(&house, "how big is the Videos folder").json();
    assert!(text(&empty).contains("In all 0 B in 0 files."), "{empty}");
}

#[test]
fn what_is_not_there_is_named_once() {
    let house = House::new();
    let answer = ask(&house, "read report.txt").json();
    let said = text(&answer);
    assert!(said.contains("report.txt"), "{said}");
    assert_eq!(said.matches("report.txt").count(), 1, "{said}");
    assert!(!said.contains("os error"), "{said}");
}
