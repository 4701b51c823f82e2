//! Changing files and folders, through the real sandbox: what is said to be done is done, what is
//! not is left as it was, and nothing happens before its intent is on the disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, batch, items, lines, long, partly, refused};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path.as_ref()).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

fn set_mtime(path: &Path, seconds: u64) {
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    let times = std::fs::FileTimes::new().set_modified(then);
    std::fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

/// One call of every changer, on files that `stage` made.
fn stage(house: &House) -> Vec<(&'static str, Value)> {
    for name in ["move.txt", "delete.txt", "pack.txt", "table.csv", "gone/x.txt"] {
        house.write(&format!("from/{name}"), "a,b\n1,2\n");
    }
    vec![
        ("create_dirs", json!({ "paths": ["~/made/deep"] })),
        ("write_files", json!({ "path": "~/new/dir/w.txt", "content": "written" })),
        ("move_files", json!({ "paths": ["~/from/move.txt"], "dst_dir": "~/moved/here" })),
        ("compress_files", json!({ "paths": ["~/from/pack.txt"], "dst": "~/packed/p.zip" })),
        ("extract_files", json!({ "paths": ["~/packed/p.zip"], "dst_dir": "~/unpacked/here" })),
        ("change_files_format", json!({ "paths": ["~/from/table.csv"], "to": "json", "dst_dir": "~/other" })),
        ("delete_files", json!({ "paths": ["~/from/delete.txt"] })),
        ("delete_dirs", json!({ "paths": ["~/from/gone"], "recursive": true })),
    ]
}

#[test]
fn every_changer_does_what_it_says_and_makes_the_folders_it_needs() {
    let house = House::new();
    let calls = stage(&house);
    for answer in batch(&house, &calls) {
        all_ok(&answer, 1);
    }
    let home = house.home();
    assert!(home.join("made/deep").is_dir());
    assert_eq!(text(home.join("new/dir/w.txt")), "written");
    assert_eq!(text(home.join("moved/here/move.txt")), "a,b\n1,2\n");
    assert!(!home.join("from/move.txt").exists());
    assert_eq!(text(home.join("unpacked/here/pack.txt")), "a,b\n1,2\n");
    assert_eq!(
        serde_json::from_str::<Value>(&text(home.join("other/table.json"))).unwrap(),
        json!([{ "a": 1, "b": 2 }])
    );
    assert!(!home.join("from/delete.txt").exists() && !home.join("from/gone").exists());
    assert!(home.join("from/table.csv").exists(), "a conversion keeps its source");
}

#[test]
fn the_intent_is_in_the_journal_and_the_audit_opens_before_it_closes() {
    let house = House::new();
    let calls = stage(&house);
    for (answer, (name, _)) in batch(&house, &calls).iter().zip(&calls) {
        let id = answer["call_id"].as_str().unwrap();
        let shown = house.run(&["--json", "audit", "show", id]).json();
        let kinds: Vec<&str> =
            shown.as_array().unwrap().iter().map(|l| l["kind"].as_str().unwrap()).collect();
        assert_eq!((kinds.first(), kinds.last()), (Some(&"open"), Some(&"close")), "{name}: {shown}");
        assert!(shown[0]["seq"].as_u64() < shown[kinds.len() - 1]["seq"].as_u64());
        let journal: Vec<PathBuf> = std::fs::read_dir(house.metnos().join("state/journal/done").join(id))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        assert!(journal.iter().any(|p| p.ends_with("1.jsonl")), "{name}: {journal:?}");
        assert!(journal.iter().any(|p| p.ends_with("closed.jsonl")), "{name}: {journal:?}");
        let intents = journal.iter().filter(|p| p.extension() == Some(OsStr::new("jsonl")));
        for line in intents.flat_map(|p| text(p).lines().map(str::to_owned).collect::<Vec<_>>()) {
            serde_json::from_str::<Value>(&line).unwrap();
        }
    }
    assert_eq!(house.run(&["audit", "verify"]).code, Some(0));
}

#[test]
fn without_a_journal_nothing_changes() {
    let house = House::new();
    let calls = stage(&house);
    let journal = house.metnos().join("state/journal");
    std::fs::remove_dir_all(&journal).unwrap();
    std::fs::write(&journal, "in the way").unwrap();
    let before = std::fs::read_dir(house.home()).unwrap().count();
    for (name, args) in calls {
        let ran = house.exec_ran(name, args);
        assert_ne!(ran.code, Some(0), "{name}: {ran:?}");
    }
    assert_eq!(std::fs::read_dir(house.home()).unwrap().count(), before);
    assert_eq!(std::fs::read_dir(house.home().join("from")).unwrap().count(), 5);
}

#[test]
fn empty_lists_do_nothing_and_are_fine() {
    let house = House::new();
    let answers = batch(
        &house,
        &[
            ("create_dirs", json!({ "paths": [] })),
            ("move_files", json!({ "entries": [], "dst_dir": "~/m" })),
            ("delete_files", json!({ "entries": [] })),
            ("delete_dirs", json!({ "paths": [] })),
            ("change_files_format", json!({ "entries": [], "to": "png" })),
            ("extract_files", json!({ "entries": [] })),
        ],
    );
    for answer in &answers {
        all_ok(answer, 0);
    }
    all_ok(&house.exec("write_files", json!({ "path": "~/none.csv", "entries": [] })), 1);
    assert_eq!(text(house.home().join("none.csv")), "");
}

#[test]
fn outside_the_territory_nothing_is_written_unasked_and_in_the_core_nothing_at_all() {
    let house = House::new();
    house.write("a.txt", "a");
    house.write("z.csv", "a,b\n1,2\n");
    house.write(".ssh/id", "key");
    let outside = tempfile::tempdir().unwrap();
    let there = outside.path().to_str().unwrap();
    all_ok(&house.exec("compress_files", json!({ "paths": ["~/a.txt"], "dst": "~/a.zip" })), 1);
    let to = |place: &str| {
        vec![
            ("create_dirs", json!({ "paths": [format!("{place}/d")] })),
            ("write_files", json!({ "path": format!("{place}/w.txt"), "content": "w" })),
            ("write_files", json!({ "dst_dir": place, "entries": [{ "path": house.home().join("a.txt") }] })),
            ("move_files", json!({ "paths": ["~/a.txt"], "dst_dir": place })),
            ("compress_files", json!({ "paths": ["~/a.txt"], "dst": format!("{place}/p.zip") })),
            ("extract_files", json!({ "paths": ["~/a.zip"], "dst_dir": place })),
            ("change_files_format", json!({ "paths": ["~/z.csv"], "to": "json", "dst_dir": place })),
        ]
    };
    for answer in batch(&house, &to(there)) {
        refused(&answer, "needs_approval");
    }
    for core in ["~/.ssh", "~/.ssh/new", "~/.gnupg", "/etc", "~/../metnos/config/keys", "~/../metnos/state"] {
        for answer in batch(&house, &to(core)) {
            assert!(
                ["forbidden", "policy_violation"].contains(&answer["error"]["class"].as_str().unwrap()),
                "{answer}"
            );
            assert!(items(&answer).is_empty(), "{answer}");
        }
    }
    for (name, path) in [
        ("delete_files", "~/.ssh/id"),
        ("delete_dirs", "~/.ssh"),
        ("delete_dirs", "~"),
        ("move_files", "~/.ssh"),
    ] {
        let mut args = json!({ "paths": [path] });
        if name == "move_files" {
            args["dst_dir"] = json!("~/stolen");
        }
        refused(&house.exec(name, args), "forbidden");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(house.home().join(".ssh")).unwrap().count(), 1);
    assert_eq!(text(house.home().join("a.txt")), "a");
}

#[test]
fn a_move_between_roots_keeps_bytes_mode_and_time() {
    let house = House::new();
    let mut roots = vec![tempfile::tempdir().unwrap()];
    // Another filesystem, where this machine has one that may be written and opened.
    roots.extend(["/run/lock", "/run/shm", "/mnt"].iter().filter_map(|dir| tempfile::tempdir_in(dir).ok()));
    for (n, root) in roots.iter().enumerate() {
        let there = root.path().canonicalize().unwrap();
        let opened = house.run(&["territory", "add", there.to_str().unwrap()]);
        if n > 0 && opened.code != Some(0) {
            continue;
        }
        assert_eq!(opened.code, Some(0), "{opened:?}");
        let bytes: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        let file = house.write(&format!("t{n}/f.bin"), &bytes);
        house.write(&format!("t{n}/tree/in/x.txt"), "x");
        set_mtime(&file, 1_000_000_000);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let odd = house.home().join(format!("t{n}")).join(OsStr::from_bytes(b"odd\xff\n"));
        std::fs::write(&odd, "odd").unwrap();
        symlink("f.bin", house.home().join(format!("t{n}/link"))).unwrap();

        let all = house.exec("list_dirs", json!({ "paths": [format!("~/t{n}")] }));
        let args = json!({ "entries": items(&all), "dst_dir": there.join("new/deep") });
        let moved = house.exec("move_files", args);
        assert_eq!((&moved["ok_count"], &moved["fail_count"]), (&json!(4), &json!(0)), "{moved}");
        assert_eq!(text(there.join("new/deep/tree/in/x.txt")), "x");
        let at = |name: &[u8]| there.join("new/deep").join(OsStr::from_bytes(name));
        assert_eq!(std::fs::read(at(b"f.bin")).unwrap(), bytes);
        let meta = at(b"f.bin").metadata().unwrap();
        assert_eq!((meta.mode() & 0o777, meta.mtime()), (0o640, 1_000_000_000));
        assert_eq!(text(at(b"odd\xff\n")), "odd");
        assert_eq!(std::fs::read_link(at(b"link")).unwrap(), Path::new("f.bin"));
        assert_eq!(
            std::fs::read_dir(house.home().join(format!("t{n}"))).unwrap().count(),
            0,
            "nothing stays behind"
        );
    }
}

#[test]
fn what_cannot_be_changed_is_listed_and_the_rest_is_done() {
    let house = House::new();
    let home = house.home();
    for name in ["a.txt", "b.txt", "shut/c.txt", "d/x.txt", "there/a.txt"] {
        house.write(name, name);
    }
    std::fs::set_permissions(home.join("shut"), std::fs::Permissions::from_mode(0o500)).unwrap();
    let answers = batch(
        &house,
        &[
            ("move_files", json!({ "paths": ["~/b.txt", "~/none", "~/shut/c.txt"], "dst_dir": "~/there" })),
            ("delete_files", json!({ "paths": ["~/there/b.txt", "~/none", "~/d", "~/shut/c.txt"] })),
            ("delete_dirs", json!({ "paths": ["~/d", "~/none"] })),
            ("create_dirs", json!({ "paths": ["~/new", "~/a.txt", "~/d"] })),
            ("write_files", json!({ "path": "~/a.txt", "content": "other" })),
        ],
    );
    std::fs::set_permissions(home.join("shut"), std::fs::Permissions::from_mode(0o700)).unwrap();
    partly(&answers[0], 1, &[("none", "not_found"), ("c.txt", "permission_denied")]);
    partly(&answers[1], 1, &[("none", "not_found"), ("/d", "wrong_args"), ("c.txt", "permission_denied")]);
    assert_eq!(answers[2]["ok_count"], 0, "a folder with files needs recursive: {}", answers[2]);
    assert_eq!(answers[3]["ok_count"], 2, "{}", answers[3]);
    partly(&answers[4], 0, &[("a.txt", "dst_exists")]);
    assert_eq!(text(home.join("a.txt")), "a.txt");
    assert_eq!(text(home.join("there/a.txt")), "there/a.txt");
    assert_eq!(text(home.join("shut/c.txt")), "shut/c.txt");
    assert_eq!(text(home.join("d/x.txt")), "d/x.txt");
}

#[test]
fn writes_land_whole_in_each_mode_and_format() {
    let house = House::new();
    let home = house.home();
    let rows =
        json!([{ "n": 1, "t": "=1+1", "path": "/not/in/the/territory" }, { "n": -2, "t": "a\n\"b\"" }]);
    let mut calls = vec![
        ("write_files", json!({ "path": "~/a.txt", "content": "one\n" })),
        ("write_files", json!({ "path": "~/a.txt", "content": "two\n", "mode": "append" })),
        ("write_files", json!({ "path": "~/b.txt", "content": "long before" })),
        ("write_files", json!({ "path": "~/b.txt", "content": "è", "mode": "overwrite" })),
    ];
    for format in ["csv", "json", "md", "html", "txt", "xlsx"] {
        calls.push(("write_files", json!({ "path": format!("~/t.{format}"), "entries": rows })));
    }
    for answer in batch(&house, &calls) {
        all_ok(&answer, 1);
        let item = &items(&answer)[0];
        let path = item["path"].as_str().unwrap();
        if path.contains("/t.") {
            assert_eq!(item["size"], std::fs::metadata(path).unwrap().len());
        }
    }
    assert_eq!(text(home.join("a.txt")), "one\ntwo\n");
    assert_eq!(text(home.join("b.txt")), "è");
    assert!(
        text(home.join("t.csv")).contains(",'=1+1,"),
        "no spreadsheet may run it: {}",
        text(home.join("t.csv"))
    );
    let back = batch(
        &house,
        &[
            ("read_files_csv", json!({ "paths": ["~/t.csv"] })),
            ("read_files_xlsx", json!({ "paths": ["~/t.xlsx"] })),
        ],
    );
    for answer in &back {
        assert_eq!((items(answer)[0]["n"].as_i64(), items(answer)[1]["n"].as_i64()), (Some(1), Some(-2)));
        assert_eq!(items(answer)[1]["t"], "a\n\"b\"");
    }
    assert_eq!(items(&back[1])[0]["t"], "=1+1", "in a workbook a text is a text");
    let mut left: Vec<_> = std::fs::read_dir(&home).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.retain(|name| name != ".metnos-undo");
    assert_eq!(left.len(), 8, "nothing half-written stays: {left:?}");
}

#[test]
fn ten_thousand_files_move_and_go_in_one_call_each() {
    let house = House::new();
    let dir = house.home().join("many");
    std::fs::create_dir(&dir).unwrap();
    for n in 0..10_000 {
        std::fs::write(dir.join(format!("f{n}")), n.to_string()).unwrap();
    }
    let entries = |dir: &str| {
        (0..10_000)
            .map(|n| json!({ "path": house.home().join(dir).join(format!("f{n}")) }))
            .collect::<Vec<_>>()
    };
    let from = lines(&house, "from.jsonl", entries("many").into_iter());
    all_ok(&long(&house, "move_files", &json!({ "dst_dir": "~/moved" }), &from, None).head, 10_000);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
    assert_eq!(text(house.home().join("moved/f9999")), "9999");
    let to = lines(&house, "to.jsonl", entries("moved").into_iter());
    all_ok(&long(&house, "delete_files", &json!({}), &to, None).head, 10_000);
    assert_eq!(std::fs::read_dir(house.home().join("moved")).unwrap().count(), 0);
}
