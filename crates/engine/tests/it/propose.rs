//! What a model answers becomes a plan only if it can work.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::propose::{Proposed, Proposer};
use metnos_engine::{Catalog, Clock, Lexicons, Maker, Request};
use serde_json::{Value, json};

const REQUEST: &str = "dig out the biggest photos lurking in Pictures and move them to Attic";

fn read(context: &[String], answer: &Value) -> Result<Proposed, String> {
    let proposer = Proposer::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap()).unwrap();
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    let request = Request { text: REQUEST, language: None, context };
    let draft = proposer.draft(&request, "en", &clock, None, None).unwrap();
    proposer.read(&draft, REQUEST, &answer.to_string())
}

fn one(steps: Value) -> Value {
    json!({ "plans": [{ "steps": steps }] })
}

fn find() -> Value {
    json!({ "tool": "find_files", "args": { "base_path": "~/Pictures", "kind": "image", "size_min": 0 } })
}

#[test]
fn a_sound_answer_is_a_plan_of_a_model_without_what_says_nothing() {
    let sort = json!({ "tool": "sort_entries", "args": { "from_step": 1, "by": "size", "order": "desc" } });
    let Proposed::Plans(plans) = read(&[], &one(json!([find(), sort]))).unwrap() else { panic!() };
    let [plan] = &plans[..] else { panic!("{plans:?}") };
    assert_eq!(plan.source, Maker::Model);
    assert_eq!(
        Value::Object(plan.steps[0].args.clone()),
        json!({ "base_path": "~/Pictures", "kind": "image" })
    );
    assert_eq!(read(&[], &json!({ "plans": [] })), Ok(Proposed::Nothing));
}

#[test]
fn what_cannot_work_is_named() {
    for (steps, why) in [
        (json!([{ "tool": "sort_entries", "args": { "from_step": 1, "by": "size" } }]), "earlier step"),
        (json!([find(), { "tool": "move_files", "args": { "dst_dir": "~/Attic" } }]), "entries"),
        (json!([find(), { "tool": "move_files", "args": { "from_step": 1 } }]), "dst_dir"),
        (
            json!([find(), { "tool": "sort_entries", "args": { "from_step": 2, "by": "size" } }]),
            "earlier step",
        ),
        (json!([{ "tool": "find_files", "args": { "kind": "ghost" } }]), "ghost"),
        (json!([{ "tool": "find_files", "args": { "from_turn": -1 } }]), "from_turn"),
        (json!([]), "items"),
    ] {
        let error = read(&[], &one(steps.clone())).unwrap_err();
        assert!(error.contains(why), "{steps}: {error}");
    }
}

#[test]
fn an_earlier_result_can_be_meant_only_when_there_is_one() {
    let steps = json!([{ "tool": "move_files", "args": { "from_turn": -1, "dst_dir": "~/Attic" } }]);
    assert!(read(&[], &one(steps.clone())).is_err());
    assert!(read(&["find the photos".to_owned()], &one(steps)).is_ok());
}

#[test]
fn of_two_plans_the_one_that_was_said_is_taken_and_two_that_were_are_two_readings() {
    let made_up = json!({ "tool": "find_files", "args": { "base_path": "~/Secret", "kind": "image" } });
    let both = json!({ "plans": [{ "steps": [made_up] }, { "steps": [find()] }] });
    let Proposed::Plans(plans) = read(&[], &both).unwrap() else { panic!() };
    assert_eq!((plans.len(), &plans[0].steps[0].args["base_path"]), (1, &json!("~/Pictures")));
    let other = json!({ "tool": "find_files", "args": { "base_path": "~/Pictures", "kind": "video" } });
    let both = json!({ "plans": [{ "steps": [find()] }, { "steps": [other] }] });
    let Proposed::Plans(plans) = read(&[], &both).unwrap() else { panic!() };
    assert_eq!(plans.len(), 2, "neither is the better one");
    let twice = json!({ "plans": [{ "steps": [find()] }, { "steps": [find()] }] });
    let Proposed::Plans(plans) = read(&[], &twice).unwrap() else { panic!() };
    assert_eq!(plans.len(), 1, "one reading is one");
}

#[test]
fn a_model_with_room_chooses_from_everything_and_one_without_from_what_the_request_speaks_for() {
    let catalog = Catalog::shipped().unwrap();
    let proposer = Proposer::new(catalog.clone(), Lexicons::shipped().unwrap()).unwrap();
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    let draft = |text: &str, room: Option<u64>| {
        let request = Request { text, language: None, context: &[] };
        proposer.draft(&request, "en", &clock, room, None)
    };
    let all = catalog.tools().count();
    let roomy = draft(REQUEST, Some(32_000)).unwrap();
    assert_eq!(roomy.pool.len(), all);
    let tokens = (roomy.system.len() + roomy.user.len()) / 3;
    assert!(tokens < 14_000, "16k hold it, with the answer: {tokens}");
    for room in [None, Some(4_000)] {
        let small = draft(REQUEST, room).unwrap();
        assert!(small.pool.len() < 15 && small.pool == roomy.pool[..small.pool.len()], "{:?}", small.pool);
    }
    // Nothing in the catalog speaks for these words: what there is room for is shown all the same.
    let nothing = "zzyzx qwrt";
    assert_eq!(draft(nothing, None), None);
    assert_eq!(draft(nothing, Some(32_000)).unwrap().pool.len(), all);
    let some = draft(nothing, Some(6_000)).unwrap().pool;
    assert!(some.len() > 5 && some.len() < all, "{}", some.len());
    let asleep = |name: &String| catalog.get(name).unwrap().dormant.is_some();
    assert!(some.iter().map(asleep).is_sorted(), "what can run comes first: {some:?}");
}
