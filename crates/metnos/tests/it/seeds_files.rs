//! Looking at files and folders, through the real sandbox.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, batch, column, cut, items, lines, long, partly, refused, texts};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The seven seeds of this family on one folder.
fn looks(folder: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("find_files", json!({ "base_path": folder, "hidden": true })),
        ("find_dirs", json!({ "base_path": folder })),
        ("list_dirs", json!({ "paths": [folder], "recursive": true })),
        ("find_files_hash", json!({ "base_path": folder })),
        ("compute_files_size", json!({ "base_path": folder })),
        ("compute_files_loc", json!({ "base_path": folder })),
        ("get_files", json!({ "paths": [folder] })),
    ]
}

fn close(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn each_seed_tells_what_is_there() {
    let house = House::new();
    house.write("docs/a.txt", "hello\n");
    house.write("docs/deep/b.rs", "// a comment\nfn main() {}\n\n");
    house.write("docs/deep/copy.txt", "hello\n");
    house.write("docs/photo.JPG", b"\xff\xd8\xff\xe0 not much of a picture");
    house.write("docs/.hidden", "x");
    std::fs::create_dir(house.home().join("docs/empty")).unwrap();

    let all = batch(&house, &looks("~/docs"));
    assert_eq!(texts(&all[0], "name"), [".hidden", "a.txt", "b.rs", "copy.txt", "photo.JPG"]);
    assert_eq!(texts(&all[1], "name"), ["deep", "empty"]);
    all_ok(&all[2], 7);
    assert_eq!(all[3]["value"], 6, "one spare copy of six bytes: {}", all[3]);
    assert_eq!(texts(&all[3], "name"), ["a.txt", "copy.txt"]);
    assert_eq!(all[4]["metadata"]["files"], 5, "{}", all[4]);
    assert_eq!((all[5]["value"].as_u64(), texts(&all[5], "language")), (Some(1), vec!["Rust".to_owned()]));
    assert_eq!(items(&all[6])[0]["type"], "dir");

    let more = batch(
        &house,
        &[
            ("find_files", json!({ "base_path": "~/docs" })),
            ("find_files", json!({ "base_path": "~/docs", "kind": "image" })),
            ("find_files", json!({ "base_path": "~/docs", "patterns": ["*.TXT"], "contains": "HELLO" })),
            ("find_files", json!({ "base_path": "~/docs", "size_min": 7 })),
            ("find_dirs", json!({ "base_path": "~/docs", "empty": true })),
            ("compute_files_size", json!({ "base_path": "~/docs", "by": "kind" })),
            ("get_files", json!({ "paths": ["~/docs/a.txt"], "hash": true })),
        ],
    );
    assert_eq!(items(&more[0]).len(), 4, "dot files only when asked: {}", more[0]);
    assert_eq!(texts(&more[1], "name"), ["photo.JPG"]);
    assert_eq!(texts(&more[2], "name"), ["a.txt", "copy.txt"]);
    assert_eq!(texts(&more[3], "name"), ["b.rs", "photo.JPG"]);
    assert_eq!(texts(&more[4], "name"), ["empty"]);
    assert_eq!(texts(&more[5], "name"), ["code", "image", "other", "text"]);
    let file = &items(&more[6])[0];
    assert_eq!((file["size"].as_u64(), file["mime"].as_str()), (Some(6), Some("text/plain")));
    assert_eq!(file["hash"].as_str().unwrap().len(), 64);
    for answer in &all {
        assert!(column(answer, "_origin").iter().all(|o| *o == "local"), "{answer}");
    }
}

#[test]
fn empty_missing_and_forbidden_places_are_told_apart() {
    let house = House::new();
    std::fs::create_dir(house.home().join("empty")).unwrap();
    house.write(".ssh/id_ed25519", "secret");
    symlink("/etc", house.home().join("etc")).unwrap();
    for (answer, (name, _)) in batch(&house, &looks("~/empty")).iter().zip(looks("")) {
        all_ok(answer, u64::from(name == "get_files"));
        assert!(answer.get("truncated").is_none(), "{answer}");
    }
    for (answer, (name, _)) in batch(&house, &looks("~/nowhere")).iter().zip(looks("")) {
        match name {
            "get_files" => partly(answer, 0, &[("/nowhere", "not_found")]),
            _ => refused(answer, "not_found"),
        }
    }
    for answer in batch(&house, &looks("/var/tmp")) {
        refused(&answer, "needs_approval");
    }
    for core in ["~/.ssh", "~/.ssh/id_ed25519", "~/etc", "~/../metnos/keys"] {
        for answer in batch(&house, &looks(core)) {
            let class = answer["error"]["class"].as_str();
            // What is not there outside the territory is told as that.
            let shut = [Some("forbidden"), Some("policy_violation"), Some("not_found")];
            assert!(shut.contains(&class), "{core}: {answer}");
            assert!(items(&answer).is_empty(), "{core}: {answer}");
        }
    }
    for answer in batch(&house, &looks("~")) {
        assert!(!answer.to_string().contains("id_ed25519"), "core stays core under a wide grant: {answer}");
    }
}

#[test]
fn twenty_thousand_files_are_counted_to_the_last() {
    let house = House::new();
    let home = house.home();
    for d in 0..200 {
        let dir = home.join(format!("big/d{d}"));
        std::fs::create_dir_all(&dir).unwrap();
        for f in 0..100 {
            std::fs::write(dir.join(format!("f{f}.py")), if f % 2 == 0 { "same\n" } else { "x\ny\n" })
                .unwrap();
        }
    }
    let all = batch(
        &house,
        &[
            ("find_files", json!({ "base_path": "~/big" })),
            ("find_files", json!({ "base_path": "~/big", "max_results": 0 })),
            ("list_dirs", json!({ "paths": ["~/big"], "recursive": true })),
            ("list_dirs", json!({ "paths": ["~/big"], "recursive": true, "max_results": 0 })),
            ("find_dirs", json!({ "base_path": "~/big" })),
            ("find_files_hash", json!({ "base_path": "~/big" })),
            ("compute_files_size", json!({ "base_path": "~/big", "top": 3 })),
            ("compute_files_size", json!({ "base_path": "~/big" })),
            ("compute_files_loc", json!({ "base_path": "~/big" })),
        ],
    );
    cut(&all[0], "max_results", 10_000, 10_000);
    all_ok(&all[1], 20_000);
    assert!(all[1].get("truncated").is_none(), "0 is no limit");
    cut(&all[2], "max_results", 10_000, 10_000);
    all_ok(&all[3], 20_200);
    all_ok(&all[4], 200);
    assert_eq!(all[5]["value"], 5 * 9_999 + 4 * 9_999);
    cut(&all[6], "top", 3, 3);
    assert_eq!(all[6]["available_total"], 200);
    assert_eq!(all[7]["value"], 90_000);
    assert_eq!(all[8]["value"], 30_000);

    let entries = lines(&house, "all.jsonl", items(&all[1]).iter().cloned());
    let known = long(&house, "get_files", &json!({ "hash": true }), &entries, None);
    all_ok(&known.head, 20_000);
    assert_eq!(known.items.len(), 20_000);
}

#[test]
fn strange_names_links_and_pipes_do_no_harm() {
    let house = House::new();
    let home = house.home();
    house.write("odd/new\nline.txt", "n");
    house.write("odd/ <b>&\"'.txt", "q");
    std::fs::write(home.join("odd").join(OsStr::from_bytes(b"bad\xff\xfe.txt")), "b").unwrap();
    symlink("loop", home.join("odd/loop")).unwrap();
    symlink(".", home.join("odd/self")).unwrap();
    symlink("/etc/passwd", home.join("odd/out")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(home.join("odd/pipe")).status().unwrap().success());

    let all = batch(&house, &looks("~/odd"));
    all_ok(&all[0], 3);
    assert_eq!(
        (all[0]["metadata"]["links"].as_u64(), all[0]["metadata"]["special"].as_u64()),
        (Some(3), Some(1))
    );
    all_ok(&all[2], 7);
    assert_eq!(texts(&all[2], "type").iter().filter(|t| *t == "link").count(), 3);
    assert_eq!(all[4]["value"], 3, "links add nothing: {}", all[4]);

    let odd = items(&all[0]).iter().find(|e| e.get("path_b64").is_some()).unwrap();
    let entries = lines(&house, "odd.jsonl", items(&all[0]).iter().cloned());
    let known = long(&house, "get_files", &json!({ "hash": true }), &entries, None);
    all_ok(&known.head, 3);
    assert!(known.items.iter().any(|k| k["path_b64"] == odd["path_b64"] && k["size"] == 1));
}

#[test]
fn one_bad_path_does_not_spoil_the_others() {
    let house = House::new();
    let home = house.home();
    house.write("in/a.txt", "aaaa");
    house.write("in/shut/b.txt", "b");
    house.write("in/secret.txt", "aaaa");
    symlink("circle", home.join("circle")).unwrap();
    close(&home.join("in/shut"), 0o000);
    close(&home.join("in/secret.txt"), 0o000);
    let bad = ["~/in/a.txt", "~/in/shut/b.txt", "~/in/a.txt/below", "~/circle/x", "~/none"];
    let answers = batch(
        &house,
        &[
            ("get_files", json!({ "paths": bad })),
            ("get_files", json!({ "entries": [{ "name": "no path" }, { "path": home.join("in/a.txt") }] })),
            ("list_dirs", json!({ "paths": ["~/in/shut", "~/in", "~/none", "~/circle"] })),
            ("find_files", json!({ "base_path": "~/in", "contains": "a" })),
            ("find_files_hash", json!({ "base_path": "~/in" })),
            ("compute_files_size", json!({ "base_path": "~/in" })),
            ("find_dirs", json!({ "base_path": "~/in" })),
        ],
    );
    close(&home.join("in/shut"), 0o755);
    partly(
        &answers[0],
        1,
        &[
            ("b.txt", "permission_denied"),
            ("below", "wrong_args"),
            ("circle/x", "not_found"),
            ("none", "not_found"),
        ],
    );
    partly(&answers[1], 1, &[("entry 0", "wrong_args")]);
    partly(&answers[2], 3, &[("shut", "permission_denied"), ("none", "not_found"), ("circle", "not_found")]);
    partly(&answers[3], 1, &[("shut", "permission_denied"), ("secret.txt", "permission_denied")]);
    partly(&answers[4], 0, &[("shut", "permission_denied"), ("secret.txt", "permission_denied")]);
    assert_eq!(answers[5]["value"], 8, "sizes need no reading: {}", answers[5]);
    partly(&answers[6], 0, &[("shut", "permission_denied")]);
}

#[test]
fn a_tree_deeper_than_a_path_may_be_long_is_walked() {
    let house = House::new();
    let code = "import os\nos.mkdir('deep'); os.chdir('deep')\n\
        for _ in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)\n\
        open('end.txt', 'w').write('abc')";
    let mut python = std::process::Command::new("/usr/bin/python3");
    assert!(python.arg("-c").arg(code).current_dir(house.home()).status().unwrap().success());
    let all = batch(&house, &looks("~/deep"));
    let gone = std::process::Command::new("rm").arg("-rf").arg(house.home().join("deep")).status();
    assert!(gone.unwrap().success());
    all_ok(&all[0], 1);
    assert_eq!(items(&all[0])[0]["name"], "end.txt");
    assert_eq!(all[4]["value"], 3);
    all_ok(&all[2], 31);
}

#[test]
fn files_that_vanish_under_a_walk_are_counted_and_nothing_else_is_lost() {
    let house = House::new();
    let dir = house.home().join("busy");
    std::fs::create_dir(&dir).unwrap();
    for n in 0..2_000 {
        std::fs::write(dir.join(format!("stays{n}")), "1").unwrap();
    }
    let over = AtomicBool::new(false);
    let answers = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for n in 0..50 {
                    std::fs::write(dir.join(format!("goes{n}")), "1").unwrap();
                }
                for n in 0..50 {
                    std::fs::remove_file(dir.join(format!("goes{n}"))).unwrap();
                }
            }
        });
        let answers = batch(&house, &[looks("~/busy"), looks("~/busy"), looks("~/busy")].concat());
        over.store(true, Ordering::Relaxed);
        answers
    });
    for answer in &answers {
        assert!(answer.get("error").is_none(), "{answer}");
        for failed in answer["failed"].as_array().unwrap() {
            assert!(["not_found", "conflict"].contains(&failed["error_class"].as_str().unwrap()), "{answer}");
            assert!(failed["what"].as_str().unwrap().contains("goes"), "{failed}");
        }
    }
    for walked in [&answers[0], &answers[2], &answers[3]] {
        let stays = texts(walked, "name").iter().filter(|n| n.starts_with("stays")).count();
        assert_eq!(stays, 2_000);
    }
}
