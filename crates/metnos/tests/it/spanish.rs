//! Whoever chose Spanish reads Spanish: answers, a card, a refusal, the help, errors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::support::pty::Pty;
use crate::support::{House, Ran};
use metnos_vocab::reads_as_english_in;
use serde_json::Value;

fn house() -> House {
    let house = House::supervised();
    std::fs::write(house.metnos().join("config/metnos.toml"), "[person]\nlanguage = \"es\"\n").unwrap();
    assert_eq!(house.run(&["users", "set", "host", "--language", "Español"]).code, Some(0));
    for (path, text) in [("Documents/a.txt", "uno"), ("Documents/b.txt", "dos"), ("Llena/dentro.txt", "x")] {
        house.write(path, text);
    }
    house
}

fn told(house: &House, request: &str) -> Value {
    house.run(&["--json", "ask", request]).json()
}

/// The lines of what was printed that are English.
fn english(ran: &Ran) -> Vec<String> {
    let lines = ran.stdout.lines().chain(ran.stderr.lines());
    lines.filter(|line| reads_as_english_in("es", line)).map(str::to_owned).collect()
}

#[test]
fn answers_a_card_and_a_refusal_are_spanish() {
    let house = house();
    let time = told(&house, "¿qué hora es?");
    assert!(time["text"].as_str().unwrap().contains(" de "), "{time}");
    let asked = house.run(&["--json", "ask", "delete Documents/a.txt"]);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(asked.stdout.contains("Eliminar 1 archivo") && asked.stdout.contains("deshacer"), "{asked:?}");
    let approvals = house.run(&["--json", "approvals"]).json();
    let id = approvals[0]["id"].as_str().unwrap().to_owned();
    let refused = house.run(&["reject", &id]);
    assert!(english(&refused).is_empty(), "{refused:?}");
    assert!(house.home().join("Documents/a.txt").exists());
    let gone = told(&house, "delete /etc/passwd");
    assert!(!reads_as_english_in("es", gone["text"].as_str().unwrap()), "{gone}");
    let nothing = told(&house, "deshacer");
    assert!(!reads_as_english_in("es", &nothing.to_string().replace('_', "")), "{nothing}");
}

#[test]
fn failures_and_commands_are_spanish() {
    let house = house();
    let ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let mut found = Vec::new();
    let commands: [&[&str]; 16] = [
        &["doctor"],
        &["approvals"],
        &["forms"],
        &["undo"],
        &["undo", "--list"],
        &["undo", ulid],
        &["approve", ulid],
        &["turns", ulid],
        &["audit", "verify"],
        &["ask", " "],
        &["users", "set", "host", "--language", "klingon"],
        &["users", "set", "host", "--zone", "Ninguna/Parte"],
        &["exec", "--lang", "es", "read_files", r#"{"paths":["Documents/nada.txt"]}"#],
        &["exec", "--lang", "es", "read_files", r#"{"paths":5}"#],
        &["exec", "--lang", "es", "delete_dirs", r#"{"paths":["Llena"]}"#],
        &["exec", "--lang", "es", "compute_numbers", r#"{"expression":"1/0"}"#],
    ];
    for args in commands {
        let ran = house.run(args);
        found.extend(english(&ran).into_iter().map(|line| format!("{args:?}: {line}")));
    }
    assert!(found.is_empty(), "{} lines are English:\n{}", found.len(), found.join("\n"));
    let sum = house.exec_ran("compute_numbers", serde_json::json!({ "expression": "1234,5 + 1" }));
    assert_eq!(sum.code, Some(0), "{sum:?}");
}

#[test]
fn the_prompt_speaks_and_understands_spanish() {
    let house = house();
    let mut pty = Pty::start(&house, "");
    pty.shows("Di qué quieres");
    pty.shows("metnos> ");
    pty.keys("ayuda\n");
    pty.shows("palabras sencillas");
    pty.shows("Ctrl-D sale");
    pty.keys("delete Documents/b.txt\n");
    pty.shows("Eliminar 1 archivo");
    pty.shows("[l]uego > ");
    pty.keys("no\n");
    pty.shows("Has dicho que no; no se ha hecho nada.");
    pty.shows("metnos> ");
    assert!(house.home().join("Documents/b.txt").exists());
    pty.keys("salir\n");
    assert_eq!(pty.ends(), Some(0));
}
