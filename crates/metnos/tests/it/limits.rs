//! How much one person may use: turns and bytes in a minute over all doors together, and what a guest may have here.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::daemon::{Answer, Daemon};
use crate::support::telegram::{self, Bot, HOST};
use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

fn configure(house: &House, lines: &str) {
    let path = house.metnos().join("config/metnos.toml");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "[limits]\n{lines}").unwrap();
    assert_eq!(house.run(&["config", "check"]).code, Some(0));
}

/// A guest, and tokens of two devices of theirs.
fn guest(house: &House) -> [String; 2] {
    assert_eq!(house.run(&["users", "add", "Anna", "--as", "guest"]).code, Some(0));
    ["phone", "tablet"].map(|label| device(house, label, "anna"))
}

fn device(house: &House, label: &str, person: &str) -> String {
    let added = house.run(&["--json", "devices", "add", label, "--person", person]);
    assert_eq!(added.code, Some(0), "{added:?}");
    added.json()["token"].as_str().unwrap().to_owned()
}

fn asks(daemon: &Daemon, token: &str, text: &str) -> Answer {
    daemon.post_as(token, "/agent/turn", &json!({ "text": text }))
}

/// In how many seconds there is room again, from a refusal that says so in its head, its form and its words.
fn wait(refused: &Answer, limit: &str) -> u64 {
    assert_eq!(refused.status, 429, "{refused:?}");
    let error = refused.json()["error"].clone();
    assert_eq!((&error["class"], &error["limit"]), (&json!("limit_exceeded"), &json!(limit)), "{error}");
    let seconds = error["retry_after"].as_u64().unwrap();
    assert!((1..=60).contains(&seconds), "{error}");
    assert!(error["message"].as_str().unwrap().contains(&format!("{seconds} seconds")), "{error}");
    assert!(refused.headers.to_lowercase().contains(&format!("retry-after: {seconds}\r\n")), "{refused:?}");
    seconds
}

#[test]
fn turns_are_counted_for_each_person_over_all_their_doors() {
    let house = House::supervised();
    configure(&house, "turns_per_minute = 3");
    let [phone, tablet] = guest(&house);
    let host = device(&house, "laptop", "host");
    let daemon = Daemon::start(&house);
    for token in [&phone, &tablet, &phone] {
        assert_eq!(asks(&daemon, token, "what time is it").status, 200);
    }
    for token in [&phone, &tablet] {
        wait(&asks(&daemon, token, "what time is it"), "turns_per_minute");
    }
    let turns = daemon.get_as(&phone, "/agent/turns").json();
    assert_eq!(turns.as_array().unwrap().len(), 3, "what was refused is no turn");
    // Nobody else is held up by it; the host has the same bound, except at the machine itself.
    for _ in 0..3 {
        assert_eq!(asks(&daemon, &host, "what time is it").status, 200);
    }
    wait(&asks(&daemon, &host, "what time is it"), "turns_per_minute");
    assert_eq!(daemon.ask("what time is it")["status"], "done");
}

#[test]
fn a_chat_and_a_device_share_what_a_person_may_ask() {
    let bot = Bot::start();
    let house = telegram::house(&bot);
    configure(&house, "turns_per_minute = 1");
    let laptop = device(&house, "laptop", "host");
    let daemon = Daemon::start(&house);
    assert_eq!(asks(&daemon, &laptop, "what time is it").status, 200);
    bot.says(HOST, "what time is it");
    let told = bot.wait("a refusal", |sent| sent.chat() == HOST && sent.text().contains("a minute"));
    assert!(told.text().contains("room again in"), "{told:?}");
}

#[test]
fn bytes_of_requests_are_counted_too() {
    let house = House::supervised();
    configure(&house, "request_mb_per_minute = 1");
    let [phone, tablet] = guest(&house);
    let daemon = Daemon::start(&house);
    let long = "x".repeat(600_000);
    assert_eq!(asks(&daemon, &phone, &long).status, 200);
    wait(&asks(&daemon, &tablet, &long), "request_mb_per_minute");
    assert_eq!(asks(&daemon, &tablet, "what time is it").status, 200, "there is room for what is short");
}

fn folder(house: &House) -> PathBuf {
    house.metnos().join("workspace/people/anna")
}

/// A call of the guest's, with the host's yes.
fn does(house: &House, name: &str, args: &Value) -> Ran {
    let ran = house.run_with(&["--json", "exec", "--as", "anna", name, "-"], args.to_string().as_bytes());
    match ran.code {
        Some(4) => house.run(&["--json", "approve", ran.json()["error"]["approval"].as_str().unwrap()]),
        _ => ran,
    }
}

#[test]
fn a_guest_has_so_much_and_can_always_take_away() {
    let house = House::supervised();
    configure(&house, "guest_state_mb = 1");
    guest(&house);
    let write = |path: &str| does(&house, "write_files", &json!({ "path": path, "content": "hello" }));
    assert_eq!(write("note.txt").json()["ok"], true);
    std::fs::write(folder(&house).join("half.bin"), vec![7u8; 600_000]).unwrap();
    assert_eq!(write("second.txt").json()["ok"], true, "there is room");
    // A copy is known before it is made.
    let half = json!([{ "path": folder(&house).canonicalize().unwrap().join("half.bin") }]);
    let copy = does(&house, "write_files", &json!({ "dst_dir": "more", "entries": half }));
    let refused = |ran: &Ran| {
        let error = ran.json()["error"].clone();
        assert_eq!(error["limit"], "guest_state_mb", "{ran:?}");
        assert!(error["message"].as_str().unwrap().contains("1 MB"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("delete"), "{error}");
    };
    refused(&copy);
    assert!(!folder(&house).join("more/half.bin").exists());
    std::fs::write(folder(&house).join("whole.bin"), vec![7u8; 600_000]).unwrap();
    refused(&write("third.txt"));
    assert!(!folder(&house).join("third.txt").exists());
    // What takes away, and what only looks, goes on; so does everybody else.
    let deleted = does(&house, "delete_files", &json!({ "paths": ["whole.bin"] }));
    assert_eq!(deleted.json()["ok"], true, "{deleted:?}");
    assert_eq!(does(&house, "read_files", &json!({ "paths": ["note.txt"] })).json()["ok"], true);
    assert_eq!(house.exec("write_files", json!({ "path": "x.txt", "content": "host" }))["ok"], true);
    refused(&write("third.txt"));
    assert_eq!(house.run(&["undo", "--forget"]).code, Some(0));
    assert_eq!(write("third.txt").json()["ok"], true, "what was kept is let go of, and there is room");
    house.chain_holds();
}
