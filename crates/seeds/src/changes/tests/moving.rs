//! `move_files`.

use super::*;
use std::os::unix::fs::{MetadataExt, symlink};
use std::time::{Duration, UNIX_EPOCH};

fn date(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn files_go_into_folders_made_from_their_dates() {
    let dir = Dir::new();
    let (a, b) = (dir.file("in/a.txt", "a"), dir.file("in/b.txt", "b"));
    date(&a, 1_592_222_400);
    // The last hour of 2019 in UTC is already 2020 in Rome.
    date(&b, 1_577_834_400);
    let to = format!("{}/out/{{year}}/{{month}}", dir.0.path().display());
    let ran = run("move_files", json!({ "paths": [arg(&a), arg(&b)], "dst_dir": to }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(dir.text("out/2020/06/a.txt"), "a");
    assert_eq!(dir.text("out/2020/01/b.txt"), "b");
    assert_eq!(ran.outcome.fields["created_dirs"], 4);
    assert_eq!(ran.intents.len(), 1);
    assert_eq!(ran.intents[0].ops.len(), 6);
    assert_eq!(ran.items[0]["dst"], ran.items[0]["path"]);
}

#[test]
fn a_template_knows_when_a_picture_was_taken_and_counts() {
    let dir = Dir::new();
    let (a, b, c) = (dir.file("a.JPG", "a"), dir.file("b.png", "b"), dir.file("c.png", "c"));
    dir.file("2020-01-02_03-04-05_001.JPG", "taken");
    let mut entries = [entry(&a, "local"), entry(&b, "content"), entry(&c, "local")];
    entries[0]["exif"] = json!({ "taken_at": "2020:01:02 03:04:05" });
    entries[1]["taken_at"] = json!("../../2021-01-01");
    date(&b, 0);
    entries[2]["taken_at"] = json!("2022-02-02T02:02:02");
    let ran = run("move_files", json!({ "entries": entries, "name_template": "{taken_at}_{counter}.{ext}" }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(dir.text("2020-01-02_03-04-05_002.JPG"), "a");
    assert_eq!(dir.text("1970-01-01_01-00-00_003.png"), "b", "a hostile date is no date");
    assert_eq!(dir.text("2022-02-02_02-02-02_004.png"), "c");
    assert_eq!(ran.items[1]["_origin"], "content");
    assert_eq!(ran.items[0]["_origin"], "local");
}

#[test]
fn where_a_name_is_taken_both_are_kept() {
    let dir = Dir::new();
    let (a, b, c) = (dir.file("a/x", "a"), dir.file("b/x", "b"), dir.file("c/y", "c"));
    let gone = dir.at("gone");
    dir.file("out/y", "old");
    let args =
        json!({ "paths": [arg(&a), arg(&b), arg(&c), arg(&gone), arg(&a)], "dst_dir": arg(&dir.at("out")) });
    let ran = run("move_files", args);
    assert!(ran.outcome.partial);
    assert_eq!(ran.outcome.ok_count, 3, "the same source named twice moves once");
    assert_eq!(classes(&ran), [ErrorClass::NotFound]);
    let texts = ["out/x", "out/x (2)", "out/y", "out/y (2)"].map(|name| dir.text(name));
    assert_eq!(texts, ["a", "b", "old", "c"]);
    assert!(!dir.at("b/x").exists());
}

#[test]
fn a_name_that_was_said_outright_and_is_taken_fails() {
    let dir = Dir::new();
    let (a, _) = (dir.file("a", "a"), dir.file("b", "b"));
    let ran = run("move_files", json!({ "paths": [arg(&a)], "name_template": "b" }));
    assert_eq!(classes(&ran), [ErrorClass::DstExists]);
    assert_eq!((dir.text("a"), dir.text("b")), ("a".into(), "b".into()));
}

#[test]
fn files_go_into_folders_by_kind() {
    let dir = Dir::new();
    let paths = ["a.jpg", "b.PDF", "c"].map(|name| arg(&dir.file(name, name)));
    let ran = run("move_files", json!({ "paths": paths, "dst_dir": arg(&dir.at("{kind}")) }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(dir.text("image/a.jpg"), "a.jpg");
    assert_eq!(dir.text("pdf/b.PDF"), "b.PDF");
    assert_eq!(dir.text("other/c"), "c");
}

#[test]
fn what_is_already_there_is_unchanged_and_needs_no_intent() {
    let dir = Dir::new();
    let a = dir.file("a", "a");
    let ran = run("move_files", json!({ "paths": [arg(&a)], "dst_dir": arg(dir.0.path()) }));
    assert!(ran.outcome.ok && ran.intents.is_empty());
    assert_eq!(ran.items[0]["unchanged"], true);
}

#[test]
fn a_name_freed_by_an_earlier_move_can_be_taken() {
    let dir = Dir::new();
    let (two, one) = (dir.file("p-002", "2"), dir.file("p-001", "1"));
    let entries = [entry(&two, "local"), entry(&one, "local")];
    let ran = run("move_files", json!({ "entries": entries, "name_template": "{name}.bak" }));
    assert!(ran.outcome.ok);
    let back = [entry(&dir.at("p-001.bak"), "local"), entry(&dir.at("p-002.bak"), "local")];
    let ran = run("move_files", json!({ "entries": back, "name_template": "p-{counter}" }));
    assert!(ran.outcome.ok);
    assert_eq!((dir.text("p-001"), dir.text("p-002")), ("1".into(), "2".into()));
}

#[test]
fn names_with_newlines_and_bytes_arrive_as_they_are() {
    let dir = Dir::new();
    let odd = dir.odd(b"a\nb\xff.t\xfet");
    fs::write(&odd, "odd").unwrap();
    dir.dir("out");
    let args = json!({ "entries": [entry(&odd, "local")], "dst_dir": arg(&dir.at("out")), "name_template": "{stem}-{counter}.{ext}" });
    let ran = run("move_files", args);
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(fs::read(dir.odd(b"out/a\nb\xff-001.t\xfet")).unwrap(), b"odd");
    let told = metnos_executor::path::of_entry(&ran.items[0], "dst").unwrap();
    assert_eq!(told, dir.odd(b"out/a\nb\xff-001.t\xfet"));
}

#[test]
fn a_template_cannot_lead_out() {
    let dir = Dir::new();
    let a = dir.file("in/a", "a");
    for template in ["../{name}", "/tmp/{name}", "x/../../{name}", "{ext}", "..", "x/"] {
        let ran = run("move_files", json!({ "paths": [arg(&a)], "name_template": template }));
        assert_eq!(classes(&ran), [ErrorClass::WrongArgs], "{template}");
    }
    assert_eq!(
        whole(&run("move_files", json!({ "paths": [arg(&a)], "name_template": "{x}" }))),
        Some(ErrorClass::WrongArgs)
    );
    assert_eq!(whole(&run("move_files", json!({ "paths": [arg(&a)] }))), Some(ErrorClass::WrongArgs));
    assert_eq!(dir.text("in/a"), "a");
}

#[test]
fn folders_and_links_move_as_what_they_are() {
    let dir = Dir::new();
    dir.file("d/x", "x");
    symlink("loop", dir.at("loop")).unwrap();
    let args = json!({ "paths": [arg(&dir.at("d")), arg(&dir.at("loop"))], "dst_dir": arg(&dir.at("out")) });
    let ran = run("move_files", args);
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(dir.text("out/d/x"), "x");
    assert_eq!(fs::read_link(dir.at("out/loop")).unwrap(), Path::new("loop"));
    let inside =
        run("move_files", json!({ "paths": [arg(&dir.at("out"))], "dst_dir": arg(&dir.at("out/d")) }));
    assert_eq!(classes(&inside), [ErrorClass::WrongArgs]);
    let blocked =
        run("move_files", json!({ "paths": [arg(&dir.at("out/loop"))], "dst_dir": arg(&dir.at("out/d/x")) }));
    assert_eq!(classes(&blocked), [ErrorClass::WrongArgs]);
}

#[test]
fn a_folder_with_braces_in_its_name_is_a_folder() {
    let dir = Dir::new();
    let (a, braces) = (dir.file("a", "a"), dir.dir("{old}"));
    assert!(run("move_files", json!({ "paths": [arg(&a)], "dst_dir": arg(&braces) })).outcome.ok);
    assert_eq!(dir.text("{old}/a"), "a");
}

#[test]
fn ten_thousand_files_move_in_one_intent() {
    let dir = Dir::new();
    dir.dir("in");
    let entries: Vec<Value> = (0..10_000)
        .map(|n| {
            let path = dir.at(&format!("in/{n}"));
            fs::write(&path, "").unwrap();
            entry(&path, "local")
        })
        .collect();
    let ran = run("move_files", json!({ "entries": entries, "dst_dir": arg(&dir.at("out")) }));
    assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count, ran.intents.len()), (10_000, 0, 1));
    assert_eq!((dir.names("in").len(), dir.names("out").len()), (0, 10_000));
}

#[test]
fn a_tree_moves_to_another_file_system() {
    let dir = Dir::new();
    let other = tempfile::tempdir_in("/dev/shm").unwrap();
    if fs::metadata(other.path()).unwrap().dev() == fs::metadata(dir.0.path()).unwrap().dev() {
        metnos_testkit::skipped("/dev/shm is not another file system", metnos_testkit::Fix::None);
        return;
    }
    dir.file("d/a/x", "x");
    dir.file("d/y", "y");
    dir.dir("d/empty");
    symlink("y", dir.at("d/l")).unwrap();
    let ran = run("move_files", json!({ "paths": [arg(&dir.at("d"))], "dst_dir": arg(other.path()) }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert!(!dir.has("d"));
    assert_eq!(fs::read(other.path().join("d/a/x")).unwrap(), b"x");
    assert_eq!(fs::read_link(other.path().join("d/l")).unwrap(), Path::new("y"));
    assert!(other.path().join("d/empty").is_dir());
}
