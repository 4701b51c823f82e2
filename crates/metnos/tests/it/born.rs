//! Executors that need a host, a program or a credential are born without any of them being there, and meet the real
//! ones in life, through the same walls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::skill::Skill;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};

/// A server of the real world: what it was asked for, and where it sends whoever asks for `/away`.
struct World {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn open(away: Option<u16>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head = Vec::new();
                let mut chunk = [0; 4096];
                while !head.windows(4).any(|w| w == b"\r\n\r\n") {
                    match stream.read(&mut chunk) {
                        Ok(n) if n > 0 => head.extend_from_slice(&chunk[..n]),
                        _ => break,
                    }
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                let to = away.filter(|_| head.contains("/away"));
                seen.lock().unwrap().push(head);
                let answer = match to {
                    Some(port) => format!("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/\r\n"),
                    None => "HTTP/1.1 200 OK\r\n".to_owned(),
                };
                let _ = write!(stream, "{answer}Content-Length: 4\r\nConnection: close\r\n\r\nlife");
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Fetches the page it is told, with the credential it has.
const FETCH: &str = r#"
import urllib.request
import urllib.error

def run(args, ctx):
    request = urllib.request.Request(args["text"])
    if "secret" in args["text"]:
        request.add_header("Authorization", "Bearer " + ctx.credential("weather")["token"])
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return {"value": answer.status, "entries": [{"word": answer.read().decode(), "length": 0}]}
    except urllib.error.HTTPError as problem:
        return {"value": problem.code, "entries": [{"word": problem.read().decode(), "length": 0}]}
"#;

fn fetcher(port: u16, hosts: &str, sandbox: &str) -> Skill {
    let birth = format!(
        r#"[[case]]
name = "the page of the host it names"
input = {{ text = "http://127.0.0.1:{port}/page?x=1" }}
expect = {{ ok = true, value = 203 }}
items = [{{ word = "born" }}]
[[case.server]]
host = "127.0.0.1:{port}"
[[case.server.route]]
path = "/page?x=1"
status = 203
body = "born"

[[case]]
name = "another place is refused, also while it is born"
input = {{ text = "http://127.0.0.1:9/" }}
expect = {{ ok = true, value = 403 }}

[[case]]
name = "no page at all fails"
input = {{ text = "" }}
expect = {{ ok = false }}
"#
    );
    Skill {
        runtime: "cpython".into(),
        sandbox: format!(
            "net = [{hosts}]\n{sandbox}\nlimits = {{ wall_ms = 20000, cpu_ms = 10000, memory_mb = 256, output_kb = 64, processes = 8 }}"
        ),
        birth,
        code: FETCH.into(),
        ..Skill::counter("1.0.0")
    }
}

const NAME: &str = "compute_texts_lines";

/// Calls it, says yes where it asks, and gives the answer with its line in the audit.
fn call(house: &House, url: &str) -> (Value, Value) {
    let answer = house.exec_ran(NAME, json!({ "text": url })).json();
    let lines = house.audit_lines();
    let line = lines.into_iter().rev().find(|line| line["executor"] == NAME && line["kind"] == "call");
    (answer, line.unwrap_or_default())
}

#[test]
fn what_needs_a_host_is_born_before_its_own_server_and_meets_the_real_one_through_the_proxy() {
    let house = House::supervised();
    let shut = World::open(None);
    let world = World::open(Some(shut.port));
    let hosts = format!("\"127.0.0.1:{}\", \"localhost:{}\"", world.port, shut.port);
    let signed = fetcher(world.port, &hosts, "").sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    assert!(world.asked().is_empty() && shut.asked().is_empty(), "nobody is reached while it is born");
    assert!(house.run(&["--json", "approvals"]).json().as_array().is_none_or(Vec::is_empty));

    // In life it asks, as any step that reaches out does.
    let first = house.exec_asking(NAME, json!({ "text": format!("http://127.0.0.1:{}/", world.port) }));
    assert_eq!(first.code, Some(4), "{first:?}");
    let (answer, line) = call(&house, &format!("http://127.0.0.1:{}/", world.port));
    assert_eq!((&answer["value"], &answer["entries"][0]["word"]), (&json!(200), &json!("life")), "{answer}");
    assert_eq!(world.asked().len(), 1);
    assert_eq!(line["net"]["allowed"], json!([format!("127.0.0.1:{}", world.port)]), "{line}");
    assert!(line["net"]["sent"].as_u64().unwrap() > 20, "{line}");
    assert!(line["net"]["received"].as_u64().unwrap() > 20, "{line}");
    assert_eq!(line["layers"], json!(["mount", "landlock", "seccomp"]), "{line}");

    // A place that it does not name, one that it is sent to, and a name that leads inside.
    let elsewhere = format!("http://127.0.0.1:{}/", shut.port);
    let sent_away = format!("http://127.0.0.1:{}/away", world.port);
    let inside = format!("http://localhost:{}/", shut.port);
    for (url, why) in [
        (&elsewhere, "not in this executor's profile"),
        (&sent_away, "profile"),
        (&inside, "inside the house"),
    ] {
        let (answer, line) = call(&house, url);
        assert_eq!(answer["value"], 403, "{url}: {answer}");
        assert!(answer["entries"][0]["word"].as_str().unwrap().contains(why), "{url}: {answer}");
        assert!(!line["net"]["refused"].as_array().unwrap().is_empty(), "{url}: {line}");
    }
    assert!(shut.asked().is_empty(), "{:?}", shut.asked());
    house.chain_holds();
}

#[test]
fn what_its_servers_were_not_asked_for_or_asked_otherwise_breaks_the_promise() {
    let house = House::new();
    let good = fetcher(8099, "\"127.0.0.1:8099\"", "");
    for (from, to, why) in [
        ("path = \"/page?x=1\"\nstatus", "path = \"/other\"\nstatus", "no route answers GET /page?x=1"),
        ("body = \"born\"", "body = \"born\"\ntimes = 2", "expected 2 times, asked 1 times"),
        (
            "body = \"born\"",
            "body = \"born\"\nsent = { headers = { x-key = \"1\" } }",
            "the header x-key is missing",
        ),
        ("host = \"127.0.0.1:8099\"", "host = \"127.0.0.1:8098\"", "asked 0 times"),
    ] {
        let skill = Skill {
            birth: good.birth.replace(from, to),
            name: NAME.into(),
            ..fetcher(8099, "\"127.0.0.1:8099\"", "")
        };
        assert_ne!(skill.birth, good.birth);
        let ran = skill.install(&house);
        assert_eq!(ran.code, Some(3), "{why}: {ran:?}");
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(why), "{message}");
    }
    let signed = good.install(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
}

#[test]
fn what_needs_a_credential_is_born_with_one_of_its_own_and_asks_for_the_real_one_on_first_use() {
    let house = House::new();
    let world = World::open(None);
    let mut skill =
        fetcher(world.port, &format!("\"127.0.0.1:{}\"", world.port), "credentials = [\"weather\"]");
    let case = format!(
        r#"[[case]]
name = "it shows its token"
input = {{ text = "http://127.0.0.1:{port}/secret" }}
expect = {{ ok = true, value = 200 }}
[case.credentials]
weather = {{ token = "of the birth test" }}
[[case.server]]
host = "127.0.0.1:{port}"
[[case.server.route]]
path = "/secret"
sent = {{ headers = {{ authorization = "Bearer of the birth test" }} }}

[[case]]
name = "without one it fails"
input = {{ text = "http://127.0.0.1:{port}/secret" }}
expect = {{ ok = false }}

"#,
        port = world.port
    );
    skill.birth.insert_str(0, &case);
    let signed = skill.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    assert_eq!(house.run(&["--json", "credentials", "list"]).json(), json!([]), "the vault was not touched");

    let url = format!("http://127.0.0.1:{}/secret", world.port);
    for _ in 0..2 {
        let asks = house.exec_ran(NAME, json!({ "text": url })).json();
        assert_eq!(asks["error"]["class"], "unauthorized", "{asks}");
        assert_eq!(asks["error"]["hint"], "metnos credentials set weather token", "{asks}");
        assert_eq!(house.row(NAME)["state"], "active", "a missing credential takes nothing out of use");
    }
    assert_eq!(house.run_with(&["credentials", "set", "weather", "token"], b"of life\n").code, Some(0));
    let (answer, _) = call(&house, &url);
    assert_eq!(answer["value"], 200, "{answer}");
    assert!(world.asked()[0].contains("Bearer of life"), "{:?}", world.asked());
    // What is kept does not reach a birth test either.
    let tested = house.run(&["--json", "executors", "test", NAME]);
    assert_eq!(tested.code, Some(0), "{tested:?}");
}

/// Runs the words it is given as a program.
const RUN: &str = r#"
import os

def run(args, ctx):
    words = args["text"].split(" ")
    near, far = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, far, 1), (os.POSIX_SPAWN_DUP2, far, 2), (os.POSIX_SPAWN_CLOSE, near)]
    pid = os.posix_spawn(words[0], words, {}, file_actions=actions)
    os.close(far)
    said = b""
    while True:
        part = os.read(near, 4096)
        if not part:
            break
        said = said + part
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return {"value": abs(code), "entries": [{"word": said.decode(), "length": len(said)}]}
"#;

#[test]
fn a_program_that_is_declared_runs_behind_every_wall_and_no_other_does() {
    let house = House::new();
    house.write("private.txt", "not for a skill");
    let skill = Skill {
        runtime: "cpython".into(),
        sandbox: "exec = [\"/usr/bin/cat\", \"/usr/bin/uname\"]\nlimits = { wall_ms = 20000, cpu_ms = 10000, memory_mb = 256, output_kb = 64, processes = 8 }".into(),
        birth: r#"[[case]]
name = "the program it names runs"
input = { text = "/usr/bin/uname -s" }
expect = { ok = true, value = 0 }
items = [{ word = "Linux\n" }]

[[case]]
name = "one that fails says so"
input = { text = "/usr/bin/cat /nowhere" }
expect = { ok = true, value = 1 }

[[case]]
name = "another program does not run"
input = { text = "/usr/bin/id" }
expect = { ok = false }
"#
        .into(),
        code: RUN.into(),
        ..Skill::counter("1.0.0")
    };
    let signed = skill.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");

    let (answer, line) = call(&house, "/usr/bin/uname -s");
    assert_eq!((&answer["value"], &answer["entries"][0]["word"]), (&json!(0), &json!("Linux\n")), "{answer}");
    assert_eq!(line["layers"], json!(["mount", "landlock", "seccomp"]), "{line}");
    for other in ["/usr/bin/id", "/usr/bin/env", "/bin/sh -c id"] {
        let (answer, _) = call(&house, other);
        assert_eq!(answer["error"]["class"], "permission_denied", "{other}: {answer}");
    }
    // What it runs sees what it may see itself, and nothing else.
    let private = format!("/usr/bin/cat {}", house.home().join("private.txt").display());
    for words in [private.as_str(), "/usr/bin/cat /etc/shadow", "/usr/bin/cat /proc/1/environ"] {
        let (answer, _) = call(&house, words);
        assert_ne!(answer["value"], 0, "{words}: {answer}");
        assert!(!answer.to_string().contains("not for a skill"), "{answer}");
    }
}
