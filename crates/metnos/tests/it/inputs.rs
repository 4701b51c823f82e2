//! Somebody asks to be asked: one question a field, a bad answer is asked again, and the request goes on with the values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use serde_json::{Value, json};

fn asks(answer: &Value) -> &str {
    assert_eq!(answer["status"], "asks", "{answer}");
    answer["text"].as_str().unwrap()
}

fn turn(answer: &Value) -> String {
    answer["turn"].as_str().unwrap().to_owned()
}

fn reply(daemon: &Daemon, turn: &str, text: &str) -> Value {
    daemon.post(&format!("/agent/forms/{turn}"), &json!({ "text": text })).json()
}

fn values(answer: &Value) -> Vec<(&str, &Value)> {
    assert_eq!(answer["status"], "done", "{answer}");
    let entries = answer["entries"].as_array().unwrap();
    entries.iter().map(|entry| (entry["name"].as_str().unwrap(), &entry["value"])).collect()
}

#[test]
fn several_fields_are_asked_in_turn_and_outlive_the_daemon() {
    let house = House::new();
    let daemon = Daemon::start(&house);
    let first = daemon.ask("ask me for my name, my age and my birthday");
    assert_eq!((asks(&first), &first["question"]), ("Name?", &json!("Name?")));
    let turn = turn(&first);
    assert_eq!(asks(&reply(&daemon, &turn, "Anna")), "Age? (a number)");
    let again = reply(&daemon, &turn, "quite old");
    assert_eq!(asks(&again), "That does not fit. Age? (a number)");
    daemon.kill();

    let daemon = Daemon::start(&house);
    let forms = daemon.get("/agent/forms").json();
    assert_eq!(forms[0]["text"], "That does not fit. Age? (a number)", "{forms}");
    assert!(asks(&reply(&daemon, &turn, "36")).starts_with("Birthday? (a day"));
    // A day that could be of several years is none.
    assert!(asks(&reply(&daemon, &turn, "monday")).starts_with("That does not fit. Birthday?"));
    let done = reply(&daemon, &turn, "3 May 1990");
    let wanted = [("name", json!("Anna")), ("age", json!(36)), ("birthday", json!("1990-05-03"))];
    assert_eq!(values(&done), wanted.iter().map(|(name, value)| (*name, value)).collect::<Vec<_>>());
    assert!(done["text"].as_str().unwrap().contains("birthday: 1990-05-03"), "{done}");
    assert_eq!(daemon.get("/agent/forms").json(), json!([]));
    drop(daemon);
    assert_eq!(house.run(&["replay", &turn]).code, Some(0));
    house.chain_holds();
}

#[test]
fn at_the_command_line_the_answers_are_given_by_the_turn_in_italian() {
    let house = House::new();
    let ran = house.run(&["--json", "ask", "chiedimi l'età e la data di nascita"]);
    assert_eq!((ran.code, asks(&ran.json())), (Some(4), "Età? (un numero)"));
    let turn = turn(&ran.json());
    let answer = |text: &str| house.run(&["--json", "answer", &turn, text]).json();
    // What another language reads as thousands is not guessed at.
    assert_eq!(asks(&answer("1.234")), "Non va bene. Età? (un numero)");
    assert!(asks(&answer("36")).starts_with("Data di nascita? (un giorno"));
    assert!(asks(&answer("non lo so")).starts_with("Non va bene."));
    let done = answer("3 maggio 1990");
    assert_eq!(values(&done), [("età", &json!(36)), ("data_di_nascita", &json!("1990-05-03"))]);
}

#[test]
fn one_of_several_and_yes_or_no() {
    let house = House::new();
    let daemon = Daemon::start(&house);
    for (request, wrong, right, value) in [
        ("ask me to choose between red, green and blue", "yellow", "Green", json!("green")),
        ("fammi scegliere tra rosso e verde", "giallo", "2", json!("verde")),
        ("ask me whether I like coffee", "perhaps", "sì", json!(true)),
        ("chiedimi se mi piace il caffè", "forse", "no", json!(false)),
    ] {
        let first = daemon.ask(request);
        asks(&first);
        let turn = turn(&first);
        let again = reply(&daemon, &turn, wrong);
        assert!(asks(&again).contains(asks(&first)) && asks(&again) != asks(&first), "{again}");
        let done = reply(&daemon, &turn, right);
        assert_eq!(values(&done)[0].1, &value, "{done}");
    }
}

#[test]
fn a_path_is_one_that_the_person_may_name() {
    let house = House::new();
    let daemon = Daemon::start(&house);
    let first = daemon.ask("ask me for a folder and my name");
    let turn = turn(&first);
    let own = house.metnos().join("state/metnos.sqlite");
    assert_eq!(asks(&reply(&daemon, &turn, own.to_str().unwrap())), "Name?");
    let again = reply(&daemon, &turn, "Anna");
    assert!(asks(&again).ends_with("\nFolder? (a file or folder)"), "{again}");
    reply(&daemon, &turn, "~/Documents");
    let done = reply(&daemon, &turn, "Anna");
    assert_eq!(values(&done)[0].1, &json!(house.home().join("Documents")), "{done}");
}

#[test]
fn whoever_wants_no_more_of_it_says_so() {
    let house = House::new();
    let daemon = Daemon::start(&house);
    for (request, word) in [("ask me for a number", "never mind"), ("chiedimi un numero", "annulla")] {
        let first = daemon.ask(request);
        assert_eq!(reply(&daemon, &turn(&first), word)["status"], "cancelled", "{first}");
    }
}

#[test]
fn a_secret_is_never_asked_for_where_it_would_be_written_down() {
    let house = House::new();
    for (request, said) in [
        ("ask me for my name and my password", "save a credential"),
        ("chiedimi il nome e la password", "salva una credenziale"),
    ] {
        let told = house.run(&["--json", "ask", request]).json();
        assert_eq!(told["status"], "failed", "before anything is asked: {told}");
        assert!(told["text"].as_str().unwrap().contains(said), "{told}");
    }
    let secret = json!({ "fields": [{ "name": "password", "kind": "secret" }], "values": ["zafferano99"] });
    let called = house.exec_asking("get_inputs", secret).json();
    assert_eq!(called["error"]["class"], "policy_violation", "{called}");
    let audit = serde_json::to_string(&house.audit_lines()).unwrap();
    assert!(audit.contains("get_inputs") && !audit.contains("zafferano99"), "{audit}");
}

#[test]
fn a_bare_call_says_that_it_needs_a_conversation() {
    let house = House::new();
    let called = house.exec_asking("get_inputs", json!({ "fields": [{ "name": "age", "kind": "number" }] }));
    let error = &called.json()["error"];
    assert_eq!(error["class"], "wrong_args", "{called:?}");
    assert!(error["message"].as_str().unwrap().contains("needs a conversation"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("metnos ask"), "{error}");
}

#[test]
fn a_request_that_says_more_than_what_to_ask_is_not_taken_for_less() {
    let house = House::new();
    for request in [
        "ask me for my name and create a folder",
        "ask me for confirmation before deleting the files",
        "ask me for my name every day",
        "chiedimi il nome e poi crea una cartella",
    ] {
        let told = house.run(&["--json", "ask", "--dry-run", request]).json();
        assert!(!told.to_string().contains("get_inputs"), "{told}");
        assert!(!told["text"].as_str().unwrap_or_default().starts_with("Name?"), "{told}");
    }
}
