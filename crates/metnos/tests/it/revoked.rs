//! Whoever is sent away, and what they came in by: what they asked for stops, whoever allowed it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::model::{Model, Say};
use crate::support::telegram::{BRUNO, Bot, is_card, member, run};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A command that ends by itself only when its time is over.
const LONG: &str = "run the command `sleep 300`";

/// A device of somebody, and its id.
fn device(house: &House, person: &str) -> (String, String) {
    let made = house.run(&["--json", "devices", "add", "phone", "--person", person]).json();
    let token = made["token"].as_str().unwrap().to_owned();
    let listed = house.run(&["--json", "devices", "list"]).json();
    let own = |row: &&Value| row["label"] == "phone" && row["revoked"].is_null();
    let id = listed.as_array().unwrap().iter().find(own).unwrap_or_else(|| panic!("{listed}"))["id"].clone();
    (token, id.as_str().unwrap().to_owned())
}

/// Asks for something that only the host may allow: the turn and its question.
fn asks(daemon: &Daemon, token: &str) -> (String, String) {
    let asked = json!({ "text": LONG, "language": "en" });
    let told = daemon.post_as(token, "/agent/turn", &asked).json();
    assert_eq!(told["status"], "waits", "{told}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&told["turn"]), text(&told["approval"]["id"]))
}

/// The host says yes; gives back when the step is at work.
fn allows(house: &House, daemon: &Daemon, card: &str) {
    let yes = json!({ "answer": "once", "wait": false });
    assert_eq!(daemon.post(&format!("/agent/approvals/{card}"), &yes).status, 202);
    let lock = house.metnos().join("state/at-work.lock");
    let lock = std::fs::File::options().read(true).write(true).open(lock).unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
        flock(&lock, FlockOperation::Unlock).unwrap();
        assert!(Instant::now() < until, "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a turn no longer runs.
fn ended(daemon: &Daemon, turn: &str) -> Value {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let now = daemon.get(&format!("/agent/turns/{turn}")).json();
        if now["status"] != "running" {
            return now;
        }
        assert!(Instant::now() < until, "it runs on: {now}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// It was stopped: had it gone on, its time would have been over.
fn was_stopped(house: &House, daemon: &Daemon, turn: &str) {
    let now = ended(daemon, turn);
    assert_ne!(now["status"], "done", "{now}");
    let lines = house.audit_lines();
    let called = lines.iter().find(|line| line["kind"] == "call" && line["turn"] == turn).unwrap();
    assert_eq!(called["exit"], "cancelled", "{called}");
    house.chain_holds();
}

#[test]
fn what_somebody_asked_for_stops_with_them_though_the_host_allowed_it() {
    let house = House::supervised();
    run(&house, &["users", "add", "Bruno", "--as", "member"]);
    let (token, _) = device(&house, "bruno");
    let daemon = Daemon::start(&house);
    let (turn, card) = asks(&daemon, &token);
    allows(&house, &daemon, &card);
    run(&house, &["users", "revoke", "bruno"]);
    was_stopped(&house, &daemon, &turn);
}

#[test]
fn what_a_device_asked_for_stops_with_the_device_and_is_not_allowed_later() {
    let house = House::supervised();
    run(&house, &["users", "add", "Bruno", "--as", "member"]);
    let (token, id) = device(&house, "bruno");
    let daemon = Daemon::start(&house);
    let (turn, card) = asks(&daemon, &token);
    let (later, waiting) = asks(&daemon, &token);
    allows(&house, &daemon, &card);
    run(&house, &["devices", "revoke", &id]);
    was_stopped(&house, &daemon, &turn);
    let decide =
        |answer: &str| daemon.post(&format!("/agent/approvals/{waiting}"), &json!({ "answer": answer }));
    let yes = decide("once");
    assert!(yes.status >= 400 && yes.body.contains("sent away"), "{yes:?}");
    assert_eq!(daemon.get(&format!("/agent/turns/{later}")).json()["status"], "waits");
    assert_eq!(decide("no").json()["status"], "cancelled", "a no is always heard");
    // The person is still somebody, and a device they have works.
    let (token, _) = device(&house, "bruno");
    let told = daemon.post_as(&token, "/agent/turn", &json!({ "text": "what time is it" })).json();
    assert_eq!(told["status"], "done", "{told}");
}

#[test]
fn what_was_written_on_telegram_stops_with_the_pairing() {
    let bot = Bot::start();
    let house = crate::support::telegram::house(&bot);
    member(&house, BRUNO, "Bruno", "member");
    let daemon = Daemon::start(&house);
    bot.says(BRUNO, LONG);
    bot.wait("card", is_card);
    let card = daemon.get("/agent/approvals").json()[0].clone();
    allows(&house, &daemon, card["id"].as_str().unwrap());
    run(&house, &["pairing", "remove", "telegram", &BRUNO.to_string()]);
    was_stopped(&house, &daemon, card["turn"].as_str().unwrap());
}

#[test]
fn a_model_is_not_waited_for_on_behalf_of_a_device_that_was_taken_back() {
    let model = Model::saying(vec![Say::Late(Duration::from_secs(40))]);
    let house = House::supervised();
    std::fs::write(house.metnos().join("config/metnos.toml"), model.bound("wise", "timeout_seconds = 60"))
        .unwrap();
    run(&house, &["users", "add", "Bruno", "--as", "member"]);
    let (token, id) = device(&house, "bruno");
    let daemon = Daemon::start(&house);
    // Nothing explains "zzyzx".
    let asked = json!({ "text": "frobnicate the zzyzx of Pictures", "language": "en" });
    let begun = daemon.post_as(&token, "/agent/turn/submit", &asked).json();
    let until = Instant::now() + Duration::from_secs(60);
    while model.seen().is_empty() {
        assert!(Instant::now() < until, "the model was not asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    run(&house, &["devices", "revoke", &id]);
    // Had it been waited for, the turn would have failed for want of a plan.
    let now = ended(&daemon, begun["turn"].as_str().unwrap());
    assert_eq!(now["status"], "cancelled", "{now}");
}
