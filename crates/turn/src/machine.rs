//! The turn itself: `step(state, event) → (state, effects)`.

use crate::bound::{Bound, bind};
use crate::consult::{Consulting, Own};
use crate::ending::{Ending, Messages, SoFar, Status};
use crate::event::{Effect, Event, Got};
use crate::hold;
use crate::inputs::Inputs;
use crate::named;
use crate::note::is_guessed;
use crate::offer::{Offered, Reply};
use crate::refer::{Known, Lost, Resolved, resolve, uncomposed};
use crate::stage::{self, Recalled, Stage};
use crate::validate::validate;
use crate::whole;
use metnos_engine::catalog::Tool;
use metnos_engine::propose::{Proposer, made_up};
use metnos_engine::{
    Answer, Ask, Catalog, Choice, Clock, Lexicons, Maker, Plan, Planner, Reading, Request, Step,
};
use metnos_shape::Role;
use metnos_vocab::Class;
use std::collections::BTreeMap;

/// The list that a step works on, among its arguments.
const ENTRIES: &str = "entries";

/// The executor that keeps credentials: a value is never among its words.
const KEEPS: &str = "set_credentials";
/// The class of what a person stopped.
pub(crate) const CANCELLED: &str = "cancelled";

/// Where a turn stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The language in which the person is spoken to.
    pub language: String,
    /// The plan, once there is one.
    pub plan: Option<Plan>,
    /// What came of the steps so far.
    pub results: Vec<Got>,
    /// The stage that gave the plan.
    pub stage: Option<Stage>,
    /// How many calls were made for a plan that was given up.
    pub before: usize,
    /// What came of asking models.
    pub helped: Helped,
    pub(crate) asked: Option<Words>,
    pub(crate) consulting: Option<Consulting>,
    /// The texts a model composed, by what was wanted, and the one that is waited for.
    pub(crate) composed: BTreeMap<String, String>,
    pub(crate) composing: Option<String>,
    question: Option<Ask>,
    /// What the person chooses from, while they do.
    pub(crate) offered: Option<Offered>,
    /// The person chose the plan among several readings.
    pub chosen: bool,
    /// An answer said what the request did not.
    pub supplied: bool,
    /// What was chosen of the lists of which one thing is meant, by their step.
    pub(crate) picks: BTreeMap<usize, u64>,
    /// What the next step asks the person for, while it does.
    pub(crate) inputs: Option<Inputs>,
    /// The next step lacked a credential.
    lacking: bool,
    /// True while its next step waits for a yes, or for a credential.
    pub(crate) waiting: bool,
    over: bool,
}

/// What came of asking models for a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Helped {
    /// Answers that were no plan.
    pub refused: u32,
    /// Why there was none in the end.
    pub unhelped: Option<String>,
}

/// The request, as it came in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) language: Option<String>,
    pub(crate) now: String,
    pub(crate) zone: String,
    pub(crate) context: Vec<String>,
    recalled: Option<Box<Recalled>>,
    pub(crate) models: Vec<Role>,
    pub(crate) bound: Bound,
    advise: bool,
}

impl State {
    /// The readings that the person chooses from, while they do.
    pub fn offers(&self) -> &[Choice] {
        match &self.offered {
            Some(Offered::Readings(readings)) => readings,
            _ => &[],
        }
    }

    /// True once nothing more will happen.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The executor of the step that lacked a credential, while nobody has said that it is kept.
    pub fn lacks(&self) -> Option<&str> {
        let step = self.plan.as_ref()?.steps.get(self.results.len())?;
        self.lacking.then_some(step.tool.as_str())
    }
}

/// What decides. It has no state of its own and performs nothing.
pub struct Machine {
    planner: Planner,
    /// Plans also over what is out of use: never to run it, only to say what would help.
    unused: Option<Planner>,
    pub(crate) proposer: Proposer,
    pub(crate) catalog: Catalog,
    pub(crate) messages: Messages,
}

impl Machine {
    /// A machine that plans over `catalog`, asks with `proposer` and speaks with `messages`.
    pub fn new(catalog: Catalog, lexicons: Lexicons, proposer: Proposer, messages: Messages) -> Self {
        Self { planner: Planner::new(catalog.clone(), lexicons), unused: None, proposer, catalog, messages }
    }

    /// The same machine, which knows what is out of use: a catalog in which that cannot run.
    pub fn knowing(mut self, unused: Catalog, lexicons: Lexicons) -> Self {
        self.unused = Some(Planner::new(unused, lexicons));
        self
    }

    /// What plans for it.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// What follows from `event`.
    pub fn step(&self, state: State, event: Event) -> (State, Vec<Effect>) {
        self.step_read(state, event, None)
    }

    /// The same, where the request of the event was read already: what was read comes in, nothing else comes out.
    pub fn step_read(&self, mut state: State, event: Event, known: Option<Reading>) -> (State, Vec<Effect>) {
        // After its end nothing happens any more, whatever comes in late.
        if state.over {
            return (state, Vec::new());
        }
        let mut effect = match event {
            Event::Asked { text, language, now, zone, context, recalled, models, bound, base: _, advise } => {
                state.asked =
                    Some(Words { text, language, now, zone, context, recalled, models, bound, advise });
                self.understand(&mut state, None, known)
            }
            // Words are no credential, and would plan anew what is half done.
            Event::Answered { .. } if state.lacking => {
                self.finish(&state, Status::Failed, Some("an answer came to no question".into()))
            }
            Event::Answered { text } if state.offered.is_some() => self.chosen(&mut state, &text),
            Event::Answered { text } => {
                state.supplied = true;
                match state.inputs.is_some() {
                    true => self.field_answered(&mut state, &text),
                    false => self.understand(&mut state, Some(&text), None),
                }
            }
            Event::Candidates { step, names, near } => self.candidates(&mut state, step, names, &near),
            Event::Supplied => self.supplied(&mut state),
            Event::Done { step, got } => self.observe(&mut state, step, *got),
            Event::Measured { tokens } => self.measured(&mut state, tokens),
            Event::Consulted { text } => self.consulted(&mut state, &text),
            Event::NotConsulted { why, said } => self.not_consulted(&mut state, &why, &said),
            Event::Cancelled => self.finish(&state, Status::Cancelled, None),
        };
        if let Effect::Finish(ending) = &mut effect
            && state.asked.as_ref().is_some_and(|words| words.advise)
            && ending.status.is_unread()
        {
            let advice = self.messages.say(&state.language, "bind_model", &[]);
            ending.text = format!("{}\n{advice}", ending.text);
        }
        // What waits for a yes or for a credential goes on with the result of the same step.
        let open = |ending: &Ending| matches!(ending.status, Status::Waits | Status::Asks);
        state.over = matches!(&effect, Effect::Finish(ending) if !open(ending));
        (state, vec![effect])
    }

    /// Plans the request; `answer` is what the person said to the one question.
    fn understand(&self, state: &mut State, answer: Option<&str>, known: Option<Reading>) -> Effect {
        let Some(mut words) = state.asked.clone() else {
            return self.finish(state, Status::Failed, Some("an answer came before any request".into()));
        };
        if let (Some(answer), Some(ask)) = (answer, &state.question) {
            words.text = self.messages.answered(&state.language, &words.text, &ask.missing, answer);
            words.recalled = None;
        }
        let clock = match Clock::parse(&words.now, &words.zone) {
            Ok(clock) => clock,
            Err(error) => return self.finish(state, Status::Failed, Some(error.to_string())),
        };
        let (planned, language, stage) =
            stage::answer(&self.planner, &words, &clock, words.recalled.as_deref(), known);
        (state.language, state.stage) = (language, Some(stage));
        match planned {
            // What cannot run may not be what was meant.
            Answer::Plan(plan) if self.asleep(&plan).is_some() && stage != Stage::Fastpath => {
                self.consult(state, words.text, Own::Asleep(plan))
            }
            Answer::Plan(plan) => self.begin(state, plan),
            // One question a turn: who does not answer it is not asked again.
            Answer::Ask(ask) if state.question.is_some() => {
                let text = self.messages.question(&state.language, &ask.missing);
                self.finish(state, Status::Unclear, Some(text))
            }
            Answer::Ask(ask) => {
                let text = self.messages.question(&state.language, &ask.missing);
                let effect = Effect::Ask { missing: ask.missing.clone(), text, choices: Vec::new() };
                state.question = Some(ask);
                effect
            }
            Answer::Offer(offer) => self.consult(state, words.text, Own::Offer(offer.offers)),
            Answer::Help => Effect::Finish(self.messages.help(&state.language, &self.catalog)),
            Answer::Say(what) => Effect::Finish(self.messages.spoken(&state.language, &what)),
            Answer::Gap(gap) => {
                let own = match self.unused_tool(&words, &clock) {
                    Some(tool) => Own::Unused(tool.name.as_str().to_owned()),
                    None => Own::Gap(gap),
                };
                self.consult(state, words.text, own)
            }
        }
    }

    /// What is out of use and would have served for a request that nothing else serves for.
    fn unused_tool(&self, words: &Words, clock: &Clock) -> Option<&Tool> {
        let unused = self.unused.as_ref()?;
        let request =
            Request { text: &words.text, language: words.language.as_deref(), context: &words.context };
        let Answer::Plan(plan) = unused.plan(&request, clock).0 else { return None };
        plan.steps.iter().find_map(|step| unused.catalog().get(&step.tool).filter(|tool| tool.way.is_some()))
    }

    /// The same without what evidence reads: what the words alone leave is left.
    #[cfg(test)]
    pub(crate) fn by_words_alone(mut self) -> Self {
        self.planner = self.planner.weighing(None);
        self
    }

    /// What is out of use, by its name.
    pub(crate) fn out_of_use(&self, name: &str) -> Option<&Tool> {
        self.unused.as_ref()?.catalog().get(name)
    }

    /// Begins a plan, if it may run.
    pub(crate) fn begin(&self, state: &mut State, plan: Plan) -> Effect {
        if let Err(invalid) = validate(&plan, &self.catalog) {
            return self.finish(state, Status::Failed, Some(invalid.to_string()));
        }
        self.run(state, plan)
    }

    /// Begins a plan that was validated.
    pub(crate) fn run(&self, state: &mut State, plan: Plan) -> Effect {
        let bound = state.asked.as_ref().map(|words| words.bound.clone()).unwrap_or_default();
        let Some(plan) = bind(plan, &bound) else {
            let why = self.messages.say(&state.language, "sent_unknown", &[]);
            return self.finish(state, Status::Unclear, Some(why));
        };
        if plan.source == Maker::Model && state.stage != Some(Stage::Fastpath) {
            state.stage = Some(Stage::Model);
        }
        // A plan whose end cannot be reached is not begun, wherever it comes from.
        let asleep = self.asleep(&plan);
        state.inputs = None;
        state.picks.clear();
        state.plan = Some(plan);
        if let Some(tool) = asleep {
            return Effect::Finish(self.messages.dormant(&state.language, tool));
        }
        self.invoke(state)
    }

    /// What keeps a plan from running: the first of its executors that cannot.
    pub(crate) fn asleep(&self, plan: &Plan) -> Option<&Tool> {
        let asleep = |step: &Step| self.catalog.get(&step.tool).filter(|tool| tool.dormant.is_some());
        plan.steps.iter().find_map(asleep)
    }

    /// The next step of the plan, what the person is asked before it, or its end.
    pub(crate) fn invoke(&self, state: &mut State) -> Effect {
        let effect = self.call(state);
        self.asked_first(state, effect)
    }

    fn call(&self, state: &mut State) -> Effect {
        let Some(plan) = &state.plan else {
            return self.finish(state, Status::Failed, Some("there is no plan".into()));
        };
        let number = state.results.len() + 1;
        let Some(step) = plan.steps.get(number - 1) else {
            let partly = state.results.iter().any(|got| got.fail_count > 0);
            return self.finish(state, if partly { Status::Partly } else { Status::Done }, None);
        };
        if let Some(got) = hold::unfinished(plan, &state.results, number) {
            let said = self.messages.say(&state.language, "held_back", &[("tool", &step.tool)]);
            let why = format!("{said}{}", hold::others(got));
            return self.finish(state, Status::Partly, Some(why));
        }
        if let Some(effect) = self.unpicked(state, plan, number) {
            return effect;
        }
        let known = Known { results: &state.results, composed: &state.composed, picks: &state.picks };
        if let Some(what) = uncomposed(&step.args, known) {
            return self.compose(state, what);
        }
        let tool = self.catalog.get(&step.tool);
        let required =
            |name: &str| tool.is_some_and(|tool| tool.args.iter().any(|a| a.name == name && a.required));
        match resolve(&step.args, known, &required) {
            Ok(Resolved { mut args, entries, with, derived }) => {
                if let Some(tool) = tool {
                    whole::lift(plan, number, tool, &mut args);
                }
                if let Some(words) = &state.asked {
                    named::tell(plan, number, &words.text, &mut args);
                }
                let changes = tool.is_some_and(|tool| tool.class == Class::Changer);
                let unsaid = match (plan.source, tool, &state.asked) {
                    // What was read into the words was not said: a change of it always asks.
                    _ if changes && is_guessed(plan) => {
                        args.keys().cloned().chain([ENTRIES.to_owned()]).collect()
                    }
                    (Maker::Model, Some(tool), Some(words)) => made_up(tool, &step.args, &words.text),
                    _ => Vec::new(),
                };
                let tool = step.tool.clone();
                Effect::Invoke { step: number, tool, args, entries, with, derived, unsaid }
            }
            Err(Lost { argument }) => {
                self.finish(state, Status::Failed, Some(format!("{}: {argument} has no value", step.tool)))
            }
        }
    }

    fn observe(&self, state: &mut State, step: usize, got: Got) -> Effect {
        if step != state.results.len() + 1 || state.plan.is_none() {
            return self.finish(
                state,
                Status::Failed,
                Some(format!("step {step} ended, which was not running")),
            );
        }
        let (failed, waits) = (got.error.is_some(), got.error.as_ref().is_some_and(|e| e.approval.is_some()));
        let lacks = got.error.as_ref().is_some_and(|e| !e.credentials.is_empty());
        // Nothing at all came of it: the steps that would work on it have nothing to work on.
        let nothing = got.ok_count == 0 && got.fail_count > 0;
        state.results.push(got.clone());
        state.waiting = false;
        if failed
            && !(waits || lacks)
            && let Some(effect) = self.asked_again(state, &got)
        {
            return effect;
        }
        if !(waits || lacks) {
            state.inputs = None;
        }
        if failed
            && !(waits || lacks)
            && let Some(effect) = self.repair(state, &got)
        {
            return effect;
        }
        match (failed, waits) {
            (_, true) => self.unfinished(state, Status::Waits),
            _ if lacks => {
                state.lacking = true;
                self.unfinished(state, Status::Asks)
            }
            // Somebody said no, or stop: that is no failure.
            (true, _) if got.error.as_ref().is_some_and(|e| e.class == CANCELLED) => {
                self.finish(state, Status::Cancelled, None)
            }
            (true, _) => self.finish(state, Status::Failed, None),
            _ if nothing => self.finish(state, Status::Failed, None),
            _ => self.invoke(state),
        }
    }

    /// The step that was observed last did not begin: it runs later, so this result is not the last word on it.
    fn unfinished(&self, state: &mut State, status: Status) -> Effect {
        let effect = self.finish(state, status, None);
        state.results.pop();
        state.waiting = true;
        effect
    }

    /// The step that lacked something, once more.
    fn supplied(&self, state: &mut State) -> Effect {
        if !std::mem::take(&mut state.lacking) {
            return self.finish(state, Status::Failed, Some("nothing was lacking".into()));
        }
        self.invoke(state)
    }

    /// A request to keep a credential without what may be its value, if it holds such.
    pub fn without_value(&self, text: &str, language: Option<&str>, clock: &Clock) -> Option<String> {
        let (answer, why) = self.planner.plan(&Request { text, language, context: &[] }, clock);
        let Answer::Plan(plan) = answer else { return None };
        let step = plan.steps.iter().find(|step| step.tool == KEEPS)?;
        let names = step.args.get("names")?.as_array()?;
        let names: Vec<String> =
            names.iter().filter_map(|name| name.as_str().map(str::to_lowercase)).collect();
        self.messages.keeping(&why.language, text, &names)
    }

    /// A sentence of its own, in a language.
    pub fn say(&self, language: &str, key: &str, values: &[(&str, &str)]) -> String {
        self.messages.say(language, key, values)
    }

    /// What a message says to an offer of these choices.
    pub fn reply(&self, text: &str, choices: &[String]) -> Reply {
        self.messages.reply(text, choices)
    }

    /// How a turn that waited for a yes ends when something of it is taken back.
    pub fn undone(&self, state: &State) -> Ending {
        self.messages.undone(&state.language)
    }

    pub(crate) fn finish(&self, state: &State, status: Status, why: Option<String>) -> Effect {
        let plan = state.plan.clone().unwrap_or_default();
        let asked = usize::from(state.waiting);
        let so_far = SoFar { plan: &plan, results: &state.results, asked };
        let mut ending = Ending::tell(&self.messages, &state.language, status, so_far, why);
        self.messages.made_by(&state.language, &plan, &mut ending);
        Effect::Finish(ending)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use crate::{Credential, Trouble};

    fn machine() -> Machine {
        let (catalog, lexicons) = (Catalog::shipped().unwrap(), Lexicons::shipped().unwrap());
        let proposer = Proposer::new(catalog.clone(), lexicons.clone()).unwrap();
        Machine::new(catalog, lexicons, proposer, Messages::shipped().unwrap())
    }

    fn asked(text: &str) -> Event {
        Event::Asked {
            text: text.to_owned(),
            language: None,
            now: "2026-11-15T10:00:00Z".into(),
            zone: "Europe/Rome".into(),
            context: Vec::new(),
            recalled: None,
            models: Vec::new(),
            bound: Bound::new(),
            base: None,
            advise: false,
        }
    }

    fn done(step: usize, error: Option<Trouble>) -> Event {
        let got = Got { ok: error.is_none(), ok_count: u64::from(error.is_none()), error, ..Got::default() };
        Event::Done { step, got: Box::new(got) }
    }

    fn status(effects: &[Effect]) -> Option<Status> {
        match effects {
            [Effect::Finish(ending)] => Some(ending.status),
            _ => None,
        }
    }

    #[test]
    fn what_was_seen_is_counted_and_another_claim_is_told_in_both_languages() {
        let machine = machine();
        for (request, said) in [
            ("move ~/a.txt to Other", "It says 500; on disk 1 "),
            ("sposta ~/a.txt in Altro", "Dice 500; sul disco "),
        ] {
            let (state, _) = machine.step(State::default(), asked(request));
            let got = Got { ok: true, ok_count: 1, claimed: Some(500), count: 500, ..Got::default() };
            let (_, effects) = machine.step(state, Event::Done { step: 1, got: Box::new(got) });
            let [Effect::Finish(ending)] = &effects[..] else { panic!("{effects:?}") };
            let (first, rest) = ending.text.split_once('\n').unwrap();
            assert!(first.contains('1') && !first.contains("500") && rest.contains(said), "{}", ending.text);
        }
    }

    #[test]
    fn a_step_that_lacks_a_credential_is_the_only_one_that_is_tried_again() {
        let machine = machine();
        let lacks = Trouble {
            class: "unauthorized".into(),
            credentials: vec![Credential { name: "mail".into(), fields: vec!["token".into()] }],
            ..Trouble::default()
        };
        let (state, _) = machine
            .step(State::default(), asked("move ~/a.txt to Other and then find the PDFs in Documents"));
        let (state, _) = machine.step(state, done(1, None));
        let (state, effects) = machine.step(state, done(2, Some(lacks)));
        assert_eq!((status(&effects), state.is_over()), (Some(Status::Asks), false), "{effects:?}");
        assert_eq!(state.lacks(), Some("find_files"));
        let (_, answered) = machine.step(state.clone(), Event::Answered { text: "hunter2".into() });
        assert_eq!(status(&answered), Some(Status::Failed), "words are no credential");
        let (state, effects) = machine.step(state, Event::Supplied);
        assert!(matches!(&effects[..], [Effect::Invoke { step: 2, .. }]), "{effects:?}");
        assert_eq!((state.lacks(), state.results.len()), (None, 1));
        let (state, effects) = machine.step(state, done(2, None));
        assert_eq!((status(&effects), state.is_over()), (Some(Status::Done), true), "{effects:?}");
        let (idle, _) = machine
            .step(State::default(), asked("move ~/a.txt to Other and then find the PDFs in Documents"));
        assert_eq!(
            status(&machine.step(idle, Event::Supplied).1),
            Some(Status::Failed),
            "nothing was lacking"
        );
    }
}
