//! Whatever comes in, what comes out is a class, a place and the right exit code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::skill::Skill;
use crate::support::{House, Ran};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

/// In both modes: this exit code, this class, all these words, and nobody panicked.
fn refuses(house: &House, args: &[&str], stdin: &[u8], code: i32, class: &str, words: &[&str]) {
    let text = house.run_with(args, stdin);
    let mut with_json = vec!["--json"];
    with_json.extend(args);
    let json = house.run_with(&with_json, stdin);
    for ran in [&text, &json] {
        calm(ran);
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
    }
    let error = json.json()["error"].clone();
    assert_eq!(error["class"], class, "{args:?}: {json:?}");
    let said = error.to_string();
    for word in words {
        assert!(said.contains(word), "{args:?}: {word:?} is not in {said}");
        let plain = word.replace("\\\"", "\"");
        assert!(text.stderr.contains(&plain), "{args:?}: {word:?} is not in {text:?}");
    }
}

fn calm(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{ran:?}");
    }
    assert!(matches!(ran.code, Some(0..=3)), "{ran:?}");
}

#[test]
fn broken_arguments_are_refused_with_their_place() {
    let house = House::new();
    let exec = |args: &[u8], words: &[&str]| {
        refuses(&house, &["exec", "find_files", "-"], args, 2, "wrong_args", words);
    };
    exec(b"", &["arguments are empty"]);
    exec(b"   \n", &["arguments are empty"]);
    exec(b"{\"a\":\n  1,}", &["line 2 column 5"]);
    exec(b"[1]", &["a list", "expected an object"]);
    exec(b"null", &["null", "expected an object"]);
    exec(b"{} {}", &["line 1 column 4"]);
    exec(b"{\"base_path\": \"\xff\"}", &["not UTF-8", "byte 16"]);
    exec(b"\0\0\0", &["line 1 column 1"]);
    exec(br#"{"base_path": "\ud800"}"#, &["line 1 column"]);
    exec(br#"{"base_path": "a\u0000b"}"#, &["base_path", "NUL"]);
    exec(br#"{"patterns": ["*.txt", 5]}"#, &["patterns/1", "expected string, found number"]);
    exec(br#"{"paterns": ["*.txt"]}"#, &["paterns"]);
    exec(&b"[".repeat(1_000_000), &["recursion limit", "line 1 column"]);
    exec(&b"{\"a\":".repeat(200_000), &["recursion limit"]);
    let huge = vec![b' '; 100 << 20];
    refuses(&house, &["exec", "find_files", "-"], &huge, 1, "too_large", &["arguments"]);
    let file = house.write("huge.json", &huge);
    let file = format!("@{}", file.display());
    refuses(&house, &["exec", "find_files", &file], b"", 1, "too_large", &["arguments"]);
    refuses(&house, &["exec", "find_files", "@absent.json"], b"", 1, "not_found", &["absent.json"]);
}

#[test]
fn broken_lists_are_refused_with_their_line() {
    let house = House::new();
    let sort = |list: &[u8], code: i32, class: &str, words: &[&str]| {
        let args = ["exec", "sort_entries", r#"{"by": "n"}"#, "--entries", "-"];
        refuses(&house, &args, list, code, class, words);
    };
    sort(b"{\"n\": 1}\n{\"n\": \n", 2, "wrong_args", &["entries, line 2"]);
    sort(b"{\"n\": 1}\n[]\n", 2, "wrong_args", &["entries, line 2", "expected object"]);
    sort(b"\xff\xfe\n", 2, "wrong_args", &["entries, line 1"]);
    sort(&b"[".repeat(1_000_000), 2, "wrong_args", &["entries, line 1"]);
    sort(&[b"{\"n\": \"".as_slice(), &vec![b'x'; 17 << 20], b"\"}\n"].concat(), 1, "too_large", &["entries"]);
    let absent = ["exec", "sort_entries", "{}", "--entries", "absent.jsonl"];
    refuses(&house, &absent, b"", 1, "not_found", &["absent.jsonl"]);
    let none = ["exec", "get_now", "{}", "--entries", "-"];
    refuses(&house, &none, b"{}\n", 2, "wrong_args", &["takes no list called entries"]);
}

#[test]
fn unknown_words_come_with_the_nearest_known_one() {
    let house = House::new();
    let cases: [(&[&str], i32, &str, &[&str]); 12] = [
        (&["exec", "fnd_files"], 2, "wrong_args", &["find_files"]),
        (&["exec", "find_flies"], 2, "wrong_args", &["find_files"]),
        (&["exec", "get_noww"], 2, "wrong_args", &["get_now"]),
        (&["exec", "find_tasks"], 1, "not_found", &["find_tasks"]),
        (&["exec", ""], 2, "wrong_args", &[]),
        (&["exec", "../../etc/passwd"], 2, "wrong_args", &[]),
        (&["exec", "get_now", "{}", "--call-id", "../x"], 2, "wrong_args", &["call id"]),
        (&["exec", "get_now", "{}", "--version-of", "one"], 2, "wrong_args", &["1.0.0"]),
        (&["exec", "get_now", "{}", "--version-of", "9.9.9"], 1, "not_found", &["9.9.9"]),
        (&["exec", "get_now", "{}", "--zone", "Nowhere"], 2, "wrong_args", &["Nowhere"]),
        (&["executors", "show", "fnd_files"], 2, "wrong_args", &["find"]),
        (&["audit", "show", "nothing"], 1, "not_found", &["nothing"]),
    ];
    for (args, code, class, words) in cases {
        refuses(&house, args, b"", code, class, words);
    }
    for args in
        [&["frobnicate"][..], &["exec"], &["exec", "get_now", "--nope"], &["audit", "tail", "-n", "x"]]
    {
        refuses(&house, args, b"", 2, "wrong_args", &["--help"]);
    }
    let long = "x".repeat(100_000);
    refuses(&house, &["exec", &long], b"", 2, "wrong_args", &[]);
    let garbage = house.command().arg("exec").arg(OsStr::from_bytes(b"\xff\xfe")).output().unwrap();
    assert_eq!(garbage.status.code(), Some(2));
    house.chain_holds();
}

#[test]
fn a_broken_folder_is_refused_with_file_and_position() {
    let house = House::new();
    let sign = |skill: &Skill, words: &[&str]| {
        let folder = skill.folder(&house);
        skill.write(&folder);
        let folder = folder.to_str().unwrap().to_owned();
        for mode in [&["--json"][..], &[]] {
            let args = [mode, &["executors", "sign", &folder, "--reason", "x"]].concat();
            let ran = house.run(&args);
            calm(&ran);
            assert!(matches!(ran.code, Some(2 | 3)), "{ran:?}");
            let said = format!("{}{}", ran.stdout, ran.stderr);
            for word in words {
                assert!(said.contains(word), "{word:?} is not in {said}");
            }
        }
    };
    let mut skill = Skill::counter("1.0.0");
    skill.created_by = "skill:\"".into();
    sign(&skill, &["manifest.toml:5:"]);
    skill = Skill::counter("1.0.0");
    skill.sandbox = "reed = []".into();
    sign(&skill, &["manifest.toml:", "reed", "read"]);
    skill = Skill::counter("one");
    sign(&skill, &["manifest.toml:3:", "1.0.0"]);
    skill = Skill::counter("1.0.0");
    skill.name = "cuont_texts".into();
    sign(&skill, &["manifest.toml:2:"]);
    skill = Skill::counter("1.0.0");
    skill.schema = "{\"definitions\": {\n  \"Input\": }".into();
    sign(&skill, &["schema", "line 2"]);
    skill.schema = Skill::counter("1.0.0").schema.replace("maxLength", "maxLenght");
    sign(&skill, &["schema", "maxLenght"]);
    skill = Skill::counter("1.0.0");
    skill.birth = "[[case]]\nname = \n".into();
    sign(&skill, &["birth.toml:2:"]);
    skill = Skill::counter("1.0.0");
    skill.code = "def run(args, ctx)\n    return {}\n".into();
    sign(&skill, &["line 1"]);
}

#[test]
fn a_line_too_long_or_no_call_is_answered_and_the_next_one_runs() {
    let house = House::new();
    // The rest of an oversized line looks like a call; it must not become one.
    let mut lines = vec![b' '; 64 << 20];
    lines.extend(br#"{"executor":"create_dirs","args":{"paths":["~/smuggled"]}}"#);
    lines.push(b'\n');
    lines.extend(b"\n   \n\xff\xfe\n\0\n[]\n\"x\"\n{\"executor\": 5}\n{\"executor\":\"get_now\",\"x\":1}\n");
    lines.extend(b"[".repeat(1_000_000));
    lines.extend(b"\n{\"executor\":\"get_now\"}");
    let ran = house.run_with(&["exec", "--stdin"], &lines);
    calm(&ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let answers: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let classes: Vec<&Value> = answers.iter().map(|a| &a["error"]["class"]).collect();
    let wrong = json!("wrong_args");
    let expected =
        [&json!("too_large"), &wrong, &wrong, &wrong, &wrong, &wrong, &wrong, &wrong, &Value::Null];
    assert_eq!(classes, expected, "{answers:?}");
    assert!(answers[5]["error"]["message"].as_str().unwrap().contains("column"), "{answers:?}");
    assert_eq!(answers[8]["ok"], true);
    assert!(!house.home().join("smuggled").exists());
}

#[test]
fn no_bytes_at_all_make_it_panic() {
    let house = House::new();
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let words = prop::sample::select(vec!["get_now", "find_files", "compute_numbers", "sort_entries"]);
    let bytes = prop::collection::vec(any::<u8>(), 0..300);
    runner
        .run(&(words, bytes.clone()), |(name, bytes)| {
            calm(&house.run_with(&["--json", "exec", name, "-"], &bytes));
            // As a word of the command line a NUL cannot be given at all.
            let word: Vec<u8> = bytes.into_iter().filter(|b| *b != 0).collect();
            let mut command = house.command();
            command.args(["exec", name, "--"]).arg(OsStr::from_bytes(&word)).stdin(Stdio::null());
            let output = command.output().unwrap();
            prop_assert!(matches!(output.status.code(), Some(0..=3)), "{output:?}");
            prop_assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
            Ok(())
        })
        .unwrap();

    // Thousands of lines through one process: garbage, and calls with garbage inside.
    let text = prop_oneof![
        prop::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 1..200),
        any::<String>().prop_map(|s| json!({ "executor": s, "args": {} }).to_string().into_bytes()),
        any::<String>().prop_map(|s| {
            json!({ "executor": "compute_numbers", "args": { "expression": s }, "call_id": s })
                .to_string()
                .into_bytes()
        }),
        any::<String>()
            .prop_map(|s| json!({ "executor": "get_now", "args": { s: 1 } }).to_string().into_bytes()),
    ];
    let mut runner = TestRunner::new(Config { cases: 2, failure_persistence: None, ..Config::default() });
    runner
        .run(&prop::collection::vec(text, 500), |lines| {
            let asked = lines.iter().filter(|l| !l.iter().all(u8::is_ascii_whitespace)).count();
            let ran = house.run_with(&["exec", "--stdin"], &lines.join(&b'\n'));
            calm(&ran);
            prop_assert_eq!(ran.code, Some(0));
            prop_assert_eq!(ran.stdout.lines().count(), asked);
            for answer in ran.stdout.lines() {
                let answer: Value = serde_json::from_str(answer).unwrap();
                prop_assert!(answer["ok"].is_boolean(), "{}", answer);
                prop_assert!(answer["error"]["class"] != "internal", "{}", answer);
            }
            Ok(())
        })
        .unwrap();
    house.chain_holds();
}
