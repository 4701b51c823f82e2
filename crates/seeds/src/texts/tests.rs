//! The promises of the text seeds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::testing::run;
use metnos_executor::ErrorClass;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

fn put(dir: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn lines_are_found_without_case_and_numbered() {
    let d = dir();
    let path = put(&d, "a.txt", "Uno\r\ndue PANE\ntre\nil pane");
    let ran = run("filter_texts_lines", json!({ "paths": [path], "pattern": "Pane" }));
    let got: Vec<_> =
        ran.items.iter().map(|i| (i["line"].as_u64().unwrap(), i["text"].as_str().unwrap())).collect();
    assert_eq!(got, [(2, "due PANE"), (4, "il pane")]);
    assert_eq!((&ran.items[0]["path"], &ran.items[0]["_origin"]), (&json!(path), &json!("content")));
    assert_eq!(ran.outcome.ok_count, 2);
}

#[test]
fn patterns_are_globs_or_expressions() {
    let text = json!([{ "content": "a.b\nfattura 12 pagata\nfattura x" }]);
    let find = |pattern: &str, regex: bool| -> Vec<Value> {
        let ran = run("filter_texts_lines", json!({ "entries": text, "pattern": pattern, "regex": regex }));
        ran.items.iter().map(|i| i["line"].clone()).collect()
    };
    assert_eq!(find("fat*pag", false), [2]);
    assert_eq!(find("a.b", false), [1]);
    assert_eq!(find("f.ttura", false), Vec::<Value>::new());
    assert_eq!(find(r"fattura \d+", true), [2]);
    for hostile in ["(", "a{1000}{1000}{1000}"] {
        let ran = run("filter_texts_lines", json!({ "entries": text, "pattern": hostile, "regex": true }));
        assert_eq!(ran.outcome.error.unwrap().class, ErrorClass::WrongArgs);
    }
    // An expression that blows up elsewhere ends here.
    let long = json!([{ "text": "a".repeat(50_000) }]);
    let ran = run("filter_texts_lines", json!({ "entries": long, "pattern": "(a+)+$", "regex": true }));
    assert_eq!(ran.items.len(), 1);
}

#[test]
fn context_comes_before_and_after() {
    let text = json!([{ "body": "1\n2\nx3\nx4\n5\n6", "_origin": "mail" }]);
    let ran = run("filter_texts_lines", json!({ "entries": text, "pattern": "x", "context": 2 }));
    assert_eq!((&ran.items[0]["before"], &ran.items[0]["after"]), (&json!(["1", "2"]), &json!(["x4", "5"])));
    assert_eq!((&ran.items[1]["before"], &ran.items[1]["after"]), (&json!(["2", "x3"]), &json!(["5", "6"])));
    assert_eq!(ran.items[1]["_origin"], "mail");
}

#[test]
fn a_cap_on_lines_is_declared() {
    let text = json!([{ "body": "x\nx\nx\nend" }]);
    for context in [0, 1] {
        let args = json!({ "entries": text, "pattern": "x", "max_results": 2, "context": context });
        let ran = run("filter_texts_lines", args);
        assert_eq!((ran.items.len(), ran.outcome.truncation.unwrap().cap_value), (2, 2));
    }
    let ran = run("filter_texts_lines", json!({ "entries": text, "pattern": "x", "max_results": 3 }));
    assert!(ran.outcome.truncation.is_none());
}

#[test]
fn binary_files_are_skipped_missing_ones_fail_long_lines_are_cut() {
    let d = dir();
    let long = format!("{}needle{}\nneedle", "é".repeat(20_000), "y".repeat(3 << 20));
    let paths = [put(&d, "bin", b"needle\0"), d.path().join("gone"), put(&d, "long.txt", long)];
    let ran = run("filter_texts_lines", json!({ "paths": paths, "pattern": "needle" }));
    assert_eq!(ran.outcome.fields["skipped_binary"], 1);
    assert_eq!((ran.outcome.fail_count, ran.outcome.failed[0].error_class), (1, ErrorClass::NotFound));
    assert_eq!(ran.items.len(), 2);
    assert!(ran.items[0]["text"].as_str().unwrap().contains("needle"));
    assert!(ran.items[0]["text"].as_str().unwrap().len() < 5000);
    assert_eq!((&ran.items[0]["cut"], &ran.items[1]["line"]), (&json!(true), &json!(2)));
    assert!(ran.outcome.truncation.is_some());
}

#[test]
fn nothing_in_is_nothing_out_and_no_input_is_an_error() {
    let empty = run("filter_texts_lines", json!({ "entries": [], "pattern": "x" }));
    assert!(empty.outcome.ok && empty.items.is_empty());
    for name in ["filter_texts_lines", "compute_texts"] {
        let error = run(name, json!({ "pattern": "x" })).outcome.error.unwrap();
        assert_eq!(error.class, ErrorClass::WrongArgs);
    }
    let odd =
        run("filter_texts_lines", json!({ "entries": [{ "n": 1 }, { "content": "x" }], "pattern": "x" }));
    assert!(odd.outcome.partial);
}

#[test]
fn words_lines_and_characters_are_counted() {
    let d = dir();
    let path = put(&d, "a.txt", "perché no?\n\n  sì\u{a0}certo ");
    for (op, value) in [("words", 4), ("lines", 3), ("chars", 23)] {
        let ran = run("compute_texts", json!({ "paths": [path], "op": op }));
        assert_eq!(ran.outcome.fields["value"], value, "{op}");
        assert_eq!((&ran.items[0]["value"], &ran.items[0]["_origin"]), (&json!(value), &json!("content")));
    }
    let ran = run("compute_texts", json!({ "text": "" , "op": "lines" }));
    assert_eq!(ran.outcome.fields["value"], 0);
    let mix = json!([{ "content": "a b", "_origin": "web" }, { "path": path }, { "path": "/nowhere/x" }]);
    let ran = run("compute_texts", json!({ "entries": mix }));
    assert_eq!((&ran.outcome.fields["value"], ran.outcome.partial), (&json!(6), true));
    assert_eq!(ran.items[0]["_origin"], "web");
}

#[test]
fn a_word_across_two_chunks_is_one_word() {
    let d = dir();
    let path = put(&d, "a.txt", format!("{} b", "è".repeat(100_001)));
    let ran = run("compute_texts", json!({ "paths": [path] }));
    assert_eq!(ran.outcome.fields["value"], 2);
}

#[test]
fn short_texts_differ_by_words_long_ones_by_lines() {
    let ran = run("compare_texts", json!({ "a": "il gatto nero dorme", "b": "il cane nero dorme qui" }));
    let got: Vec<_> = ran.items.iter().map(|i| (&i["op"], &i["before"], &i["after"])).collect();
    assert_eq!(
        got,
        [(&json!("replace"), &json!("gatto"), &json!("cane")), (&json!("insert"), &json!(""), &json!("qui"))]
    );
    assert_eq!((&ran.items[0]["unit"], &ran.items[0]["_origin"]), (&json!("word"), &json!("content")));
    let ran = run("compare_texts", json!({ "a": "a\nb\nc", "b": "a\nc" }));
    assert_eq!(
        (&ran.items[0]["op"], &ran.items[0]["before"], &ran.items[0]["at_a"]),
        (&json!("delete"), &json!("b"), &json!(2))
    );
    let ran = run("compare_texts", json!({ "a": "", "b": "" }));
    assert!(ran.items.is_empty() && ran.outcome.fields["equal"] == true && ran.outcome.ok);
}
