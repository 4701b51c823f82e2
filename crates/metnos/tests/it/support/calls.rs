//! Calls of executors in a house: many in one process, long lists, and what is asked of answers.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test support")]

use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Many calls through `exec --stdin`; one answer each, in order.
pub(crate) fn batch(house: &House, calls: &[(&str, Value)]) -> Vec<Value> {
    let lines: String =
        calls.iter().map(|(name, args)| format!("{}\n", json!({ "executor": name, "args": args }))).collect();
    let ran = house.run_with(&["exec", "--stdin"], lines.as_bytes());
    let answers: Vec<Value> = ran
        .stdout
        .lines()
        .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e} in {l:?}")))
        .collect();
    assert_eq!(answers.len(), calls.len(), "one answer for each call: {}", ran.stderr);
    answers
}

/// A long input list as a file of newline JSON outside the person's home.
pub(crate) fn lines(house: &House, name: &str, entries: impl Iterator<Item = Value>) -> PathBuf {
    let path = house.metnos().with_file_name(name);
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    for entry in entries {
        writeln!(out, "{entry}").unwrap();
    }
    out.flush().unwrap();
    path
}

/// The answer of a call with long lists.
pub(crate) struct Long {
    /// Everything but the list.
    pub(crate) head: Value,
    /// The list.
    pub(crate) items: Vec<Value>,
}

/// `exec NAME ARGS --entries … [--with …] --out …`.
pub(crate) fn long(
    house: &House,
    name: &str,
    args: &Value,
    entries: &std::path::Path,
    with: Option<&PathBuf>,
) -> Long {
    let out = house.metnos().with_file_name(format!("{name}.out"));
    let args = args.to_string();
    let mut words = vec!["--json", "exec", name, &args, "--entries", entries.to_str().unwrap()];
    if let Some(with) = with {
        words.extend(["--with", with.to_str().unwrap()]);
    }
    words.extend(["--out", out.to_str().unwrap()]);
    let ran: Ran = house.run(&words);
    let head = ran.json();
    if let Some(approval) = head["error"]["approval"].as_str() {
        // A question is answered with yes; what waited for it runs then.
        let head = house.run(&["--json", "approve", approval]).json();
        let items = items(&head).to_vec();
        return Long { head, items };
    }
    let file = std::io::BufReader::new(std::fs::File::open(&out).unwrap());
    let items = file.lines().map(|l| serde_json::from_str(&l.unwrap()).unwrap()).collect();
    Long { head, items }
}

/// The list of an answer, whatever it is called.
pub(crate) fn items(answer: &Value) -> &[Value] {
    match answer.get("entries").or_else(|| answer.get("results")) {
        Some(Value::Array(items)) => items,
        _ => panic!("no list in {answer}"),
    }
}

/// One field of every item.
pub(crate) fn column<'a>(answer: &'a Value, field: &str) -> Vec<&'a Value> {
    items(answer).iter().map(|item| &item[field]).collect()
}

/// The same, as sorted texts.
pub(crate) fn texts(answer: &Value, field: &str) -> Vec<String> {
    let mut texts: Vec<String> =
        column(answer, field).into_iter().map(|v| v.as_str().unwrap_or_default().to_owned()).collect();
    texts.sort();
    texts
}

/// Nothing failed and `count` things were done.
#[track_caller]
pub(crate) fn all_ok(answer: &Value, count: u64) {
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(answer["ok_count"], count, "{answer}");
    assert_eq!(answer["fail_count"], 0, "{answer}");
    assert!(answer.get("partial").is_none(), "{answer}");
}

/// `done` things were done and those in `failed` (what ends with, class) were not.
#[track_caller]
pub(crate) fn partly(answer: &Value, done: u64, failed: &[(&str, &str)]) {
    assert_eq!(answer["ok"], false, "{answer}");
    assert_eq!(answer.get("partial").is_some(), done > 0, "{answer}");
    assert_eq!(answer["ok_count"], done, "{answer}");
    assert_eq!(answer["fail_count"], failed.len(), "{answer}");
    let mut found: Vec<(String, String)> = answer["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["what"].as_str().unwrap().to_owned(), f["error_class"].as_str().unwrap().to_owned()))
        .collect();
    for (what, class) in failed {
        let at = found.iter().position(|(w, c)| w.ends_with(what) && c == class);
        found.remove(at.unwrap_or_else(|| panic!("{what} ({class}) is not in {answer}")));
    }
}

/// The whole call was refused with this class.
#[track_caller]
pub(crate) fn refused(answer: &Value, class: &str) {
    assert_eq!(answer["ok"], false, "{answer}");
    assert_eq!(answer["error"]["class"], class, "{answer}");
    assert!(items(answer).is_empty(), "{answer}");
}

/// The answer declares the cap that cut it.
#[track_caller]
pub(crate) fn cut(answer: &Value, field: &str, value: u64, used: u64) {
    assert_eq!(answer["truncated"], true, "{answer}");
    assert_eq!(answer["cap_field"], field, "{answer}");
    assert_eq!(answer["cap_value"], value, "{answer}");
    assert_eq!(answer["used"], used, "{answer}");
    assert!(answer["truncated_what"].is_string(), "{answer}");
}

/// Every item of the answer is at least as tainted as `floor`.
#[track_caller]
pub(crate) fn tainted(answer: &Value, floor: &str) {
    const TRUST: [&str; 6] = ["user", "local", "content", "skill", "mail", "web"];
    let rank = |origin: &str| TRUST.iter().position(|o| *o == origin).unwrap_or(TRUST.len());
    assert!(!items(answer).is_empty(), "{answer}");
    for item in items(answer) {
        let origin = item["_origin"].as_str().unwrap_or_else(|| panic!("no origin in {item}"));
        assert!(rank(origin) >= rank(floor), "{item} is more trusted than {floor}");
    }
}
