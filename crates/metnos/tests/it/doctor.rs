//! Doctor finds what Metnos lives on broken, each with the next step: databases, models, clock, disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::model::{Model, Say};
use crate::support::{House, binary};
use metnos_testkit::{Fix, skipped};
use serde_json::Value;
use std::process::Command;

fn findings(house: &House, check: &str) -> Vec<Value> {
    let report = house.run(&["--json", "doctor"]);
    let told = report.json();
    let all = told["findings"].as_array().unwrap();
    let found: Vec<Value> = all.iter().filter(|one| one["check"] == check).cloned().collect();
    let well = all.iter().all(|one| one["ok"] == true);
    assert_eq!((report.code == Some(0), told["ok"] == true), (well, well), "{told}");
    found
}

fn one(house: &House, check: &str) -> Value {
    let found = findings(house, check);
    assert_eq!(found.len(), 1, "{check}: {found:?}");
    found[0].clone()
}

#[test]
fn a_sound_house_has_sound_databases_a_clock_and_room() {
    let house = House::new();
    for check in ["database", "disk", "clock", "kept for undo"] {
        let found = findings(&house, check);
        assert!(!found.is_empty() && found.iter().all(|one| one["ok"] == true), "{check}: {found:?}");
    }
    assert!(findings(&house, "model fast").is_empty(), "what is not bound is not looked for");
}

#[test]
fn a_damaged_database_is_named_with_what_to_do() {
    let house = House::new();
    let path = house.metnos().join("state/metnos.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in bytes.iter_mut().skip(4096) {
        *byte = 0x5a;
    }
    std::fs::write(&path, &bytes).unwrap();
    for beside in ["metnos.sqlite-wal", "metnos.sqlite-shm"] {
        let _ = std::fs::remove_file(house.metnos().join("state").join(beside));
    }
    let found = one(&house, "database");
    assert_eq!(found["ok"], false, "{found}");
    assert!(found["detail"].as_str().unwrap().contains("metnos.sqlite"), "{found}");
    assert!(found["fix"].as_str().unwrap().contains("aside"), "{found}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "a look changes nothing");
}

#[test]
fn a_database_of_a_newer_metnos_is_told() {
    let house = House::new();
    let path = house.metnos().join("state/metnos.sqlite");
    let db = rusqlite::Connection::open(path).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let found = one(&house, "database");
    assert!(found["ok"] == false && found["detail"].as_str().unwrap().contains("99"), "{found}");
}

#[test]
fn a_model_that_answers_and_one_that_does_not() {
    let house = House::new();
    let config = house.metnos().join("config/metnos.toml");
    let model = Model::saying(vec![Say::Text("here".into())]);
    let dead = "[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:9\"\nmodel = \"gone\"\n";
    std::fs::write(&config, format!("{}{dead}", model.bound("fast", "timeout_seconds = 5"))).unwrap();
    let (lives, gone) = (one(&house, "model fast"), one(&house, "model wise"));
    assert_eq!((&lives["ok"], &gone["ok"]), (&true.into(), &false.into()), "{lives} {gone}");
    assert!(gone["fix"].as_str().unwrap().contains("[tiers.wise]"), "{gone}");
    assert!(gone["detail"].as_str().unwrap().contains("127.0.0.1:9"), "{gone}");
    assert!(!model.seen().is_empty(), "it was really asked");
}

#[test]
fn a_clock_that_is_behind_the_audit_is_told() {
    let house = House::new();
    // The newest line is from a moment that has not come yet.
    let last = house.day_files().pop().unwrap();
    let text = std::fs::read_to_string(&last).unwrap();
    let line = text.lines().last().unwrap();
    let mut value: Value = serde_json::from_str(line).unwrap();
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(30);
    value["time"] = later.to_string().into();
    std::fs::write(&last, text.replace(line, &value.to_string())).unwrap();
    let found = one(&house, "clock");
    assert_eq!(found["ok"], false, "{found}");
    assert!(found["detail"].as_str().unwrap().contains("ahead"), "{found}");
    assert!(found["fix"].as_str().unwrap().contains("timedatectl"), "{found}");
}

#[test]
fn a_disk_that_is_nearly_full_is_told() {
    let disk = tempfile::tempdir().unwrap();
    let script = r#"
        mount -t tmpfs -o size=96m tmpfs "$DISK"; cd "$DISK"; mkdir home
        export HOME="$DISK/home" METNOS_HOME="$DISK/metnos"
        "$METNOS" init >/dev/null
        head -c 50000000 /dev/zero > "$DISK/fill"
        "$METNOS" --json doctor || true
    "#;
    let output = Command::new("unshare")
        .args(["-Urm", "/bin/sh", "-euc", script])
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .env("DISK", disk.path())
        .env("METNOS", binary())
        .output()
        .unwrap();
    let Ok(told) = serde_json::from_slice::<Value>(&output.stdout) else {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!why.contains("metnos:"), "{why}");
        skipped(&format!("no file system of one's own can be mounted here: {why}"), Fix::None);
        return;
    };
    let found = told["findings"].as_array().unwrap().iter().find(|one| one["check"] == "disk").cloned();
    let found = found.unwrap_or_else(|| panic!("{told}"));
    assert_eq!(found["ok"], false, "{found}");
    assert!(found["fix"].as_str().unwrap().contains("make room"), "{found}");
}
