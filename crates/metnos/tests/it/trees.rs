//! A folder is copied and moved as the tree it is, names that are taken are told before and kept beside each other, and
//! undo gives the exact state before; what cannot be done is never asked about.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

fn ask(house: &House, request: &str) -> Value {
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome"];
    house.run(&[&["--json", "ask"][..], &now, &[request]].concat()).json()
}

fn text(answer: &Value) -> String {
    answer["text"].as_str().unwrap_or_default().to_owned()
}

fn read(house: &House, path: &str) -> String {
    std::fs::read_to_string(house.home().join(path)).unwrap_or_default()
}

/// What a person sees of a tree: kind, mode, time of files, content or target.
fn tree(dir: &Path) -> BTreeMap<String, (u32, i64, Vec<u8>)> {
    let (mut all, mut left) = (BTreeMap::new(), vec![dir.to_path_buf()]);
    while let Some(at) = left.pop() {
        for item in std::fs::read_dir(&at).unwrap() {
            let path = item.unwrap().path();
            let meta = std::fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(dir).unwrap().to_string_lossy().into_owned();
            if name.starts_with(".metnos-undo") {
                continue;
            }
            let seen = if meta.is_dir() {
                left.push(path);
                (meta.mode(), 0, Vec::new())
            } else if meta.is_symlink() {
                let to = std::fs::read_link(&path).unwrap();
                (meta.mode(), 0, to.to_string_lossy().into_owned().into_bytes())
            } else {
                (meta.mode(), meta.mtime(), std::fs::read(&path).unwrap())
            };
            all.insert(name, seen);
        }
    }
    all
}

fn furnish(house: &House) {
    for (name, text) in [
        ("Documents/a.txt", "alpha"),
        ("Documents/.hidden", "h"),
        ("Documents/Work/a.txt", "another alpha"),
        ("Documents/Work/deep/b.txt", "beta"),
    ] {
        house.write(name, text);
    }
    std::fs::create_dir(house.home().join("Documents/Empty")).unwrap();
    symlink("a.txt", house.home().join("Documents/link")).unwrap();
    let deep = house.home().join("Documents/Work/deep");
    std::fs::set_permissions(deep, std::fs::Permissions::from_mode(0o750)).unwrap();
}

#[test]
fn a_folder_is_copied_with_everything_in_it_and_undone() {
    let house = House::supervised();
    furnish(&house);
    let before = tree(&house.home());
    for (request, to) in
        [("copy Documents to Backup", "Backup"), ("copia la cartella Documenti in Salvati", "Salvati")]
    {
        let asked = ask(&house, request);
        assert_eq!(asked["status"], "waits", "{request}: {asked}");
        let done = house.run(&["--json", "approve", asked["approval"].as_str().unwrap()]).json();
        assert_eq!(done["status"], "done", "{request}: {done}");
        let copy = tree(&house.home().join(to).join("Documents"));
        assert_eq!(copy, tree(&house.home().join("Documents")), "{request}");
        house.run(&["--json", "undo"]);
        assert_eq!(tree(&house.home()), before, "{request}");
    }
}

#[test]
fn a_folder_is_moved_with_everything_in_it_and_undone() {
    let house = House::supervised();
    furnish(&house);
    house.write("Archive/Work/kept.txt", "stays");
    let before = tree(&house.home());
    let work = tree(&house.home().join("Documents/Work"));
    let asked = ask(&house, "move Documents/Work to Archive");
    assert!(text(&asked).contains("both are kept"), "{asked}");
    assert!(text(&asked).contains("Work"), "{asked}");
    let done = house.run(&["--json", "approve", asked["approval"].as_str().unwrap()]).json();
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(tree(&house.home().join("Archive/Work (2)")), work);
    assert_eq!(read(&house, "Archive/Work/kept.txt"), "stays");
    house.run(&["--json", "undo"]);
    assert_eq!(tree(&house.home()), before);
}

#[test]
fn names_that_are_taken_are_told_before_and_both_are_kept() {
    let house = House::supervised();
    for name in ["a.pdf", "b.pdf", "c.pdf"] {
        house.write(&format!("Documents/{name}"), format!("new {name}"));
    }
    house.write("Documents/More/c.pdf", "newer c");
    house.write("Archive/a.pdf", "old");
    let before = tree(&house.home());
    let asked = ask(&house, "copy the PDFs in Documents to Archive");
    let card = text(&asked);
    assert!(card.contains("2 names are taken there"), "{card}");
    assert!(card.contains("a.pdf") && card.contains("c.pdf") && !card.contains("b.pdf\u{201d} ("), "{card}");
    let done = house.run(&["--json", "approve", asked["approval"].as_str().unwrap()]).json();
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(read(&house, "Archive/a.pdf"), "old");
    assert_eq!(read(&house, "Archive/a (2).pdf"), "new a.pdf");
    let both = [read(&house, "Archive/c.pdf"), read(&house, "Archive/c (2).pdf")];
    assert!(both.contains(&"new c.pdf".to_owned()) && both.contains(&"newer c".to_owned()), "{both:?}");
    house.run(&["--json", "undo"]);
    assert_eq!(tree(&house.home()), before);
}

#[test]
fn what_came_to_the_destination_after_the_card_is_another_question() {
    let house = House::supervised();
    house.write("Documents/a.txt", "new");
    std::fs::create_dir(house.home().join("Archive")).unwrap();
    let asked = ask(&house, "move Documents/a.txt to Archive");
    assert!(!text(&asked).contains("both are kept"), "{asked}");
    house.write("Archive/a.txt", "old");
    let done = house.run(&["--json", "approve", asked["approval"].as_str().unwrap()]).json();
    assert_ne!(done["status"], "done", "{done}");
    assert_eq!(read(&house, "Documents/a.txt"), "new");
}

#[test]
fn copies_are_sorted_into_folders_too() {
    let house = House::new();
    let photo = house.write("Pictures/a.jpg", "a");
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    std::fs::File::options().append(true).open(photo).unwrap().set_modified(old).unwrap();
    let done = ask(&house, "copy the photos in Pictures into folders by year");
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(read(&house, "Pictures/2001/a.jpg"), "a");
}

#[test]
fn organising_by_type_really_works() {
    let house = House::supervised();
    for name in ["a.jpg", "b.pdf", "c.mp3", "d"] {
        house.write(&format!("Downloads/{name}"), name);
    }
    let asked = ask(&house, "organise Downloads by type");
    let done = house.run(&["--json", "approve", asked["approval"].as_str().unwrap()]).json();
    assert_eq!(done["status"], "done", "{done}");
    for path in ["image/a.jpg", "pdf/b.pdf", "audio/c.mp3", "other/d"] {
        assert!(house.home().join("Downloads").join(path).exists(), "{path}");
    }
}

#[test]
fn what_cannot_be_done_is_said_and_nobody_is_asked() {
    let house = House::supervised();
    house.write("Documents/invoices/a.txt", "alpha");
    house.write("Documents/b.txt", "beta");
    for (executor, args, why) in [
        ("move_files", json!({ "paths": ["~/Documents/b.txt"], "dst_dir": "~/Archive/{knd}" }), "{knd}"),
        (
            "move_files",
            json!({ "paths": ["~/Documents/invoces"], "dst_dir": "~/Archive" }),
            "Documents/invoices",
        ),
        ("compress_files", json!({ "paths": ["~/Documents/none"], "dst": "~/x.zip" }), "is not there"),
        (
            "move_files",
            json!({ "paths": ["~/Documents/invoices"], "dst_dir": "~/Documents/b.txt" }),
            "is a file",
        ),
        ("move_files", json!({ "paths": ["~/Documents"], "dst_dir": "~/Documents/invoices" }), "into itself"),
        (
            "extract_files",
            json!({ "paths": ["~/Documents/b.txt"], "dst_dir": "~/Out/{year}" }),
            "only moving",
        ),
        ("write_files", json!({ "path": "~/list.docx", "content": "x" }), "not made"),
        ("write_files", json!({ "path": "~/list.pdf", "entries": [{ "a": 1 }] }), "not made"),
        ("compress_files", json!({ "paths": ["~/Documents"], "dst": "~/x.rar" }), "only zip"),
    ] {
        let ran = house.run(&["--json", "exec", executor, &args.to_string()]);
        assert_ne!(ran.code, Some(0), "{executor} {args}: {ran:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(why), "{executor} {args}: {said}");
        assert!(!said.contains("needs_approval"), "{executor} {args}: {said}");
    }
    assert_eq!(house.run(&["--json", "approvals"]).json(), json!([]), "nobody was asked");
    // Also where the folder is only looked for in the step before.
    let answer = ask(&house, "copy the folder Documents/nowhere to Backup");
    assert_eq!(answer["status"], "failed", "{answer}");
    assert!(text(&answer).contains("nowhere"), "{answer}");
    assert_eq!(house.run(&["--json", "approvals"]).json(), json!([]), "nobody was asked");
}

#[test]
fn what_lies_where_it_is_to_go_is_not_counted_as_moved() {
    let house = House::supervised();
    for name in ["Downloads/a.pdf", "Downloads/b.pdf", "Archive/c.pdf"] {
        house.write(name, name);
    }
    let asked = ask(&house, "move all PDFs to Archive");
    assert!(text(&asked).contains("Move 2 files"), "{asked}");
    assert!(text(&asked).contains("1 more is there already and stays"), "{asked}");
    let id = asked["approval"].as_str().or_else(|| asked["approval"]["id"].as_str()).unwrap().to_owned();
    let done = house.run(&["--json", "approve", &id]);
    assert!(done.stdout.contains("2 files moved. 1 file was there already."), "{done:?}");
    assert_eq!(read(&house, "Archive/c.pdf"), "Archive/c.pdf");
    assert!(house.home().join("Archive/a.pdf").exists());
}

#[test]
fn what_is_not_there_is_told_and_not_counted() {
    let house = House::supervised();
    house.write("Documents/a.txt", "a");
    let asked = ask(&house, "delete ~/Documents/a.txt and ~/Documents/b.txt");
    assert!(text(&asked).contains("“a.txt”") && !text(&asked).contains("2 files"), "{asked}");
    assert!(text(&asked).contains("“b.txt” is not there"), "{asked}");
}
