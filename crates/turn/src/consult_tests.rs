//! Readings of the planner beside the plan of a model.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use super::*;
use crate::{Bound, Event, Messages};
use metnos_engine::propose::Proposer;
use metnos_engine::{Catalog, Lexicons, Step};
use serde_json::{Value, json};

const REQUEST: &str = "wheres my cv";

fn machine() -> Machine {
    let (catalog, lexicons) = (Catalog::shipped().unwrap(), Lexicons::shipped().unwrap());
    let proposer = Proposer::new(catalog.clone(), lexicons.clone()).unwrap();
    Machine::new(catalog, lexicons, proposer, Messages::shipped().unwrap())
}

fn find(args: Value) -> Plan {
    let step = Step { tool: "find_files".into(), args: args.as_object().unwrap().clone(), dormant: None };
    Plan { steps: vec![step], ..Plan::default() }
}

/// Two readings, the first of which makes no use of a word.
fn readings() -> Vec<Choice> {
    let first = Plan { unused: vec!["cv".into()], ..find(json!({ "base_path": "~" })) };
    let second = find(json!({ "base_path": "~/Documents" }));
    [first, second].map(|plan| Choice { plan, says: String::new() }).to_vec()
}

/// The offer of the planner, asked of whoever is bound, who then says this.
fn offered(machine: &Machine, models: Vec<Role>, says: Event) -> (State, Effect) {
    let asked = Event::Asked {
        text: REQUEST.into(),
        language: Some("en".into()),
        now: "2026-11-15T10:00:00Z".into(),
        zone: "Europe/Rome".into(),
        context: Vec::new(),
        recalled: None,
        models,
        bound: Bound::new(),
        base: None,
        advise: false,
    };
    let (mut state, _) = machine.step(State::default(), asked);
    let effect = machine.consult(&mut state, REQUEST.into(), Own::Offer(readings()));
    if !matches!(effect, Effect::Measure { .. }) {
        return (state, effect);
    }
    let (state, mut effects) = machine.step(state, Event::Measured { tokens: 32_768 });
    let asks =
        matches!(&effects[..], [Effect::Consult { role: Role::Wise, user, .. }] if user.contains(REQUEST));
    assert!(asks, "{effects:?}");
    let (mut state, mut effect) = (state, effects.pop().unwrap());
    // What is no plan is asked for once more.
    while matches!(effect, Effect::Consult { .. }) {
        let (next, mut effects) = machine.step(state, says.clone());
        (state, effect) = (next, effects.pop().unwrap());
    }
    (state, effect)
}

fn choices(effect: &Effect) -> Vec<String> {
    match effect {
        Effect::Ask { choices, .. } => choices.clone(),
        other => panic!("{other:?}"),
    }
}

fn says(plans: &[Plan]) -> Event {
    let one = |plan: &Plan| {
        let steps: Vec<Value> =
            plan.steps.iter().map(|step| json!({ "tool": step.tool, "args": step.args })).collect();
        json!({ "steps": steps })
    };
    Event::Consulted { text: json!({ "plans": plans.iter().map(one).collect::<Vec<_>>() }).to_string() }
}

#[test]
fn an_offer_stands_without_a_model_and_where_it_has_nothing() {
    let machine = machine();
    let (_, without) = offered(&machine, Vec::new(), says(&[]));
    let before = choices(&without);
    assert_eq!(before.len(), 2);
    let slow = Event::NotConsulted { why: "slow".into(), said: "no answer within 2 s".into() };
    let asleep = Plan {
        steps: vec![Step {
            tool: "list_calendars".into(),
            args: serde_json::Map::new(),
            dormant: Some("not_built".into()),
        }],
        ..Plan::default()
    };
    for nothing in [says(&[]), slow, Event::Consulted { text: "Sure!".into() }, says(&[asleep])] {
        let (_, effect) = offered(&machine, vec![Role::Wise], nothing.clone());
        assert_eq!(choices(&effect), before, "{nothing:?}");
    }
    // A small model that rewrites is not asked where there are readings.
    assert_eq!(choices(&offered(&machine, vec![Role::Fast], says(&[])).1), before);
}

#[test]
fn the_reading_that_the_model_has_too_is_taken_and_is_then_a_models() {
    let machine = machine();
    let [first, second] = &readings()[..] else { panic!() };
    for reading in [first, second] {
        let (state, effect) = offered(&machine, vec![Role::Wise], says(std::slice::from_ref(&reading.plan)));
        assert!(matches!(effect, Effect::Invoke { step: 1, .. }), "{effect:?}");
        let plan = state.plan.unwrap();
        assert_eq!((plan.steps, plan.source), (reading.plan.steps.clone(), Maker::Model));
        assert_eq!(plan.unused, reading.plan.unused, "what was made of the words stays told");
        assert!(!state.chosen, "nobody chose");
    }
}

#[test]
fn another_plan_of_the_model_is_offered_first_and_four_at_most() {
    let machine = machine();
    let before = choices(&offered(&machine, Vec::new(), says(&[])).1);
    let named = find(json!({ "patterns": ["*cv*"] }));
    let (state, effect) = offered(&machine, vec![Role::Wise], says(std::slice::from_ref(&named)));
    assert_eq!(choices(&effect)[1..], before[..]);
    let makers: Vec<Maker> = state.offers().iter().map(|choice| choice.plan.source).collect();
    assert_eq!(makers, [Maker::Model, Maker::Embedded, Maker::Embedded]);
    let (state, effects) = machine.step(state, Event::Answered { text: "1".into() });
    assert!(matches!(&effects[..], [Effect::Invoke { .. }]), "{effects:?}");
    assert_eq!((state.plan.unwrap().source, state.chosen), (Maker::Model, true));
    // Two readings of the model and two of the planner.
    let both = [named, find(json!({ "patterns": ["cv.*"] }))];
    assert_eq!(choices(&offered(&machine, vec![Role::Wise], says(&both)).1).len(), 4);
}
