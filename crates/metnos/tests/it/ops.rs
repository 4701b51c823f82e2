//! Housekeeping at the level of the command: the configuration, the service, the log, leaving, one person's data.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use metnos_testkit::{Fix, skipped};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::process::Command;

fn configure(house: &House, text: &str) {
    std::fs::create_dir_all(house.metnos().join("config")).unwrap();
    std::fs::write(house.metnos().join("config/metnos.toml"), text).unwrap();
}

#[test]
fn config_check_names_everything_that_is_wrong_at_once() {
    let house = House::bare();
    assert_eq!(house.run(&["config", "check"]).code, Some(0));
    configure(&house, "[undo]\nkeep_dais = 3\n\n[serve]\nlisten = 8770\n\n[telegramm]\nenabled = true\n");
    let ran = house.run(&["--json", "config", "check"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let wrong = ran.json()["wrong"].clone();
    let seen: Vec<(u64, &str)> = wrong
        .as_array()
        .unwrap()
        .iter()
        .map(|w| (w["line"].as_u64().unwrap(), w["key"].as_str().unwrap()))
        .collect();
    assert_eq!(seen, [(2, "undo.keep_dais"), (5, "serve.listen"), (7, "telegramm")], "{wrong}");
    assert_eq!(wrong[0]["near"], "keep_days");
    assert_eq!(wrong[2]["near"], "telegram");
    let text = house.run(&["config", "check"]);
    assert!(text.stdout.contains("metnos.toml, line 2: undo.keep_dais"), "{text:?}");
    assert_eq!(house.run(&["config", "show"]).code, Some(2));

    // What is near to none of them is told which there are.
    configure(&house, "[web]\nport = 1\n\n[undo]\ncolour = 3\n");
    let text = house.run(&["config", "check"]).stdout;
    assert!(text.contains("line 1: web") && text.contains("serve, ") && text.contains("telegram"), "{text}");
    assert!(text.contains("line 5: undo.colour") && text.contains("keep_days, "), "{text}");

    configure(&house, "[serve]\nlisten = \"0.0.0.0:8770\"\n");
    let ran = house.run(&["config", "check"]);
    assert!(ran.code == Some(2) && ran.stdout.contains("behind_proxy"), "{ran:?}");
    configure(
        &house,
        "[serve]\nlisten = \"0.0.0.0:8770\"\ntls = \"own\"\n\n[person]\nzone = \"Europe/Rome\"\n",
    );
    assert_eq!(house.run(&["config", "check"]).code, Some(0));
    let shown = house.run(&["--json", "config", "show"]).json();
    let row =
        |key: &str| shown["keys"].as_array().unwrap().iter().find(|row| row["key"] == key).cloned().unwrap();
    assert_eq!(
        row("serve.tls"),
        json!({ "key": "serve.tls", "value": "\"own\"", "default": "\"off\"", "from": "line 3" })
    );
    assert_eq!(row("undo.keep_days")["from"], "default");
    assert_eq!(house.run(&["config", "check", "/nowhere"]).code, Some(2));
}

#[test]
fn the_unit_is_written_as_it_should_be_and_taken_away_again() {
    let house = House::supervised();
    let unit = house.home().join(".config/systemd/user/metnos.service");
    let ran = house.run(&["--json", "service", "install"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let text = std::fs::read_to_string(&unit).unwrap();
    assert!(text.contains(&format!("Environment=\"METNOS_HOME={}\"", house.metnos().display())), "{text}");
    assert!(text.contains(" serve\n") && text.contains("\nNoNewPrivileges="), "{text}");
    if ran.json()["enabled"] == false {
        assert_eq!(ran.json()["left"].as_array().unwrap().len(), 2, "{ran:?}");
    }
    match Command::new("systemd-analyze").args(["verify", "--user"]).arg(&unit).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let ours: Vec<&str> = said.lines().filter(|line| line.contains("metnos.service:")).collect();
            assert!(ours.is_empty(), "{said}");
        }
        Err(_) => skipped("no systemd-analyze", Fix::Run("sudo apt-get install -y systemd")),
    }
    let status = house.run(&["--json", "service", "status"]).json();
    assert_eq!(
        (&status["installed"], &status["current"], &status["serving"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(house.run(&["--json", "service", "uninstall"]).json()["removed"], true);
    assert!(!unit.exists());
    std::fs::write(&unit, "[Unit]\n").unwrap();
    assert_eq!(house.run(&["service", "install"]).code, Some(1), "what somebody else wrote is left alone");
    assert_eq!(std::fs::read_to_string(&unit).unwrap(), "[Unit]\n");
}

#[test]
fn logs_show_the_last_lines_over_several_files() {
    let house = House::bare();
    assert_eq!(house.run(&["logs"]).code, Some(0));
    let logs = house.metnos().join("state/logs");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join("metnos-2026-01-01.log"), "a 1\na 2\n").unwrap();
    std::fs::write(logs.join("metnos-2026-01-01-0001.log"), "b 1\n").unwrap();
    std::fs::write(logs.join("metnos.log"), "c 1\nc 2\n").unwrap();
    let lines = |n: &str| house.run(&["--json", "logs", "-n", n]).json()["lines"].clone();
    assert_eq!(lines("1"), json!(["c 2"]));
    assert_eq!(lines("4"), json!(["a 2", "b 1", "c 1", "c 2"]));
    assert_eq!(lines("99").as_array().unwrap().len(), 5);
}

#[test]
fn leaving_removes_this_instance_and_nothing_else() {
    let house = House::new();
    let letter = house.write("letter.txt", "mine");
    house.write("old.txt", "old");
    house.exec("delete_files", json!({ "paths": ["old.txt"] }));
    let other = house.metnos().join("notes.txt");
    std::fs::write(&other, "not of metnos").unwrap();
    assert_eq!(house.run(&["service", "install"]).code, Some(0));

    let asked = house.run(&["--json", "uninstall"]);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(house.metnos().join("config/keys").exists());

    let lock = std::fs::File::create(house.metnos().join("state/serve.lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let busy = house.run(&["--json", "uninstall", "--yes"]);
    assert_eq!(busy.json()["error"]["class"], "conflict", "{busy:?}");
    assert!(house.metnos().join("config/keys").exists());
    drop(lock);

    let kept = house.run(&["--json", "uninstall", "--keep-data", "--yes"]);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(
        house.metnos().join("config/keys/instance.key").exists()
            && !house.metnos().join("executors").exists()
    );
    assert!(!house.home().join(".config/systemd/user/metnos.service").exists());

    let gone = house.run(&["--json", "uninstall", "--yes"]);
    assert_eq!(gone.code, Some(0), "{gone:?}");
    for dir in ["config", "state", "workspace", "executors"] {
        assert!(!house.metnos().join(dir).exists(), "{dir}");
    }
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "not of metnos");
    assert!(house.home().join(".metnos-undo").exists(), "what is kept for undo goes only when it is said");
    let undo = house.run(&["--json", "uninstall", "--forget-undo", "--yes"]);
    assert_eq!(undo.code, Some(0), "{undo:?}");
    assert!(!house.home().join(".metnos-undo").exists() && letter.exists());
}

fn as_person(house: &House, person: &str, request: &str) -> Value {
    house.run(&["--json", "ask", "--as", person, request]).json()
}

#[test]
fn a_person_is_handed_out_and_let_go_of_and_nobody_else() {
    let house = House::new();
    for person in ["ada", "adam"] {
        as_person(&house, person, "what time is it");
        assert_eq!(house.run(&["policy", "level", "full", "--of", person]).code, Some(0));
        let own = house.metnos().join("workspace/people").join(person);
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("note.txt"), person).unwrap();
    }
    let tar = house.metnos().with_file_name("ada.tar");
    let ran = house.run(&["--json", "people", "export", "ada", tar.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut found = std::collections::BTreeMap::new();
    for entry in tar::Archive::new(std::fs::File::open(&tar).unwrap()).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
        found.insert(name, text);
    }
    assert_eq!(found["files/note.txt"], "ada");
    assert_eq!(found["turns.jsonl"].lines().count(), 1, "{found:?}");
    assert!(found["turns.jsonl"].contains("what time is it") && !found["turns.jsonl"].contains("adam"));
    assert!(found["turn_logs.jsonl"].lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(found["decisions.jsonl"].contains("ada/cli") && !found["decisions.jsonl"].contains("adam"));
    assert_eq!(
        house.run(&["people", "export", "ada", tar.to_str().unwrap()]).code,
        Some(1),
        "nothing is replaced"
    );

    assert_eq!(house.run(&["people", "erase", "ada"]).code, Some(4));
    let ran = house.run(&["--json", "people", "erase", "ada", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM turns WHERE caller LIKE 'ada/%'"), 0);
    assert_eq!(count("SELECT count(*) FROM turns WHERE caller LIKE 'adam/%'"), 1);
    assert_eq!(count("SELECT count(*) FROM decisions WHERE id = 'ada/cli'"), 0);
    assert_eq!(count("SELECT count(*) FROM decisions WHERE id = 'adam/cli'"), 1);
    assert!(!house.metnos().join("workspace/people/ada").exists());
    assert!(house.metnos().join("workspace/people/adam/note.txt").exists());
    let lines = house.audit_lines();
    assert!(
        lines
            .iter()
            .any(|line| line["detail"]["what"] == "person erased" && line["detail"]["person"] == "ada")
    );
    house.chain_holds();
    assert_eq!(house.run(&["people", "erase", "host", "--yes"]).code, Some(3));
    assert_eq!(house.run(&["people", "erase", "../x", "--yes"]).code, Some(2));
}

#[test]
fn old_turns_go_after_an_answer_and_status_says_what_is_kept() {
    let house = House::new();
    as_person(&house, "ada", "what time is it");
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    db.execute("UPDATE turns SET began_at = '2020-01-01T00:00:00Z'", []).unwrap();
    db.execute(
        "INSERT INTO turns (id, caller, conversation, request, began_at, ended_at, status)
         VALUES ('00000000000000000000000000', 'ada/cli', 'c', 'waiting', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z', 'waits')",
        [],
    )
    .unwrap();
    let _ = std::fs::remove_file(house.metnos().join("state/turns/.looked"));
    as_person(&house, "ada", "what time is it");
    let left: Vec<String> = db
        .prepare("SELECT request || ' ' || coalesce(status, '') FROM turns ORDER BY id")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(left[0], "waiting waits");
    let status = house.run(&["--json", "status"]).json();
    assert!(status["kept_bytes"]["database"].as_u64().unwrap() > 0, "{status}");
    assert!(status["kept_bytes"]["audit"].as_u64().unwrap() > 0, "{status}");
}

#[test]
fn nothing_is_asked_without_a_terminal() {
    let house = House::bare();
    let ran = house.run(&["init"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("language") && !house.metnos().join("config/metnos.toml").exists());
}

#[test]
fn an_address_that_is_taken_is_no_inner_failure() {
    let house = House::supervised();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = house.run(&["--json", "serve", "--listen", &address]);
    assert_eq!((ran.code, &ran.json()["error"]["class"]), (Some(1), &json!("conflict")), "{ran:?}");
}
