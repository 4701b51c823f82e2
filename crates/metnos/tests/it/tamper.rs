//! One changed byte, whatever its times say: not loaded, not invoked, not deleted, and shown.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::session::Session;
use crate::support::skill::Skill;
use serde_json::{Value, json};
use std::fs::{File, FileTimes};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SEED: &str = "get_now";

/// A part: where it lies and the words of which the reason must say one.
type Watched = (PathBuf, &'static [&'static str]);

/// Every part that decides whether a seed runs.
fn parts(house: &House) -> Vec<Watched> {
    let seeds = house.metnos().join("executors/seed");
    let folder = seeds.join(SEED).join("1.0.0");
    vec![
        (folder.join("manifest.toml"), &["manifest"]),
        (folder.join("schema.json"), &["schema"]),
        (folder.join("tests/birth.toml"), &["birth"]),
        (folder.join("profile.lock"), &["lock"]),
        (folder.join("manifest.sig"), &["signature", "manifest.sig"]),
        (seeds.join(SEED).join("CURRENT"), &["CURRENT"]),
        (seeds.join("HOST"), &["HOST"]),
        (host_file(house), &["metnos-host"]),
    ]
}

/// The one approved host program.
fn host_file(house: &House) -> PathBuf {
    let status = house.run(&["status", "--json"]).json();
    house.metnos().join("executors/.host").join(status["host"].as_str().unwrap())
}

/// Changes the byte at `at` and puts the times back.
fn flip(path: &Path, at: usize) {
    let meta = std::fs::metadata(path).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
    let times =
        FileTimes::new().set_accessed(meta.accessed().unwrap()).set_modified(meta.modified().unwrap());
    File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

/// First, middle and last byte.
fn places(path: &Path) -> [usize; 3] {
    let length = std::fs::metadata(path).unwrap().len() as usize;
    [0, length / 2, length - 1]
}

fn says(text: &Value, words: &[&str]) -> bool {
    let text = text.as_str().unwrap_or_default().to_lowercase();
    words.iter().any(|word| text.contains(&word.to_lowercase()))
}

/// The next call refuses, and the list says why.
fn is_refused(house: &House, name: &str, args: Value, words: &[&str], what: &str) {
    let ran = house.exec_ran(name, args);
    assert_eq!(ran.code, Some(3), "{what}: {ran:?}");
    assert!(says(&ran.json()["error"]["message"], words), "{what}: {ran:?}");
    assert!(ran.json()["error"]["hint"].as_str().unwrap().contains("approve"), "{what}: {ran:?}");
}

/// The list shows it in quarantine, with the reason.
fn is_shown(house: &House, name: &str, words: &[&str], what: &str) {
    let row = house.row(name);
    assert_eq!(row["state"], "quarantined", "{what}: {row}");
    assert_eq!(row["verified"], false, "{what}: {row}");
    assert!(says(&row["reason"], words), "{what}: {row}");
}

fn approve(house: &House, name: &str, what: &str) {
    let ran = house.run(&["executors", "approve", name, "--reason", "looked at it"]);
    assert_eq!(ran.code, Some(0), "{what}: {ran:?}");
}

fn runs(house: &House, name: &str, args: Value, what: &str) {
    let ran = house.exec_ran(name, args);
    assert_eq!(ran.code, Some(0), "{what}: {ran:?}");
}

#[test]
fn a_changed_byte_in_any_part_of_a_seed_is_refused_until_it_is_approved_again() {
    let house = House::new();
    for (path, words) in parts(&house) {
        let [.., last] = places(&path);
        for at in places(&path) {
            let what = format!("byte {at} of {}", path.display());
            flip(&path, at);
            is_refused(&house, SEED, json!({}), words, &what);
            if at == last {
                is_shown(&house, SEED, words, &what);
            }
            approve(&house, SEED, &what);
        }
        runs(&house, SEED, json!({}), "after approval");
    }
    house.chain_holds();
}

#[test]
fn a_part_that_is_gone_or_no_longer_a_file_is_refused_until_it_is_approved_again() {
    let house = House::new();
    let copies = house.home().join("copies");
    std::fs::create_dir(&copies).unwrap();
    for (path, words) in parts(&house) {
        for kind in ["deletion", "link", "folder"] {
            let what = format!("{kind} of {}", path.display());
            let copy = copies.join("copy");
            std::fs::copy(&path, &copy).unwrap();
            std::fs::remove_file(&path).unwrap();
            match kind {
                "link" => symlink(&copy, &path).unwrap(),
                "folder" => std::fs::create_dir(&path).unwrap(),
                _ => {}
            }
            is_refused(&house, SEED, json!({}), words, &what);
            if kind == "folder" {
                is_shown(&house, SEED, words, &what);
            }
            approve(&house, SEED, &what);
            assert!(path.symlink_metadata().unwrap().is_file(), "{what}");
        }
        runs(&house, SEED, json!({}), "after approval");
    }
    house.chain_holds();
}

#[test]
fn a_changed_byte_in_any_part_of_a_skill_is_refused_and_the_mended_part_is_approved() {
    let house = House::new();
    let skill = Skill::counter("1.0.0");
    assert_eq!(skill.sign(&house).code, Some(0));
    let folder = Path::new("skills").join(&skill.name).join("1.0.0");
    let executors = house.metnos().join("executors");
    let args = json!({ "text": "a b" });
    let all: [(&str, &[&str]); 6] = [
        ("main.py", &["main.py"]),
        ("manifest.toml", &["manifest"]),
        ("schema.json", &["schema"]),
        ("tests/birth.toml", &["birth"]),
        ("profile.lock", &["lock"]),
        ("manifest.sig", &["signature", "manifest.sig"]),
    ];
    for (part, words) in all {
        let path = executors.join(&folder).join(part);
        for at in places(&path) {
            let what = format!("byte {at} of {part}");
            flip(&path, at);
            is_refused(&house, &skill.name, args.clone(), words, &what);
            if at == 0 {
                is_shown(&house, &skill.name, words, &what);
            }
            // Nothing was deleted: the person mends what lies in quarantine and approves it.
            flip(&executors.join(".quarantine").join(&folder).join(part), at);
            approve(&house, &skill.name, &what);
        }
        runs(&house, &skill.name, args.clone(), part);
    }
    house.chain_holds();
}

#[test]
fn an_older_signed_record_put_back_is_refused_as_such() {
    let house = House::new();
    let older = ["older signed record was put back"];
    let current = house.metnos().join("executors/seed").join(SEED).join("CURRENT");
    let saved = std::fs::read(&current).unwrap();
    let ran = house.run(&["executors", "promote", SEED, "1.0.0", "--reason", "a newer record"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    std::fs::write(&current, saved).unwrap();
    is_refused(&house, SEED, json!({}), &older, "an older CURRENT");
    is_shown(&house, SEED, &older, "an older CURRENT");
    approve(&house, SEED, "an older CURRENT");
    runs(&house, SEED, json!({}), "an older CURRENT");

    let host = house.metnos().join("executors/seed/HOST");
    let saved = std::fs::read(&host).unwrap();
    flip(&host, 0);
    is_refused(&house, SEED, json!({}), &["HOST"], "a damaged HOST");
    approve(&house, SEED, "a damaged HOST");
    std::fs::write(&host, saved).unwrap();
    is_refused(&house, SEED, json!({}), &older, "an older HOST");
    is_shown(&house, SEED, &older, "an older HOST");
    approve(&house, SEED, "an older HOST");
    runs(&house, SEED, json!({}), "an older HOST");
}

#[test]
fn a_good_signature_in_the_wrong_place_is_refused() {
    let house = House::new();
    let seeds = house.metnos().join("executors/seed");
    // Another executor's parts, all of them signed by this instance.
    let (here, there) = (seeds.join("get_now/1.0.0"), seeds.join("compute_numbers/1.0.0"));
    for part in ["manifest.toml", "schema.json", "tests/birth.toml", "profile.lock", "manifest.sig"] {
        std::fs::copy(there.join(part), here.join(part)).unwrap();
    }
    is_refused(&house, SEED, json!({}), &["compute_numbers"], "a replayed signature");
    approve(&house, SEED, "a replayed signature");
    std::fs::copy(seeds.join("compute_numbers/CURRENT"), seeds.join("get_now/CURRENT")).unwrap();
    is_refused(&house, SEED, json!({}), &["CURRENT"], "another's CURRENT");
    approve(&house, SEED, "another's CURRENT");
    runs(&house, SEED, json!({}), "everything in its place");
}

#[test]
fn a_process_that_holds_verified_bytes_and_warm_cells_refuses_at_the_next_line() {
    let house = House::new();
    let mut session = Session::start(&house);
    for (path, words) in parts(&house) {
        for _ in 0..3 {
            let answer = session.call(SEED, json!({}));
            assert_eq!(answer["ok"], true, "{answer}");
        }
        let middle = places(&path)[1];
        flip(&path, middle);
        let refused = session.call(SEED, json!({}));
        assert_eq!(refused["error"]["class"], "policy_violation", "{}: {refused}", path.display());
        assert!(says(&refused["error"]["message"], words), "{refused}");
        let again = session.call(SEED, json!({}));
        assert_eq!(again["error"]["class"], "policy_violation", "{again}");
        approve(&house, SEED, "a warm one");
    }
    assert_eq!(session.call(SEED, json!({}))["ok"], true);
    assert_eq!(session.end(), Some(0));
    house.chain_holds();
}
