//! A credential reaches the one call that names it, and nothing that is written or can be looked at.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::session::Session;
use crate::support::skill::Skill;
use serde_json::json;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

/// No known shape of a token: only the vault knows that this is secret.
const SECRET: &str = "corretto senza zucchero 4471";

/// A skill that does everything wrong with a secret that can be done.
fn careless() -> Skill {
    let mut skill = Skill::patient();
    skill.sandbox = format!("credentials = [\"weather\"]\n{}", skill.sandbox);
    skill.code = r#"def run(args, ctx):
    if args["text"] not in ["length", "fail", "wait", "crash"]:
        return {"value": 0, "entries": []}
    token = ctx.credential("weather")["token"]
    if args["text"] == "fail":
        ctx.fail("wrong_args", "the server did not like " + token)
    if args["text"] == "crash":
        return {"value": {}[token], "entries": []}
    if args["text"] == "wait":
        for i in range(1000000000):
            if i % 1000 == 0:
                ctx.progress(i)
    return {"value": len(token), "entries": []}
"#
    .into();
    skill
}

fn house() -> House {
    let house = House::new();
    let set = house.run_with(&["credentials", "set", "weather", "token"], format!("{SECRET}\n").as_bytes());
    assert_eq!(set.code, Some(0), "{set:?}");
    let signed = careless().sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    house
}

fn holds(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

fn nothing_holds_it(dir: &Path) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            nothing_holds_it(&entry.path());
        } else if kind.is_file() {
            assert!(!holds(&std::fs::read(entry.path()).unwrap()), "{}", entry.path().display());
        }
    }
}

#[test]
fn the_call_that_names_it_has_it_and_what_is_written_has_not() {
    let house = house();
    assert_eq!(house.exec("compute_texts_lines", json!({ "text": "length" }))["value"], SECRET.len());
    for text in ["fail", "crash"] {
        let ran = house.exec_ran("compute_texts_lines", json!({ "text": text }));
        assert_ne!(ran.code, Some(0), "{ran:?}");
        assert!(!holds(ran.stdout.as_bytes()) && !holds(ran.stderr.as_bytes()), "{ran:?}");
        assert!(ran.stdout.contains("‹secret:"), "it says that something was cut out: {ran:?}");
    }
    // Typed in the wrong place, also as part of something longer and as a name.
    house.exec("compute_texts", json!({ "text": format!("my password is {SECRET}!") }));
    house.run(&["exec", SECRET, "{}"]);
    house.exec("read_files", json!({ "paths": [format!("~/{SECRET}.txt")] }));
    for args in
        [&["credentials", "list"][..], &["audit", "tail"], &["status"], &["doctor"], &["undo", "--list"]]
    {
        assert!(!holds(house.run(args).stdout.as_bytes()), "{args:?}");
    }
    nothing_holds_it(&house.metnos());
    house.chain_holds();
}

#[test]
fn nobody_sees_it_in_the_list_of_processes_or_in_a_core_dump() {
    let house = house();
    let mut session = Session::start_with_core(&house);
    session.say(&json!({ "executor": "compute_texts_lines", "args": { "text": "wait" } }));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while session.children().len() < 2 && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mut seen = 0;
    for pid in session.children().into_iter().chain([session.id()]) {
        for file in ["cmdline", "environ"] {
            // A cell may end while it is looked at.
            let Ok(bytes) = std::fs::read(format!("/proc/{pid}/{file}")) else { continue };
            assert!(!holds(&bytes), "{file} of {pid}");
            seen += 1;
        }
    }
    assert!(seen > 2);
    let status = session.signal("ABRT");
    assert!(!status.core_dumped(), "{status:?}");
    nothing_holds_it(&house.home());
    nothing_holds_it(&house.metnos());
}

#[test]
fn a_missing_one_is_named_with_the_command_that_keeps_it() {
    let house = house();
    assert_eq!(house.run(&["credentials", "remove", "weather"]).code, Some(0));
    let ran = house.exec_ran("compute_texts_lines", json!({ "text": "length" }));
    let error = &ran.json()["error"];
    assert_eq!(error["class"], "unauthorized", "{ran:?}");
    assert!(error["hint"].as_str().unwrap().contains("metnos credentials set weather token"), "{ran:?}");
    // What is kept again is used again.
    house.run_with(&["credentials", "set", "weather", "token"], b"another\n");
    assert_eq!(house.exec("compute_texts_lines", json!({ "text": "length" }))["value"], 7);
}

#[test]
fn whoever_sits_at_a_terminal_is_asked_for_what_is_missing_and_the_call_goes_on() {
    let house = house();
    assert_eq!(house.run(&["credentials", "remove", "weather"]).code, Some(0));
    let at_a_terminal = |typed: &str| {
        let call = format!(
            "{} exec compute_texts_lines '{{\"text\":\"length\"}}'",
            crate::support::binary().display()
        );
        let mut script = house.command_of(Path::new("/usr/bin/script"));
        let piped = script.args(["-qec", &call, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut shown = Vec::new();
        // A person types once there is a question.
        while !shown.ends_with(b"token: ") {
            let mut byte = [0];
            assert_eq!(screen.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&shown));
            shown.push(byte[0]);
        }
        keys.write_all(typed.as_bytes()).unwrap();
        screen.read_to_end(&mut shown).unwrap();
        (child.wait().unwrap().code(), String::from_utf8(shown).unwrap())
    };
    let (code, shown) = at_a_terminal("\n");
    assert_ne!(code, Some(0), "{shown}");
    let (code, shown) = at_a_terminal("sereno e mite\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("value: 13"), "{shown}");
    assert!(!shown.contains("sereno"), "what is typed is not shown: {shown}");
    assert_eq!(house.exec("compute_texts_lines", json!({ "text": "length" }))["value"], 13);
}

#[test]
fn a_credential_of_the_host_goes_to_others_only_after_the_host_said_so_once() {
    let house = house();
    for (name, role) in [("Anna", "guest"), ("Bruno", "member")] {
        assert_eq!(house.run(&["users", "add", name, "--as", role]).code, Some(0));
    }
    let calls = |who: &str| {
        let args = json!({ "text": "length" }).to_string();
        house.run(&["--json", "exec", "--as", who, "compute_texts_lines", &args])
    };
    let question = |ran: &crate::support::Ran| {
        assert_eq!(ran.code, Some(4), "{ran:?}");
        let error = ran.json()["error"].clone();
        (error["approval"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
    };
    // The host's own calls ask nobody.
    assert_eq!(calls("host").json()["value"], SECRET.len());
    let (id, text) = question(&calls("bruno"));
    for part in ["weather", "bruno", "compute_texts_lines"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // It is nobody else's to lend.
    for who in ["bruno", "anna"] {
        assert_eq!(house.run(&["--json", "approve", &id, "--as", who]).code, Some(3));
    }
    assert_eq!(house.run(&["reject", &id]).code, Some(0));
    let (id, _) = question(&calls("bruno"));
    let done = house.run(&["--json", "approve", &id]);
    assert_eq!(done.json()["value"], SECRET.len(), "{done:?}");
    assert_eq!(calls("bruno").json()["value"], SECRET.len(), "once is enough");
    question(&calls("anna"));
    let grants = house.run(&["--json", "policy", "grants"]).json();
    let lent = grants.as_array().unwrap().iter().find(|row| row.to_string().contains("credential:lend"));
    let lent = lent.unwrap_or_else(|| panic!("{grants}"));
    assert!(lent.to_string().contains("weather") && lent.to_string().contains("bruno"), "{lent}");
    assert_eq!(house.run(&["policy", "revoke", lent["id"].as_str().unwrap()]).code, Some(0));
    let (id, _) = question(&calls("bruno"));
    assert_eq!(house.run(&["reject", &id, "--never"]).code, Some(0));
    assert_eq!(calls("bruno").json()["error"]["class"], "policy_violation");
    nothing_holds_it(&house.metnos().join("workspace"));
    house.chain_holds();
}
