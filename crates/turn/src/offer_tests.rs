//! What is offered, what an answer to it means, and one thing out of several.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use super::*;
use crate::{Bound, Event, Got};
use metnos_engine::propose::Proposer;
use metnos_engine::{Catalog, Lexicons};
use metnos_shape::Role as Mind;
use serde_json::json;

const REQUEST: &str = "frobnicate hw3.docx of the Attic Cellar";

fn machine() -> Machine {
    let (catalog, lexicons) = (Catalog::shipped().unwrap(), Lexicons::shipped().unwrap());
    let proposer = Proposer::new(catalog.clone(), lexicons.clone()).unwrap();
    Machine::new(catalog, lexicons, proposer, Messages::shipped().unwrap()).by_words_alone()
}

/// A turn for which a model gave these plans.
fn planned(machine: &Machine, plans: Value) -> (State, Effect) {
    let asked = Event::Asked {
        text: REQUEST.into(),
        language: Some("en".into()),
        now: "2026-11-15T10:00:00Z".into(),
        zone: "Europe/Rome".into(),
        context: Vec::new(),
        recalled: None,
        models: vec![Mind::Wise],
        bound: Bound::new(),
        base: None,
        advise: false,
    };
    let (state, effects) = machine.step(State::default(), asked);
    assert!(matches!(&effects[..], [Effect::Measure { .. }]), "{effects:?}");
    let (state, effects) = machine.step(state, Event::Measured { tokens: 8192 });
    assert!(matches!(&effects[..], [Effect::Consult { .. }]), "{effects:?}");
    step(machine, state, Event::Consulted { text: json!({ "plans": plans }).to_string() })
}

fn step(machine: &Machine, state: State, event: Event) -> (State, Effect) {
    let (state, mut effects) = machine.step(state, event);
    (state, effects.pop().unwrap())
}

fn said(text: &str) -> Event {
    Event::Answered { text: text.into() }
}

fn found(step: usize, count: u64) -> Event {
    Event::Done { step, got: Box::new(Got { ok: true, ok_count: count, count, ..Got::default() }) }
}

fn find(folder: &str) -> Value {
    json!({ "steps": [{ "tool": "find_files", "args": { "base_path": folder, "patterns": ["hw3.docx"] } }] })
}

fn zap() -> Value {
    json!([{ "steps": [
        { "tool": "find_files", "args": { "base_path": "~", "patterns": ["hw3.docx"] } },
        { "tool": "delete_files", "args": { "from_step": 1, "pick": "one" } },
    ] }])
}

fn choices(effect: &Effect) -> &[String] {
    match effect {
        Effect::Ask { choices, .. } => choices,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_readings_are_offered_and_the_chosen_one_runs_once() {
    let machine = machine();
    let (state, offer) = planned(&machine, json!([find("~/Attic"), find("~/Cellar")]));
    assert_eq!(
        choices(&offer),
        ["Find files named hw3.docx in Attic", "Find files named hw3.docx in Cellar"],
        "nothing runs before"
    );
    let (_, other) = step(&machine, state.clone(), said("what time is it"));
    assert_eq!(choices(&other), choices(&offer), "that is no choice");
    let (_, none) = step(&machine, state.clone(), said("none"));
    assert!(matches!(none, Effect::Finish(ending) if ending.status == Status::Cancelled));
    for answer in ["2", "2.", "the second one", "Find files named hw3.docx in Cellar"] {
        let (state, run) = step(&machine, state.clone(), said(answer));
        let Effect::Invoke { tool, args, .. } = run else { panic!("{answer}: {run:?}") };
        assert_eq!((tool.as_str(), &args["base_path"]), ("find_files", &json!("~/Cellar")), "{answer}");
        assert!(state.chosen && !state.supplied);
        let (_, again) = step(&machine, state, said("2"));
        assert!(!matches!(again, Effect::Invoke { .. }), "a second tap runs nothing: {again:?}");
    }
}

#[test]
fn what_may_not_run_is_not_offered_and_four_are_the_most() {
    let machine = machine();
    let reading = |tool: &str, folder: &str| {
        let args = json!({ "base_path": folder }).as_object().cloned().unwrap();
        let step = Step { tool: tool.into(), args, dormant: None };
        Choice { plan: Plan { steps: vec![step], ..Plan::default() }, says: String::new() }
    };
    let readings = ["~/a", "~/a", "~/b", "~/c", "~/d", "~/e"].map(|folder| reading("find_files", folder));
    let mut own = vec![reading("find_nothing", "~/a")];
    own.extend(readings);
    let offer = machine.offer(&mut State::default(), own);
    assert_eq!(choices(&offer), ["a", "b", "c", "d"].map(|name| format!("Find files in {name}")));
    let nothing = machine.offer(&mut State::default(), vec![reading("find_nothing", "~/a")]);
    assert!(matches!(nothing, Effect::Finish(ending) if ending.status == Status::Unclear));
}

#[test]
fn one_hit_goes_on_several_are_offered_and_none_says_what_is_near() {
    let machine = machine();
    let (state, first) = planned(&machine, zap());
    assert!(matches!(first, Effect::Invoke { step: 1, .. }), "{first:?}");
    let (_, one) = step(&machine, state.clone(), found(1, 1));
    let Effect::Invoke { step: 2, tool, args, entries, .. } = one else { panic!("{one:?}") };
    assert_eq!((tool.as_str(), entries, args.len()), ("delete_files", Some(crate::Source::Step(1)), 0));

    let (several, look) = step(&machine, state.clone(), found(1, 2));
    assert!(matches!(look, Effect::Candidates { step: 1, around: None, .. }), "{look:?}");
    let names = vec!["~/a/hw3.docx".to_owned(), "~/b/hw3.docx".to_owned()];
    let event = Event::Candidates { step: 1, names: names.clone(), near: Vec::new() };
    let (several, offer) = step(&machine, several, event);
    assert_eq!(choices(&offer), names);
    let (chosen, run) = step(&machine, several, said("2"));
    assert!(
        matches!(run, Effect::Invoke { step: 2, entries: Some(crate::Source::OneOfStep(1, 2)), .. }),
        "{run:?}"
    );
    assert!(!chosen.supplied, "the words said what is meant");

    let (none, look) = step(&machine, state, found(1, 0));
    let Effect::Candidates { around: Some(around), .. } = look else { panic!("{look:?}") };
    assert_eq!((around.tool.as_str(), around.name.as_str()), ("find_files", "hw3.docx"));
    assert_eq!(Value::Object(around.args), json!({ "base_path": "~" }));
    let event = Event::Candidates { step: 1, names: Vec::new(), near: vec!["hw2.docx".into()] };
    let (_, end) = step(&machine, none, event);
    let Effect::Finish(ending) = end else { panic!("{end:?}") };
    assert!(ending.text.contains("“hw3.docx”") && ending.text.contains("“hw2.docx”"), "{}", ending.text);
}

#[test]
fn an_offer_is_answered_by_numbers_words_and_names() {
    let messages = Messages::shipped().unwrap();
    let three = ["~/a/x.txt", "~/b/x.txt", "~/c/y.txt"].map(str::to_owned);
    for (text, reply) in [
        ("3", Reply::Chosen(3)),
        ("#2", Reply::Chosen(2)),
        ("la seconda", Reply::Chosen(2)),
        ("y.txt", Reply::Chosen(3)),
        ("x.txt", Reply::Else),
        ("9", Reply::Which),
        ("yes", Reply::Which),
        ("nessuna", Reply::None),
        ("no", Reply::None),
        ("find the PDFs", Reply::Else),
    ] {
        assert_eq!(messages.reply(text, &three), reply, "{text}");
    }
    assert_eq!(messages.reply("yes", &three[..1]), Reply::Chosen(1));
}
