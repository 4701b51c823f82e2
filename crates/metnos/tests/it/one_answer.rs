//! The same request gives the same rows, keys, texts and exit codes, with a daemon and without one, here and over
//! `--server`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::daemon::Daemon;
use crate::support::{House, Ran, ran_with};
use serde_json::{Map, Value};
use std::process::Command;

/// Values that differ from one run to the next.
const TIMES: [&str; 9] =
    ["began_at", "ended_at", "expires_at", "at", "until", "mtime", "ctime", "btime", "phases"];

fn prepared() -> House {
    let house = House::supervised();
    for (path, text) in [
        ("Documents/a.pdf", "a".to_owned()),
        ("Documents/b.pdf", "bb".to_owned()),
        ("Documents/people.csv", "name,age\nAnna,41\nBruno,7\n".to_owned()),
        ("notes.txt", "a first line\nand a second one\n".to_owned()),
        (".ssh/id_rsa", "secret".to_owned()),
    ] {
        house.write(path, text);
    }
    for n in 0..75 {
        house.write(&format!("Many/f{n:02}.txt"), "x".repeat(n + 1));
    }
    let touched = Command::new("find")
        .arg(house.home())
        .args(["-exec", "touch", "-h", "-d", "2026-10-12T10:00:00Z", "{}", "+"])
        .status()
        .unwrap();
    assert!(touched.success());
    house
}

/// A text without ids, times and the folders of this house.
fn plain(house: &House, text: &str) -> String {
    let text = text.replace(house.home().to_str().unwrap(), "HOME");
    let dir = house.metnos();
    let text = text.replace(dir.to_str().unwrap(), "METNOS");
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        let is_id = word.len() == 26 && word.starts_with('0') && word.chars().all(|c| !c.is_lowercase());
        out.push_str(if is_id { "ID" } else { &word });
        word.clear();
        out.push(c);
    }
    // The clock of the wall, in an answer about the time or of a row.
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let words = out.split(' ').map(|word| match word.matches(':').count() {
        1.. if digits(word) >= 4 && !word.contains("HOME") => "TIME",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

fn without_times(house: &House, value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().map(|(key, value)| match TIMES.contains(&key.as_str()) {
                true => (key, Value::from("TIME")),
                false => (key, without_times(house, value)),
            });
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(|item| without_times(house, item)).collect(),
        Value::String(text) => plain(house, &text).into(),
        other => other,
    }
}

/// What a person or a program reads of a run.
fn read(house: &House, ran: &Ran, json: bool) -> (Option<i32>, String, String) {
    let told = match json {
        true => serde_json::to_string_pretty(&without_times(house, ran.json())).unwrap(),
        false => plain(house, &ran.stdout),
    };
    (ran.code, told, plain(house, &ran.stderr))
}

/// Requests that find, count, read, wait, ask, are refused, fail, partly fail, find a gap, undo, or are none.
const REQUESTS: [&[&str]; 25] = [
    &["find the PDFs in Documents"],
    &["list the files in Many"],
    &["how many files are in Documents?"],
    &["read notes.txt"],
    &["show the rows of Documents/people.csv"],
    &["read notes.txt and Documents/none.txt"],
    &["read Documents/none.txt"],
    &["show ~/.ssh/id_rsa"],
    &["quanti file ci sono in Many?"],
    &["what can you do?"],
    &["delete Documents/b.pdf"],
    &["no"],
    &["delete Documents/a.pdf"],
    &["yes"],
    &["undo"],
    &["undo"],
    &["rename ~/Documents/a.pdf"],
    &["order me a pizza"],
    &["find the unread mails of this week"],
    &["find the five largest files in Many and count them"],
    &["--lang", "?!", "what time is it"],
    &["--zone", "Nowhere/None", "what time is it"],
    &["--conversation", "a b", "what time is it"],
    &[" "],
    &["--lang", "it", "muovi Documents/b.pdf in Archivio"],
];

#[test]
fn an_answer_is_the_same_with_a_daemon_and_without_one() {
    let (alone, served) = (prepared(), prepared());
    let daemon = Daemon::start(&served);
    for json in [true, false] {
        for request in REQUESTS {
            let name = if json { "program" } else { "person" };
            let named = request.first() == Some(&"--conversation");
            let mut args = if json { vec!["--json", "ask"] } else { vec!["ask"] };
            args.extend(["--conversation", name].iter().filter(|_| !named));
            args.extend(request);
            let here = read(&alone, &alone.run(&args), json);
            let there = read(&served, &served.run(&args), json);
            assert_eq!(here, there, "{request:?}, json {json}");
            assert!(!here.1.is_empty() || !here.2.is_empty(), "{request:?}");
        }
    }
    // Not because both answer nothing.
    let listed = served.run(&["--json", "ask", "list the files in Many"]).json();
    assert_eq!((&listed["count"], listed["entries"].as_array().unwrap().len()), (&75.into(), 75), "{listed}");
    let shown = served.run(&["ask", "list the files in Many"]).stdout;
    assert!(shown.contains("… 35 more"), "{shown}");
    assert!(daemon.stop());
}

#[test]
fn the_commands_about_turns_and_questions_say_the_same_over_a_server() {
    let house = prepared();
    let made = house.run(&["--json", "devices", "add", "laptop"]).json();
    let token = made["token"].as_str().unwrap().to_owned();
    let daemon = Daemon::start(&house);
    let url = format!("http://{}", daemon.address);
    let laptop = House::bare();
    let far = |args: &[&str], json: bool| -> Ran {
        let mut command = laptop.command();
        command.env("METNOS_TOKEN", &token).args(["--server", &url]).args(args);
        if json {
            command.arg("--json");
        }
        ran_with(command, b"")
    };
    let here = |args: &[&str], json: bool| -> Ran {
        house.run(&[args, if json { &["--json"][..] } else { &[] }].concat())
    };
    assert_eq!(house.run(&["ask", "find the PDFs in Documents"]).code, Some(0));
    let asks = house.run(&["--json", "ask", "rename ~/Documents/a.pdf"]).json();
    let waits = house.run(&["--json", "ask", "delete Documents/b.pdf"]).json();
    let (asks, waits) = (asks["turn"].as_str().unwrap(), waits["turn"].as_str().unwrap());
    let same: [&[&str]; 7] = [
        &["turns"],
        &["turns", asks],
        &["turns", waits],
        &["approvals"],
        &["forms"],
        &["answer", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"],
        &["answer", asks],
    ];
    for args in same {
        for json in [true, false] {
            let (near, away) = (here(args, json), far(args, json));
            assert_eq!(read(&house, &near, json), read(&house, &away, json), "{args:?}, json {json}");
        }
    }
}

#[test]
fn undo_says_the_same_over_a_server() {
    let (alone, served) = (prepared(), prepared());
    let token = served.run(&["--json", "devices", "add", "laptop"]).json()["token"].clone();
    let daemon = Daemon::start(&served);
    let (url, laptop) = (format!("http://{}", daemon.address), House::bare());
    let far = |args: &[&str]| -> Ran {
        let mut command = laptop.command();
        command.env("METNOS_TOKEN", token.as_str().unwrap()).args(["--server", &url]).args(args);
        ran_with(command, b"")
    };
    for house in [&alone, &served] {
        assert_eq!(house.run(&["policy", "level", "full"]).code, Some(0));
    }
    let both = |args: &[&str], json: bool| {
        let args = [args, if json { &["--json"][..] } else { &[] }].concat();
        let (near, away) = (alone.run(&args), far(&args));
        assert_eq!(read(&alone, &near, json), read(&served, &away, json), "{args:?}");
        near.code
    };
    let change = |request: &str| {
        for house in [&alone, &served] {
            let done = house.run(&["--json", "ask", request]).json();
            assert_eq!(done["status"], "done", "{done}");
        }
    };
    both(&["undo", "--list"], false);
    change("delete Documents/a.pdf");
    change("delete Documents/people.csv");
    change("move Documents/b.pdf to Archive");
    change("move notes.txt to Archive");
    for json in [true, false] {
        assert_eq!(both(&["undo", "--list"], json), Some(0));
        assert_eq!(both(&["undo", "--dry-run"], json), Some(0));
        assert_ne!(both(&["undo", "01ARZ3NDEKTSV4RRFFQ69G5FAV"], json), Some(0));
        assert_eq!(both(&["undo"], json), Some(0), "one move after the other");
    }
    // Something stands where it was: it is left alone, named, and makes the command fail.
    for house in [&alone, &served] {
        house.write("Documents/people.csv", "another");
    }
    for json in [true, false] {
        assert_eq!(both(&["undo"], json), Some(1));
    }
    for house in [&alone, &served] {
        std::fs::remove_file(house.home().join("Documents/people.csv")).unwrap();
    }
    assert_eq!(both(&["undo"], true), Some(0));
    assert_eq!(both(&["undo"], false), Some(0));
    for json in [true, false] {
        assert_eq!(both(&["undo"], json), Some(0), "nothing is left");
    }
    let made = |house: &House| std::fs::read(house.home().join("Documents/a.pdf")).unwrap();
    assert_eq!(made(&alone), made(&served));
}
