//! The switches that hold everything back, and the way back from them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::skill::Skill;
use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn refused(ran: &Ran, class: &str) -> String {
    let answer = ran.json();
    assert_eq!(answer["error"]["class"], class, "{ran:?}");
    answer["error"]["message"].as_str().unwrap().to_owned()
}

/// Starts a call and waits until it is at work.
fn at_work(house: &House, name: &str, args: &Value) -> Child {
    use rustix::fs::{FlockOperation, flock};
    let mut command = house.command();
    command.args(["--json", "exec", name, &args.to_string()]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let lock = std::fs::File::options()
        .read(true)
        .write(true)
        .open(house.metnos().join("state/at-work.lock"))
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
        flock(&lock, FlockOperation::Unlock).unwrap();
        assert!(Instant::now() < until, "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn stop_ends_what_runs_and_nothing_begins_until_resume() {
    let house = House::new();
    let command = json!({ "command": "sleep 300", "timeout_s": 300 });
    let running = at_work(&house, "admin", &command);
    let outside = house.exec_asking("admin", json!({ "command": "touch made", "outside": true })).json();
    let waiting = outside["error"]["approval"].as_str().unwrap().to_owned();
    let stopped = house.run(&["--json", "stop", "--reason", "enough"]);
    assert_eq!((stopped.code, &stopped.json()["still"]), (Some(0), &json!(true)), "{stopped:?}");
    let output = running.wait_with_output().unwrap();
    let ended: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(ended["failed"][0]["error_class"], "cancelled", "{ended}");

    // Each process is a new start: the flag outlives them all.
    let said = refused(&house.exec_asking("get_now", json!({})), "policy_violation");
    assert!(said.contains("stopped") && said.contains("enough"), "{said}");
    refused(&house.exec_asking("get_processes", json!({})), "policy_violation");
    refused(&house.exec_asking("write_files", json!({ "path": "a", "content": "a" })), "policy_violation");
    let yes = house.run(&["--json", "approve", &waiting]);
    refused(&yes, "policy_violation");
    assert!(!house.home().join("made").exists());
    assert!(house.run(&["status"]).stdout.contains("stopped"));
    assert!(house.run(&["doctor"]).stdout.contains("metnos resume"));
    let again = house.run(&["--json", "stop"]);
    assert_eq!((again.code, &again.json()["already"]), (Some(0), &json!(true)));

    assert_eq!(house.run(&["--json", "resume"]).json()["resumed"], true);
    assert_eq!(house.run(&["--json", "resume"]).json()["resumed"], false);
    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    // What waited has waited.
    assert_eq!(house.run(&["approve", &waiting]).code, Some(0));
    assert!(house.home().join("made").exists());
    let what: Vec<Value> = house.audit_lines().iter().map(|l| l["detail"]["what"].clone()).collect();
    assert!(what.contains(&json!("stop")) && what.contains(&json!("resume")), "{what:?}");
    house.chain_holds();
}

#[test]
fn a_cell_that_does_not_listen_is_ended() {
    let house = House::new();
    let mut deaf = Skill::counter("1.0.0");
    deaf.code = "def run(args, ctx):\n    if args[\"text\"] == \"boom\":\n        ctx.fail(\"wrong_args\", \"no\")\n    n = 0\n    \
while args[\"text\"] == \"for ever\":\n        n = n + 1\n    words = args[\"text\"].split()\n    \
return {\"value\": len(words), \"entries\": [{\"word\": w, \"length\": len(w)} for w in words]}\n"
        .into();
    let signed = deaf.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let running = at_work(&house, "compute_texts_lines", &json!({ "text": "for ever" }));
    let stopped = house.run(&["--json", "stop"]);
    assert_eq!(stopped.json()["still"], true, "{stopped:?}");
    let ended: Value = serde_json::from_slice(&running.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(ended["error"]["class"], "cancelled", "{ended}");
}

#[test]
fn a_damaged_flag_stops_and_what_was_done_can_still_be_taken_back() {
    let house = House::new();
    assert_eq!(house.exec("write_files", json!({ "path": "a", "content": "a" }))["ok"], true);
    let flag = house.metnos().join("state/STOPPED");
    let damages: [&dyn Fn(); 4] = [
        &|| std::fs::write(&flag, "").unwrap(),
        &|| std::fs::write(&flag, [0xff, 0xfe]).unwrap(),
        &|| std::fs::create_dir(&flag).unwrap(),
        &|| std::os::unix::fs::symlink("/nowhere", &flag).unwrap(),
    ];
    for damage in damages {
        damage();
        let said = refused(&house.exec_asking("get_now", json!({})), "policy_violation");
        assert!(said.contains("stopped"), "{said}");
        assert_eq!(house.run(&["--json", "stop"]).json()["already"], true);
        assert_eq!(house.run(&["resume"]).code, Some(0));
        assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    }
    assert_eq!(house.run(&["stop"]).code, Some(0));
    let undone = house.exec("undo_last_turn", json!({}));
    assert_eq!(
        (&undone["ok_count"], &undone["results"][0]["executor"]),
        (&json!(1), &json!("write_files")),
        "{undone}"
    );
    assert!(!house.home().join("a").exists());
    // A configuration that nobody can read stops too, and can still be stopped.
    std::fs::write(house.metnos().join("config/metnos.toml"), "[skills\n").unwrap();
    assert_eq!(house.exec_asking("get_now", json!({})).code, Some(2));
    assert_eq!(house.run(&["stop"]).code, Some(0));
    assert_eq!(House::bare().run(&["stop"]).code, Some(2));
}

#[test]
fn undo_as_an_executor_is_the_undo_of_whoever_asks() {
    let house = House::new();
    let nothing = house.exec("undo_last_turn", json!({}));
    assert_eq!((&nothing["ok"], &nothing["ok_count"]), (&json!(true), &json!(0)), "{nothing}");
    house.write("b", "old");
    assert_eq!(
        house.exec("write_files", json!({ "path": "b", "content": "new", "mode": "overwrite" }))["ok"],
        true
    );
    let guest = house.run(&["--json", "exec", "--as", "guest", "undo_last_turn", "{}"]);
    refused(&guest, "policy_violation");
    assert_eq!(house.run(&["policy", "level", "supervised", "--of", "guest"]).code, Some(0));
    let other = house.run(&["--json", "exec", "--as", "guest", "undo_last_turn", "{}"]).json();
    assert_eq!(other["ok_count"], 0, "nothing of theirs: {other}");
    assert_eq!(house.exec("undo_last_turn", json!({}))["ok_count"], 1);
    assert_eq!(std::fs::read_to_string(house.home().join("b")).unwrap(), "old");
    assert_eq!(house.exec("undo_last_turn", json!({}))["ok_count"], 0);
    // What was changed since is left alone and named.
    assert_eq!(house.exec("write_files", json!({ "path": "c", "content": "new" }))["ok"], true);
    house.write("c", "mine");
    let conflict = house.exec("undo_last_turn", json!({}));
    assert_eq!(conflict["failed"][0]["error_class"], "conflict", "{conflict}");
    assert_eq!(std::fs::read_to_string(house.home().join("c")).unwrap(), "mine");
    refused(&house.exec_asking("undo_last_turn", json!({ "turn": "x" })), "wrong_args");
    house.chain_holds();
}

#[test]
fn without_the_system_skill_nothing_of_it_is_there() {
    let house = House::new();
    let config = house.metnos().join("config/metnos.toml");
    let names =
        ["admin", "find_packages", "get_processes", "get_signatures", "set_processes", "set_signatures"];
    let listed = || {
        let rows = house.run(&["--json", "executors", "list"]).json();
        rows.as_array().unwrap().iter().filter(|r| names.contains(&r["name"].as_str().unwrap())).count()
    };
    assert_eq!(listed(), names.len());
    std::fs::write(&config, "[skills]\nsystem = false\n").unwrap();
    assert_eq!(listed(), 0);
    for name in names {
        let off = house.exec_asking(name, json!({ "command": "uname" }));
        let said = refused(&off, "policy_violation");
        assert!(said.contains("switched off"), "{said}");
        assert!(off.json()["error"]["hint"].as_str().unwrap().contains("metnos.toml"), "{off:?}");
        assert_eq!(house.run(&["executors", "show", name]).code, Some(3));
    }
    assert!(house.run(&["status"]).stdout.contains("switched off"));
    assert!(house.run(&["doctor"]).stdout.contains("switched off"));
    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    std::fs::write(&config, "[skills]\nsystem = true\n").unwrap();
    assert_eq!(listed(), names.len());
    std::fs::write(&config, "[skills]\nsytem = false\n").unwrap();
    let wrong = house.exec_asking("get_now", json!({}));
    assert!(wrong.code == Some(2) && wrong.stdout.contains("line 2"), "{wrong:?}");
}

fn limited(limits: &str) -> House {
    let house = House::new();
    std::fs::write(house.metnos().join("config/metnos.toml"), format!("[limits]\n{limits}\n")).unwrap();
    house
}

#[test]
fn a_limit_of_an_hour_holds_across_processes_and_starts() {
    let house = limited("calls_per_hour = 3\nchanges_per_hour = 1");
    for _ in 0..2 {
        assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    }
    assert_eq!(house.exec("write_files", json!({ "path": "a", "content": "a" }))["ok"], true);
    let over = house.exec_asking("get_now", json!({}));
    let answer = over.json();
    assert_eq!(
        (&answer["error"]["class"], &answer["error"]["limit"]),
        (&json!("limit_exceeded"), &json!("calls_per_hour")),
        "{over:?}"
    );
    let said = answer["error"]["message"].as_str().unwrap();
    assert!(said.contains("3 calls") && said.contains("room again at"), "{said}");
    assert_eq!(over.code, Some(1));
    // Builtins too; other people have hours of their own; and the way back is always open.
    assert_eq!(house.exec_asking("get_processes", json!({})).json()["error"]["class"], "limit_exceeded");
    let guest = house.run(&["--json", "exec", "--as", "guest", "get_now", "{}"]);
    assert_eq!(guest.json()["ok"], true, "{guest:?}");
    assert_eq!(house.exec("undo_last_turn", json!({}))["ok_count"], 1);
    assert_eq!(house.run(&["stop"]).code, Some(0));
    assert_eq!(house.run(&["resume"]).code, Some(0));
    house.chain_holds();
}

#[test]
fn changes_have_a_limit_of_their_own_and_refusals_use_nothing_up() {
    let house = limited("changes_per_hour = 2");
    let write = |path: &str| house.exec_asking("write_files", json!({ "path": path, "content": "a" })).json();
    for _ in 0..3 {
        assert_eq!(write("/etc/x")["error"]["class"], "forbidden");
    }
    let mut session = crate::support::session::Session::start(&house);
    session.say(&json!({ "executor": "get_now" }));
    session.hear();
    assert_eq!((write("a")["ok"].clone(), write("b")["ok"].clone()), (json!(true), json!(true)));
    assert_eq!(write("c")["error"]["limit"], "changes_per_hour");
    assert!(!house.home().join("c").exists());
    // A process that was there before sees what others did; reading goes on.
    session.say(&json!({ "executor": "write_files", "args": { "path": "c", "content": "a" } }));
    assert_eq!(session.hear()["error"]["limit"], "changes_per_hour");
    session.say(&json!({ "executor": "get_now" }));
    assert_eq!(session.hear()["ok"], true);
    std::fs::write(house.metnos().join("config/metnos.toml"), "[limits]\nchanges_per_hour = -1\n").unwrap();
    assert_eq!(house.exec_asking("get_now", json!({})).code, Some(2));
}
