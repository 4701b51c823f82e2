//! The daemon as programs meet it: asking, watching, deciding, and what a kill leaves behind.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

#[test]
fn a_request_is_answered_and_its_turn_is_found_again() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let told = daemon.ask("what time is it");
    assert_eq!(told["status"], "done", "{told}");
    let again = daemon.get(&format!("/agent/turns/{}", told["turn"].as_str().unwrap())).json();
    assert_eq!(again["text"], told["text"]);
    let listed = daemon.get("/agent/turns").json();
    assert_eq!(listed[0]["turn"], told["turn"]);
    assert_eq!(listed[0]["caller"], "host/cli");
    assert_eq!(daemon.request("GET", "/agent/turns", &[], "").status, 401);
    assert!(daemon.stop(), "it ends well when it is asked to");
    let log = house.run(&["logs", "-n", "20"]).stdout;
    assert!(log.contains("listens at") && log.contains("401") && log.contains("stops"), "{log}");
    assert!(!log.contains("what time"), "what people ask is not in the log: {log}");
}

#[test]
fn there_is_one_daemon_a_home_and_a_terminal_speaks_to_it() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let second = house.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("already runs") && second.stderr.contains(&daemon.address), "{second:?}");
    let told = house.run(&["--json", "ask", "what time is it"]).json();
    assert_eq!(told["status"], "done", "{told}");
    // It was the daemon that answered: its list of conversations knows the channel and the name.
    let seen = daemon.get("/metrics").body;
    assert!(seen.contains("metnos_turn_seconds_count{status=\"done\"} 1"), "{seen}");
    daemon.kill();
    assert_eq!(
        house.run(&["--json", "ask", "what time is it"]).json()["status"],
        "done",
        "and without one it works alone"
    );
}

#[test]
fn a_card_waits_through_a_kill_the_stream_goes_on_and_nothing_runs_twice() {
    let house = House::supervised();
    std::fs::create_dir_all(house.home().join("Documents")).unwrap();
    std::fs::write(house.home().join("Documents/a.txt"), "a").unwrap();
    let daemon = Daemon::start(&house);
    let address = daemon.address.clone();
    let asked = json!({ "text": "move a.txt from Documents to Archive" });
    let turn = daemon.post("/agent/turn/submit", &asked).json()["turn"].as_str().unwrap().to_owned();
    let path = format!("/agent/turns/{turn}/stream");
    let mut last = 0;
    let mut card = None;
    for event in daemon.events(&path, None) {
        last = event.id.unwrap_or(last);
        if event.name == "approval" {
            card = Some(event.data["id"].as_str().unwrap().to_owned());
            break;
        }
    }
    let card = card.unwrap();
    daemon.kill();

    let daemon = Daemon::start_with(&house, &address);
    let waiting = daemon.get("/agent/approvals").json();
    assert_eq!(waiting[0]["id"], card.as_str(), "the card is still there");
    let mut events = daemon.events(&path, Some(last));
    let decided = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" }));
    assert_eq!(decided.json()["status"], "done", "{decided:?}");
    assert!(house.home().join("Archive/a.txt").exists());
    let ended = events.find(|event| event.name == "final").unwrap();
    assert_eq!(ended.data["status"], "done");
    assert!(ended.id.unwrap() > last, "the stream went on after what had been seen");
    let again = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" }));
    assert_eq!(again.status, 409, "a yes is used once: {again:?}");
    let undone = daemon.post(&format!("/agent/turns/{turn}/undo"), &json!({})).json();
    assert_eq!(undone["reversed"], 2, "the file and the folder made for it: {undone}");
    assert!(house.home().join("Documents/a.txt").exists());
}

#[test]
fn a_no_ends_the_turn_and_a_missing_word_is_asked_for() {
    let house = House::supervised();
    std::fs::write(house.home().join("a.txt"), "a").unwrap();
    let daemon = Daemon::start(&house);
    let waits = daemon.ask("delete the file a.txt");
    assert_eq!(waits["status"], "waits", "{waits}");
    let card = waits["approval"]["id"].as_str().unwrap();
    let ended = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "no" })).json();
    assert_eq!(ended["status"], "cancelled", "{ended}");
    assert!(house.home().join("a.txt").exists());
    let asks = daemon.ask("move a.txt");
    assert_eq!(asks["status"], "asks", "{asks}");
    let form = format!("/agent/forms/{}", asks["turn"].as_str().unwrap());
    let on = daemon.post(&form, &json!({ "text": "Archive" })).json();
    assert_eq!(on["status"], "waits", "it went on to its card: {on}");
    assert_eq!(daemon.post(&form, &json!({ "text": "Archive" })).status, 409, "asked and answered once");
}

#[test]
fn a_credential_goes_in_and_never_comes_out() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let given = json!({ "fields": { "token": "s3cret-value-4711" } });
    assert_eq!(daemon.post("/agent/credentials/mail", &given).status, 204);
    assert!(house.run(&["--json", "credentials", "list"]).stdout.contains("mail"));
    let told = daemon.ask("find the files named s3cret-value-4711").to_string();
    let turns = daemon.get("/agent/turns").body;
    assert!(!turns.contains("s3cret-value-4711"), "what is written down does not hold it: {told} {turns}");
    assert_eq!(daemon.post("/agent/credentials/..%2fx", &given).status, 400);
}

#[test]
fn a_turn_with_a_given_id_never_runs_twice() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let asked = json!({ "text": "what time is it", "turn": "01JCQ7C0000000000000000000" });
    assert_eq!(daemon.post("/agent/turn", &asked).status, 200);
    assert_eq!(daemon.post("/agent/turn", &asked).status, 409);
}

#[test]
fn the_key_is_private_and_the_link_works_once() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let mode = house.metnos().join("config/keys/admin.key").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (cookie, csrf) = daemon.browser(&daemon.login.clone());
    let cookie = format!("Cookie: metnos={cookie}");
    assert_eq!(daemon.request("GET", "/", &[&cookie], "").status, 200);
    let body = json!({ "text": "what time is it" }).to_string();
    let kind = "Content-Type: application/json";
    let origin = format!("Origin: http://{}", daemon.address);
    let sent =
        daemon.request("POST", "/agent/turn", &[&cookie, kind, &origin, &format!("X-CSRF: {csrf}")], &body);
    assert_eq!(sent.json()["status"], "done", "{sent:?}");
    let token = daemon.login.split_once('#').unwrap().1;
    let again = daemon.request("POST", "/login", &[kind, &origin], &json!({ "token": token }).to_string());
    assert_eq!(again.status, 401, "{again:?}");
    assert!(again.body.contains("metnos login-link"));
    let link = house.run(&["--json", "login-link"]).json()["login"].as_str().unwrap().to_owned();
    daemon.browser(&link);
}

#[test]
fn a_laptop_comes_in_over_tls_with_its_own_token_and_trusts_this_house_alone() {
    let house = House::supervised();
    let config = house.metnos().join("config/metnos.toml");
    std::fs::write(&config, "[serve]\ntls = \"own\"\nlisten = \"127.0.0.1:0\"\n").unwrap();
    let daemon = Daemon::start_as_configured(&house);
    let token =
        house.run(&["--json", "devices", "add", "laptop"]).json()["token"].as_str().unwrap().to_owned();
    let url = format!("https://{}", daemon.address);
    let laptop = House::bare();
    let ask = |url: &str, token: &str| {
        let mut command = laptop.command();
        command.env("METNOS_TOKEN", token).args(["--json", "--server", url, "ask", "what time is it"]);
        command.output().unwrap()
    };
    let unknown = ask(&url, &token);
    assert!(!unknown.status.success(), "a certificate nobody vouches for is not trusted");
    std::fs::create_dir_all(laptop.metnos().join("config")).unwrap();
    std::fs::copy(house.metnos().join("config/keys/tls.crt"), laptop.metnos().join("config/server.crt"))
        .unwrap();
    let told = ask(&url, &token);
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap_or_else(|_| panic!("{told:?}"));
    assert_eq!(told["status"], "done", "{told}");
    let run = |args: &[&str]| {
        let mut command = laptop.command();
        command.env("METNOS_TOKEN", &token).args(["--json", "--server", &url]).args(args);
        let ran = command.output().unwrap();
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    assert!(run(&["turns"]).contains("what time is it"), "the everyday commands go there too");
    assert!(run(&["undo"]).contains("\"undone\":null"));
    assert!(run(&["uninstall", "--yes"]).contains("on the machine where Metnos runs"), "the others do not");
    let forged = ask(&url, "mn_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    assert!(String::from_utf8_lossy(&forged.stdout).contains("unauthorized"), "{forged:?}");
    let open = ask("http://192.0.2.1:8770", &token);
    assert!(
        String::from_utf8_lossy(&open.stdout).contains("not encrypted"),
        "a token never travels in the clear: {open:?}"
    );
}

#[test]
fn it_never_listens_to_other_machines_in_the_clear_nor_half_configured() {
    let house = House::supervised();
    let config = house.metnos().join("config/metnos.toml");
    let refused = house.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("tls"), "{refused:?}");
    std::fs::write(&config, "[serve]\nlisten = \"0.0.0.0:8770\"\n").unwrap();
    let refused = house.run(&["serve"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("metnos.toml"), "{refused:?}");
    std::fs::write(&config, "[serve]\nlisten = \"127.0.0.1:0\"\n\n[telegramm]\nenabled = true\n").unwrap();
    let refused = house.run(&["serve"]);
    assert!(refused.stderr.contains("line 4") && refused.stderr.contains("telegram"), "{refused:?}");
}

#[test]
fn it_does_not_start_when_a_part_of_it_could_not_work_and_says_all_of_it() {
    let house = House::supervised();
    let config = house.metnos().join("config/metnos.toml");
    let tier = "[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"\ncredential = \"models\"\n";
    let door = "[telegram]\nenabled = true\napi = \"http://127.0.0.1:1\"\n";
    std::fs::write(&config, format!("{tier}{door}[undo]\nbudget_mb = \"many\"\n")).unwrap();
    let refused = house.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for told in [
        "line 5: tiers.wise.credential",
        "line 7: telegram.credential",
        "line 10: undo.budget_mb takes a whole",
    ] {
        assert!(refused.stderr.contains(told), "{told} in {refused:?}");
    }
    let checked = house.run(&["config", "check"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    assert!(checked.stdout.contains("metnos credentials set models token"), "{checked:?}");
    // What is named can be mended although the daemon does not start.
    std::fs::write(&config, format!("{tier}{door}")).unwrap();
    for name in ["models", "telegram"] {
        let kept = house.run_with(&["credentials", "set", name, "token"], b"1:secret\n");
        assert_eq!(kept.code, Some(0), "{kept:?}");
    }
    assert_eq!(house.run(&["config", "check"]).code, Some(0));
    Daemon::start(&house);
    std::fs::write(&config, "[telegram]\napi = \"http://bot.example.org\"\n").unwrap();
    let refused = house.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("line 2: telegram.api"), "{refused:?}");
    let refused = house.run(&["serve", "--listen", "8770"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("127.0.0.1:8770"), "{refused:?}");
}

#[test]
fn a_stop_lets_running_turns_end_and_says_goodbye_to_streams() {
    let house = House::supervised();
    std::fs::write(house.home().join("a.txt"), "a").unwrap();
    let daemon = Daemon::start(&house);
    let waits = daemon.ask("delete the file a.txt");
    let turn = waits["turn"].as_str().unwrap().to_owned();
    let mut events = daemon.events(&format!("/agent/turns/{turn}/stream"), None);
    assert!(events.any(|event| event.name == "approval"));
    assert!(daemon.stop(), "an open stream does not keep it from stopping");
    assert!(events.next().is_none(), "and it ends");
    let daemon = Daemon::start(&house);
    assert_eq!(
        daemon.get(&format!("/agent/turns/{turn}")).json()["status"],
        "waits",
        "what waited still does"
    );
}

#[test]
fn a_start_right_after_a_kill_waits_for_what_the_killed_one_had_started() {
    let house = House::new();
    let state = house.metnos().join("state");
    // What a killed daemon leaves for a moment: its note, and its lock in the hands of a dying child.
    let gone = std::process::Command::new("true").spawn().and_then(|mut child| {
        let pid = child.id();
        child.wait().map(|_| pid)
    });
    let note = json!({ "pid": gone.unwrap(), "url": "http://127.0.0.1:1" });
    std::fs::write(state.join("serve.json"), note.to_string()).unwrap();
    let lock = std::fs::File::create(state.join("serve.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let dying = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        drop(lock);
    });
    let daemon = Daemon::start(&house);
    dying.join().unwrap();
    assert_eq!(daemon.get("/healthz").status, 200);
}

/// A question that waits, for the files of Documents.
fn moves_them_all(house: &House, daemon: &Daemon, files: usize) -> (String, String) {
    for n in 0..files {
        house.write(&format!("Documents/{n}.txt"), "x");
    }
    let waits = daemon.ask("move the files in Documents to Archive");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_else(|| panic!("{waits}")).to_owned();
    (text(&waits["turn"]), text(&waits["approval"]["id"]))
}

#[test]
fn a_kill_in_the_middle_of_an_approved_step_takes_it_back_and_says_so() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let files = 6_000;
    let (turn, card) = moves_them_all(&house, &daemon, files);
    let yes = json!({ "answer": "once", "wait": false });
    assert_eq!(daemon.post(&format!("/agent/approvals/{card}"), &yes).status, 202);
    let moved = || std::fs::read_dir(house.home().join("Archive")).map_or(0, Iterator::count);
    while moved() < 20 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let meanwhile = daemon.get(&format!("/agent/turns/{turn}")).json();
    daemon.kill();
    assert_eq!(meanwhile["status"], "running", "it does not say that it waits: {meanwhile}");
    let daemon = Daemon::start(&house);
    let after = daemon.get(&format!("/agent/turns/{turn}")).json();
    assert_eq!(after["status"], "interrupted", "{after}");
    assert_eq!(moved(), 0, "what was cut is taken back");
    assert_eq!(std::fs::read_dir(house.home().join("Documents")).unwrap().count(), files);
    let last = daemon.events(&format!("/agent/turns/{turn}/stream"), None).last().unwrap();
    assert_eq!((last.name.as_str(), &last.data["status"]), ("final", &json!("interrupted")), "it ends");
}

#[test]
fn of_two_answers_at_once_one_counts_and_only_the_other_is_refused() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let (turn, card) = moves_them_all(&house, &daemon, 500);
    let yes = || daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" }));
    let both = std::thread::scope(|scope| {
        let two = [scope.spawn(yes), scope.spawn(yes)];
        two.map(|one| one.join().unwrap())
    });
    let mut statuses = both.each_ref().map(|answer| answer.status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{both:?}");
    let won = both.iter().find(|answer| answer.status == 200).unwrap().json();
    assert_eq!(won["status"], "done", "{won}");
    // Somebody who begins a turn that runs, or ran, is refused, and nobody else notices.
    let again = daemon.post("/agent/turn", &json!({ "text": "what time is it", "turn": turn }));
    assert_eq!(again.status, 409, "{again:?}");
    assert_eq!(daemon.get(&format!("/agent/turns/{turn}")).json()["status"], "done");
}

#[test]
fn a_turn_that_waits_or_asks_can_be_given_up() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let (turn, card) = moves_them_all(&house, &daemon, 2);
    let give_up = |turn: &str| daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({}));
    assert_eq!(give_up(&turn).status, 202);
    assert_eq!(daemon.get(&format!("/agent/turns/{turn}")).json()["status"], "cancelled");
    let late = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" }));
    assert_eq!(late.status, 409, "its question went with it: {late:?}");
    assert!(house.home().join("Documents/0.txt").exists());
    assert_eq!(give_up(&turn).status, 409, "there is nothing left to give up");
    let asks = daemon.ask("move 0.txt")["turn"].as_str().unwrap().to_owned();
    assert_eq!(give_up(&asks).status, 202);
    assert_eq!(daemon.get(&format!("/agent/turns/{asks}")).json()["status"], "cancelled");
}

/// Holds a turn as a process does that goes on with it.
fn held(house: &House, turn: &str) -> std::fs::File {
    let lock = std::fs::File::create(house.metnos().join(format!("state/turns/{turn}.lock"))).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    lock
}

#[test]
fn a_turn_that_is_being_answered_is_not_given_up_beside() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let turn = daemon.ask("move a.txt")["turn"].as_str().unwrap().to_owned();
    let status = || daemon.get(&format!("/agent/turns/{turn}")).json()["status"].clone();
    let give_up = || daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).status;
    assert_eq!(status(), "asks");
    let lock = held(&house, &turn);
    assert_eq!(give_up(), 409, "somebody has it");
    assert_eq!(status(), "asks", "and nothing of it changed");
    assert!(house.metnos().join(format!("state/turns/{turn}.lock")).exists(), "it is still theirs");
    drop(lock);
    assert_eq!(give_up(), 202);
    assert_eq!(status(), "cancelled");
}

#[test]
fn a_stop_is_for_what_runs_and_not_for_what_is_allowed_later() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    for n in 0..4_000 {
        house.write(&format!("Documents/{n}.txt"), "x");
    }
    let asked = json!({ "text": "move the files in Documents to Archive" });
    // A stop that comes while the card is made finds nothing to stop; one that comes later ends the turn.
    for _ in 0..20 {
        let turn = daemon.post("/agent/turn/submit", &asked).json()["turn"].as_str().unwrap().to_owned();
        let status = || daemon.get(&format!("/agent/turns/{turn}")).json();
        let mut events = daemon.events(&format!("/agent/turns/{turn}/stream"), None);
        let moves = |tool: &serde_json::Value| tool.as_str().is_some_and(|tool| tool.starts_with("move"));
        assert!(events.any(|event| event.data["state"] == "begins" && moves(&event.data["tool"])));
        assert_eq!(daemon.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).status, 202);
        while status()["status"] == "running" {
            std::thread::sleep(Duration::from_millis(5));
        }
        let now = status();
        if now["status"] == "waits" {
            let card = now["approval"]["id"].as_str().unwrap();
            let on = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" })).json();
            assert_eq!(on["status"], "done", "{on}");
            assert_eq!(std::fs::read_dir(house.home().join("Archive")).unwrap().count(), 4_000);
            // Watched all the while.
            assert!(events.any(|event| event.name == "final"));
            return;
        }
        assert_eq!(now["status"], "cancelled", "{now}");
    }
    panic!("every stop came after the card");
}

#[test]
fn the_same_request_twice_is_two_questions_and_each_has_its_end() {
    let house = House::supervised();
    house.write("Documents/a.txt", "a");
    let daemon = Daemon::start(&house);
    let ask = || daemon.ask("move a.txt from Documents to Archive");
    let (first, second) = (ask(), ask());
    for told in [&first, &second] {
        assert_eq!(told["status"], "waits", "{told}");
        assert_eq!(told["approval"]["turn"], told["turn"], "its question is its own: {told}");
    }
    let decide = |told: &serde_json::Value| {
        let card = told["approval"]["id"].as_str().unwrap();
        daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" })).json()
    };
    let status = |told: &serde_json::Value| {
        daemon.get(&format!("/agent/turns/{}", told["turn"].as_str().unwrap())).json()["status"].clone()
    };
    let done = decide(&second);
    assert_eq!((&done["turn"], &done["status"]), (&second["turn"], &json!("done")), "{done}");
    assert!(house.home().join("Archive/a.txt").exists());
    assert_eq!(status(&first), "waits", "one yes is for one of them");
    // The file is where it was again, and the other yes has not been given.
    assert_eq!(
        daemon.post(&format!("/agent/turns/{}/undo", second["turn"].as_str().unwrap()), &json!({})).status,
        200
    );
    assert!(house.home().join("Documents/a.txt").exists());
    let late = decide(&first);
    assert_eq!((&late["turn"], &late["status"]), (&first["turn"], &json!("done")), "{late}");
    assert!(house.home().join("Archive/a.txt").exists());
    house.chain_holds();
}

#[test]
fn a_yes_to_a_very_long_list_is_a_yes_to_that_list_and_to_no_other() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    // Longer than what is kept with a question.
    let files = 9_000;
    for n in 0..files {
        house.write(&format!("Documents/Big/{n:05}-{}.txt", "x".repeat(220)), "");
    }
    let left = || std::fs::read_dir(house.home().join("Documents/Big")).map_or(0, Iterator::count);
    let ask = || {
        let asked = json!({ "text": "delete all the files in Documents/Big", "language": "en" });
        let told = daemon.post("/agent/turn", &asked).json();
        assert_eq!(told["status"], "waits", "{told}");
        assert!(!told["next"].as_str().unwrap_or_default().contains("terminal"), "{}", told["next"]);
        let turn = told["turn"].as_str().unwrap().to_owned();
        (turn, told["approval"]["id"].as_str().unwrap().to_owned())
    };
    let list = |turn: &str| {
        let all = std::fs::read_dir(house.metnos().join(format!("state/turns/{turn}"))).unwrap();
        let long = |path: &std::path::PathBuf| path.metadata().unwrap().len() > 4 << 20;
        all.map(|file| file.unwrap().path()).find(long).unwrap()
    };
    let answer = |card: &str, answer: &str| {
        daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": answer }))
    };
    // Another list lies there by now.
    let (turn, card) = ask();
    let text = std::fs::read_to_string(list(&turn)).unwrap();
    std::fs::write(list(&turn), text.split_once('\n').unwrap().1).unwrap();
    let told = answer(&card, "once").json();
    assert_eq!((&told["status"], left()), (&json!("failed"), files), "{told}");
    assert!(told["text"].as_str().unwrap().contains("no longer the one"), "{told}");
    // None does: the yes is not taken, a no is.
    let (turn, card) = ask();
    std::fs::remove_file(list(&turn)).unwrap();
    let told = answer(&card, "once");
    assert!(told.status >= 400 && told.body.contains("no longer kept"), "{told:?}");
    let now = daemon.get(&format!("/agent/turns/{turn}")).json();
    assert_eq!((&now["approval"]["standing"], left()), (&json!("pending"), files), "{now}");
    assert_eq!(answer(&card, "no").json()["status"], "cancelled");
    // The very list.
    let (_, card) = ask();
    let told = answer(&card, "once").json();
    assert_eq!((&told["status"], left()), (&json!("done"), 0), "{told}");
    house.chain_holds();
}

/// Posts as a browser does, over TLS; gives the status and the headers.
const OVER_TLS: &str = r#"
import http.client, json, ssl, sys
host, token, cookie, more = sys.argv[1:5]
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
line = http.client.HTTPSConnection(host, context=context, timeout=60)
headers = {"Content-Type": "application/json", "Origin": "https://" + host}
if cookie: headers["Cookie"] = cookie
line.request("POST", "/login", json.dumps({"token": token, **json.loads(more)}), headers)
answer = line.getresponse()
print(answer.status); print(answer.getheader("Set-Cookie") or ""); print(answer.read().decode())
"#;

#[test]
fn over_tls_the_cookie_belongs_to_this_host_alone_and_another_persons_link_asks() {
    let house = House::supervised();
    let config = house.metnos().join("config/metnos.toml");
    std::fs::write(&config, "[serve]\ntls = \"own\"\nlisten = \"127.0.0.1:0\"\n").unwrap();
    assert_eq!(house.run(&["users", "add", "Anna", "--as", "member"]).code, Some(0));
    let daemon = Daemon::start_as_configured(&house);
    let link = |args: &[&str]| {
        let ran = house.run(&[&["--json", "login-link"], args].concat()).json();
        ran["login"].as_str().unwrap_or_else(|| panic!("{ran}")).split_once('#').unwrap().1.to_owned()
    };
    let post = |token: &str, cookie: &str, more: &str| {
        let mut python = std::process::Command::new("python3");
        let ran = python.args(["-c", OVER_TLS, &daemon.address, token, cookie, more]).output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        let mut lines = text.lines().map(str::to_owned);
        let status = lines.next().unwrap_or_else(|| panic!("{ran:?}"));
        (status, lines.next().unwrap_or_default(), lines.collect::<String>())
    };
    let (status, cookie, body) = post(&link(&[]), "", "{}");
    assert_eq!(status, "200", "{body}");
    assert!(cookie.starts_with("__Host-metnos="), "{cookie}");
    for word in ["Secure", "HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.split("; ").any(|part| part == word), "{word}: {cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    // A link of somebody else does not change by itself who this browser is.
    let mine = cookie.split(';').next().unwrap();
    let hers = link(&["--person", "anna"]);
    let (status, set, body) = post(&hers, mine, "{}");
    assert_eq!((status.as_str(), set.as_str()), ("409", ""), "{body}");
    assert!(body.contains("Anna"), "{body}");
    let (status, set, body) = post(&hers, mine, r#"{"switch": true}"#);
    assert_eq!(status, "200", "the link was not used up by the question: {body}");
    assert!(set.starts_with("__Host-metnos="), "{set}");
    // A cookie of the other name, which any page of this machine could set, is nobody.
    let plain = mine.replace("__Host-", "");
    let (status, _, body) = post(&link(&[]), &plain, "{}");
    assert_eq!(status, "200", "{body}");
}
