//! What is not plainly understood is asked of a model, where one is bound, before anything acts or is offered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[path = "../../engine/tests/it/score/mod.rs"]
mod score;

use metnos_engine::propose::Proposer;
use metnos_engine::{Answer, Catalog, Clock, Lexicons, Maker, Plan, Request};
use metnos_shape::Role;
use metnos_turn::{Bound, Effect, Entry, Event, Machine, Messages, State, Status, replay};
use serde_json::{Value, json};

const NOW: &str = "2026-11-15T10:00:00+01:00";
/// What a model with room holds.
const ROOM: u64 = 32_768;

fn machine() -> Machine {
    let (catalog, lexicons) = (Catalog::shipped().unwrap(), Lexicons::shipped().unwrap());
    let proposer = Proposer::new(catalog.clone(), lexicons.clone()).unwrap();
    Machine::new(catalog, lexicons, proposer, Messages::shipped().unwrap())
}

fn asked(text: &str, models: Vec<Role>) -> Event {
    Event::Asked {
        text: text.to_owned(),
        language: None,
        now: NOW.into(),
        zone: "Europe/Rome".into(),
        context: Vec::new(),
        recalled: None,
        models,
        bound: Bound::new(),
        base: None,
        advise: false,
    }
}

/// A turn as its log tells it, and what a model behind `wise` was asked.
struct Turn {
    state: State,
    log: Vec<Entry>,
    last: Effect,
    questions: Vec<String>,
}

/// A turn in which the model says the same to every question.
fn turn(machine: &Machine, text: &str, models: Vec<Role>, says: &str) -> Turn {
    let last = Effect::Measure { role: Role::Wise };
    let mut turn = Turn { state: State::default(), log: Vec::new(), last, questions: Vec::new() };
    let mut event = asked(text, models);
    loop {
        turn.step(machine, event);
        event = match &turn.last {
            Effect::Measure { .. } => Event::Measured { tokens: ROOM },
            Effect::Consult { user, .. } => {
                turn.questions.push(user.clone());
                Event::Consulted { text: says.to_owned() }
            }
            _ => return turn,
        };
    }
}

impl Turn {
    fn step(&mut self, machine: &Machine, event: Event) {
        let (state, effects) = machine.step(std::mem::take(&mut self.state), event.clone());
        self.log.push(Entry::new(event, &effects).unwrap());
        self.state = state;
        self.last = effects.into_iter().next().unwrap();
    }

    /// The plan with what is there anyway: a model's plan is kept without it.
    fn plan(&self, machine: &Machine) -> Value {
        let mut plan = self.state.plan.clone().unwrap_or_default();
        for step in &mut plan.steps {
            for arg in &machine.planner().catalog().get(&step.tool).unwrap().args {
                if let Some(value) = arg.default.clone().filter(|_| !step.args.contains_key(&arg.name)) {
                    step.args.insert(arg.name.clone(), value);
                }
            }
        }
        json!({ "kind": "plan", "plan": { "steps": plan.steps } })
    }

    fn status(&self) -> Option<Status> {
        match &self.last {
            Effect::Finish(ending) => Some(ending.status),
            _ => None,
        }
    }

    fn choices(&self) -> &[String] {
        match &self.last {
            Effect::Ask { choices, .. } => choices,
            other => panic!("{other:?}"),
        }
    }
}

/// Steps as a model writes them.
fn answer(steps: &Value) -> String {
    json!({ "plans": [{ "steps": steps }] }).to_string()
}

fn written(plan: &Plan) -> Value {
    plan.steps.iter().map(|step| json!({ "tool": step.tool, "args": step.args })).collect()
}

fn find(args: &Value) -> Value {
    json!([{ "tool": "find_files", "args": args }])
}

/// What the planner makes of a request by itself.
fn own(machine: &Machine, text: &str) -> Answer {
    let request = Request { text, language: None, context: &[] };
    machine.planner().plan(&request, &Clock::parse(NOW, "Europe/Rome").unwrap()).0
}

#[test]
fn every_loose_request_that_is_not_clear_gets_the_plan_of_a_strong_model_and_no_step_is_invalid() {
    let machine = machine();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/data/looser.jsonl");
    let (mut unclear, mut refused) = (0, 0);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (text, expect) = (row["query"].as_str().unwrap(), &row["expect"]);
        match own(&machine, text) {
            Answer::Gap(_) | Answer::Offer(_) => {}
            Answer::Plan(plan) if plan.steps.iter().any(|step| step.dormant.is_some()) => {}
            _ => continue,
        }
        unclear += 1;
        let gap = expect["kind"] == "gap";
        let (tools, args) = (expect["tools"].as_array(), expect["args"].as_array());
        let steps = tools.into_iter().flatten().zip(args.into_iter().flatten());
        let steps: Vec<Value> = steps.map(|(tool, args)| json!({ "tool": tool, "args": args })).collect();
        let says = if gap { json!({ "plans": [] }).to_string() } else { answer(&json!(steps)) };
        let mut turn = turn(&machine, text, vec![Role::Wise], &says);
        assert_eq!(turn.questions.len(), 1, "{text}: asked once: {:?}", turn.last);
        refused += turn.state.helped.refused;
        if gap {
            assert!(turn.state.plan.is_none(), "{text}");
            continue;
        }
        // Where the planner has readings of its own, the model's stands first among them.
        let offers = turn.state.offers().to_vec();
        if let Some(first) = offers.first() {
            assert!(offers.len() <= 4 && first.plan.source == Maker::Model, "{text}: {offers:?}");
            turn.step(&machine, Event::Answered { text: "1".into() });
        }
        assert_eq!(score::judge(expect, &turn.plan(&machine)), None, "{text}");
        assert_eq!(turn.state.plan.as_ref().unwrap().source, Maker::Model, "{text}");
        assert_eq!(replay(&machine, &turn.log).unwrap().differences, [], "{text}");
    }
    assert_eq!(refused, 0, "no step was invalid");
    assert!(unclear > 20, "{unclear} requests are not clear");
}

#[test]
fn a_plan_that_cannot_run_is_asked_of_the_model_before_that_is_told() {
    let machine = machine();
    let text = "find the mails from Anna";
    let Answer::Plan(plan) = own(&machine, text) else { panic!("{:?}", own(&machine, text)) };
    assert!(plan.steps.iter().any(|step| step.dormant.is_some()));
    assert_eq!(turn(&machine, text, Vec::new(), "").status(), Some(Status::Dormant));
    let nothing = turn(&machine, text, vec![Role::Wise], "{\"plans\":[]}");
    assert_eq!((nothing.status(), nothing.questions.len()), (Some(Status::Dormant), 1));
    // The same plan changes nothing; one that can run is offered beside it.
    let same = turn(&machine, text, vec![Role::Wise], &answer(&written(&plan)));
    assert_eq!(same.status(), Some(Status::Dormant), "{:?}", same.last);
    let files = find(&json!({ "patterns": ["*Anna*"] }));
    let other = turn(&machine, text, vec![Role::Wise], &answer(&files));
    assert_eq!(other.choices().len(), 2, "{:?}", other.last);
}

#[test]
fn what_is_clear_asks_nobody_and_a_word_that_narrows_is_explained_away_by_nobody() {
    let machine = machine();
    for text in ["how many files are in Pictures?", "what can you do?", "rename Pictures/a.jpg"] {
        let turn = turn(&machine, text, vec![Role::Wise, Role::Fast], &answer(&find(&json!({}))));
        assert!(turn.questions.is_empty(), "{text}");
    }
    // What only looks may be planned; what changes something may not.
    let narrow = "delete the big files in Downloads";
    let look = find(&json!({ "base_path": "~/Downloads" }));
    let looks = turn(&machine, narrow, vec![Role::Wise], &answer(&look));
    assert!(matches!(&looks.last, Effect::Invoke { tool, .. } if tool == "find_files"), "{:?}", looks.last);
    let delete = json!([look[0], { "tool": "delete_files", "args": { "from_step": 1 } }]);
    let changes = turn(&machine, narrow, vec![Role::Wise], &answer(&delete));
    assert_eq!(changes.status(), Some(Status::Gap), "{:?}", changes.last);
}

#[test]
fn a_log_from_before_the_room_was_looked_up_still_goes_on() {
    let machine = machine();
    let (state, effects) =
        machine.step(State::default(), asked("frobnicate the photos of zzyzx", vec![Role::Wise]));
    assert!(matches!(&effects[..], [Effect::Measure { .. }]), "{effects:?}");
    let says = answer(&find(&json!({ "base_path": "~/Pictures", "kind": "image" })));
    let (state, effects) = machine.step(state, Event::Consulted { text: says });
    let planned = state.plan.is_some() || !state.offers().is_empty();
    assert!(planned && !matches!(&effects[..], [Effect::Finish(_)]), "{effects:?}");
}
