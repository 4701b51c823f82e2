//! A real model server on the other end of the wire. It needs `make testbed`; where that cannot be had
//! the test says so and is counted (`target/skipped.txt`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use metnos_testkit::{Fix, skipped};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MODEL: &str = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Where the testbed lies, if it is there.
pub(crate) fn testbed() -> Option<PathBuf> {
    let dir = metnos_testkit::testbed()?;
    (dir.join("venv/bin/python").exists() && dir.join(MODEL).exists()).then_some(dir)
}

/// The server; it ends with its standard input.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(testbed: &std::path::Path) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/model_server.py");
        let child = Command::new(testbed.join("venv/bin/python"))
            .arg(script)
            .arg(testbed.join(MODEL))
            .args([&port.to_string(), "8192", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        let began = Instant::now();
        while !server.is_ready() {
            assert!(began.elapsed() < Duration::from_secs(120), "the server does not start");
            std::thread::sleep(Duration::from_millis(200));
        }
        server
    }

    fn is_ready(&self) -> bool {
        use std::io::Read;
        let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let asked = stream.write_all(b"GET /health HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
        let mut head = [0; 12];
        asked.is_ok() && stream.read_exact(&mut head).is_ok() && head.ends_with(b"200")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_server_obeys_the_grammar_so_a_model_that_understands_nothing_makes_no_invalid_step() {
    let Some(testbed) = testbed() else { return skipped("no testbed", Fix::Run("make testbed")) };
    let server = Server::start(&testbed);
    let house = House::supervised();
    let config = format!(
        "[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:{}\"\nmodel = \"tiny\"\n\
         timeout_seconds = 300\ncontext = 2700\ngrammar = \"gbnf\"\n[budget]\nseconds_per_turn = 900\n",
        server.port
    );
    std::fs::write(house.metnos().join("config/metnos.toml"), config).unwrap();
    let plan = |text: &str| {
        let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome"];
        house.run(&[&["--json", "plan", "--model", "--explain"][..], &now, &[text]].concat())
    };
    // It may find nothing, run out of room or refer to a step that is not there; what it may not do is
    // leave the grammar, which the check would tell.
    let text = "make me a sandwich with whatever lurks in the fridge";
    let ran = plan(text);
    let answer = ran.json();
    match answer["kind"].as_str() {
        Some("plan") => assert_eq!(answer["plan"]["source"], "model", "{answer}"),
        Some("gap") => assert!(answer["tokens"].as_u64().unwrap() > 300, "the model was asked: {ran:?}"),
        other => panic!("{other:?} {ran:?}"),
    }
    for outside in ["not a record", "none that may be used", "of another type", "is none of", "there is no"] {
        assert!(!ran.stdout.contains(outside), "{ran:?}");
    }
    // The same question gives the same answer.
    assert_eq!(plan(text).json()["plan"], answer["plan"]);
    // And a turn is recorded with what it used.
    let told = house.run(&["--json", "ask", text]).json();
    let shown = house.run(&["--json", "turns", told["turn"].as_str().unwrap()]).json();
    assert_eq!(shown["models"][0]["model"], "tiny", "{shown}");
    assert!(shown["tokens"].as_u64().unwrap() > 300, "{shown}");
    let replayed = house.run(&["--json", "replay", told["turn"].as_str().unwrap()]);
    assert_eq!(replayed.json()["differences"], json!([]), "{replayed:?}");
}
