//! A model found, tried, shown and bound; and everything that may be wrong with it on the way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::daemon::Daemon;
use crate::support::model::{Lists, Model, Say, plan};
use crate::support::{House, Ran};
use metnos_testkit::{Fix, skipped};
use serde_json::{Value, json};
use std::time::Duration;

/// Nothing explains these words.
const GAP: &str = "frobnicate the zzyzx of Pictures";
const BEFORE: &str = "# mine\n[undo]\nkeep_days = 9 # nine\n";

fn here() -> Say {
    Say::Text("here".into())
}

fn found() -> Say {
    Say::Text(plan(json!([{ "tool": "find_files", "args": { "base_path": "~/Pictures", "kind": "image" } }])))
}

fn house() -> House {
    let house = House::supervised();
    house.write("Pictures/a.jpg", "a");
    write(&house, BEFORE);
    house
}

fn write(house: &House, text: &str) {
    std::fs::write(house.metnos().join("config/metnos.toml"), text).unwrap();
}

fn config(house: &House) -> String {
    std::fs::read_to_string(house.metnos().join("config/metnos.toml")).unwrap()
}

fn backups(house: &House) -> Vec<String> {
    let all = std::fs::read_dir(house.metnos().join("config")).unwrap().flatten();
    let names = all.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".bak")).collect()
}

fn setup(house: &House, model: &Model, more: &[&str]) -> Ran {
    let port = model.port.to_string();
    house.run(&[&["--json", "models", "setup", "--port", &port][..], more].concat())
}

#[test]
fn a_model_is_found_tried_shown_and_bound_and_a_second_time_nothing_changes() {
    let house = house();
    let model = Model::listing(Lists::Settings("tiny", 32_768), vec![here(), found()]);
    // Without a yes and without a terminal everything is shown and nothing is written.
    let asks = setup(&house, &model, &[]);
    assert_eq!((asks.code, config(&house)), (Some(4), BEFORE.to_owned()), "{asks:?}");
    let model = Model::listing(Lists::Settings("tiny", 32_768), vec![here(), found()]);
    let told = setup(&house, &model, &["--yes"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let answer = told.json();
    assert_eq!((&answer["changed"], &answer["answered"]["context"]), (&json!(true), &json!(32_768)));
    let examples = answer["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 3, "{answer}");
    for example in examples {
        assert!(!example["before"].as_str().unwrap().is_empty(), "{example}");
        assert!(!example["after"].as_array().unwrap().is_empty(), "{example}");
    }
    // The whole catalog was shown to it: there is room.
    let asked = model.seen()[1].body["messages"][1]["content"].to_string();
    assert!(asked.contains("create_events("), "{asked}");
    let written = config(&house);
    assert!(written.starts_with(BEFORE), "{written}");
    assert!(written.contains(&format!(
        "[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:{}\"\nmodel = \"tiny\"\n",
        model.port
    )));
    let backup = backups(&house);
    assert_eq!(backup.len(), 1);
    assert_eq!(std::fs::read_to_string(house.metnos().join("config").join(&backup[0])).unwrap(), BEFORE);
    let again = setup(&house, &model, &["--yes"]);
    assert_eq!((again.code, &again.json()["changed"]), (Some(0), &json!(false)), "{again:?}");
    assert_eq!((config(&house), backups(&house).len()), (written, 1));
    // Nothing of the examples ran, and it is asked from now on.
    assert_eq!(house.run(&["--json", "ask", GAP]).json()["by_model"], true);
    house.chain_holds();
}

#[test]
fn whatever_answers_in_place_of_a_model_is_told_with_the_next_step_and_nothing_is_written() {
    let house = house();
    let refused = |lists: Lists, more: &[&str], code: i32, said: &str| {
        let model = Model::listing(lists.clone(), vec![here()]);
        let told = setup(&house, &model, &[&["--yes"], more].concat());
        assert_eq!(told.code, Some(code), "{lists:?}: {told:?}");
        assert!(told.stdout.contains(said), "{lists:?}: {said}: {told:?}");
        assert!(model.seen().is_empty(), "{lists:?}: nobody was asked anything");
    };
    refused(Lists::Body(200, "<html>"), &[], 1, "is no server of models");
    refused(Lists::Body(200, "{\"data\": 1}"), &[], 1, "is no server of models");
    refused(Lists::Body(500, "oops"), &[], 1, "is no server of models");
    refused(Lists::Keyed("k"), &[], 1, "metnos credentials set models");
    refused(Lists::Late(Duration::from_secs(30)), &[], 1, "in time");
    refused(Lists::Models(vec![], None), &[], 1, "has no model");
    refused(Lists::Models(vec!["a", "b"], None), &[], 2, "--model");
    refused(Lists::Models(vec!["a", "b"], None), &["--model", "c"], 1, "has no model c");
    // Nobody there: what was looked at, and the one next step.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let nobody = house.run(&["--json", "models", "setup", "--yes", "--port", &port]);
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    assert!(nobody.stdout.contains(&port) && nobody.stdout.contains("llama-server"), "{nobody:?}");
    // It answers one word, and is gone.
    let model = Model::listing(Lists::Models(vec!["a"], None), vec![here(), Say::HangUp]);
    let gone = setup(&house, &model, &["--yes"]);
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert!(gone.stdout.contains("does not answer any more"), "{gone:?}");
    // It lists its models, and answers nothing.
    let model = Model::listing(Lists::Models(vec!["a"], None), vec![Say::Status(500, "oops")]);
    let silent = setup(&house, &model, &["--yes"]);
    assert!(silent.code == Some(1) && silent.stdout.contains("does not answer"), "{silent:?}");
    assert_eq!((config(&house), backups(&house).len()), (BEFORE.to_owned(), 0));
    // A configuration that is not understood is not touched, and nobody is looked for.
    write(&house, "[undo]\nkeep_dais = 3\n");
    let model = Model::listing(Lists::Models(vec!["a"], None), vec![here(), found()]);
    let broken = setup(&house, &model, &["--yes"]);
    assert_eq!((broken.code, config(&house)), (Some(2), "[undo]\nkeep_dais = 3\n".to_owned()), "{broken:?}");
}

#[test]
fn one_of_several_is_named_its_key_comes_from_the_vault_and_another_role_can_be_bound() {
    const KEY: &str = "sk-test-0123456789abcdef0123";
    let house = house();
    let model = Model::listing(Lists::Keyed(KEY), vec![here(), found()]);
    let kept = house.run_with(&["credentials", "set", "models"], format!("{KEY}\n").as_bytes());
    assert_eq!(kept.code, Some(0), "{kept:?}");
    let url = format!("http://127.0.0.1:{}/v1", model.port);
    let told = house.run(&["--json", "models", "setup", "--yes", "--url", &url, "--credential", "models"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(model.seen()[0].head.contains(&format!("authorization: bearer {KEY}").to_lowercase()));
    assert!(config(&house).contains("credential = \"models\"") && !config(&house).contains(KEY));
    assert!(!told.stdout.contains(KEY) && !told.stderr.contains(KEY));
    let other = Model::listing(Lists::Models(vec!["a", "b"], None), vec![here(), found()]);
    let told = setup(&house, &other, &["--yes", "--model", "b", "--role", "fast"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let written = config(&house);
    assert!(written.contains("[tiers.fast]") && written.contains("model = \"b\""), "{written}");
    assert!(written.contains(&format!("127.0.0.1:{}", model.port)), "the other role stays: {written}");
}

#[test]
fn how_a_model_can_be_bound_is_said_once_in_a_house_and_not_where_one_is() {
    let house = house();
    let gap = |text: &str| {
        let told = house.run(&["--json", "ask", text]);
        assert_eq!(told.json()["status"], "gap", "{told:?}");
        told.json()["text"].as_str().unwrap().to_owned()
    };
    assert!(gap(GAP).contains("metnos models setup"));
    assert!(!gap(GAP).contains("models setup") && !gap("zzyzx qwrt the plugh").contains("models setup"));
    let house = self::house();
    let model = Model::saying(vec![Say::Text("{\"plans\":[]}".into())]);
    write(&house, &model.bound("wise", ""));
    let told = house.run(&["--json", "ask", GAP]);
    assert!(!told.stdout.contains("models setup"), "{told:?}");
}

#[test]
fn the_page_looks_tries_and_binds_for_the_host_alone_and_the_daemon_asks_it_at_once() {
    let house = house();
    let daemon = Daemon::start(&house);
    let model = Model::listing(Lists::Settings("tiny", 32_768), vec![here(), found()]);
    let looked = daemon.post("/admin/models/look", &json!({ "ports": [model.port] }));
    assert_eq!(looked.status, 200, "{looked:?}");
    assert_eq!(looked.json()["models"][0]["model"], "tiny");
    let which = json!({ "url": looked.json()["models"][0]["url"], "model": "tiny" });
    let tried = daemon.post("/admin/models/try", &which);
    assert_eq!((tried.status, &tried.json()["changes"]), (200, &json!(true)), "{tried:?}");
    let lines = tried.json()["lines"].to_string();
    assert!(
        lines.contains("before: ") && lines.contains("after: ") && lines.contains("[tiers.wise]"),
        "{lines}"
    );
    assert_eq!(config(&house), BEFORE, "nothing was written");
    assert_eq!(daemon.ask(GAP)["status"], "gap");
    let bound = daemon.post("/admin/models/bind", &which);
    assert_eq!((bound.status, &bound.json()["changes"]), (200, &json!(true)), "{bound:?}");
    assert!(config(&house).starts_with(BEFORE) && backups(&house).len() == 1);
    assert_eq!(daemon.ask(GAP)["by_model"], true, "without a restart");
    let again = daemon.post("/admin/models/bind", &which);
    assert_eq!((again.status, &again.json()["changes"]), (200, &json!(false)), "{again:?}");
    // What the terminal binds the daemon asks at its next turn too.
    let other = Model::listing(Lists::Models(vec!["other"], None), vec![here(), found()]);
    let told = setup(&house, &other, &["--yes"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let before = other.seen().len();
    assert_eq!(daemon.ask("frobnicate the plugh of Pictures")["by_model"], true);
    assert!(other.seen().len() > before);
    // Elsewhere is bound at the terminal; a guest binds nothing; who died meanwhile is not bound.
    let far = daemon.post("/admin/models/try", &json!({ "url": "http://192.0.2.1:8080", "model": "m" }));
    assert_eq!(far.status, 403, "{far:?}");
    house.run(&["users", "add", "gil", "--as", "guest"]);
    let token = house.run(&["--json", "devices", "add", "phone", "--person", "gil"]).json();
    let token = token["token"].as_str().unwrap();
    for (door, body) in [("look", json!({})), ("try", which.clone()), ("bind", which.clone())] {
        let refused = daemon.post_as(token, &format!("/admin/models/{door}"), &body);
        assert_eq!(refused.status, 403, "{door}: {refused:?}");
    }
    let written = config(&house);
    let dead = Model::listing(Lists::Models(vec!["dead"], None), vec![Say::HangUp]);
    let url = format!("http://127.0.0.1:{}", dead.port);
    let gone = daemon.post("/admin/models/bind", &json!({ "url": url, "model": "dead" }));
    assert!(gone.status >= 400 && gone.body.contains("does not answer"), "{gone:?}");
    assert_eq!(config(&house), written);
}

#[test]
fn a_real_server_is_found_with_its_model_and_its_room() {
    let Some(testbed) = crate::wire::testbed() else {
        return skipped("no testbed", Fix::Run("make testbed"));
    };
    let server = crate::wire::Server::start(&testbed);
    let house = house();
    let port = server.port.to_string();
    // It understands nothing, so that what it adds may be nothing; what counts is that it is found, answers and tells.
    let told = house.run(&["--json", "models", "setup", "--yes", "--port", &port]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let answer: Value = told.json();
    assert_eq!(
        (&answer["answered"]["context"], &answer["changed"]),
        (&json!(8192), &json!(true)),
        "{answer}"
    );
    assert!(config(&house).contains(&port));
}
