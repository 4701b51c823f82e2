//! Host, members and guests: who may ask for what, who answers, whose files are whose, and what is left
//! of somebody who was revoked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

fn ok(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// A house with a guest, anna, and a member, bruno.
fn peopled() -> House {
    let house = House::supervised();
    ok(&house.run(&["users", "add", "Anna", "--as", "guest"]));
    ok(&house.run(&["users", "add", "Bruno", "--as", "member"]));
    house.write("Documents/tax.txt", "of the host");
    house
}

fn exec(house: &House, who: &str, name: &str, args: Value) -> Ran {
    house.run_with(&["--json", "exec", "--as", who, name, "-"], args.to_string().as_bytes())
}

fn ask(house: &House, who: &str, words: &str) -> Value {
    house.run(&["--json", "ask", "--as", who, words]).json()
}

fn refused(ran: &Ran) -> String {
    assert_eq!(ran.json()["error"]["class"], "policy_violation", "{ran:?}");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    ran.json()["error"]["message"].as_str().unwrap().to_owned()
}

fn question(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(4), "{ran:?}");
    ran.json()["error"]["approval"].as_str().unwrap().to_owned()
}

fn folder(house: &House, who: &str) -> std::path::PathBuf {
    house.metnos().join("workspace/people").join(who)
}

fn write(house: &House, who: &str, path: &str, text: &str) -> Ran {
    exec(house, who, "write_files", json!({ "path": path, "content": text, "mode": "overwrite" }))
}

#[test]
fn a_guest_is_told_the_time_and_nothing_of_the_host() {
    let house = peopled();
    let told = ask(&house, "anna", "what time is it");
    assert_eq!(told["status"], "done", "{told}");
    let documents = house.home().join("Documents");
    let tax = documents.join("tax.txt");
    let listed = ask(&house, "anna", &format!("list {}", documents.display()));
    assert_ne!(listed["status"], "done", "{listed}");
    assert!(!listed.to_string().contains("tax.txt"), "{listed}");
    let said = refused(&exec(&house, "anna", "list_dirs", json!({ "paths": [documents] })));
    assert!(said.contains("outside the territory"), "{said}");
    refused(&exec(&house, "anna", "delete_files", json!({ "paths": [tax] })));
    refused(&exec(&house, "anna", "read_files", json!({ "paths": [tax] })));
    // What is relative begins in their own folder, wherever they stand, and leads nowhere else.
    for way_out in ["../../USER.md", "../bruno/x", "~/../bruno/x", "../../AGENTS.md"] {
        refused(&exec(&house, "anna", "read_files", json!({ "paths": [way_out] })));
    }
    std::os::unix::fs::symlink(&tax, folder(&house, "anna").join("link")).unwrap();
    refused(&exec(&house, "anna", "read_files", json!({ "paths": ["link"] })));
    assert!(tax.exists());
    let mode = std::fs::metadata(folder(&house, "anna")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    house.chain_holds();
}

#[test]
fn a_guests_question_is_answered_by_the_host_alone() {
    let house = peopled();
    let id = question(&write(&house, "anna", "note.txt", "hello"));
    for who in ["anna", "bruno"] {
        let own = house.run(&["--json", "approve", &id, "--as", who]);
        assert_eq!(own.code, Some(3), "{own:?}");
        assert!(own.stdout.contains("only the host") || own.stderr.contains("only the host"), "{own:?}");
    }
    assert!(!folder(&house, "anna").join("note.txt").exists());
    ok(&house.run(&["approve", &id]));
    assert_eq!(std::fs::read_to_string(folder(&house, "anna").join("note.txt")).unwrap(), "hello");
    // Reading what is their own needs nobody.
    let read = exec(&house, "anna", "read_files", json!({ "paths": ["note.txt"] }));
    assert_eq!(read.json()["ok"], true, "{read:?}");
}

#[test]
fn a_member_works_in_their_folder_and_takes_back_only_their_own() {
    let house = peopled();
    assert_eq!(write(&house, "bruno", "list.txt", "milk").json()["ok"], true);
    assert_eq!(write(&house, "bruno", "~/deep/er.txt", "bread").json()["ok"], true);
    assert!(folder(&house, "bruno").join("list.txt").exists());
    assert!(folder(&house, "bruno").join("deep/er.txt").exists());
    refused(&write(&house, "bruno", house.home().join("x").to_str().unwrap(), "no"));
    refused(&write(&house, "bruno", "../../AGENTS.md", "no"));
    // The host changes something later: it is not bruno's to take back.
    let hosts = house.exec_ran("write_files", json!({ "path": "later.txt", "content": "host" }));
    assert_eq!(hosts.json()["ok"], true, "{hosts:?}");
    let undo = |who: &str| exec(&house, who, "undo_last_turn", json!({})).json();
    assert!(undo("bruno")["ok_count"].as_u64().unwrap() >= 1, "the file and its folder");
    assert!(!folder(&house, "bruno").join("deep").exists());
    assert_eq!(undo("bruno")["ok_count"], 1);
    assert!(!folder(&house, "bruno").join("list.txt").exists());
    assert_eq!(undo("bruno")["ok_count"], 0);
    assert_eq!(std::fs::read_to_string(house.home().join("later.txt")).unwrap(), "host");
    // What is kept for undo is in nobody's reach.
    assert_eq!(write(&house, "bruno", "a.txt", "one").json()["ok"], true);
    assert_eq!(write(&house, "bruno", "a.txt", "two").json()["ok"], true);
    let kept = exec(&house, "bruno", "find_files", json!({ "base_path": "~/.metnos-undo" }));
    assert_eq!(kept.json()["error"]["class"], "forbidden", "{kept:?}");
    assert_eq!(undo("bruno")["ok_count"], 1);
    assert_eq!(std::fs::read_to_string(folder(&house, "bruno").join("a.txt")).unwrap(), "one");
    house.chain_holds();
}

#[test]
fn what_belongs_to_the_machine_is_the_hosts_to_allow() {
    let house = peopled();
    for (name, args) in [
        ("get_processes", json!({})),
        ("admin", json!({ "command": "uname", "reason": "which kernel" })),
        ("find_packages", json!({ "pattern": "bash" })),
    ] {
        let id = question(&exec(&house, "bruno", name, args));
        let own = house.run(&["approve", &id, "--as", "bruno"]);
        assert_eq!(own.code, Some(3), "{name}: {own:?}");
    }
    // In a cell a command sees the caller's folder and not the host's.
    let tax = house.home().join("Documents/tax.txt");
    let command = format!("cat {}", tax.display());
    let id = question(&exec(&house, "bruno", "admin", json!({ "command": command })));
    let done = house.run(&["--json", "approve", &id]);
    assert!(!done.stdout.contains("of the host"), "{done:?}");
}

#[test]
fn a_members_own_question_is_theirs_to_answer() {
    let house = peopled();
    let paths: Vec<String> = (0..25).map(|n| format!("f{n}")).collect();
    ok(&write(&house, "bruno", "f0", "x"));
    for path in &paths {
        std::fs::write(folder(&house, "bruno").join(path), "x").unwrap();
    }
    let id = question(&exec(&house, "bruno", "delete_files", json!({ "paths": paths })));
    assert_eq!(house.run(&["approve", &id, "--as", "anna"]).code, Some(3));
    ok(&house.run(&["approve", &id, "--as", "bruno"]));
    assert!(!folder(&house, "bruno").join("f0").exists());
}

#[test]
fn an_id_or_a_conversation_of_somebody_else_gives_nothing() {
    let house = peopled();
    house.write("Documents/rows.csv", "city\nOslo\n");
    let call = ["--json", "exec", "--call-id", "mine-1", "get_now", "{}"];
    assert_eq!(house.run(&call).json()["ok"], true);
    let mut other = call.to_vec();
    other.splice(2..2, ["--as", "bruno"]);
    assert_ne!(house.run(&other).json()["ok"], true);
    let shown = house.run(&["--json", "ask", "--conversation", "c", "list Documents"]).json();
    assert_eq!(shown["status"], "done", "{shown}");
    let stolen =
        house.run(&["--json", "ask", "--as", "bruno", "--conversation", "c", "sort them by size"]).json();
    assert!(!stolen.to_string().contains("tax.txt"), "{stolen}");
}

#[test]
fn a_revoked_person_is_refused_at_once_and_their_yes_with_them() {
    let house = peopled();
    ok(&write(&house, "bruno", "a.txt", "x"));
    let waits = question(&exec(&house, "bruno", "get_processes", json!({})));
    ok(&house.run(&["users", "revoke", "bruno"]));
    assert!(refused(&exec(&house, "bruno", "get_now", json!({}))).contains("was revoked"));
    let told = ask(&house, "bruno", "what time is it");
    assert!(told["status"] != "done" && told["text"].as_str().unwrap().contains("revoked"), "{told}");
    let late = house.run(&["--json", "approve", &waits]);
    assert!(refused(&late).contains("was revoked"));
    // The name is not given to another, who would find their files.
    let again = house.run(&["--json", "users", "add", "Bruno", "--as", "member"]).json();
    assert_eq!(again["id"], "bruno-2");
    assert_eq!(house.run(&["users", "revoke", "host"]).code, Some(2));
    assert_eq!(house.run(&["users", "revoke", "nobody"]).code, Some(1));
    house.chain_holds();
}

#[test]
fn people_are_listed_changed_and_given_levels() {
    let house = peopled();
    let set =
        ["--json", "users", "set", "anna", "--name", "Anna B", "--language", "it", "--zone", "Asia/Tokyo"];
    let set = house.run(&[&set[..], &["--level", "cli=supervised"]].concat()).json();
    assert_eq!((&set["name"], &set["level"]), (&json!("Anna B"), &json!("supervised")), "{set}");
    for wrong in
        [&["--zone", "Mars/Olympus"][..], &["--language", "xx"], &["--level", "cli"], &["--level", "cli=x"]]
    {
        assert_eq!(house.run(&[&["users", "set", "anna"][..], wrong].concat()).code, Some(2), "{wrong:?}");
    }
    let listed = house.run(&["--json", "users", "list"]).json();
    let roles: Vec<&str> =
        listed.as_array().unwrap().iter().map(|row| row["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["host", "guest", "member"], "{listed}");
    for wrong in ["host", "king"] {
        assert_eq!(house.run(&["users", "add", "Carla", "--as", wrong]).code, Some(2));
    }
    // A file of the workspace lowers a channel at once, and raises none.
    let agents = house.metnos().join("workspace/AGENTS.md");
    assert!(std::fs::read_to_string(&agents).unwrap().contains("## Channels"));
    let level = || house.run(&["--json", "policy", "level", "--of", "bruno"]).json()["level"].clone();
    assert_eq!(level(), "supervised");
    std::fs::write(&agents, "## Channels\n- cli: full\n").unwrap();
    assert_eq!(level(), "supervised");
    std::fs::write(&agents, "## Channels\n- cli: read-only\n").unwrap();
    assert_eq!(level(), "read_only");
    std::fs::write(&agents, "## Channels\n- cli: nonsense\n").unwrap();
    assert_eq!(level(), "read_only");
    let doctor = house.run(&["doctor"]);
    assert!(doctor.stdout.contains("nonsense"), "{doctor:?}");
}

#[test]
fn a_row_written_by_hand_makes_nobody_a_person() {
    let house = peopled();
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    let changed = db
        .execute("UPDATE decisions SET body = replace(body, 'guest', 'member') WHERE kind = 'person' AND id = 'anna'", [])
        .unwrap();
    assert_eq!(changed, 1);
    drop(db);
    assert!(refused(&exec(&house, "anna", "get_now", json!({}))).contains("damaged"));
    let listed = house.run(&["--json", "users", "list"]).json();
    assert!(!listed.to_string().contains("anna"), "{listed}");
    assert!(house.run(&["policy", "grants"]).stdout.contains("damaged person"));
    ok(&house.run(&["policy", "revoke", "anna"]));
    // A stranger again: the time of day, and no folder.
    assert_eq!(exec(&house, "anna", "get_now", json!({})).json()["ok"], true);
    assert_ne!(exec(&house, "anna", "list_dirs", json!({ "paths": ["."] })).json()["ok"], true);
}

#[test]
fn devices_and_pairings_at_the_command_line() {
    let house = peopled();
    let added = house.run(&["--json", "devices", "add", "kitchen tablet", "--person", "bruno"]).json();
    let token = added["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("mn_") && token.len() == 46, "{token}");
    let listed = house.run(&["--json", "devices", "list"]);
    assert!(!listed.stdout.contains(&token));
    let id = listed.json()[0]["id"].as_str().unwrap().to_owned();
    ok(&house.run(&["devices", "revoke", &id]));
    assert!(house.run(&["--json", "devices", "list"]).json()[0]["revoked"].is_string());
    assert_eq!(house.run(&["devices", "revoke", "ab"]).code, Some(1));
    assert_eq!(house.run(&["devices", "add", "x", "--person", "nobody"]).code, Some(1));
    // The secret is nowhere on the disk.
    for file in [house.metnos().join("state/metnos.sqlite"), house.metnos().join("state/metnos.sqlite-wal")] {
        let bytes = std::fs::read(file).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|part| part == token.as_bytes()));
    }
    ok(&house.run(&["pairing", "pair", "telegram", "4711", "host"]));
    let paired = house.run(&["--json", "pairing", "list"]).json();
    assert_eq!((&paired[0]["sender"], &paired[0]["who"]), (&json!("4711"), &json!("host")), "{paired}");
    ok(&house.run(&["pairing", "remove", "telegram", "4711"]));
    assert_eq!(house.run(&["pairing", "remove", "telegram", "4711"]).code, Some(1));
    for _ in 0..10 {
        assert_eq!(house.run(&["pairing", "approve", "telegram", "AAAA-AAAA"]).code, Some(1));
    }
    let limited = house.run(&["--json", "pairing", "approve", "telegram", "AAAA-AAAA"]);
    assert!(
        limited.stdout.contains("limit_exceeded") || limited.stderr.contains("limit_exceeded"),
        "{limited:?}"
    );
    house.chain_holds();
}
