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
    assert_eq!(moves(&house, NAME), ["sign", "archive", "restore", "quarantine", "approve"]);
    house.chain_holds();
}

#[test]
fn two_versions_live_side_by_side_and_promotion_chooses() {
    let house = House::new();
    assert_eq!(Skill::counter("1.0.0").sign(&house).code, Some(0));
    let mut second = Skill::counter("1.1.0");
    second.code = second.code.replace("len(words)", "len(words) + 0");
    assert_eq!(second.sign(&house).code, Some(0));
    let version = |house: &House| house.row(NAME)["version"].as_str().unwrap().to_owned();
    assert_eq!(version(&house), "1.1.0");
    act(&house, &["promote", NAME, "1.0.0"]);
    assert_eq!(version(&house), "1.0.0");
    let old = house.run_with(&["--json", "exec", NAME, "-", "--version-of", "1.1.0"], br#"{"text": "a b"}"#);
    assert_eq!(old.json()["value"], 2, "{old:?}");
    let calls: Vec<Value> = house.audit_lines().into_iter().filter(|l| l["caller"] == "host/cli").collect();
    let last = calls.iter().rev().find(|l| l["executor"] == NAME).unwrap();
    assert_eq!(last["version"], "1.1.0", "{last}");
    act(&house, &["promote", NAME, "1.1.0"]);
    assert_eq!(version(&house), "1.1.0");
    assert_eq!(moves(&house, NAME), ["sign", "sign", "promote", "promote"]);

    // A version is never changed in place, and one that is not there cannot be promoted.
    let mut other = Skill::counter("1.1.0");
    other.code.push_str("# more\n");
    let taken = other.sign(&house);
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
