//! Every move of an executor has its opposite, a reason and an audit line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::skill::Skill;
use serde_json::{Value, json};

const NAME: &str = "compute_texts_lines";

fn moves(house: &House, name: &str) -> Vec<String> {
    let lines = house.audit_lines().into_iter().filter(|l| l["kind"] == "lifecycle");
    let lines = lines.filter(|l| l.pointer("/detail/name") == Some(&json!(name)));
    lines.map(|l| l["detail"]["act"].as_str().unwrap().to_owned()).collect()
}

fn act(house: &House, words: &[&str]) -> Value {
    let mut args = vec!["executors"];
    args.extend(words);
    args.extend(["--reason", "the test asks", "--json"]);
    let ran = house.run(&args);
    assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
    ran.json()
}

#[test]
fn a_signed_skill_runs_and_every_move_of_it_can_be_taken_back() {
    let house = House::new();
    let ran = Skill::counter("1.0.0").sign(&house);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let words = json!({ "text": "a bc def" });
    let answer = house.exec(NAME, words.clone());
    assert_eq!((&answer["ok"], &answer["value"]), (&json!(true), &json!(3)), "{answer}");
    assert_eq!(answer["entries"][2]["length"], 3, "{answer}");
    assert_eq!(house.row(NAME)["root"], "skills");

    for (away, back, state) in [("archive", "restore", "archived"), ("quarantine", "approve", "quarantined")]
    {
        act(&house, &[away, NAME]);
        let row = house.row(NAME);
        assert_eq!(row["state"], state, "{row}");
        let refused = house.exec_ran(NAME, words.clone());
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.json()["error"]["message"].as_str().unwrap().contains(state), "{refused:?}");
        act(&house, &[back, NAME]);
        assert_eq!(house.row(NAME)["state"], "active");
        assert_eq!(house.exec(NAME, words.clone())["value"], 3);
    }
    assert_eq!(moves(&house, NAME), ["sign", "promote", "archive", "restore", "quarantine", "approve"]);
    house.chain_holds();
}

#[test]
fn two_versions_live_side_by_side_and_promotion_chooses() {
    let house = House::new();
    assert_eq!(Skill::counter("1.0.0").sign(&house).code, Some(0));
    let mut second = Skill::counter("1.1.0");
    second.code = second.code.replace("len(words)", "len(words) + 0");
    let version = |house: &House| house.row(NAME)["version"].as_str().unwrap().to_owned();
    let signed = second.install(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    assert_eq!(signed.json()["in_use"], false);
    let next = signed.json()["next"].as_str().unwrap().to_owned();
    assert!(next.contains("executors promote compute_texts_lines 1.1.0"), "{next}");
    assert_eq!(version(&house), "1.0.0", "signing puts nothing to use");
    let old = house.run_with(&["--json", "exec", NAME, "-", "--version-of", "1.1.0"], br#"{"text": "a b"}"#);
    assert_eq!(old.json()["value"], 2, "{old:?}");
    let calls: Vec<Value> = house.audit_lines().into_iter().filter(|l| l["caller"] == "host/cli").collect();
    let last = calls.iter().rev().find(|l| l["executor"] == NAME).unwrap();
    assert_eq!(last["version"], "1.1.0", "{last}");
    act(&house, &["promote", NAME, "1.1.0"]);
    assert_eq!(version(&house), "1.1.0");
    assert_eq!(moves(&house, NAME), ["sign", "promote", "sign", "promote"]);

    // A version is never changed in place, and one that is not there cannot be promoted.
    let mut other = Skill::counter("1.1.0");
    other.code.push_str("# more\n");
    let taken = other.install(&house);
    assert_eq!(taken.code, Some(1), "{taken:?}");
    assert_eq!(taken.json()["error"]["class"], "conflict");
    let absent = house.run(&["executors", "promote", NAME, "9.9.9", "--reason", "x", "--json"]);
    assert_ne!(absent.code, Some(0), "{absent:?}");
    assert_eq!(house.exec(NAME, json!({ "text": "a b" }))["value"], 2);
}

#[test]
fn a_broken_promise_at_birth_quarantines_and_is_named() {
    let house = House::new();
    let mut skill = Skill::counter("1.0.0");
    skill.code = skill.code.replace("len(words),", "7,");
    let ran = skill.sign(&house);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("every word is counted"), "{message}");
    let row = house.row(NAME);
    assert_eq!(row["state"], "quarantined");
    assert!(row["reason"].as_str().unwrap().contains("every word is counted"), "{row}");
    assert_eq!(house.exec_ran(NAME, json!({ "text": "a" })).code, Some(3));
    assert_eq!(moves(&house, NAME), ["quarantine"]);
    // Approving what is still broken puts it straight back.
    let again = house.run(&["executors", "approve", NAME, "--reason", "hope", "--json"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert_eq!(house.row(NAME)["state"], "quarantined");
    house.chain_holds();
}

#[test]
fn code_that_breaks_the_static_rule_is_not_installed() {
    let house = House::new();
    for bad in ["eval('1')", "__import__('os')", "().__class__"] {
        let mut skill = Skill::counter("1.0.0");
        skill.code =
            format!("def run(args, ctx):\n    x = {bad}\n    return {{'value': 0, 'entries': []}}\n");
        skill.name = "compute_texts_sentences".into();
        let ran = skill.sign(&house);
        assert_eq!(ran.code, Some(3), "{bad}: {ran:?}");
        let ran = house.exec_ran("compute_texts_sentences", json!({ "text": "a" }));
        assert_ne!(ran.code, Some(0), "{bad}: {ran:?}");
    }
}

#[test]
fn a_skill_cannot_take_a_seeds_name_and_a_seed_cannot_be_signed_by_hand() {
    let house = House::new();
    let mut thief = Skill::counter("9.0.0");
    thief.name = "compute_texts".into();
    let ran = thief.sign(&house);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("belongs to seed"), "{ran:?}");

    // Also not while the seed is away.
    act(&house, &["archive", "compute_texts"]);
    assert_eq!(thief.sign(&house).code, Some(3));
    act(&house, &["restore", "compute_texts"]);
    act(&house, &["quarantine", "compute_texts"]);
    assert_eq!(thief.sign(&house).code, Some(3));
    act(&house, &["approve", "compute_texts"]);
    assert_eq!(house.row("compute_texts")["verified"], true);

    let mut seed = Skill::counter("1.0.0");
    seed.created_by = "seed".into();
    let ran = seed.sign(&house);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(ran.json()["error"]["class"], "forbidden");
}

/// Everything that lies in a folder, with its bytes.
fn bytes_below(dir: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => all.extend(bytes_below(&entry.path())),
            false => {
                all.insert(entry.path(), std::fs::read(entry.path()).unwrap());
            }
        }
    }
    all
}

fn broken(version: &str) -> Skill {
    let mut skill = Skill::counter(version);
    skill.code = skill.code.replace("len(words),", "7,");
    skill
}

#[test]
fn a_candidate_that_breaks_its_promise_leaves_what_is_in_use_byte_for_byte() {
    let house = House::new();
    assert_eq!(Skill::counter("1.0.0").sign(&house).code, Some(0));
    let place = house.metnos().join("executors/skills").join(NAME);
    let before = bytes_below(&place);
    let words = json!({ "text": "a b" });
    let untouched = |what: &str| {
        assert_eq!(bytes_below(&place), before, "{what}");
        assert_eq!(house.exec(NAME, words.clone())["value"], 2, "{what}");
        let row = house.row(NAME);
        assert_eq!((&row["state"], &row["version"]), (&json!("active"), &json!("1.0.0")), "{what}");
    };
    let failed = broken("1.1.0").install(&house);
    assert_eq!(failed.code, Some(3), "{failed:?}");
    let hint = failed.json()["error"]["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("1.0.0 stays in use"), "{hint}");
    untouched("signed");
    // The reason stands beside it in the list.
    let rows = house.run(&["executors", "list", "--json"]).json();
    let away =
        rows.as_array().unwrap().iter().find(|row| row["name"] == NAME && row["state"] == "quarantined");
    assert_eq!(away.unwrap()["version"], "1.1.0", "{rows}");
    // Tried again as it lies there, and signed again, it changes nothing either.
    let again = house.run(&["executors", "approve", NAME, "--reason", "hope", "--json"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    untouched("approved");
    assert_eq!(broken("1.1.0").install(&house).code, Some(3));
    untouched("signed again");
    assert_ne!(house.run(&["executors", "promote", NAME, "1.1.0", "--reason", "x"]).code, Some(0));
    untouched("promoted");
    // One that was good when it was signed is tested again beside the one in use.
    let mut good = Skill::counter("1.2.0");
    good.code = good.code.replace("# the end", "# another end");
    assert_eq!(good.install(&house).code, Some(0));
    let tested = house.run(&["executors", "test", &format!("{NAME}@1.2.0"), "--json"]);
    assert_eq!(
        (tested.code, &tested.json()["executors"][0]["version"]),
        (Some(0), &json!("1.2.0")),
        "{tested:?}"
    );
    std::fs::write(place.join("1.2.0/main.py"), "def run(args, ctx):\n    return {}\n").unwrap();
    let call = br#"{"text": "a b"}"#;
    let changed = house.run_with(&["--json", "exec", NAME, "-", "--version-of", "1.2.0"], call);
    assert_eq!(changed.code, Some(3), "{changed:?}");
    untouched("a candidate whose code was changed");
    assert_eq!(
        moves(&house, NAME),
        ["sign", "promote", "quarantine", "quarantine", "quarantine", "sign", "quarantine"]
    );
    house.chain_holds();
}

#[test]
fn of_two_versions_the_bad_one_goes_and_the_other_can_be_promoted() {
    let house = House::new();
    assert_eq!(Skill::counter("1.0.0").sign(&house).code, Some(0));
    assert_eq!(Skill::counter("1.1.0").sign(&house).code, Some(0));
    act(&house, &["quarantine", NAME]);
    for _ in 0..2 {
        let refused = house.exec_ran(NAME, json!({ "text": "a" })).json();
        let hint = refused["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("approve") && hint.contains(&format!("promote {NAME} 1.0.0")), "{refused}");
    }
    act(&house, &["promote", NAME, "1.0.0"]);
    assert_eq!(house.exec(NAME, json!({ "text": "a b" }))["value"], 2);
    assert_eq!(house.row(NAME)["version"], "1.0.0");
    // The other one comes back beside it.
    act(&house, &["approve", NAME]);
    assert_eq!(house.row(NAME)["version"], "1.0.0");
    act(&house, &["promote", NAME, "1.1.0"]);
    assert_eq!(house.row(NAME)["version"], "1.1.0");
}

#[test]
fn what_was_signed_and_not_promoted_is_not_called_and_says_what_is_missing() {
    let house = House::new();
    assert_eq!(Skill::counter("1.0.0").install(&house).code, Some(0));
    assert_eq!(house.row(NAME)["state"], "synthesised");
    for _ in 0..2 {
        let refused = house.exec_ran(NAME, json!({ "text": "a" }));
        assert_eq!(refused.code, Some(3), "{refused:?}");
        let hint = refused.json()["error"]["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains(&format!("metnos executors promote {NAME} 1.0.0")), "{hint}");
    }
    assert_eq!(Skill::counter("1.0.0").promote(&house).code, Some(0));
    assert_eq!(house.exec(NAME, json!({ "text": "a" }))["value"], 1);
    assert_eq!(moves(&house, NAME), ["sign", "promote"], "a call that came too early quarantines nothing");
}

#[test]
fn what_is_out_of_use_is_not_planned_and_the_answer_names_the_command_that_helps() {
    let house = House::new();
    house.write("Documents/a.pdf", "a");
    let request = ["--json", "ask", "find the pdf files in Documents"];
    let found = |ran: &crate::support::Ran| ran.json()["entries"].as_array().map_or(0, Vec::len);
    // Often enough that the request is kept with its plan.
    for _ in 0..4 {
        let ran = house.run(&request);
        assert_eq!(found(&ran), 1, "{ran:?}");
    }
    for (away, back) in [("archive", "restore"), ("quarantine", "approve")] {
        act(&house, &[away, "find_files"]);
        let refused = house.run(&request);
        assert_eq!(refused.json()["status"], "dormant", "{refused:?}");
        let help = format!("metnos executors {back} find_files");
        assert!(refused.json()["text"].as_str().unwrap().contains(&help), "{refused:?}");
        let italian = house.run(&["--json", "ask", "trova i pdf in Documents"]).json();
        let text = italian["text"].as_str().unwrap();
        assert!(text.contains(&help) && text.contains("Non è stato fatto nulla"), "{italian}");
        let called = house.exec_ran("find_files", json!({})).json();
        assert!(called["error"]["hint"].as_str().unwrap().contains(&help), "{called}");
        let calls = house.audit_lines().into_iter().rev().take(2);
        assert!(calls.filter(|line| line["executor"] == "find_files").all(|line| line["kind"] != "call"));
        act(&house, &[back, "find_files"]);
        assert_eq!(found(&house.run(&request)), 1, "{back}");
    }
}

#[test]
fn a_running_daemon_sees_what_is_signed_promoted_archived_and_restored() {
    let house = House::new();
    let daemon = crate::support::daemon::Daemon::start(&house);
    let status = || daemon.ask("find my messages")["status"].as_str().unwrap().to_owned();
    assert_eq!(status(), "dormant", "nothing is there yet");
    let mut mailbox = Skill::mailbox();
    mailbox.sandbox = String::new();
    mailbox.code = "def run(args, ctx):\n    return {\"entries\": [{\"subject\": \"hello\"}] if not args.get(\"dry\") else []}\n".into();
    assert_eq!(mailbox.install(&house).code, Some(0));
    let waits = daemon.ask("find my messages");
    assert_eq!(waits["status"], "dormant", "{waits}");
    assert!(
        waits["text"].as_str().unwrap().contains("metnos executors promote find_messages 1.0.0"),
        "{waits}"
    );
    assert_eq!(mailbox.promote(&house).code, Some(0));
    let found = daemon.ask("find my messages");
    assert_eq!(
        (&found["status"], &found["entries"][0]["subject"]),
        (&json!("done"), &json!("hello")),
        "{found}"
    );
    let page = |what: &str| {
        let page = daemon.get("/admin/executors");
        assert!(page.body.contains("find_messages"), "{what}: {page:?}");
    };
    page("in use");
    act(&house, &["archive", "find_messages"]);
    let archived = daemon.ask("find my messages");
    assert_eq!(archived["status"], "dormant", "{archived}");
    assert!(
        archived["text"].as_str().unwrap().contains("metnos executors restore find_messages"),
        "{archived}"
    );
    act(&house, &["restore", "find_messages"]);
    assert_eq!(status(), "done");
    // A second version, promoted while the daemon runs.
    mailbox.version = "1.1.0".into();
    mailbox.code = mailbox.code.replace("hello", "again");
    assert_eq!(mailbox.install(&house).code, Some(0));
    assert_eq!(daemon.ask("find my messages")["entries"][0]["subject"], "hello");
    assert_eq!(mailbox.promote(&house).code, Some(0));
    assert_eq!(daemon.ask("find my messages")["entries"][0]["subject"], "again");
    act(&house, &["archive", "find_files"]);
    house.write("Documents/a.pdf", "a");
    assert_eq!(daemon.ask("find the pdf files in Documents")["status"], "dormant");
    act(&house, &["restore", "find_files"]);
    assert_eq!(daemon.ask("find the pdf files in Documents")["status"], "done");
}

#[test]
fn a_running_daemon_sees_folders_that_are_opened_and_closed() {
    let house = House::new();
    let outside = house.metnos().with_file_name("elsewhere");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("x.pdf"), "x").unwrap();
    let daemon = crate::support::daemon::Daemon::start(&house);
    let request = format!("find the pdf files in \"{}\"", outside.display());
    let found = || daemon.ask(&request)["entries"].as_array().map_or(0, Vec::len);
    assert_eq!(found(), 0);
    let path = outside.to_str().unwrap();
    assert_eq!(house.run(&["territory", "add", path]).code, Some(0));
    assert_eq!(found(), 1);
    assert_eq!(house.run(&["territory", "remove", path]).code, Some(0));
    assert_eq!(found(), 0);
}
