//! A call under its own id acts once; it can be stopped; its lists travel in files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::skill::Skill;
use crate::support::{House, Ran, binary};
use metnos_testkit::{Fix, skipped};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn with_id(house: &House, executor: &str, args: &Value, id: &str) -> Ran {
    house.run_with(&["--json", "exec", executor, "-", "--call-id", id], args.to_string().as_bytes())
}

#[test]
fn the_same_id_gives_the_same_outcome_and_acts_once() {
    let house = House::new();
    let dir = house.home().join("new");
    let args = json!({ "paths": [dir] });
    let first = with_id(&house, "create_dirs", &args, "make-1");
    assert_eq!(first.code, Some(0), "{first:?}");
    std::fs::remove_dir(&dir).unwrap();
    let second = with_id(&house, "create_dirs", &args, "make-1");
    assert_eq!((second.code, second.json()), (Some(0), first.json()));
    assert!(!dir.exists(), "it acted twice");

    let file = house.home().join("a.txt");
    let args = json!({ "path": file, "content": "x\n", "mode": "append" });
    let first = with_id(&house, "write_files", &args, "write-1");
    assert_eq!(first.code, Some(0), "{first:?}");
    let second = with_id(&house, "write_files", &args, "write-1");
    assert_eq!(second.json(), first.json());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\n");

    // A failure is an outcome too, and another request under the same id is none.
    let absent = json!({ "paths": [house.home().join("absent")], "dst_dir": house.home() });
    let failed = with_id(&house, "move_files", &absent, "move-1");
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert_eq!(with_id(&house, "move_files", &absent, "move-1").json(), failed.json());
    for (executor, args) in [
        ("write_files", json!({ "path": file, "content": "y\n", "mode": "append" })),
        ("create_dirs", json!({ "paths": [dir] })),
        ("get_now", json!({})),
    ] {
        let other = with_id(&house, executor, &args, "write-1");
        assert_eq!(other.code, Some(1), "{other:?}");
        assert_eq!(other.json()["error"]["class"], "conflict", "{other:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\n");
    assert!(!dir.exists());
    house.chain_holds();
}

#[test]
fn an_interrupt_stops_a_running_call_cleanly() {
    let house = House::new();
    let skill = Skill::patient();
    let ran = skill.sign(&house);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for signal in [Signal::INT, Signal::TERM] {
        let mut command = house.command();
        command.args(["--json", "exec", &skill.name, r#"{"text": "wait"}"#]);
        // A group of its own, so that the signal reaches what a terminal's Ctrl-C would reach.
        command.process_group(0);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It listens before the cell starts; a cell is there once the process has a child.
        let children = format!("/proc/{0}/task/{0}/children", child.id());
        let end = Instant::now() + Duration::from_secs(30);
        while std::fs::read_to_string(&children).unwrap_or_default().trim().is_empty() {
            assert!(Instant::now() < end && child.try_wait().unwrap().is_none(), "no cell was started");
            std::thread::yield_now();
        }
        kill_process_group(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(status.code(), Some(130), "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["error"]["class"], "cancelled", "{answer}");
        let id = answer["call_id"].as_str().unwrap();
        let shown = house.run(&["audit", "show", id, "--json"]).json();
        assert_eq!(shown[0]["exit"], "cancelled", "{shown}");
    }
    house.chain_holds();
}

#[test]
fn progress_is_for_terminals_only() {
    let house = House::new();
    let quiet = house.run(&["executors", "test", "get_now"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""), "{quiet:?}");
    let line = format!("{} executors test get_now", binary().display());
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear().envs([
        ("HOME", house.home().as_os_str()),
        ("METNOS_HOME", house.metnos().as_os_str()),
        ("PATH", "/usr/bin:/bin".as_ref()),
    ]);
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        skipped("no `script` to give a terminal with", Fix::Run("sudo apt-get install -y bsdutils"));
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("testing get_now"), "{text}");
}

#[test]
fn lists_travel_in_files_and_out_again() {
    let house = House::new();
    let list: String = (0..500).map(|n| format!("{{\"n\":{},\"id\":{n}}}\n", (n * 7) % 500)).collect();
    house.write("in.jsonl", &list);
    let args =
        ["exec", "sort_entries", r#"{"by": "n"}"#, "--entries", "in.jsonl", "--out", "out.jsonl", "--json"];
    let ran = house.run(&args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.json().get("entries").is_none(), "{ran:?}");
    let out = std::fs::read_to_string(house.home().join("out.jsonl")).unwrap();
    let numbers: Vec<u64> =
        out.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..500).collect::<Vec<u64>>());
    let text = house.run(&args[..args.len() - 1]);
    assert!(text.stdout.contains("500 entries written to out.jsonl"), "{text:?}");

    house.write("other.jsonl", "{\"id\":1}\n{\"id\":2}\n{\"id\":900}\n");
    let args = [
        "exec",
        "compare_entries",
        r#"{"key": "id"}"#,
        "--entries",
        "in.jsonl",
        "--with",
        "other.jsonl",
        "--json",
    ];
    let ran = house.run(&args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.json()["ok"], true, "{ran:?}");
    let unwritable = house.run(&["exec", "get_now", "--out", "no/such/folder/x", "--json"]);
    assert_eq!(unwritable.code, Some(1), "{unwritable:?}");
    assert_eq!(unwritable.json()["error"]["class"], "not_found", "{unwritable:?}");
}

#[test]
fn every_shell_gets_its_completions() {
    let house = House::bare();
    for (shell, word) in [("bash", "complete "), ("zsh", "#compdef metnos"), ("fish", "complete -c metnos")] {
        let ran = house.run(&["completions", shell]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains(word) && ran.stdout.contains("roll-back"), "{shell}: {}", ran.stdout);
    }
    assert_eq!(house.run(&["completions", "tcl"]).code, Some(2));
}

#[test]
fn every_command_answers_json_when_asked() {
    let house = House::bare();
    assert_eq!(house.run(&["status", "--json"]).json()["ok"], false);
    house.write("folder/x.txt", "x");
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    let outside = outside.to_str().unwrap();
    let commands: [(&[&str], i32); 22] = [
        (&["init"], 0),
        (&["init", "--if-needed"], 0),
        (&["doctor"], 0),
        (&["status"], 0),
        (&["exec", "get_now"], 0),
        (&["executors", "list"], 0),
        (&["executors", "show", "get_now"], 0),
        (&["executors", "verify", "get_now"], 0),
        (&["executors", "test", "get_now"], 0),
        (&["executors", "promote", "get_now", "1.0.0", "--reason", "x"], 0),
        (&["executors", "archive", "get_now", "--reason", "x"], 0),
        (&["executors", "restore", "get_now", "--reason", "x"], 0),
        (&["executors", "quarantine", "get_now", "--reason", "x"], 0),
        (&["executors", "approve", "get_now", "--reason", "x"], 0),
        (&["executors", "sign", "folder", "--reason", "x"], 1),
        (&["audit", "verify"], 0),
        (&["audit", "tail"], 0),
        (&["audit", "show", "1"], 0),
        (&["territory", "list"], 0),
        (&["territory", "add", outside], 0),
        (&["territory", "remove", outside], 0),
        (&["upgrade", "--roll-back"], 1),
    ];
    for (args, code) in commands {
        let ran = house.run(&[args, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
        ran.json();
        assert_eq!(ran.stderr, "", "{args:?}");
    }
}
