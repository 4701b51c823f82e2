//! Another host comes in only by an upgrade, which proves itself and can be taken back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::session::Session;
use crate::support::{House, binary};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A sentence of the host that the other build says differently.
const SAYS: &[u8] = b"there is no time zone called";
const SAYS_INSTEAD: &[u8] = b"THERE IS NO TIME ZONE CALLED";

fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) -> usize {
    assert_eq!(from.len(), to.len());
    let found: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, w)| *w == from).map(|(at, _)| at).collect();
    for at in &found {
        bytes[*at..at + to.len()].copy_from_slice(to);
    }
    found.len()
}

fn digest(host: &Path) -> String {
    let said = Command::new(host).arg("--digest").output().unwrap();
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}

fn install(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A second build in `dir`: a host with one sentence changed and the `metnos` bound to it.
fn other_build(dir: &Path) -> PathBuf {
    let built = binary().with_file_name("metnos-host");
    let mut host = std::fs::read(&built).unwrap();
    assert!(replace(&mut host, SAYS, SAYS_INSTEAD) > 0, "the host no longer says this sentence");
    install(&dir.join("metnos-host"), &host);
    let (old, new) = (digest(&built), digest(&dir.join("metnos-host")));
    assert_ne!(old, new);
    let mut metnos = std::fs::read(binary()).unwrap();
    assert!(
        replace(&mut metnos, old.as_bytes(), new.as_bytes()) > 0,
        "metnos does not hold its host's digest"
    );
    install(&dir.join("metnos"), &metnos);
    dir.join("metnos")
}

fn run(house: &House, metnos: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let mut command = house.command_of(metnos);
    let output = command.args(args).arg("--json").stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    (output.status.code(), serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{e}: {text}")))
}

/// What the host in force says to a zone that does not exist.
fn voice(answer: &Value) -> &'static [u8] {
    let said = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    if said.contains(std::str::from_utf8(SAYS_INSTEAD).unwrap()) { SAYS_INSTEAD } else { SAYS }
}

#[test]
fn an_upgrade_replaces_the_host_and_rolling_back_returns_it() {
    let house = House::new();
    let dir = tempfile::tempdir().unwrap();
    let other = other_build(dir.path());
    let nowhere = json!({ "timezone": "Nowhere/Atall" });
    let mut session = Session::start(&house);
    assert_eq!(voice(&session.call("get_now", nowhere.clone())), SAYS);

    // Nothing happens without a yes.
    let (code, answer) = run(&house, &other, &["upgrade"]);
    assert_eq!((code, &answer["error"]["class"]), (Some(130), &json!("cancelled")), "{answer}");
    assert_eq!(voice(&house.exec("get_now", nowhere.clone())), SAYS);
    assert_eq!(run(&house, &other, &["status"]).1["upgrade_available"], true);

    let host = house.metnos().join("executors/seed/HOST");
    let before = std::fs::read(&host).unwrap();
    let (code, answer) = run(&house, &other, &["upgrade", "--yes"]);
    assert_eq!(code, Some(0), "{answer}");
    assert_eq!(answer["installed"]["host_changed"], true, "{answer}");
    assert_eq!(voice(&house.exec("get_now", nowhere.clone())), SAYS_INSTEAD);
    // Also in a process that kept cells of the host before.
    assert_eq!(voice(&session.call("get_now", nowhere.clone())), SAYS_INSTEAD);
    assert_eq!(run(&house, &other, &["status"]).1["upgrade_available"], false);

    // The record before is signed, but it is no longer a valid one.
    let newer = std::fs::read(&host).unwrap();
    std::fs::write(&host, before).unwrap();
    let refused = house.exec_ran("get_now", json!({}));
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stdout.contains("older signed record was put back"), "{refused:?}");
    std::fs::write(&host, newer).unwrap();
    let (code, answer) = run(&house, &other, &["executors", "approve", "get_now", "--reason", "it is back"]);
    assert_eq!(code, Some(0), "{answer}");

    let (code, answer) = run(&house, &other, &["upgrade", "--roll-back"]);
    assert_eq!(code, Some(0), "{answer}");
    assert_eq!(voice(&house.exec("get_now", nowhere.clone())), SAYS);
    assert_eq!(voice(&session.call("get_now", nowhere)), SAYS);
    let acts: Vec<Value> = house.audit_lines().into_iter().filter(|l| l["kind"] == "lifecycle").collect();
    let acts: Vec<&str> = acts.iter().map(|l| l["detail"]["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["install", "install", "quarantine", "approve", "roll_back"]);
    house.chain_holds();
}

/// A program that came later than its house: it sends calls with a part that the approved host does not know, and was
/// built with another host.
fn newer_program(dir: &Path) -> PathBuf {
    let mut metnos = std::fs::read(binary()).unwrap();
    let own = digest(&binary().with_file_name("metnos-host"));
    let other: String = own.chars().rev().collect();
    assert!(replace(&mut metnos, own.as_bytes(), other.as_bytes()) > 0);
    let named = replace(&mut metnos, b"limitserror_classesside_effects", b"limitserror_klassesside_effects");
    assert!(named > 0, "the parts of a call are named otherwise");
    install(&dir.join("metnos"), &metnos);
    dir.join("metnos")
}

#[test]
fn a_program_and_a_host_of_different_versions_say_so_in_a_sentence() {
    let house = House::new();
    let dir = tempfile::tempdir().unwrap();
    let newer = newer_program(dir.path());
    let (code, answer) = run(&house, &newer, &["exec", "get_now", "{}"]);
    assert_eq!((code, &answer["error"]["class"]), (Some(3), &json!("sandbox_unavailable")), "{answer}");
    assert_eq!(answer["error"]["hint"], "metnos upgrade", "{answer}");
    let told = answer["error"]["message"].as_str().unwrap();
    assert!(told.contains("of another version") && !told.contains('`'), "{told}");
    let (_, answer) = run(&house, &newer, &["ask", "what time is it"]);
    assert!(answer["text"].as_str().unwrap().contains("of another version"), "{answer}");
    assert_eq!(answer["next"], "metnos upgrade", "{answer}");
    // Doctor does not pass over what it could not try.
    let (code, answer) = run(&house, &newer, &["doctor"]);
    assert_ne!(code, Some(0), "{answer}");
    let findings = answer["findings"].as_array().unwrap();
    let layer = findings.iter().find(|one| one["check"] == "seccomp layer").unwrap();
    assert_eq!((&layer["ok"], &layer["fix"]), (&json!(false), &json!("metnos upgrade")), "{layer}");
    // The program the house was set up with still works.
    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
}

#[test]
fn a_record_of_another_version_is_told_as_such() {
    let house = House::new();
    house.write("Documents/a.txt", "a");
    let done = house.run(&["--json", "ask", "delete Documents/a.txt"]).json();
    assert_eq!(done["status"], "done", "{done}");
    let turn = done["turn"].as_str().unwrap();
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    let other = r#"UPDATE turn_entries SET entry = replace(entry, '"event":"asked"', '"event":"heard"') WHERE turn = ?1"#;
    let changed = db.execute(other, [turn]);
    assert!(changed.unwrap() > 0);
    drop(db);
    let ran = house.run(&["--json", "replay", turn]);
    let told = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        told.contains("another version of Metnos; metnos upgrade") && !told.contains("variant"),
        "{told}"
    );
}

#[test]
fn a_host_that_this_metnos_was_not_built_with_is_refused() {
    let house = House::new();
    let dir = tempfile::tempdir().unwrap();
    let other = other_build(dir.path());
    // The other metnos beside the first host: not the pair that was built.
    std::fs::copy(binary().with_file_name("metnos-host"), dir.path().join("metnos-host")).unwrap();
    let (code, answer) = run(&house, &other, &["upgrade", "--yes"]);
    assert_eq!((code, &answer["error"]["class"]), (Some(3), &json!("forbidden")), "{answer}");
    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    let (code, answer) = run(&house, &other, &["upgrade", "--roll-back"]);
    assert_eq!((code, &answer["error"]["class"]), (Some(1), &json!("not_found")), "{answer}");
}
