//! `write_files`.

use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn write(args: Value) -> Ran {
    run("write_files", args)
}

#[test]
fn a_text_is_created_overwritten_and_appended() {
    let dir = Dir::new();
    let path = arg(&dir.at("new/deep/note.txt"));
    let ran = write(json!({ "path": path, "content": "one\n" }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!((&ran.items[0]["size"], &ran.items[0]["_origin"]), (&json!(4), &json!("user")));
    assert_eq!(classes(&write(json!({ "path": path, "content": "two" }))), [ErrorClass::DstExists]);
    assert!(write(json!({ "path": path, "content": "two\n", "mode": "append" })).outcome.ok);
    assert_eq!(dir.text("new/deep/note.txt"), "one\ntwo\n");
    assert!(write(json!({ "path": path, "content": "", "mode": "overwrite" })).outcome.ok);
    assert_eq!(dir.text("new/deep/note.txt"), "");
}

#[test]
fn what_is_appended_to_a_text_stands_on_lines_of_its_own() {
    let dir = Dir::new();
    let append = |name: &str, content: &str| {
        let args = json!({ "path": arg(&dir.at(name)), "content": content, "mode": "append" });
        assert!(write(args).outcome.ok, "{name} {content}");
    };
    append("todo.txt", "eggs");
    append("todo.txt", "bread");
    assert_eq!(dir.text("todo.txt"), "eggs\nbread\n");
    std::fs::write(dir.at("open.txt"), "no end").unwrap();
    append("open.txt", "next\n");
    assert_eq!(dir.text("open.txt"), "no end\nnext\n");
    std::fs::write(dir.at("bytes"), b"\0\x01").unwrap();
    append("bytes", "x");
    assert_eq!(std::fs::read(dir.at("bytes")).unwrap(), b"\0\x01x");
}

#[test]
fn arguments_that_contradict_each_other_are_refused() {
    let dir = Dir::new();
    let (path, to) = (arg(&dir.at("x")), arg(dir.0.path()));
    let cases = [
        json!({ "path": path, "dst_dir": to, "content": "x" }),
        json!({ "path": path, "content": "x", "entries": [] }),
        json!({ "path": path }),
        json!({ "content": "x" }),
        json!({ "dst_dir": to, "content": "x" }),
        json!({ "dst_dir": to, "entries": [], "format": "csv" }),
        json!({ "path": path, "content": "x", "format": "xlsx" }),
        json!({}),
    ];
    for case in cases {
        assert_eq!(whole(&write(case.clone())), Some(ErrorClass::WrongArgs), "{case}");
    }
    assert!(dir.names("").is_empty());
}

fn sample() -> Value {
    json!([
        { "name": "=cmd|' /C calc'!A0", "size": -5, "path": "/x", "path_b64": "/w==", "_origin": "local" },
        { "name": "a,\"b\"\nc | <i>", "tags": ["x"], "ok": true, "_origin": "web" },
    ])
}

#[test]
fn a_list_becomes_a_table_in_every_format() {
    let dir = Dir::new();
    for format in ["csv", "json", "md", "html", "txt", "xlsx"] {
        let path = dir.at(&format!("t.{format}"));
        let ran = write(json!({ "path": arg(&path), "entries": sample() }));
        assert!(ran.outcome.ok, "{format} {:?}", ran.outcome);
        assert_eq!(ran.items[0]["_origin"], "web", "{format}");
        assert_eq!(ran.items[0]["entries"], 2);
    }
    assert_eq!(
        dir.text("t.csv"),
        "name,size,path,tags,ok\n'=cmd|' /C calc'!A0,-5,/x,,\n\"a,\"\"b\"\"\nc | <i>\",,,\"[\"\"x\"\"]\",true\n"
    );
    let parsed: Vec<Value> = serde_json::from_str(&dir.text("t.json")).unwrap();
    assert_eq!(parsed[0]["path_b64"], "/w==");
    assert_eq!(parsed[1].get("_origin"), None);
    assert!(dir.text("t.md").contains("| a,\"b\"<br>c \\| &lt;i> |"), "{}", dir.text("t.md"));
    assert!(dir.text("t.html").contains("&lt;i&gt;") && !dir.text("t.html").contains("<i>"));
    assert_eq!(dir.text("t.txt").lines().next(), Some("/x"));
}

#[test]
fn a_workbook_reads_back_as_it_was_written() {
    use calamine::{Data, Reader};
    let dir = Dir::new();
    let path = dir.at("t.xlsx");
    let mut entries = sample();
    entries[1]["size"] = json!(9_007_199_254_740_993u64);
    assert!(write(json!({ "path": arg(&path), "entries": entries })).outcome.ok);
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(&path).unwrap();
    let sheet = book.worksheet_range("Sheet1").unwrap();
    let at = |row, column| sheet.get_value((row, column)).cloned().unwrap_or(Data::Empty);
    assert_eq!(at(0, 0), Data::String("name".into()));
    assert_eq!(at(1, 0), Data::String("=cmd|' /C calc'!A0".into()), "text, never a formula");
    assert_eq!(at(1, 1), Data::Float(-5.0));
    assert_eq!(at(2, 0), Data::String("a,\"b\"\nc | <i>".into()));
    assert_eq!(at(2, 1), Data::String("9007199254740993".into()));
    assert_eq!(at(2, 4), Data::Bool(true));
    assert_eq!(sheet.get_size(), (3, 5), "neither the taint nor the bytes of a name is a column");
}

#[test]
fn a_table_grows_without_a_second_header_and_only_where_it_can() {
    let dir = Dir::new();
    let path = arg(&dir.at("t.csv"));
    for _ in 0..2 {
        assert!(write(json!({ "path": path, "entries": [{ "a": 1 }], "mode": "append" })).outcome.ok);
    }
    assert_eq!(dir.text("t.csv"), "a\n1\n1\n");
    let json = arg(&dir.file("t.json", "[]"));
    let ran = write(json!({ "path": json, "entries": [{ "a": 1 }], "mode": "append" }));
    assert_eq!(whole(&ran), Some(ErrorClass::WrongArgs));
}

#[test]
fn empty_lists_are_empty_files() {
    let dir = Dir::new();
    for (format, content) in [("csv", ""), ("json", "[\n]\n"), ("md", ""), ("txt", "")] {
        let name = format!("e.{format}");
        assert!(write(json!({ "path": arg(&dir.at(&name)), "entries": [] })).outcome.ok);
        assert_eq!(dir.text(&name), content);
    }
    assert!(write(json!({ "path": arg(&dir.at("e.xlsx")), "entries": [] })).outcome.ok);
}

#[test]
fn many_records_stream_and_late_columns_are_declared() {
    let dir = Dir::new();
    let mut entries: Vec<Value> = (0..20_000).map(|n| json!({ "n": n })).collect();
    entries[15_000]["late"] = json!("x");
    let ran = write(json!({ "path": arg(&dir.at("t.csv")), "entries": entries }));
    assert_eq!(ran.items[0]["entries"], 20_000);
    assert_eq!(dir.text("t.csv").lines().count(), 20_001);
    assert_eq!(ran.outcome.fields["columns_left_out"], json!(["late"]));
    assert_eq!(ran.outcome.truncation.unwrap().truncated_what, "columns");
}

#[test]
fn files_of_a_list_are_copied_with_mode_and_time() {
    let dir = Dir::new();
    let (a, odd) = (dir.file("a", "a"), dir.odd(b"o\n\xff"));
    fs::write(&odd, "odd").unwrap();
    fs::set_permissions(&a, fs::Permissions::from_mode(0o750)).unwrap();
    symlink(&a, dir.at("l")).unwrap();
    let paths = [a.clone(), odd, dir.at("l"), dir.at("gone"), dir.dir("d"), dir.file("x/a", "other")];
    let entries: Vec<Value> = paths.iter().map(|p| entry(p, "local")).collect();
    let ran = write(json!({ "entries": entries, "dst_dir": arg(&dir.at("out")) }));
    assert_eq!(classes(&ran), [ErrorClass::NotFound]);
    assert_eq!(ran.outcome.ok_count, 5);
    assert_eq!(fs::read_link(dir.at("out/l")).unwrap(), a, "a link is copied as a link");
    assert!(dir.at("out/d").is_dir());
    assert_eq!(dir.text("out/a (2)"), "other");
    let (old, new) = (fs::metadata(&a).unwrap(), fs::metadata(dir.at("out/a")).unwrap());
    assert_eq!((new.mode(), new.mtime(), new.mtime_nsec()), (old.mode(), old.mtime(), old.mtime_nsec()));
    assert_eq!(fs::read(dir.odd(b"out/o\n\xff")).unwrap(), b"odd");

    fs::write(&a, "newer").unwrap();
    let again =
        json!({ "entries": [entry(&a, "local")], "dst_dir": arg(&dir.at("out")), "mode": "overwrite" });
    assert!(write(again).outcome.ok);
    assert_eq!(dir.text("out/a"), "newer");
}

#[test]
fn a_folder_is_copied_as_the_tree_it_is() {
    let dir = Dir::new();
    for (name, text) in
        [("top/a", "a"), ("top/.hidden", "h"), ("top/in/deep/b", "b"), ("top/in/a", "other a")]
    {
        dir.file(name, text);
    }
    dir.dir("top/empty");
    symlink("a", dir.at("top/link")).unwrap();
    symlink("nowhere", dir.at("top/in/broken")).unwrap();
    fs::set_permissions(dir.at("top/in/deep"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::set_permissions(dir.at("top/in"), fs::Permissions::from_mode(0o555)).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::open(dir.at("top/in")).unwrap().set_modified(old).unwrap();
    let copy =
        || write(json!({ "entries": [entry(&dir.at("top"), "local")], "dst_dir": arg(&dir.at("out")) }));
    for (ran, to) in [(copy(), "out/top"), (copy(), "out/top (2)")] {
        assert!(ran.outcome.ok, "{:?}", ran.outcome);
        assert_eq!((ran.outcome.ok_count, &ran.items[0]["files"]), (1, &json!(6)));
        let at = |name: &str| dir.at(&format!("{to}/{name}"));
        for (name, text) in [("a", "a"), (".hidden", "h"), ("in/deep/b", "b"), ("in/a", "other a")] {
            assert_eq!(fs::read_to_string(at(name)).unwrap(), text, "{to}/{name}");
        }
        assert!(at("empty").is_dir());
        assert_eq!(fs::read_link(at("link")).unwrap().to_str(), Some("a"));
        assert_eq!(fs::read_link(at("in/broken")).unwrap().to_str(), Some("nowhere"));
        assert_eq!(fs::metadata(at("in/deep")).unwrap().mode() & 0o7777, 0o750);
        // Its owner may change what is in it, else undo could not.
        assert_eq!(fs::metadata(at("in")).unwrap().mode() & 0o7777, 0o755);
        assert_eq!(fs::metadata(at("in")).unwrap().mtime(), 1_000_000_000);
    }
    let inside = json!({ "entries": [entry(&dir.at("top"), "local")], "dst_dir": arg(&dir.at("top/empty")) });
    assert_eq!(classes(&write(inside)), [ErrorClass::WrongArgs], "not into itself");
    assert!(fs::read_dir(dir.at("top/empty")).unwrap().next().is_none());
}

#[test]
fn contents_become_files_and_hostile_names_do_not() {
    let dir = Dir::new();
    let entries = json!([
        { "name": "a.txt", "content": "a", "_origin": "mail" },
        { "name": "b.bin", "content_b64": "AP8=", "_origin": "mail" },
        { "name": "../evil", "content": "x", "_origin": "mail" },
        { "name": "..", "content": "x" },
        { "name": "c", "content_b64": "***" },
        { "content": "nameless" },
        { "name": "empty" },
    ]);
    let ran = write(json!({ "entries": entries, "dst_dir": arg(&dir.at("out")) }));
    assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (2, 5));
    assert_eq!(dir.names("out"), ["a.txt", "b.bin"]);
    assert_eq!(fs::read(dir.at("out/b.bin")).unwrap(), [0, 255]);
    assert_eq!(ran.items[0]["_origin"], "mail");
    assert_eq!(dir.names(""), ["out"]);
}
