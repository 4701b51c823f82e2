//! What reaches the machine itself: commands, processes, the lists that decide about them, and the
//! switches that hold everything back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};

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
        // An empty folder is not there inside, and its place is the scratch of the cell.
        house.write("a", "a");
        let asked = admin(&house, "touch docs");
        let text = card(&asked);
        assert!(text.contains("touch docs") && !text.contains("system:admin"), "{text}");
        assert!(house.whole_card(&asked).contains("system:admin"), "{text}");
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
fn never_is_about_that_kind_of_command_and_can_be_taken_back() {
    let house = House::supervised();
    let id = question(&admin(&house, "touch docs"));
    assert_eq!(house.run(&["reject", &id, "--never"]).code, Some(0));
    refused(&admin(&house, "touch docs"), "policy_violation");
    // Other commands ask as before.
    question(&admin(&house, "mkdir docs"));
    let rules = house.run(&["--json", "policy", "grants"]).json();
    let rule = rules[0]["id"].as_str().unwrap();
    assert!(rule.starts_with("touch:"), "{rules}");
    assert_eq!(house.run(&["policy", "revoke", rule]).code, Some(0));
    question(&admin(&house, "touch docs"));
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
    let script = "import os, socket\ndef is_open(n):\n    try:\n        return os.fstat(n) is not None\n    \
except OSError:\n        return False\ntry:\n    socket.socket()\nexcept OSError as e:\n    print('no socket', e)\n\
print('open', [n for n in range(64) if is_open(n)])\ntry:\n    open('made', 'w')\nexcept OSError as e:\n    print('no write', e)\nprint(sorted(os.environ))\n";
    house.write("try.py", script);
    let ran = house.exec_ran("admin", json!({ "command": "python3 try.py" })).json();
    let said = ran["results"][0]["stdout"].as_str().unwrap();
    // The line to the daemon is the host's alone.
    assert!(said.contains("open [0, 1, 2]"), "{said}");
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

/// Whether a command is refused as harm, on both rungs.
fn is_harm(house: &House, command: &str) -> bool {
    let rungs = [false, true].map(|outside| {
        let ran = house.exec_asking("admin", json!({ "command": command, "outside": outside }));
        ran.json()["error"]["class"] == "forbidden"
    });
    assert_eq!(rungs[0], rungs[1], "{command}");
    rungs[0]
}

#[test]
fn the_program_that_would_really_run_is_judged() {
    let house = House::new();
    house.write("old/a", "a");
    let rm = std::fs::canonicalize("/bin/rm").unwrap();
    let home = house.home();
    // A link, a link to the link, one with a harmless name, and a copy.
    std::os::unix::fs::symlink(&rm, home.join("tidy")).unwrap();
    std::os::unix::fs::symlink("tidy", home.join("neat")).unwrap();
    std::os::unix::fs::symlink(&rm, home.join("ls")).unwrap();
    std::fs::copy(&rm, home.join("copied")).unwrap();
    for program in ["./tidy", "./neat", "./ls", "./copied", "~/tidy"] {
        for wrapped in ["", "env X=1 ", "nice -n 5 ", "timeout 5 sudo ", "nohup setsid "] {
            assert!(is_harm(&house, &format!("{wrapped}{program} -rf ~")), "{wrapped}{program}");
            assert!(!is_harm(&house, &format!("{wrapped}{program} -rf old")), "{wrapped}{program}");
        }
        assert!(is_harm(&house, &format!("sh -c '{program} -rf /'")), "{program}");
    }
    // What is really called so is what it is called.
    assert_eq!(admin(&house, "ls old").json()["results"][0]["exit"], 0);
    assert!(home.join("old/a").exists());
}

#[test]
fn a_home_is_one_however_it_is_written() {
    let house = House::new();
    house.write("old/a", "a");
    house.write(".config/app/settings", "a");
    let home = house.home();
    std::os::unix::fs::symlink(&home, home.join("here")).unwrap();
    let (full, above) = (home.display().to_string(), home.parent().unwrap().display().to_string());
    let forms = [
        "~".to_owned(),
        "~/.".to_owned(),
        "'$HOME'".to_owned(),
        "'${HOME}/'".to_owned(),
        "~root".to_owned(),
        ".".to_owned(),
        "./".to_owned(),
        "here".to_owned(),
        "here/.".to_owned(),
        "./old/..".to_owned(),
        full.clone(),
        format!("{full}/"),
        format!("{full}/."),
        format!("{full}/./old/../"),
        format!("{above}/./home"),
        format!("{above}//home"),
        format!("'{full}/*'"),
        format!("file://{full}"),
        above.clone(),
        // What is core, and what holds it.
        house.metnos().display().to_string(),
        "~/.config".to_owned(),
    ];
    let sweeps = ["rm -rf", "tar --remove-files -cf /tmp/x.tar", "gio remove", "find -H"];
    for form in &forms {
        for sweep in sweeps {
            let command = match sweep {
                "find -H" => format!("{sweep} {form} -delete"),
                _ => format!("{sweep} {form}"),
            };
            assert!(is_harm(&house, &command), "{command}");
        }
    }
    for narrow in ["old", "~/old", "./old/", "here/old", "~/.config/app"] {
        assert!(!is_harm(&house, &format!("rm -rf {narrow}")), "{narrow}");
    }
}

#[test]
fn programs_that_delete_by_the_way_are_known() {
    let house = House::new();
    house.write("old/a", "a");
    let rows = [
        ("tar --remove-files -cf /tmp/x.tar .", "tar --remove-files -cf /tmp/x.tar old"),
        ("tar -C ~ --remove-files -cf /tmp/x.tar .", "tar -C ~ --remove-files -cf /tmp/x.tar old"),
        ("zip -rm /tmp/x.zip .", "zip -rm /tmp/x.zip old"),
        ("git clean -fdx", "git -C old clean -fdx"),
        ("git -C ~ clean -fdx", "git -C ~ clean -fdx old"),
        ("find . -exec shred -u {} +", "find old -exec shred -u {} +"),
        ("find -delete", "find old -delete"),
        ("shred ~", "shred old/a"),
        ("truncate -s 0 ~", "truncate -s 0 old/a"),
        ("gio remove ~", "gio remove old"),
        ("rsync -a --delete old/ ~/", "rsync -a --delete old/ copy/"),
        ("rsync -a --remove-source-files ~ /mnt", "rsync -a --remove-source-files old /mnt"),
        ("kill 1", "kill 11"),
        ("kill -9 -1", "kill -9 11"),
        ("pkill init", "pkill initech"),
    ];
    for (harm, ordinary) in rows {
        assert!(is_harm(&house, harm), "{harm}");
        assert!(!is_harm(&house, ordinary), "{ordinary}");
    }
    assert!(house.home().join("old/a").exists());
}

#[test]
fn only_what_is_listed_as_looking_is_said_to_change_nothing() {
    let house = House::supervised();
    house.write("a", "a");
    let tool = house.write("apt-get", "#!/bin/sh\n");
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for command in
        ["touch b", "./apt-get install vlc", "env LD_PRELOAD=x ls", "python3 try.py", "sed -i s/a/b/ a"]
    {
        let text = card(&admin(&house, command)).to_lowercase();
        assert!(!text.contains("changes nothing"), "{command}: {text}");
        assert!(text.contains("sandbox"), "{command}: {text}");
        let outside = house.exec_asking("admin", json!({ "command": command, "outside": true }));
        let text = card(&outside).to_lowercase();
        assert!(text.contains("cannot be undone") && !text.contains("changes nothing"), "{command}: {text}");
    }
    let guest = json!({ "command": "uname" }).to_string();
    let asked = house.run(&["--json", "exec", "--as", "guest", "admin", &guest]);
    assert!(card(&asked).to_lowercase().contains("changes nothing"), "what is listed only looks");
}

#[test]
fn outside_needs_a_yes_of_its_own_that_says_so() {
    let house = House::new();
    let outside = |command: &str| house.exec_asking("admin", json!({ "command": command, "outside": true }));
    let inside = question(&admin(&house, "touch made"));
    let asked = outside("touch made");
    let text = card(&asked);
    assert!(
        text.contains("outside the sandbox") && text.to_lowercase().contains("cannot be undone"),
        "{text}"
    );
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
    shell
        .args(["-c", "exec 9</dev/null; exec \"$0\" --json approve \"$1\""])
        .arg(crate::support::binary())
        .arg(&id);
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

fn set(house: &House, args: Value) -> Ran {
    house.exec_ran("set_signatures", args)
}

#[test]
fn the_lists_are_changed_after_a_yes_recorded_and_taken_back() {
    let house = House::new();
    house.write("b", "b");
    let asked = house.exec_asking("set_signatures", json!({ "signature": "touch::*", "kind": "deny" }));
    let text = card(&asked);
    assert!(text.contains("touch::*") && text.contains("deny"), "{text}");
    question(&admin(&house, "touch a"));
    assert_eq!(house.run(&["approve", &question(&asked)]).code, Some(0));
    refused(&admin(&house, "touch a"), "policy_violation");
    let own = house.exec("get_signatures", json!({ "signature": "touch" }));
    assert_eq!(own["entries"][0]["whose"], "yours", "{own}");
    assert_eq!(own["entries"][0]["kind"], "deny");
    let lines = house.audit_lines();
    assert!(lines.iter().any(|l| l["kind"] == "config" && l["detail"]["signature"] == "touch::*"));
    // Either way back.
    assert_eq!(set(&house, json!({ "signature": "touch::*", "remove": true })).code, Some(0));
    question(&admin(&house, "touch a"));
    refused(&set(&house, json!({ "signature": "touch::*", "remove": true })), "not_found");
    assert_eq!(set(&house, json!({ "signature": "touch::*", "kind": "allow" })).code, Some(0));
    assert_eq!(admin(&house, "touch a").json()["results"][0]["exit"], 1, "it runs, and can write nothing");
    let shown = house.run(&["--json", "policy", "grants"]).json();
    assert_eq!(shown[0]["id"], "touch::*");
    assert_eq!(house.run(&["policy", "revoke", "touch::*"]).code, Some(0));
    question(&admin(&house, "touch a"));
    house.chain_holds();
}

#[test]
fn what_is_forbidden_stays_so_and_nonsense_is_no_signature() {
    let house = House::new();
    for signature in ["mkfs:*:*", "mkfs.ext4::path", "wipefs::device"] {
        refused(
            &house.exec_asking("set_signatures", json!({ "signature": signature, "kind": "allow" })),
            "forbidden",
        );
    }
    assert_eq!(set(&house, json!({ "signature": "*:*:*", "kind": "allow" })).code, Some(0));
    for command in ["mkfs.ext4 x", "rm -rf /"] {
        refused(&admin(&house, command), "forbidden");
    }
    question(&house.exec_asking("admin", json!({ "command": "touch a", "outside": true })));
    for wrong in [
        json!({ "signature": "ls", "kind": "allow" }),
        json!({ "signature": "ls::?", "kind": "allow" }),
        json!({ "signature": "", "kind": "allow" }),
        json!({ "signature": "ls::*" }),
        json!({ "signature": "ls::*", "kind": "forbidden" }),
        json!({ "signature": "ls::*", "kind": "allow", "remove": true }),
    ] {
        refused(&house.exec_asking("set_signatures", wrong), "wrong_args");
    }
    let guest = json!({ "signature": "ls::*", "kind": "deny" }).to_string();
    refused(&house.run(&["--json", "exec", "--as", "guest", "set_signatures", &guest]), "policy_violation");
}

#[test]
fn a_list_that_metnos_did_not_sign_allows_nothing() {
    let house = House::new();
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    let forged = json!({ "signature": "touch::*", "list": "allow", "by": "host/cli" }).to_string();
    let put =
        "INSERT OR REPLACE INTO decisions VALUES ('signature', 'touch::*', ?1, ?2, '2020-01-01T00:00:00Z')";
    db.execute(put, (forged, vec![0u8; 64])).unwrap();
    let said = refused(&admin(&house, "touch a"), "policy_violation");
    assert!(said.contains("damaged"), "{said}");
    refused(&admin(&house, "uname"), "policy_violation");
    let listed = house.exec("get_signatures", json!({ "signature": "touch" }));
    assert_eq!(
        (&listed["fail_count"], &listed["entries"][0]["whose"]),
        (&json!(1), &json!("shipped")),
        "{listed}"
    );
    assert_eq!(house.run(&["policy", "revoke", "touch::*"]).code, Some(0));
    question(&admin(&house, "touch a"));
    // A signed row under another name is none.
    assert_eq!(set(&house, json!({ "signature": "sleep::*", "kind": "deny" })).code, Some(0));
    db.execute("UPDATE decisions SET id = 'touch::*' WHERE kind = 'signature'", []).unwrap();
    refused(&admin(&house, "uname"), "policy_violation");
}

/// A process of the test's own, ended with it.
struct Sleeper(std::process::Child);

impl Sleeper {
    fn start(script: &str) -> Self {
        let mut command = std::process::Command::new("/bin/sh");
        let quiet = command.args(["-c", script]).stdout(std::process::Stdio::piped());
        Self(quiet.stderr(std::process::Stdio::null()).spawn().unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Waits for the first line it says.
    fn ready(mut self) -> Self {
        use std::io::BufRead;
        let mut line = String::new();
        std::io::BufReader::new(self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        self
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn processes_end_after_a_yes_that_names_them_and_what_did_not_is_counted() {
    let house = House::new();
    let mut soft = Sleeper::start("echo ready; exec sleep 300").ready();
    let mut hard = Sleeper::start("trap '' TERM; echo ready; while :; do sleep 1; done").ready();
    let pids = [soft.pid(), hard.pid(), 1, 4_194_303];
    let asked = house.exec_asking("set_processes", json!({ "pids": pids }));
    let text = card(&asked);
    assert!(
        text.contains(&soft.pid().to_string()) && text.contains("sleep") && text.contains("since"),
        "{text}"
    );
    assert!(
        text.contains(&hard.pid().to_string()) && text.to_lowercase().contains("cannot be undone"),
        "{text}"
    );
    assert!(soft.runs());
    let done = house.run(&["--json", "approve", &question(&asked)]).json();
    assert_eq!((&done["ok_count"], &done["fail_count"]), (&json!(1), &json!(3)), "{done}");
    let classes: Vec<&str> =
        done["failed"].as_array().unwrap().iter().map(|f| f["error_class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["timeout", "forbidden", "not_found"], "{done}");
    assert!(!soft.runs() && hard.runs());
    let killed = house.exec("set_processes", json!({ "pids": [hard.pid()], "action": "kill" }));
    assert_eq!(killed["ok_count"], 1, "{killed}");
    assert!(!hard.runs());
    house.chain_holds();
}

#[test]
fn a_number_that_belongs_to_another_process_meanwhile_is_another_question() {
    let house = House::new();
    let sleeper = Sleeper::start("echo ready; exec sleep 300").ready();
    let (pid, asked) =
        (sleeper.pid(), |pid: u32| house.exec_asking("set_processes", json!({ "pids": [pid] })));
    let id = question(&asked(pid));
    drop(sleeper);
    // The machine gives the number again: as the first process of a fresh count.
    let next = std::path::Path::new("/proc/sys/kernel/ns_last_pid");
    let Ok(()) = std::fs::write(next, (pid - 1).to_string()) else {
        // This account cannot choose numbers; what is left to see is that it is gone.
        let done = house.run(&["--json", "approve", &id]);
        assert_eq!(done.json()["failed"][0]["error_class"], "not_found", "{done:?}");
        return;
    };
    let mut other = Sleeper::start("echo ready; exec sleep 300").ready();
    if other.pid() == pid {
        let again = house.run(&["--json", "approve", &id]);
        assert_ne!(question(&again), id, "{again:?}");
        assert!(other.runs());
    }
}

#[test]
fn nobody_ends_the_kernel_metnos_or_other_peoples_processes() {
    let house = House::new();
    let outcome = |pids: Value| house.exec_asking("set_processes", json!({ "pids": pids }));
    // Nothing to do is no question.
    let none = outcome(json!([1, 4_194_303]));
    assert_eq!((none.code, &none.json()["fail_count"]), (Some(1), &json!(2)), "{none:?}");
    let mut session = crate::support::session::Session::start(&house);
    session.say(&json!({ "executor": "get_now" }));
    session.hear();
    let own = outcome(json!([session.pid()]));
    assert_eq!(own.json()["failed"][0]["error_class"], "forbidden", "{own:?}");
    let children =
        std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", session.pid())).unwrap_or_default();
    for cell in children.split_whitespace() {
        let cell = outcome(json!([cell.parse::<u32>().unwrap()]));
        assert_ne!(cell.code, Some(4), "{cell:?}");
    }
    for wrong in [json!([]), json!(["x"]), json!([-1]), json!([0]), json!(1), json!([1.5])] {
        refused(&outcome(wrong), "wrong_args");
    }
    refused(
        &house.exec_asking("set_processes", json!({ "pids": [4_194_303], "action": "pause" })),
        "wrong_args",
    );
}
