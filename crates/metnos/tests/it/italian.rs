//! Whoever speaks Italian reads Italian: answers, questions, refusals, gaps, errors of the system, and the terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use metnos_vocab::reads_as_english;
use serde_json::Value;

/// A house whose host chose Italian, with files that are fine and files that are not.
fn house() -> House {
    let house = House::supervised();
    std::fs::write(house.metnos().join("config/metnos.toml"), "[person]\nlanguage = \"it\"\n").unwrap();
    assert_eq!(house.run(&["users", "set", "host", "--language", "it"]).code, Some(0));
    for (path, text) in [
        ("Documents/a.txt", "uno"),
        ("Documents/b.txt", "due"),
        ("Documents/finto.xlsx", "non un foglio"),
        ("Documents/finto.zip", "non un archivio"),
        ("Documents/finto.pdf", "non un pdf"),
        ("Documents/tabella.csv", "nome,eta\nAnna,41\n"),
        ("Piena/dentro.txt", "x"),
        (".ssh/id_rsa", "segreto"),
    ] {
        house.write(path, text);
    }
    house
}

/// Everything a person reads in an answer: not its keys, rows and ids.
fn read(value: &Value, out: &mut Vec<String>) {
    const READ: [&str; 9] = ["text", "message", "hint", "next", "question", "why", "detail", "fix", "card"];
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| *key != "entries" && *key != "request") {
                match value {
                    Value::String(text) if READ.contains(&key.as_str()) => out.push(text.clone()),
                    Value::Array(items) if key == "details" => {
                        out.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    other => read(other, out),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| read(item, out)),
        _ => {}
    }
}

/// The lines of a run that are English. Commands are in no language.
fn english(ran: &Ran) -> Vec<String> {
    let texts = match serde_json::from_str::<Value>(ran.stdout.trim()) {
        Ok(value) => {
            let mut texts = Vec::new();
            read(&value, &mut texts);
            texts
        }
        Err(_) => vec![ran.stdout.clone(), ran.stderr.clone()],
    };
    let lines = texts.iter().flat_map(|text| text.lines()).flat_map(|line| line.split("  ·  "));
    // A step of a plan is its name and its values.
    let step =
        |line: &str| line.trim_start().starts_with(|c: char| c.is_ascii_digit()) && line.contains("=\"");
    let quoted = |line: &str| line.contains('«') && line.split('«').skip(1).any(reads_as_english);
    lines.filter(|line| !step(line) && (reads_as_english(line) || quoted(line))).map(str::to_owned).collect()
}

const REQUESTS: [&str; 40] = [
    "quanti file ci sono in Documents?",
    "leggi Documents/a.txt",
    "leggi Documents/nessuno.txt",
    "leggi Documents/a.txt e Documents/nessuno.txt",
    "leggi Documents/finto.xlsx",
    "leggi Documents/finto.pdf",
    "estrai Documents/finto.zip",
    "mostra le righe di Documents/tabella.csv",
    "mostra ~/.ssh/id_rsa",
    "elimina ~/.ssh/id_rsa",
    "elimina Documents/nessuno.txt",
    "elimina la cartella Piena",
    "elimina Documents/b.txt",
    "no",
    "elimina Documents/b.txt",
    "sì",
    "annulla",
    "annulla",
    "sposta Documents/a.txt",
    "rinomina Documents/a.txt in b.txt",
    "copia Documents/a.txt in Archivio",
    "crea la cartella Documents",
    "ordinami una pizza",
    "trova le mail non lette di questa settimana",
    "ricordami domani di chiamare Anna",
    "traduci Documents/a.txt in inglese",
    "calcola 1/0",
    "quanto fa 5 km in miglia?",
    "che ore sono a Tokyo?",
    "cosa sai fare?",
    "grazie",
    "ferma il processo 999999",
    "quali processi usano più memoria?",
    "quanto spazio libero c'è sul disco?",
    "manda un messaggio a Mario su Telegram",
    "trova i file più grandi di 1 GB in Documents",
    "comprimi i file in Documents in tutto.zip",
    "riassumi Documents/a.txt",
    "confronta Documents/a.txt e Documents/b.txt",
    "elenca i file in /var/tmp",
];

#[test]
fn no_answer_to_an_italian_request_holds_an_english_sentence() {
    let house = house();
    let mut found = Vec::new();
    let asked = REQUESTS.iter().map(|request| vec!["--json", "ask", request]);
    let tried = REQUESTS.iter().skip(8).take(5).map(|request| vec!["ask", "--dry-run", request]);
    for args in asked.chain(tried) {
        let ran = house.run(&args);
        found.extend(english(&ran).into_iter().map(|line| format!("{args:?}: {line}")));
    }
    assert!(found.is_empty(), "{} lines are English:\n{}", found.len(), found.join("\n"));
}

#[test]
fn calls_commands_and_their_failures_are_italian_for_who_chose_it() {
    let house = house();
    let calls: [(&str, &str); 16] = [
        ("read_files", r#"{"paths":["Documents/nessuno.txt"]}"#),
        ("read_files", r#"{"paths":["Documents/a.txt/sotto"]}"#),
        ("read_files", r#"{"paths":["Documents"]}"#),
        ("read_files", r#"{"paths":["~/.ssh/id_rsa"]}"#),
        ("read_files", r#"{"path":"x"}"#),
        ("read_files", r#"{"paths":5}"#),
        ("read_files_xlsx", r#"{"paths":["Documents/finto.xlsx"]}"#),
        ("extract_files", r#"{"paths":["Documents/finto.zip"],"dst_dir":"fuori"}"#),
        ("create_dirs", r#"{"paths":["Documents/a.txt"]}"#),
        ("delete_dirs", r#"{"paths":["Piena"]}"#),
        ("compute_numbers", r#"{"expression":"1/0"}"#),
        ("compute_numbers", r#"{"expression":"5 km in kg"}"#),
        ("get_now", r#"{"timezone":"Atlantide"}"#),
        ("find_filez", "{}"),
        ("admin", r#"{"command":"rm -rf /"}"#),
        ("set_processes", r#"{"pids":[999999]}"#),
    ];
    let mut found = Vec::new();
    for (name, args) in calls {
        let ran = house.run(&["--json", "exec", "--lang", "it", name, args]);
        assert_ne!(ran.code, Some(0), "{name} {args}: {ran:?}");
        found.extend(english(&ran).into_iter().map(|line| format!("{name} {args}: {line}")));
    }
    let ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let commands: [&[&str]; 17] = [
        &["doctor"],
        &["approvals"],
        &["forms"],
        &["undo"],
        &["undo", "--list"],
        &["undo", ulid],
        &["approve", ulid],
        &["reject", ulid],
        &["answer", ulid, "x"],
        &["turns", ulid],
        &["why", ulid],
        &["audit", "verify"],
        &["audit", "show", ulid],
        &["audit", "note", ulid, "x"],
        &["ask", " "],
        &["ask", "--zone", "Nessuna/Parte", "che ore sono"],
        &["ask", "--lang", "?!", "che ore sono"],
    ];
    for args in commands {
        let ran = house.run(args);
        found.extend(english(&ran).into_iter().map(|line| format!("{args:?}: {line}")));
    }
    let config = house.metnos().join("config/metnos.toml");
    for wrong in ["[undo]\nkeep_dais = 3", "[skils]\nsystem = true", "[undo]\nbudget_mb = \"tanti\""] {
        std::fs::write(&config, format!("[person]\nlanguage = \"it\"\n{wrong}\n")).unwrap();
        let ran = house.run(&["ask", "che ore sono"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        found.extend(english(&ran).into_iter().map(|line| format!("{wrong:?}: {line}")));
    }
    assert!(found.is_empty(), "{} lines are English:\n{}", found.len(), found.join("\n"));
}

#[test]
fn one_and_several_are_told_apart() {
    let house = house();
    let told =
        house.run(&["--json", "ask", "elimina Documents/nessuno.txt e poi leggi Documents/a.txt"]).json();
    let text = told["text"].as_str().unwrap();
    assert!(!text.contains("1 altri"), "{told}");
}
