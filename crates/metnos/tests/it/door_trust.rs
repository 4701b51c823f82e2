//! What the doors trust: no proxy and no other address gets the key of the machine, no other clock says what came
//! first, nobody who is not known fills the memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use serde_json::json;
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Somebody who listens and counts who came.
struct Trap {
    port: u16,
    came: Arc<AtomicUsize>,
}

impl Trap {
    fn set() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let trap = Self { port: listener.local_addr().unwrap().port(), came: Arc::default() };
        let came = Arc::clone(&trap.came);
        std::thread::spawn(move || {
            for _stream in listener.incoming() {
                came.fetch_add(1, Ordering::SeqCst);
            }
        });
        trap
    }

    fn assert_empty(&self) {
        assert_eq!(self.came.load(Ordering::SeqCst), 0, "somebody went to another address");
    }
}

/// Asks the time as the machine's own terminal; the daemon must be who answers.
fn the_daemon_answers(house: &House, daemon: &Daemon, vars: &[(&str, &str)]) {
    let count = || {
        let seen = daemon.get("/metrics").body;
        let line = seen.lines().find(|line| line.starts_with("metnos_turn_seconds_count{status=\"done\"}"));
        line.and_then(|line| line.split_whitespace().last()?.parse::<u64>().ok()).unwrap_or(0)
    };
    let before = count();
    let ran = house.command().envs(vars.iter().copied()).args(["ask", "what time is it"]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(count(), before + 1, "it was not the daemon that answered");
}

#[test]
fn the_key_of_the_machine_does_not_leave_it() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let trap = Trap::set();
    let proxy = format!("http://127.0.0.1:{}", trap.port);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"] {
        the_daemon_answers(&house, &daemon, &[(name, &proxy)]);
    }
    trap.assert_empty();
    daemon.kill();
    // The address that people use may be somebody else's by now.
    let config = format!(
        "[serve]\nlisten = \"127.0.0.1:0\"\nbehind_proxy = true\npublic_url = \"http://localhost:{}\"\n",
        trap.port
    );
    std::fs::write(house.metnos().join("config/metnos.toml"), config).unwrap();
    let mut daemon = Daemon::start_as_configured(&house);
    let told: serde_json::Value =
        serde_json::from_slice(&std::fs::read(house.metnos().join("state/serve.json")).unwrap()).unwrap();
    daemon.address = told["listens"].as_str().unwrap().split_once("://").unwrap().1.to_owned();
    the_daemon_answers(&house, &daemon, &[]);
    trap.assert_empty();
}

#[test]
fn the_token_of_a_device_goes_to_the_house_that_was_named_or_nowhere() {
    let house = House::supervised();
    let trap = Trap::set();
    let token = house.metnos().join("config/device.token");
    std::fs::write(&token, "a-token-of-a-device\n").unwrap();
    let ask = |url: &str| house.run(&["--server", url, "ask", "what time is it"]);
    let open = ask(&format!("https://127.0.0.1:{}", trap.port));
    assert!(open.stderr.contains("can be read by others") && open.stderr.contains("chmod 600"), "{open:?}");
    let refused = house
        .command()
        .env("METNOS_TOKEN", "a-token-of-a-device")
        .args(["--server", &format!("http://localhost@127.0.0.1:{}", trap.port), "ask", "what time is it"])
        .output()
        .unwrap();
    assert!(!refused.status.success(), "{refused:?}");
    trap.assert_empty();
}

#[test]
fn a_service_does_not_write_a_way_in_into_the_journal() {
    let house = House::supervised();
    let path = house.home().join("journal");
    let journal = File::create(&path).unwrap();
    let meta = journal.metadata().unwrap();
    let mut service = house
        .command()
        .env("JOURNAL_STREAM", format!("{}:{}", meta.dev(), meta.ino()))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(journal)
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    let mut said = String::new();
    while !said.contains("listens at") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
        said = std::fs::read_to_string(&path).unwrap();
    }
    service.kill().unwrap();
    service.wait().unwrap();
    assert!(said.contains("metnos login-link"), "{said}");
    assert!(!said.contains("/login#"), "{said}");
}

#[test]
fn the_clock_of_the_house_says_what_came_first() {
    let house = House::supervised();
    house.write("Alpha/keep.txt", "keep");
    house.write("Beta/old.txt", "old");
    let daemon = Daemon::start(&house);
    let now = metnos_executor::Ulid::new().timestamp_ms();
    let ahead = metnos_executor::Ulid::from_parts(now + 300_000, 0xA1FA).to_string();
    let first = json!({ "text": "find the files in Alpha", "turn": ahead });
    let told = daemon.post("/agent/turn", &first).json();
    let id = told["turn"].as_str().unwrap().to_owned();
    assert_ne!(id, ahead, "an id that lies ahead is set to the time of the house");
    assert_eq!(id[10..], ahead[10..], "and is known by its end");
    assert_eq!(daemon.post("/agent/turn", &first).status, 409, "sent twice, it is done once");
    assert_eq!(daemon.ask("find the files in Beta")["status"], "done");
    let card = daemon.ask("delete them");
    assert_eq!(card["status"], "waits", "{card}");
    let text = card["approval"]["text"].as_str().unwrap();
    assert!(text.contains("old.txt") && !text.contains("keep.txt"), "{text}");
    // Nobody stays at the head of the list for good.
    let last = json!({ "text": "what time is it", "turn": "7ZZZZZZZZZZZZZZZZZZZZZZZZZ" });
    assert_eq!(daemon.post("/agent/turn", &last).status, 200);
    let newest = daemon.ask("what time is it");
    assert_eq!(daemon.get("/agent/turns").json()[0]["turn"], newest["turn"]);
}

#[test]
fn somebody_who_is_not_known_says_little() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let origin = format!("Origin: http://{}", daemon.address);
    let long = json!({ "token": "x".repeat(8000) }).to_string();
    let answer = daemon.request("POST", "/login", &[&origin, "Content-Type: application/json"], &long);
    assert_eq!(answer.status, 413, "{answer:?}");
    // A program does not log out: its token would go on.
    let token =
        house.run(&["--json", "devices", "add", "laptop"]).json()["token"].as_str().unwrap().to_owned();
    let out = daemon.post_as(&token, "/logout", &json!({}));
    assert_eq!(out.status, 400, "{out:?}");
    assert!(out.body.contains("metnos devices"), "{out:?}");
}
