//! Programs that others wrote, at our door. They need `make testbed`; where that cannot be had the tests say so and
//! are counted (`target/skipped.txt`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use metnos_testkit::{Fix, skipped, testbed};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// A program of the testbed's clients, if it is there.
fn client(name: &str) -> Option<PathBuf> {
    let found = testbed().map(|dir| dir.join("clients/bin").join(name)).filter(|path| path.exists());
    if found.is_none() {
        skipped("no testbed", Fix::Run("make testbed"));
    }
    found
}

fn token(house: &House) -> String {
    let made = house.run(&["--json", "devices", "add", "laptop"]);
    made.json()["token"].as_str().unwrap().to_owned()
}

#[test]
fn the_official_openai_client_talks_to_it_unchanged() {
    let Some(python) = client("python") else { return };
    let house = House::supervised();
    std::fs::write(house.home().join("x.txt"), "x").unwrap();
    let daemon = Daemon::start(&house);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/openai_client.py");
    let url = format!("http://{}", daemon.address);
    let ran = Command::new(python).args([script, &url, &token(&house)]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(!house.home().join("x.txt").exists(), "it was deleted after the yes, and only then");
}

#[test]
fn what_a_client_sends_once_more_by_itself_is_the_same_turn() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let auth = format!("Authorization: Bearer {}", token(&house));
    let post = |retries: u32, text: &str| {
        let count = format!("x-stainless-retry-count: {retries}");
        let body = json!({ "model": "metnos", "messages": [{ "role": "user", "content": text }] });
        let headers = [auth.as_str(), "Content-Type: application/json", &count];
        let answer = daemon.request("POST", "/v1/chat/completions", &headers, &body.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["id"].as_str().unwrap().to_owned()
    };
    let first = post(0, "what time is it");
    assert_eq!(post(1, "what time is it"), first, "a retry is told what the first one was");
    assert_ne!(post(1, "list the files in ."), first, "other words are another request");
    assert_ne!(post(0, "what time is it"), first, "asked again by a person, it is asked again");
}

#[test]
fn a_yes_that_a_client_repeats_answers_one_question_only() {
    let house = House::supervised();
    house.write("Documents/p.txt", "p");
    house.write("Documents/q.txt", "q");
    let daemon = Daemon::start(&house);
    let auth = format!("Authorization: Bearer {}", token(&house));
    let request = "move p.txt from Documents to Archive and then delete q.txt in Documents";
    let mut history = vec![json!({ "role": "user", "content": request })];
    let post = |daemon: &Daemon, retries: u32, history: &[Value]| {
        let count = format!("x-stainless-retry-count: {retries}");
        let body = json!({ "model": "metnos", "messages": history });
        let headers = [auth.as_str(), "Content-Type: application/json", &count];
        let answer = daemon.request("POST", "/v1/chat/completions", &headers, &body.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
    };
    let told = |text: &str| json!({ "role": "assistant", "content": text });
    let yes = || json!({ "role": "user", "content": "yes" });
    let asked = post(&daemon, 0, &history);
    let link = format!("http://{}/admin/approvals", daemon.address);
    assert!(asked.contains(&link), "a card says where else it can be answered: {asked}");
    // A yes that follows no card is a yes to nothing.
    let bare = post(&daemon, 0, &[yes()]);
    assert!(bare.contains("p.txt") && house.home().join("Documents/p.txt").exists(), "{bare}");
    history.extend([told(&asked), yes()]);
    let second = post(&daemon, 0, &history);
    assert!(house.home().join("Archive/p.txt").exists(), "{second}");
    // Sent again by the client, or by a person who wants another answer: the card it follows is answered already.
    for retries in [1, 0] {
        let again = post(&daemon, retries, &history);
        assert!(again.contains("q.txt"), "the question that waits is shown: {again}");
        assert!(house.home().join("Documents/q.txt").exists(), "{again}");
    }
    // A history that does not end with the person says nothing new.
    let ends = [&history[..], &[told(&second)]].concat();
    let body = json!({ "model": "metnos", "messages": ends }).to_string();
    let headers = [auth.as_str(), "Content-Type: application/json"];
    let refused = daemon.request("POST", "/v1/chat/completions", &headers, &body);
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(house.home().join("Documents/q.txt").exists());
    // One that nobody remembers may be a repetition as well.
    let address = daemon.address.clone();
    daemon.kill();
    let daemon = Daemon::start_with(&house, &address);
    let again = post(&daemon, 2, &history);
    assert!(house.home().join("Documents/q.txt").exists(), "{again}");
    history.extend([told(&second), yes()]);
    post(&daemon, 0, &history);
    assert!(!house.home().join("Documents/q.txt").exists());
}

#[test]
fn odd_values_at_every_described_address_break_nothing() {
    let Some(schemathesis) = client("schemathesis") else { return };
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let api = format!("http://{}/openapi.json", daemon.address);
    let auth = format!("Authorization: Bearer {}", token(&house));
    let ran = Command::new(schemathesis)
        .args([
            "run",
            &api,
            "-H",
            &auth,
            "--checks",
            "not_a_server_error",
            "--max-examples",
            "15",
            "--seed",
            "7",
        ])
        // A stream of a turn that waits stays open.
        .args(["--exclude-path-regex", "stream", "--generation-database", ":memory:"])
        .current_dir(house.home())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{told}");
    assert!(told.contains("Tested: "), "{told}");
    assert_eq!(daemon.get("/healthz").status, 200, "it stands");
}
