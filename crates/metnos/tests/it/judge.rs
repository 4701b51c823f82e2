//! The judge's two doubts that need a turn: an independent model, and arguments nobody said.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::model::{Model, Say};
use crate::support::{House, Ran};
use serde_json::{Value, json};

fn configure(house: &House, text: &str) {
    std::fs::write(house.metnos().join("config/metnos.toml"), text).unwrap();
}

fn ask(house: &House, text: &str) -> Ran {
    house.run(&["--json", "ask", "--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", text])
}

fn judging(house: &House, say: Say) -> Model {
    let model = Model::saying(vec![say]);
    configure(house, &model.bound("middle", "timeout_seconds = 2"));
    model
}

fn opinion(word: &str) -> Say {
    Say::Text(json!({ "step": word }).to_string())
}

#[test]
fn a_model_bound_to_judge_adds_doubt_and_is_asked_only_where_nobody_else_is() {
    let house = House::new();
    house.write("Documents/a.txt", "a");
    let there = |name: &str| house.home().join("Documents").join(name).exists();

    let model = judging(&house, opinion("asked"));
    let done = ask(&house, "create a folder Trips in Documents");
    assert!(done.code == Some(0) && there("Trips"), "{done:?}");
    let [seen] = &model.seen()[..] else { panic!("{:?}", model.seen()) };
    let shown = seen.body["messages"].to_string();
    assert!(shown.contains("create a folder Trips in Documents") && shown.contains("create_dirs"), "{shown}");

    // Looking is nobody's business, and neither is what the administrator calls directly.
    assert_eq!(ask(&house, "how many files are in Documents?").code, Some(0));
    let direct = json!({ "paths": [house.home().join("Documents/Direct")] }).to_string();
    assert_eq!(house.run(&["exec", "create_dirs", &direct]).code, Some(0));
    assert_eq!(model.seen().len(), 1);

    let doubts =
        [opinion("unsure"), opinion("other"), opinion("fine"), Say::Status(500, "oops"), Say::HangUp];
    for (n, say) in doubts.into_iter().enumerate() {
        judging(&house, say.clone());
        let name = format!("Boat{n}");
        let waits = ask(&house, &format!("create a folder {name} in Documents"));
        assert_eq!(waits.code, Some(4), "{say:?}: {waits:?}");
        assert!(!there(&name), "{say:?}");
        assert!(waits.stdout.contains("independent model"), "{say:?}: {waits:?}");
    }

    // Where a person is asked anyway, no model is.
    let model = judging(&house, opinion("asked"));
    assert_eq!(house.run(&["policy", "level", "supervised"]).code, Some(0));
    house.write("Documents/b.txt", "b");
    assert_eq!(ask(&house, "delete Documents/b.txt").code, Some(4));
    assert!(model.seen().is_empty());
    house.chain_holds();
}

#[test]
fn what_a_model_made_up_is_asked_about_and_what_was_said_is_not() {
    let house = House::new();
    let planned = |path: &str| -> (Ran, Value) {
        let model = Model::planning(json!([{ "tool": "create_dirs", "args": { "paths": [path] } }]));
        configure(&house, &model.bound("wise", "timeout_seconds = 2"));
        let ran = ask(&house, "conjure up a folder for my lurking Sailing stuff");
        let answer = ran.json();
        (ran, answer)
    };
    let (ran, answer) = planned("~/Zanzibar");
    assert_eq!((ran.code, &answer["status"]), (Some(4), &json!("waits")), "{ran:?}");
    assert!(ran.stdout.contains("cannot be traced"), "{ran:?}");
    assert!(!house.home().join("Zanzibar").exists());
    let (ran, _) = planned("~/Sailing");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(house.home().join("Sailing").exists());
}
