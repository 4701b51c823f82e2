//! A value of the vault that somebody types, is answered or is sent is in no file of the house; what needs it later still
//! has it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::telegram::{Bot, HOST, house as with_telegram, is_card};
use serde_json::{Value, json};
use std::path::Path;

/// No known shape of a token: only the vault knows that these are secret.
const PLAIN: &str = "ombrello viola 4471";
/// One that is written otherwise inside JSON, in a URL and in base64.
const ODD: &str = "luna \"piena\"/&\\ 88";

fn set(house: &House, name: &str, value: &str) {
    let ran = house.run_with(&["credentials", "set", name, "token"], format!("{value}\n").as_bytes());
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Every way the secrets are written that is looked for.
fn forms() -> Vec<String> {
    let mut forms: Vec<String> = vec![PLAIN.into(), ODD.into(), PLAIN.replace(' ', "%20")];
    for secret in [PLAIN, ODD] {
        let quoted = Value::from(secret).to_string();
        forms.push(quoted[1..quoted.len() - 1].to_owned());
        let twice = Value::from(quoted[1..quoted.len() - 1].to_owned()).to_string();
        forms.push(twice[1..twice.len() - 1].to_owned());
    }
    // The middle of base64, alone and after `x:`.
    forms.extend(["b21icmVsbG8gdmlvbGEgNDQ3M", "9tYnJlbGxvIHZpb2xhIDQ0Nz"].map(String::from));
    forms
}

/// No file below `dir` holds a secret in any form; what was sent as a file is the person's own.
fn nothing_holds_it(dir: &Path) {
    let forms = forms();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() && !path.ends_with("workspace/inbox") {
            nothing_holds_it(&path);
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let found = forms.iter().find(|form| text.contains(form.as_str()));
            assert!(found.is_none(), "{} holds {found:?}", path.display());
        }
    }
}

/// Answers yes to whatever waits, until nothing does.
fn yes(daemon: &Daemon) {
    while let Some(card) = daemon.get("/agent/approvals").json().as_array().unwrap().first() {
        let id = card["id"].as_str().unwrap();
        let answer = daemon.post(&format!("/agent/approvals/{id}"), &json!({ "answer": "once" }));
        assert!(answer.status < 300, "{answer:?}");
    }
}

#[test]
fn no_file_of_the_house_holds_a_value_of_the_vault() {
    let bot = Bot::start();
    let house = with_telegram(&bot);
    let daemon = Daemon::start(&house);
    // What was typed before it was known as a secret.
    daemon.ask(&format!("find files named {PLAIN} in Documents"));
    // Another process keeps them while the daemon runs.
    set(&house, "weather", PLAIN);
    set(&house, "moon", ODD);

    // Two steps, each with its card: the second is decided from what was written down after the first.
    let asked = format!("write \"{PLAIN}\" to one.txt, then write \"{PLAIN}\" to two.txt");
    let waits = daemon.ask(&asked);
    assert_eq!(waits["status"], "waits", "{waits}");
    nothing_holds_it(&house.metnos());
    yes(&daemon);
    for name in ["one.txt", "two.txt"] {
        let text = std::fs::read_to_string(house.home().join(name)).unwrap();
        assert_eq!(text.trim_end(), PLAIN, "what was written is what was asked for");
    }

    // Results that hold it, answered as a list and read again by a later step.
    let read = daemon.ask("read one.txt");
    assert!(read.to_string().contains(PLAIN), "who asks for a file gets the file: {read}");
    // Requests nobody understands, failures, refusals, names.
    daemon.ask(&format!("transmogrify {PLAIN} please"));
    daemon.ask(&format!("read {PLAIN}.txt"));
    daemon.ask(&format!("delete /etc/{PLAIN}"));
    daemon.ask(&format!("read the page https://localhost:1/?q={}", PLAIN.replace(' ', "%20")));
    for base64 in ["b21icmVsbG8gdmlvbGEgNDQ3MQ==", "eDpvbWJyZWxsbyB2aW9sYSA0NDcx"] {
        daemon.ask(&format!("write \"{base64}\" to three.txt"));
    }
    // Called as a program does, with what JSON writes otherwise.
    let card = house.exec_asking("write_files", json!({ "path": "~/odd.txt", "content": ODD }));
    let id = card.json()["error"]["approval"].as_str().unwrap().to_owned();
    nothing_holds_it(&house.metnos());
    let approved = house.run(&["--json", "approve", &id]);
    assert_eq!(approved.code, Some(0), "{approved:?}");
    assert_eq!(std::fs::read_to_string(house.home().join("odd.txt")).unwrap().trim_end(), ODD);
    house.exec("read_files", json!({ "paths": ["~/odd.txt", format!("~/{ODD}")] }));
    house.exec("compute_texts", json!({ "text": format!("{{\"inner\":{}}}", Value::from(ODD)) }));
    house.run(&["exec", ODD, "{}"]);
    house.run(&["policy", "rules"]);
    // A request that is stored, and a chat.
    house.run(&["hooks", "add", "door", &format!("find files named {PLAIN}")]);
    bot.says(HOST, &format!("write \"{PLAIN}\" to four.txt"));
    let card = bot.wait("card", is_card);
    nothing_holds_it(&house.metnos());
    bot.press(HOST, &card, &card.button(":o"));
    bot.wait("edit", |sent| sent.method == "editMessageText");
    bot.says(HOST, "read four.txt");
    bot.wait("the file", |sent| sent.text().contains(PLAIN));

    // Learned, replayed and shown: still nothing is written, and the log still tells the same.
    let turns = house.run(&["--json", "turns"]).json();
    for turn in turns.as_array().or_else(|| turns["turns"].as_array()).unwrap() {
        let id = turn["id"].as_str().or_else(|| turn["turn"].as_str()).unwrap();
        let replayed = house.run(&["replay", id]);
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
    }
    nothing_holds_it(&house.metnos());
    assert!(daemon.stop());
    nothing_holds_it(&house.metnos());
    house.chain_holds();
}

#[test]
fn another_name_of_a_protected_file_gives_nothing_of_it() {
    const KEY: &str = "opens-nothing-but-must-not-be-read";
    let house = House::new();
    house.write(".ssh/id_ed25519", KEY);
    house.write("docs/plain.txt", format!("a note that mentions {KEY}"));
    std::fs::hard_link(house.home().join(".ssh/id_ed25519"), house.home().join("docs/innocent.txt")).unwrap();
    // By its name it is refused, whatever would be done with it.
    for (executor, args) in [
        ("read_files", json!({ "paths": ["~/docs/innocent.txt"] })),
        ("delete_files", json!({ "paths": ["~/docs/innocent.txt"] })),
        ("move_files", json!({ "paths": ["~/docs/innocent.txt"], "dst_dir": "~/out" })),
    ] {
        let ran = house.exec_asking(executor, args);
        assert_ne!(ran.code, Some(0), "{executor}: {ran:?}");
        assert!(ran.stdout.contains("keys to other machines"), "{executor}: {ran:?}");
    }
    // Among everything in a folder it is left out, and said to be.
    let found = house.exec_asking("find_files", json!({ "base_path": "~/docs", "contains": KEY })).json();
    assert_eq!(found["entries"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["entries"][0]["name"], "plain.txt", "{found}");
    assert!(found["failed"].to_string().contains("innocent.txt"), "{found}");
    let packed = house.exec_asking("compress_files", json!({ "paths": ["~/docs"], "dst": "~/docs.tar.gz" }));
    assert!(packed.stdout.contains("innocent.txt"), "what was left out is told: {packed:?}");
    // Two names of an ordinary file are two names of an ordinary file.
    std::fs::hard_link(house.home().join("docs/plain.txt"), house.home().join("docs/again.txt")).unwrap();
    let read = house.exec_asking("read_files", json!({ "paths": ["~/docs/again.txt"] }));
    assert_eq!(read.code, Some(0), "{read:?}");
    assert!(house.home().join("docs/innocent.txt").exists());
}

/// No file below `dir` holds any of these.
fn nothing_says(dir: &Path, values: &[&str]) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            nothing_says(&path, values);
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found = values.iter().find(|value| bytes.windows(value.len()).any(|w| w == value.as_bytes()));
            assert!(found.is_none(), "{} holds {found:?}", path.display());
        }
    }
}

#[test]
fn a_value_that_is_said_beside_the_name_of_a_credential_is_not_written_down() {
    let house = House::supervised();
    let known = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    set(&house, "weather", PLAIN);
    let said = [
        ("my imap password is hunter2-xyz remember it", "hunter2-xyz"),
        ("remember the password of my mail account: correcthorse", "correcthorse"),
        ("remember my PIN 447183", "447183"),
        ("la password di imap è hunter9-abc ricordala", "hunter9-abc"),
        ("la parola d'ordine del cancello è Luna_piena tienila a mente", "Luna_piena"),
        ("my github token is ghp_abcdefghijklmnopqrstuvwxyz0123456789 remember it", known),
        ("transmogrify ombrello viola 4471 please", PLAIN),
    ];
    let values: Vec<&str> = said.iter().map(|(_, value)| *value).collect();
    for (text, value) in said {
        let told = house.run(&["--json", "ask", text]);
        assert!(told.code.is_some(), "{told:?}");
        nothing_says(&house.metnos(), &[value]);
    }
    // The same through a daemon, also what is asked next about it.
    let daemon = Daemon::start(&house);
    for (text, _) in said {
        daemon.ask(text);
        daemon.ask("what did I say?");
    }
    assert!(daemon.stop());
    nothing_says(&house.metnos(), &values);
}

#[test]
fn a_sentence_that_only_names_a_credential_is_kept_as_it_is() {
    let house = House::supervised();
    house.write("Documents/the password file.txt", "the password is wrong");
    for text in [
        "find files that contain the word password in Documents",
        "read \"Documents/the password file.txt\"",
        "find files named token2024.txt in Documents",
        "trova i file che contengono la parola chiave in Documents",
        "remember that the password is wrong",
    ] {
        let told = house.run(&["--json", "ask", text]).json();
        assert_eq!(told["request"], text, "{told}");
        let listed = house.run(&["--json", "turns"]).json();
        assert_eq!(listed[0]["request"], text, "{listed}");
    }
    // What somebody writes down on purpose is written as they said it.
    let daemon = Daemon::start(&house);
    daemon.ask("write \"the password is hunter2-xyz\" to notes.txt");
    yes(&daemon);
    let text = std::fs::read_to_string(house.home().join("notes.txt")).unwrap();
    assert_eq!(text.trim_end(), "the password is hunter2-xyz");
}
