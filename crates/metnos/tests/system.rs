//! What reaches the machine itself: commands, processes, the lists that decide about them, and the
//! switches that hold everything back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::{House, Ran};

fn question(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(4), "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["error"]["class"], "needs_approval");
    answer["error"]["approval"].as_str().unwrap().to_owned()
}

fn card(ran: &Ran) -> String {
    question(ran);
    ran.json()["error"]["message"].as_str().unwrap().to_owned()
}

fn admin(house: &House, command: &str) -> Ran {
    house.exec_asking("admin", json!({ "command": command }))
}

fn refused(ran: &Ran, class: &str) -> String {
    let answer = ran.json();
    assert_eq!(answer["error"]["class"], class, "{ran:?}");
    answer["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_listed_command_runs_in_the_sandbox_without_a_question() {
    let house = House::supervised();
    house.write("docs/a.txt", "one\ntwo\n");
    let done = admin(&house, "wc -l docs/a.txt").json();
    let item = &done["results"][0];
    assert_eq!((&done["ok_count"], &item["exit"]), (&json!(1), &json!(0)), "{done}");
    assert_eq!(item["stdout"], "2 docs/a.txt\n");
    assert_eq!((&item["ran"], &item["_origin"]), (&json!("in the sandbox"), &json!("content")));
    assert!(item["duration_ms"].is_u64());
    let line = house.audit_lines().pop().unwrap();
    assert_eq!((&line["kind"], &line["executor"]), (&json!("call"), &json!("admin")));
    assert_eq!(line["layers"], json!(["mount", "landlock", "seccomp"]));
    assert_eq!(line["verdicts"][0]["guard"], "command");
    house.chain_holds();
}

#[test]
fn a_guest_is_asked_and_may_not_go_outside() {
    let house = House::supervised();
    let run = |args: Value| house.run(&["--json", "exec", "--as", "guest", "admin", &args.to_string()]);
    question(&run(json!({ "command": "uname" })));
    refused(&run(json!({ "command": "uname", "outside": true })), "policy_violation");
    refused(&run(json!({ "command": "touch x" })), "policy_violation");
    let processes = house.run(&["--json", "exec", "--as", "guest", "get_processes", "{}"]);
    question(&processes);
}

#[test]
fn what_is_on_no_list_asks_each_time_also_in_a_full_session() {
    for house in [House::supervised(), House::new()] {
        let asked = admin(&house, "touch docs");
        let text = card(&asked);
        assert!(text.contains("touch docs") && text.contains("system:admin"), "{text}");
        assert!(!text.contains("outside the sandbox"), "{text}");
        let id = question(&asked);
        let done = house.run(&["--json", "approve", &id, "--always"]).json();
        // Nothing can be written from inside.
        assert_ne!(done["results"][0]["exit"], 0, "{done}");
        assert!(done["hint"].as_str().unwrap().contains("outside=true"), "{done}");
        assert!(!house.home().join("docs").exists());
        question(&admin(&house, "touch docs"));
    }
}

#[test]
fn the_sandbox_shows_no_core_path_no_network_and_nobody_else() {
    let house = House::supervised();
    house.write(".ssh/id", "secret");
    house.write("plain", "plain");
    for command in ["cat .ssh/id", "cat ~/.ssh/id", "ls /etc", "head -c 1 --quiet=/etc/passwd", "ls -l/etc"] {
        refused(&admin(&house, command), "forbidden");
    }
    let found = admin(&house, "find . -type f").json();
    let listed = found["results"][0]["stdout"].as_str().unwrap();
    assert!(listed.contains("plain") && !listed.contains("secret") && !listed.contains(".ssh/id"), "{found}");
    let outside = admin(&house, "ls /").json();
    let listed = outside["results"][0]["stdout"].as_str().unwrap().to_owned();
    assert!(!listed.contains("root") && !listed.contains("var"), "{listed}");
    let script = "import os, socket\ntry:\n    socket.socket()\nexcept OSError as e:\n    print('no socket', e)\n\
try:\n    open('made', 'w')\nexcept OSError as e:\n    print('no write', e)\nprint(sorted(os.environ))\n";
    house.write("try.py", script);
    let ran = house.exec_ran("admin", json!({ "command": "python3 try.py" })).json();
    let said = ran["results"][0]["stdout"].as_str().unwrap();
    assert!(said.contains("no socket") && said.contains("no write"), "{ran}");
    assert!(!said.contains("METNOS_HOME"), "{said}");
    assert!(!house.home().join("made").exists());
}

#[test]
fn shells_harm_and_denials_are_refused_at_every_level() {
    for house in [House::supervised(), House::new()] {
        for command in ["ls | wc", "ls; ls", "echo $HOME", "echo a > b", "ls *", "ls 'open"] {
            let ran = admin(&house, command);
            refused(&ran, "wrong_args");
            assert_eq!(ran.code, Some(2));
        }
        for command in ["", "   ", "''"] {
            refused(&admin(&house, command), "wrong_args");
        }
        let mut harm =
            vec!["rm -rf /", "rm -rf ~", "rm -rf .", "mkfs.ext4 x", "dd if=a of=/dev/sda", "chmod -R 777 /"];
        std::os::unix::fs::symlink("/", house.home().join("innocent")).unwrap();
        harm.push("rm -rf innocent/");
        for command in harm {
            for outside in [false, true] {
                let ran = house.exec_asking("admin", json!({ "command": command, "outside": outside }));
                assert_eq!(ran.code, Some(3), "{command}: {ran:?}");
            }
        }
        let denied = house.exec_asking("admin", json!({ "command": "su root", "outside": true }));
        assert!(denied.stdout.contains("set_signatures"), "{denied:?}");
        refused(&denied, "policy_violation");
        refused(&admin(&house, "no-such-program-anywhere"), "not_found");
        refused(&house.exec_asking("admin", json!({})), "wrong_args");
        refused(&house.exec_asking("admin", json!({ "command": "a".repeat(2000) })), "wrong_args");
        assert!(house.home().exists());
    }
}

#[test]
fn outside_needs_a_yes_of_its_own_that_says_so() {
    let house = House::new();
    let outside = |command: &str| house.exec_asking("admin", json!({ "command": command, "outside": true }));
    let inside = question(&admin(&house, "touch made"));
    let asked = outside("touch made");
    let text = card(&asked);
    assert!(text.contains("outside the sandbox") && text.contains("cannot be undone"), "{text}");
    let id = question(&asked);
    assert_ne!(id, inside);
    // The yes to the first rung is not one to the second.
    house.run(&["approve", &inside]);
    assert!(!house.home().join("made").exists());
    let done = house.run(&["--json", "approve", &id]).json();
    assert_eq!(done["results"][0]["exit"], 0, "{done}");
    assert_eq!(done["results"][0]["ran"], "outside the sandbox");
    assert!(house.home().join("made").exists());
    let lines = house.audit_lines();
    let kinds: Vec<&str> = lines.iter().rev().take(2).map(|l| l["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["close", "open"]);
    // Also what is listed as harmless asks there, every time.
    question(&outside("uname"));
    question(&outside("touch made"));
    house.chain_holds();
}

#[test]
fn another_program_under_the_same_name_is_another_question() {
    let house = House::new();
    let tool = house.write("tool", "#!/bin/sh\necho one\n");
    let set =
        |mode| std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    set(0o755);
    let args = json!({ "command": "./tool", "outside": true });
    let id = question(&house.exec_asking("admin", args));
    std::fs::remove_file(&tool).unwrap();
    house.write("tool", "#!/bin/sh\necho two >&2; touch pwned\n");
    set(0o755);
    assert_ne!(question(&house.run(&["--json", "approve", &id])), id);
    assert!(!house.home().join("pwned").exists());
}

#[test]
fn outside_it_has_no_descriptor_no_variable_and_no_terminal_of_ours() {
    let house = House::new();
    // Core for `admin` itself, so a script looks.
    refused(
        &house.exec_asking("admin", json!({ "command": "ls /proc/self/fd", "outside": true })),
        "forbidden",
    );
    house.write("look.sh", "ls /proc/self/fd; env; cat /proc/self/limits\n");
    let id = question(&house.exec_asking("admin", json!({ "command": "sh look.sh", "outside": true })));
    // A careless parent leaves a descriptor open.
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", "exec 9</dev/null; exec \"$0\" --json approve \"$1\""]).arg(support::binary()).arg(&id);
    shell.env_clear().env("HOME", house.home()).env("METNOS_HOME", house.metnos()).env("TOKEN_OF_OURS", "x");
    let done: Value = serde_json::from_slice(&shell.output().unwrap().stdout).unwrap();
    let said = done["results"][0]["stdout"].as_str().unwrap();
    // The fourth is the folder that is being listed.
    assert!(said.starts_with("0\n1\n2\n3\n"), "{said}");
    assert!(!said.lines().any(|l| l == "4" || l == "9"), "{said}");
    assert!(!said.contains("TOKEN_OF_OURS") && !said.contains("METNOS_HOME"), "{said}");
    assert!(said.lines().any(|l| l.starts_with("Max core file size") && l.contains(" 0 ")), "{said}");
}

#[test]
fn output_is_cut_and_counted_and_time_is_over_for_who_does_not_end() {
    let house = House::new();
    house.write("big", vec![b'x'; 300_000]);
    let cut = house.exec("admin", json!({ "command": "cat big", "max_bytes": 1000 }));
    let item = &cut["results"][0];
    assert_eq!(item["stdout"].as_str().unwrap().len(), 1000);
    assert_eq!((&item["stdout_bytes"], &cut["truncated"]), (&json!(300_000), &json!(true)));
    assert_eq!((&cut["cap_field"], &cut["available_total"]), (&json!("max_bytes"), &json!(300_000)));
    for outside in [false, true] {
        // It does not want to end.
        let args =
            json!({ "command": "env --ignore-signal=TERM sleep 300", "timeout_s": 1, "outside": outside });
        let begun = std::time::Instant::now();
        let late = house.exec("admin", args);
        assert_eq!(late["failed"][0]["error_class"], "timeout", "{late}");
        assert_eq!((&late["results"][0]["signal"], &late["ok"]), (&json!(9), &json!(false)), "{late}");
        assert!(begun.elapsed().as_secs() < 60);
        let flood = house.exec("admin", json!({ "command": "yes", "timeout_s": 30, "outside": outside }));
        assert_eq!(flood["failed"][0]["error_class"], "too_large", "{flood}");
        assert_eq!(flood["results"][0]["stdout"].as_str().unwrap().len(), 65536);
    }
    let failed = house.exec_ran("admin", json!({ "command": "ls nothing-here" }));
    assert_eq!(failed.code, Some(1));
    assert_eq!(failed.json()["results"][0]["exit"], 2, "{failed:?}");
    house.chain_holds();
}

#[test]
fn the_same_call_id_runs_a_command_once() {
    let house = House::new();
    house.write("count.sh", "echo x >> counted\n");
    let run = || {
        let args = json!({ "command": "sh count.sh", "outside": true }).to_string();
        house.run(&["--json", "exec", "--call-id", "once", "admin", &args])
    };
    let id = question(&run());
    assert_eq!(house.run(&["approve", &id]).code, Some(0));
    assert_eq!(run().json()["results"][0]["exit"], 0);
    assert_eq!(std::fs::read_to_string(house.home().join("counted")).unwrap(), "x\n");
}
