//! What a start costs does not grow with what was ever done.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use metnos_testkit::{Fix, skipped};
use serde_json::json;
use std::process::{Command, Stdio};

/// Acts that somebody did over the years.
const ACTS: usize = 5000;

/// System calls on files that a start makes, all its threads together; `None` without strace.
fn calls(house: &House) -> Option<usize> {
    let log = house.home().join("strace.log");
    let metnos = house.command();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=%file,getdents64,read", "-o"]).arg(&log);
    strace.arg(metnos.get_program()).args(["--json", "policy", "level"]).stdin(Stdio::null());
    strace.stdout(Stdio::null()).stderr(Stdio::null());
    for (key, value) in metnos.get_envs() {
        strace.env(key, value.unwrap_or_default());
    }
    assert!(strace.status().ok()?.success());
    Some(std::fs::read_to_string(log).unwrap().lines().count())
}

#[test]
fn a_start_after_many_acts_makes_no_more_calls_than_after_one() {
    let house = House::new();
    house.write("a.txt", "alpha");
    let done = house.exec("delete_files", json!({ "paths": ["a.txt"] }));
    let shelf = house.metnos().join("state/journal/done");
    let first = shelf.join(done["call_id"].as_str().unwrap());
    let Some(few) = calls(&house) else {
        skipped("no strace to count calls with", Fix::Run("sudo apt-get install -y strace"));
        return;
    };
    for n in 0..ACTS {
        let copy = shelf.join(format!("act-{n}"));
        std::fs::create_dir(&copy).unwrap();
        for name in ["lock", "1.jsonl", "closed.jsonl"] {
            std::fs::hard_link(first.join(name), copy.join(name)).unwrap();
        }
    }
    let many = calls(&house).unwrap();
    // Threads and caches vary by a few; one call an act would be thousands.
    assert!(many < few + 100, "{few} calls after one act, {many} after {ACTS}");
    assert_eq!(house.run(&["--json", "undo", "--list"]).json().as_array().unwrap().len(), ACTS + 1);
}
