//! Cancel means at once, whatever a request is doing: waiting for room, being read, being judged.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::model::{Model, Say};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;

/// Longer than any test may take: nothing here ends because of it.
const LONG: Duration = Duration::from_secs(600);
/// Turns that run at once.
const ROOM: usize = 16;

fn bind(house: &House, lines: &str) {
    std::fs::write(house.metnos().join("config/metnos.toml"), lines).unwrap();
}

fn status(daemon: &Daemon, turn: &str) -> Value {
    daemon.get(&format!("/agent/turns/{turn}")).json()["status"].clone()
}

/// Asks until it is so.
fn until(mut is_so: impl FnMut() -> bool) {
    let given_up = std::time::Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(std::time::Instant::now() < given_up, "it never was so");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A daemon with no room left: every turn that runs waits for a model that does not answer.
fn full(house: &House) -> (Daemon, Vec<String>) {
    let model = Model::saying(vec![Say::Late(LONG)]);
    bind(house, &model.bound("wise", "timeout_seconds = 600"));
    let daemon = Daemon::start(house);
    let asks = |n: usize| {
        let body = json!({ "text": "frobnicate the zzyzx of Pictures", "conversation": format!("c{n}") });
        daemon.post("/agent/turn/submit", &body).json()["turn"].as_str().unwrap().to_owned()
    };
    let turns: Vec<String> = (0..ROOM).map(asks).collect();
    until(|| model.seen().len() == ROOM);
    (daemon, turns)
}

#[test]
fn a_request_is_cancelled_before_it_is_a_turn() {
    let house = House::new();
    let (daemon, running) = full(&house);
    let turn = metnos_executor::Ulid::new().to_string();
    let body = json!({ "text": "create a folder called Late in Documents", "turn": turn });
    let daemon = &daemon;
    let cancelled = || daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).status;
    assert_eq!(cancelled(), 404, "nothing of this id has arrived");
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| daemon.post("/agent/turn", &body));
        // From the moment it has arrived it can be stopped, though it cannot begin.
        until(|| cancelled() == 202);
        asked.join().unwrap()
    });
    assert_eq!(answer.json()["status"], "cancelled", "{answer:?}");
    assert_eq!(answer.json()["turn"], turn.as_str());
    assert!(running.iter().all(|turn| status(daemon, turn) == "running"), "nobody had to make room for it");
    // What runs is left at once as well, and nothing of the other begins then.
    for turn in &running {
        assert_eq!(daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).status, 202);
        until(|| status(daemon, turn) == "cancelled");
    }
    assert!(!house.home().join("Documents/Late").exists());
    assert!(
        !house
            .audit_lines()
            .iter()
            .any(|line| line["executor"] == "create_dirs" && line["caller"] == "host/cli")
    );
}

#[test]
fn a_request_of_somebody_else_is_not_there_to_be_cancelled() {
    let house = House::new();
    let (daemon, _running) = full(&house);
    let guest = house.run(&["--json", "users", "add", "Gina"]);
    assert_eq!(guest.code, Some(0), "{guest:?}");
    let token = house.run(&["--json", "devices", "add", "phone", "--person", "gina"]);
    assert_eq!(token.code, Some(0), "{token:?}");
    let token = token.json()["token"].as_str().unwrap().to_owned();
    let turn = metnos_executor::Ulid::new().to_string();
    let body = json!({ "text": "what time is it", "turn": turn });
    let (daemon, path) = (&daemon, format!("/agent/turns/{turn}/cancel"));
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| daemon.post("/agent/turn", &body));
        for _ in 0..20 {
            assert_eq!(daemon.post_as(&token, &path, &json!({})).status, 404);
        }
        until(|| daemon.post(&path, &json!({})).status == 202);
        assert_eq!(asked.join().unwrap().json()["status"], "cancelled");
    });
}

#[test]
fn ctrl_c_reaches_a_request_that_is_still_being_read() {
    let house = House::new();
    let (daemon, _running) = full(&house);
    let mut ask = house.command();
    let child = ask.args(["ask", "create a folder called Late in Documents"]);
    let child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It listens from before it sends.
    let waits = || daemon.get("/metrics").body.contains("metnos_turns_waiting 1");
    until(waits);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    let turns = house.run(&["--json", "turns"]).json();
    let late = turns.as_array().unwrap().iter().find(|turn| turn["request"].to_string().contains("Late"));
    assert_eq!(late.unwrap()["status"], "cancelled", "{turns}");
    assert!(!house.home().join("Documents/Late").exists());
}

#[test]
fn a_judge_that_thinks_for_long_keeps_nobody() {
    let house = House::new();
    let file = house.write("Documents/a.txt", "a");
    let model = Model::saying(vec![Say::Late(LONG)]);
    bind(&house, &model.bound("middle", "timeout_seconds = 600"));
    let daemon = Daemon::start(&house);
    let body = json!({ "text": "move a.txt in Documents to Archive" });
    let turn = daemon.post("/agent/turn/submit", &body).json()["turn"].as_str().unwrap().to_owned();
    until(|| !model.seen().is_empty());
    assert_eq!(daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).status, 202);
    until(|| status(&daemon, &turn) != "running");
    assert_eq!(status(&daemon, &turn), "cancelled");
    assert_eq!(daemon.get("/agent/approvals").json(), json!([]), "nobody is asked instead");
    assert!(file.exists());
}
