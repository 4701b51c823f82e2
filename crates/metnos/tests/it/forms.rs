//! What a request lacks is given later, from anywhere: it goes on where it stopped, and what was done is not done again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::daemon::Daemon;
use crate::support::skill::Skill;
use crate::support::{House, Ran};
use serde_json::{Value, json};

/// Something that changes, then something that lacks a credential.
const REQUEST: &str = "move ~/a.txt to Other and then find my messages";

fn lacking() -> House {
    let house = House::new();
    Skill::mailbox().signed_without_credential(&house);
    house.write("a.txt", "a");
    house
}

fn ask(house: &House, request: &str) -> Ran {
    house.run(&["--json", "ask", "--conversation", "test", request])
}

fn asks(ran: &Ran) -> String {
    assert_eq!((ran.code, &ran.json()["status"]), (Some(4), &json!("asks")), "{ran:?}");
    ran.json()["turn"].as_str().unwrap().to_owned()
}

fn answer(house: &House, words: &[&str]) -> Ran {
    house.run(&[&["--json", "answer"][..], words].concat())
}

fn class(ran: &Ran) -> (Option<i32>, String) {
    (ran.code, ran.json()["error"]["class"].as_str().unwrap_or_default().to_owned())
}

fn keep(house: &House) -> Ran {
    let set = house.run_with(
        &["--json", "credentials", "set", "mail", "username", "password"],
        b"anna\ncaffe freddo 42\n",
    );
    assert_eq!(set.code, Some(0), "{set:?}");
    set
}

/// How often a step of a turn changed something.
fn begun(house: &House, call: &str) -> usize {
    let lines = house.audit_lines();
    lines.iter().filter(|line| line["kind"] == "close" && line["call_id"] == call).count()
}

#[test]
fn what_lacks_a_credential_goes_on_where_it_stopped_and_repeats_nothing() {
    let house = lacking();
    let stopped = ask(&house, REQUEST);
    let turn = asks(&stopped);
    let told = stopped.json();
    assert_eq!(
        told["credentials"],
        json!([{ "name": "mail", "fields": ["username", "password"] }]),
        "{told}"
    );
    let next = told["next"].as_str().unwrap();
    assert!(next.contains("metnos credentials set mail username password"), "{told}");
    assert!(next.contains(&format!("metnos answer {turn}")), "{told}");
    assert!(house.home().join("Other/a.txt").exists(), "what came before was done");

    let forms = house.run(&["--json", "forms"]).json();
    assert_eq!(
        (&forms[0]["turn"], &forms[0]["credentials"][0]["name"]),
        (&json!(turn), &json!("mail")),
        "{forms}"
    );
    // Words are no credential, and are written down nowhere.
    assert_eq!(class(&answer(&house, &[&turn, "caffe freddo 42"])), (Some(2), "wrong_args".into()));
    assert_eq!(asks(&answer(&house, &[&turn])), turn, "while it is not kept, it is asked for");
    assert_eq!(keep(&house).json()["lacked_by"], json!([turn]));

    let on = answer(&house, &[&turn]);
    assert_eq!((on.code, &on.json()["status"]), (Some(0), &json!("done")), "{on:?}");
    assert_eq!(on.json()["turn"], json!(turn), "the same request");
    assert_eq!(on.json()["entries"][0]["subject"], "for anna, 15", "{on:?}");
    assert_eq!(begun(&house, &format!("{turn}-1")), 1, "the move was not done again");
    assert_eq!(house.run(&["--json", "turns"]).json().as_array().unwrap().len(), 1);
    let seen = house.run(&["--json", "turns", &turn]).json();
    let done = seen["done"].as_array().unwrap();
    assert!(done.len() == 2 && done.iter().all(|step| step.as_str().unwrap().ends_with(" ok")), "{seen}");
    assert_eq!(house.run(&["replay", &turn]).code, Some(0));
    assert_eq!(class(&answer(&house, &[&turn])), (Some(1), "conflict".into()), "once");
    assert_eq!(house.run(&["--json", "forms"]).json(), json!([]));
    house.chain_holds();
}

#[test]
fn a_cut_while_it_goes_on_leaves_it_asking() {
    let house = lacking();
    let turn = asks(&ask(&house, REQUEST));
    keep(&house);
    // As a kill leaves it between the answer and the step.
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    db.execute("UPDATE turns SET status = NULL, ended_at = NULL WHERE id = ?1", [&turn]).unwrap();
    drop(db);
    let on = answer(&house, &[&turn]);
    assert_eq!((on.code, &on.json()["status"]), (Some(0), &json!("done")), "{on:?}");
    assert_eq!(begun(&house, &format!("{turn}-1")), 1);
}

#[test]
fn what_was_undone_meanwhile_is_not_gone_on_with() {
    let house = lacking();
    let turn = asks(&ask(&house, REQUEST));
    assert_eq!(house.run(&["undo"]).code, Some(0));
    assert!(house.home().join("a.txt").exists());
    keep(&house);
    assert_eq!(class(&answer(&house, &[&turn])), (Some(1), "conflict".into()));
    assert_eq!(house.run(&["--json", "turns", &turn]).json()["status"], "cancelled");
}

#[test]
fn a_credential_given_over_a_door_lets_the_same_request_go_on_also_after_a_restart() {
    let house = lacking();
    let daemon = Daemon::start(&house);
    let address = daemon.address.clone();
    let stopped = daemon.ask(REQUEST);
    assert_eq!(stopped["status"], "asks", "{stopped}");
    assert_eq!(stopped["credentials"][0]["fields"], json!(["username", "password"]), "{stopped}");
    let turn = stopped["turn"].as_str().unwrap().to_owned();
    let stream = format!("/agent/turns/{turn}/stream");
    let form = daemon.events(&stream, None).find(|event| event.name == "form").unwrap();
    assert_eq!(form.data["credentials"][0]["name"], "mail", "{}", form.data);
    daemon.kill();

    let daemon = Daemon::start_with(&house, &address);
    let form = format!("/agent/forms/{turn}");
    assert_eq!(
        daemon.post(&form, &json!({ "text": "caffe freddo 42" })).status,
        400,
        "it is not given in words"
    );
    let given = json!({ "fields": { "username": "anna", "password": "caffe freddo 42" } });
    assert_eq!(daemon.post("/agent/credentials/mail", &given).status, 204);
    let on = daemon.post(&form, &json!({})).json();
    assert_eq!((&on["status"], &on["turn"]), (&json!("done"), &json!(turn)), "{on}");
    assert_eq!(on["entries"][0]["subject"], "for anna, 15", "{on}");
    assert_eq!(begun(&house, &format!("{turn}-1")), 1, "the move was not done again");
    assert_eq!(daemon.post(&form, &json!({})).status, 409, "once");
    assert_eq!(daemon.get("/agent/forms").json(), json!([]));
    let written = daemon.get(&format!("/agent/turns/{turn}")).body + &daemon.get("/agent/turns").body;
    assert!(!written.contains("caffe freddo"), "{written}");
}

#[test]
fn what_lacks_a_credential_can_be_given_up() {
    let house = lacking();
    let daemon = Daemon::start(&house);
    let turn = daemon.ask(REQUEST)["turn"].as_str().unwrap().to_owned();
    assert_eq!(daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).status, 202);
    assert_eq!(daemon.get(&format!("/agent/turns/{turn}")).json()["status"], "cancelled");
    assert_eq!(daemon.post(&format!("/agent/forms/{turn}"), &json!({})).status, 409);
}

#[test]
fn a_question_is_answered_later_from_a_terminal() {
    let house = House::new();
    house.write("a.txt", "a");
    assert_eq!(house.run(&["users", "add", "Anna", "--as", "member"]).code, Some(0));
    let asked = ask(&house, "move a.txt");
    let turn = asks(&asked);
    assert!(asked.json()["next"].as_str().unwrap().contains(&format!("metnos answer {turn}")), "{asked:?}");
    let shown = house.run(&["forms"]).stdout;
    assert!(shown.contains(&turn) && shown.contains("Where to?"), "{shown}");

    for (words, code, kind) in [
        (&["01ARZ3NDEKTSV4RRFFQ69G5FAV", "Archive"][..], 1, "not_found"),
        (&["../x", "Archive"], 1, "not_found"),
        (&[&turn, "Archive", "--as", "anna"], 1, "not_found"),
        (&[&turn], 2, "wrong_args"),
        (&[&turn, " "], 2, "wrong_args"),
    ] {
        assert_eq!(class(&answer(&house, words)), (Some(code), kind.into()), "{words:?}");
    }
    assert_eq!(house.run(&["--json", "forms", "--as", "anna"]).json(), json!([]), "nobody sees another's");
    assert!(house.home().join("a.txt").exists());

    let on = answer(&house, &[&turn, "Archive"]);
    assert_eq!((on.code, &on.json()["status"]), (Some(0), &json!("done")), "{on:?}");
    assert!(house.home().join("Archive/a.txt").exists());
    assert_eq!(
        class(&answer(&house, &[&turn, "Other"])),
        (Some(1), "conflict".into()),
        "asked and answered once"
    );
    assert!(house.run(&["forms"]).stdout.contains("no request lacks anything"));
}

#[test]
fn a_stop_keeps_what_is_asked() {
    let house = House::new();
    house.write("a.txt", "a");
    let turn = asks(&ask(&house, "move a.txt"));
    assert_eq!(house.run(&["stop"]).code, Some(0));
    assert_eq!(class(&answer(&house, &[&turn, "Archive"])), (Some(3), "policy_violation".into()));
    assert_eq!(house.run(&["resume"]).code, Some(0));
    assert_eq!(answer(&house, &[&turn, "Archive"]).code, Some(0));
}

#[test]
fn a_question_is_answered_over_a_server_by_whom_it_is_for() {
    let house = House::supervised();
    house.write("a.txt", "a");
    let token = |args: &[&str]| -> String {
        let made = house.run(&[&["--json", "devices", "add"][..], args].concat());
        assert_eq!(made.code, Some(0), "{made:?}");
        made.json()["token"].as_str().unwrap().to_owned()
    };
    assert_eq!(house.run(&["users", "add", "Anna", "--as", "member"]).code, Some(0));
    let (host, anna) = (token(&["laptop"]), token(&["phone", "--person", "anna"]));
    let daemon = Daemon::start(&house);
    let url = format!("http://{}", daemon.address);
    let laptop = House::bare();
    let far = |token: &str, args: &[&str]| -> (Option<i32>, Value) {
        let mut command = laptop.command();
        let ran = command
            .env("METNOS_TOKEN", token)
            .args(["--json", "--server", &url])
            .args(args)
            .output()
            .unwrap();
        let value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        (ran.status.code(), value)
    };
    let (code, asked) = far(&host, &["ask", "move a.txt"]);
    assert_eq!((code, &asked["status"]), (Some(4), &json!("asks")), "{asked}");
    let turn = asked["turn"].as_str().unwrap();
    assert!(asked["next"].as_str().unwrap().contains(&format!("metnos answer {turn}")), "{asked}");
    assert_eq!(far(&host, &["forms"]).1[0]["turn"], turn);
    assert_eq!(far(&anna, &["forms"]).1, json!([]));
    for (token, words, code, kind) in [
        (&anna, &["answer", turn, "Archive"][..], 1, "not_found"),
        (&host, &["answer", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "Archive"], 1, "not_found"),
        (&host, &["answer", "../turns", "Archive"], 1, "not_found"),
        (&host, &["answer", turn], 2, "wrong_args"),
    ] {
        let (ended, told) = far(token, words);
        assert_eq!((ended, &told["error"]["class"]), (Some(code), &json!(kind)), "{words:?}: {told}");
    }
    let (code, on) = far(&host, &["answer", turn, "Archive"]);
    assert_eq!((code, &on["status"]), (Some(4), &json!("waits")), "it went on to its card: {on}");
    let (code, late) = far(&host, &["answer", turn, "Archive"]);
    assert_eq!((code, &late["error"]["class"]), (Some(1), &json!("conflict")), "{late}");
}
