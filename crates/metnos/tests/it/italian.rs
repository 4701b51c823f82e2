//! Whoever speaks Italian reads Italian: answers, questions, refusals, gaps, errors of the system, and the terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::daemon::Daemon;
use crate::support::{House, Ran, ran_with};
use metnos_vocab::reads_as_english;
use serde_json::{Value, json};

/// A key that `age-keygen` made for these tests.
const PUBLIC: &str = "age1q28j4hnt3m2npzzttrsnc79f2qyjktn26jgaaqvu3frysqm0x93qh5vhzm";
const PRIVATE: &str = "AGE-SECRET-KEY-15SUUDJNXXWKNLDJY0ZS3T9FTKZAQVN329HSK7ZL4R6E8W24F7K3Q95AAYC";

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

#[test]
fn what_a_door_refuses_is_said_in_the_language_of_whoever_asked() {
    let house = house();
    let daemon = Daemon::start(&house);
    let turn = daemon.ask("quanti file ci sono in Documents?")["turn"].as_str().unwrap().to_owned();
    let ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let chat = |role: &str| json!({ "messages": [{ "role": role, "content": "x" }] });
    let posts = [
        ("/agent/turn", json!({})),
        ("/agent/turn", json!({ "text": " " })),
        ("/agent/turn", json!({ "text": 5 })),
        ("/agent/turn", json!({ "text": "ciao", "altro": 1 })),
        ("/agent/turn", json!({ "text": "ciao", "turn": "x" })),
        ("/agent/turn", json!({ "text": "ciao", "zone": "Nessuna/Parte" })),
        ("/agent/turn", json!({ "text": "ciao", "conversation": "a b" })),
        ("/agent/turn", json!([1])),
        (&format!("/agent/turns/{ulid}/undo"), json!({})),
        (&format!("/agent/turns/{turn}/undo"), json!({})),
        (&format!("/agent/turns/{turn}/cancel"), json!({})),
        (&format!("/agent/turns/{turn}/feedback"), json!({ "feedback": "boh" })),
        (&format!("/agent/approvals/{ulid}"), json!({ "answer": "once" })),
        (&format!("/agent/forms/{turn}"), json!({ "text": "x" })),
        ("/v1/chat/completions", chat("assistant")),
        ("/logout", json!({})),
        ("/login", json!({ "token": "mn_x" })),
        ("/agent/me", json!({})),
    ];
    let gets = [
        "/nulla".to_owned(),
        format!("/agent/turns/{ulid}"),
        format!("/agent/turns/{turn}/files/x"),
        format!("/agent/turns/{turn}/files/99"),
        "/agent/turns?most=tanti".to_owned(),
    ];
    let mut answers: Vec<_> =
        posts.iter().map(|(path, body)| (format!("{path} {body}"), daemon.post(path, body))).collect();
    answers.extend(gets.into_iter().map(|path| (path.clone(), daemon.get(&path))));
    let auth = format!("Authorization: Bearer {}", daemon.key);
    for path in ["/admin/executors/nessuno", "/admin/turns?status=boh"] {
        let answer = daemon.request("GET", path, &[&auth, "Accept: application/json"], "");
        answers.push((path.into(), answer));
    }
    let odd: [(&str, &[&str], &str); 4] = [
        ("not JSON", &["Content-Type: application/json"], "{x"),
        ("cut", &["Content-Type: application/json"], "{"),
        ("no type", &[], "{}"),
        ("another site", &["Content-Type: application/json", "Origin: https://else.example"], "{}"),
    ];
    for (name, headers, body) in odd {
        answers.push((name.into(), daemon.request("POST", "/agent/turn", headers, body)));
    }
    // A stranger reads the language of the house, or the one their browser asks for.
    answers
        .push(("stranger".into(), daemon.request("GET", "/agent/turns", &["Authorization: Bearer x"], "")));
    let mut found = Vec::new();
    for (what, answer) in &answers {
        assert!(answer.status >= 400, "{what}: {answer:?}");
        let told = answer.json();
        assert_eq!(told["ok"], false, "{what}: {answer:?}");
        let ran = Ran { code: None, stdout: answer.body.clone(), stderr: String::new() };
        found.extend(english(&ran).into_iter().map(|line| format!("{what}: {line}")));
    }
    assert!(found.is_empty(), "{} lines are English:\n{}", found.len(), found.join("\n"));
    let headers = ["Authorization: Bearer x", "Accept-Language: en-GB,it;q=0.5"];
    let told = daemon.request("GET", "/agent/turns", &headers, "").json();
    assert_eq!(told["error"]["message"], "nobody is logged in", "{told}");
}

#[test]
fn setting_up_people_and_backups_speak_italian() {
    let house = house();
    let mut found = Vec::new();
    let mut look = |what: String, ran: &Ran| {
        found.extend(english(ran).into_iter().map(|line| format!("{what}: {line}")));
    };
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (backup, sealed, key, none) = (path("b.tar.zst"), path("b.age"), path("chiave"), path("vuota"));
    std::fs::write(&key, format!("{PRIVATE}\n")).unwrap();
    std::fs::write(&none, "\n").unwrap();
    std::fs::write(path("finto"), "non una copia").unwrap();
    let commands: [(&[&str], i32); 31] = [
        (&["init"], 0),
        (&["upgrade"], 0),
        (&["upgrade", "--roll-back"], 1),
        (&["users", "add", "Anna", "--as", "member"], 0),
        (&["users", "add", "Bruno", "--as", "guest"], 0),
        (&["users", "add", "Carlo", "--as", "re"], 2),
        (&["users", "add", "Carlo", "--as", "host"], 2),
        (&["users", "add", " ", "--as", "guest"], 2),
        (&["users", "set", "anna", "--name", "Anna B"], 0),
        (&["users", "set", "anna", "--language", "klingon"], 2),
        (&["users", "set", "anna", "--zone", "Nessuna/Parte"], 2),
        (&["users", "set", "anna", "--level", "telegram"], 2),
        (&["users", "set", "anna", "--level", "telegram=tutto"], 2),
        (&["users", "set", "nessuno", "--name", "x"], 1),
        (&["users", "revoke", "bruno"], 0),
        (&["users", "revoke", "bruno"], 0),
        (&["users", "revoke", "host"], 2),
        (&["pairing", "list"], 0),
        (&["pairing", "approve", "telegram", "AAAAAAAA", "--as", "guest"], 1),
        (&["pairing", "pair", "telegram", "7", "host"], 0),
        (&["pairing", "remove", "telegram", "7"], 0),
        (&["pairing", "remove", "telegram", "8"], 1),
        (&["backup", &backup], 0),
        (&["backup", &backup], 1),
        (&["backup", &sealed, "--recipient", PUBLIC], 0),
        (&["backup", &path("x"), "--recipient", "age1no"], 2),
        (&["restore", &sealed, "--identity-file", &key], 1),
        (&["restore", &sealed, "--identity-file", &none], 1),
        (&["restore", &sealed, "--passphrase-file", &none], 1),
        (&["restore", &sealed], 1),
        (&["restore", &path("finto")], 1),
    ];
    for (args, code) in commands {
        let ran = house.run(args);
        assert!(ran.code == Some(code) || (code == 1 && ran.code != Some(0)), "{args:?}: {ran:?}");
        look(format!("{args:?}"), &ran);
    }
    // Where there is no house yet, the terminal says which language is spoken.
    let fresh = |args: &[&str]| {
        let house = House::bare();
        let mut command = house.command();
        command.env("LANG", "it_IT.UTF-8").args(args);
        ran_with(command, b"")
    };
    for args in [
        &["restore", &sealed][..],
        &["restore", &backup],
        &["restore", &path("niente")],
        &["restore", &sealed, "--identity-file", &key],
        &["init"],
    ] {
        look(format!("{args:?}, no house"), &fresh(args));
    }
    assert!(found.is_empty(), "{} lines are English:\n{}", found.len(), found.join("\n"));
}
