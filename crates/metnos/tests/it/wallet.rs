//! The names of credentials are asked for, kept and forgotten in words; their values only by a form, and nowhere else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use serde_json::{Value, json};

const VALUE: &str = "tramonto rosa 88";

fn ask(house: &House, request: &str) -> Value {
    house.run(&["--json", "ask", request]).json()
}

fn names(answer: &Value) -> Vec<&str> {
    answer["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

fn keep(house: &House, name: &str) {
    let set = house.run_with(&["credentials", "set", name, "token"], format!("{VALUE}\n").as_bytes());
    assert_eq!(set.code, Some(0), "{set:?}");
}

/// Whether a file below the state holds these bytes.
fn written(house: &House, bytes: &str) -> bool {
    fn holds(dir: &std::path::Path, bytes: &[u8]) -> bool {
        std::fs::read_dir(dir).unwrap().flatten().any(|entry| match entry.file_type().unwrap() {
            kind if kind.is_dir() => holds(&entry.path(), bytes),
            kind if kind.is_file() => {
                std::fs::read(entry.path()).unwrap().windows(bytes.len()).any(|window| window == bytes)
            }
            _ => false,
        })
    }
    holds(&house.metnos(), bytes.as_bytes())
}

#[test]
fn which_are_kept_is_told_by_name_in_both_languages() {
    let house = House::new();
    assert_eq!(names(&ask(&house, "which credentials do you have")), Vec::<&str>::new());
    keep(&house, "github");
    keep(&house, "imap");
    for request in ["which credentials do you have", "quali credenziali hai"] {
        let answer = ask(&house, request);
        assert_eq!((&answer["status"], names(&answer)), (&json!("done"), vec!["github", "imap"]), "{answer}");
        assert!(!answer.to_string().contains(VALUE), "{answer}");
    }
    assert_eq!(names(&ask(&house, "have you got credentials for 'github'?")), ["github"]);
}

#[test]
fn one_is_kept_by_a_form_and_the_request_goes_on() {
    let house = House::new();
    let daemon = Daemon::start(&house);
    for (request, text) in
        [("salva una credenziale per imap", "Conservata: imap"), ("save a credential for imap", "Kept: imap")]
    {
        let asks = daemon.ask(request);
        assert_eq!(asks["status"], "asks", "{asks}");
        // Also where one of that name is kept already.
        assert_eq!(asks["credentials"], json!([{ "name": "imap", "fields": ["token"] }]), "{asks}");
        let turn = asks["turn"].as_str().unwrap().to_owned();
        let form = format!("/agent/forms/{turn}");
        let still = daemon.post(&form, &json!({})).json();
        assert_eq!(still["status"], "asks", "nothing was given: {still}");
        let given = json!({ "fields": { "token": VALUE } });
        assert_eq!(daemon.post("/agent/credentials/imap", &given).status, 204);
        let done = daemon.post(&form, &json!({})).json();
        assert_eq!(done["status"], "done", "{done}");
        assert!(done["text"].as_str().unwrap().contains(text), "{done}");
        assert_eq!(house.run(&["replay", &turn]).code, Some(0));
    }
    assert_eq!(names(&daemon.ask("quali credenziali hai")), ["imap"]);
    drop(daemon);
    assert!(!written(&house, VALUE), "the value lies in the vault alone");
}

#[test]
fn at_the_command_line_the_same_request_names_the_command_that_keeps_it() {
    let house = House::new();
    let asks = house.run(&["--json", "ask", "store the credential 'imap'"]);
    assert_eq!(asks.code, Some(4), "{asks:?}");
    let next = asks.json()["next"].as_str().unwrap().to_owned();
    assert!(next.contains("metnos credentials set imap token"), "{next}");
    keep(&house, "imap");
    let turn = asks.json()["turn"].as_str().unwrap().to_owned();
    let done = house.run(&["--json", "answer", &turn]);
    assert_eq!((done.code, &done.json()["status"]), (Some(0), &json!("done")), "{done:?}");
    let called = house.exec_asking("set_credentials", json!({ "names": ["caldav"] }));
    assert_eq!(called.json()["error"]["class"], "unauthorized", "{called:?}");
    let in_words = house.exec_asking("set_credentials", json!({ "names": ["caldav"], "value": "x" }));
    assert_eq!(in_words.json()["error"]["class"], "wrong_args", "a value is no argument: {in_words:?}");
}

#[test]
fn what_is_typed_beside_the_name_is_taken_for_the_value_and_written_nowhere() {
    let house = House::new();
    for request in ["save the password zafferano99 for imap", "salva la password zafferano99 per imap"] {
        let asks = ask(&house, request);
        assert_eq!(asks["status"], "asks", "{asks}");
        assert_eq!(asks["credentials"][0]["name"], "imap", "{asks}");
        assert!(!asks.to_string().contains("zafferano99"), "{asks}");
    }
    // What is said to be no name is none.
    let unclear = ask(&house, "save the password zafferano99");
    assert!(!unclear.to_string().contains("zafferano99"), "{unclear}");
    assert!(!written(&house, "zafferano99"));
}

#[test]
fn one_is_forgotten_after_a_card_that_says_it_is_for_good() {
    let house = House::new();
    for (request, text) in [
        ("forget the github token", "cannot be undone"),
        ("dimentica il token di github", "Non si può annullare"),
    ] {
        keep(&house, "github");
        let waits = ask(&house, request);
        assert_eq!(waits["status"], "waits", "at every level: {waits}");
        let no = house.run(&["--json", "reject", waits["approval"].as_str().unwrap()]);
        assert!(no.code.is_some(), "{no:?}");
        assert_eq!(names(&ask(&house, "quali credenziali hai")), ["github"], "a no keeps it");
        let waits = ask(&house, request);
        let done = house.run(&["--json", "approve", waits["approval"].as_str().unwrap()]).json();
        assert!(done["text"].as_str().unwrap().contains(text), "{done}");
        assert_eq!(names(&ask(&house, "quali credenziali hai")), Vec::<&str>::new());
    }
    let unknown = ask(&house, "forget the github token");
    assert_eq!(unknown["status"], "failed", "{unknown}");
    assert!(unknown["text"].as_str().unwrap().contains("github"), "{unknown}");
}

#[test]
fn nobody_but_the_host_keeps_one() {
    let house = House::new();
    assert_eq!(house.run(&["users", "add", "Anna", "--as", "member"]).code, Some(0));
    let told = house.run(&["--json", "ask", "--as", "anna", "store the credential 'imap'"]).json();
    assert_eq!(told["status"], "failed", "{told}");
    keep(&house, "imap");
    let told = house.run(&["--json", "ask", "--as", "anna", "forget the credential 'imap'"]).json();
    assert_eq!(told["status"], "failed", "{told}");
    let asked = house.run(&["--json", "ask", "--as", "anna", "which credentials do you have"]).json();
    assert_eq!(asked["status"], "waits", "the host is asked: {asked}");
}
