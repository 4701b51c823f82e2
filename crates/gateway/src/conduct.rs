//! One turn, from the words to the end.

use crate::consult::Wanted;
use crate::lists::EARLIER;
use crate::mind::Mind;
use crate::phases::Phases;
use crate::recall::Opening;
use crate::room::Rooms;
use crate::scratch::Scratch;
use metnos_engine::{Catalog, Plan, Reading};
use metnos_executor::{ErrorClass, Failure, Lacked, shown};
use metnos_memory::db::Turn;
use metnos_runtime::Runtime;
use metnos_runtime::call::{Done, Door, Places, Provenance, Spec};
use metnos_turn::{
    Credential, Effect, Ending, Entry, Event, Got, Replayed, Source, Stage, State, Status, Trouble, numbered,
    replay,
};
use serde_json::{Map, Value};
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// How many earlier requests of a conversation are looked at.
const CONTEXT: u32 = 6;
/// How many of the items that failed are spelled out in the log.
const FAILED_SHOWN: usize = 20;

/// What a person asks.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The words.
    pub text: String,
    /// Their language, if it is known.
    pub language: Option<String>,
    /// The moment, in the person's zone.
    pub now: jiff::Zoned,
    /// Who asks, over which channel.
    pub caller: String,
    /// In which conversation.
    pub conversation: String,
    /// In which session: what is granted for one ends with it.
    pub session: String,
    /// What relative paths are relative to.
    pub base: PathBuf,
}

/// What a door shows and asks while a turn runs.
pub trait TurnDoor: Door {
    /// The plan that is about to run.
    fn plan(&mut self, _plan: &Plan) {}
    /// The log of the turn has grown to `n` entries.
    fn logged(&mut self, _turn: &str, _n: u32) {}
    /// A model is being asked; that may take a while.
    fn consults(&mut self, _model: &str) {}
    /// The one question; a door without a person lets it stand.
    fn question(&mut self, _text: &str) -> Option<String> {
        None
    }
    /// What can be chosen from; a door without a person lets it stand.
    fn offer(&mut self, _text: &str, _choices: &[String]) -> Option<String> {
        None
    }
    /// The same door for a single call.
    fn as_door(&mut self) -> &mut dyn Door;
}

/// A finished turn.
pub struct Told {
    /// Its id.
    pub turn: String,
    /// How it ended.
    pub ending: Ending,
    /// The list that is the answer.
    pub list: Option<Box<dyn Read>>,
    /// The stage that gave the plan.
    pub stage: Option<&'static str>,
}

/// The runtime with a mind before it.
pub struct Gateway {
    pub(crate) runtime: Runtime,
    pub(crate) mind: Mind,
    pub(crate) rooms: Rooms,
    scratch: Scratch,
}

impl Gateway {
    /// Puts the mind this binary was built with before `runtime`.
    pub fn new(runtime: Runtime) -> Result<Self, Failure> {
        let mind = Mind::new(&runtime)?;
        let scratch = Scratch::new(&runtime.home.state_dir(), Arc::clone(runtime.discretion()));
        Ok(Self { mind, rooms: Rooms::default(), scratch, runtime })
    }

    /// A sentence of a turn in this language.
    pub fn say(&self, language: &str, key: &str, values: &[(&str, &str)]) -> String {
        self.machine().say(language, key, values)
    }

    /// What calls go through.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Every executor a plan may use, also those that cannot run yet.
    pub fn catalog(&self) -> Catalog {
        self.machine().planner().catalog().clone()
    }

    pub(crate) fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// The stage that would give the plan of a request now, and its plan; nothing runs and nothing is kept.
    pub fn foresee(
        &self,
        asked: &Asked,
        context: Vec<String>,
    ) -> Result<(Option<Stage>, Option<Plan>), Failure> {
        self.catch_up()?;
        let opening = self.opening(asked, context, &mut Phases::default())?;
        let (state, _) = self.machine().step_read(State::default(), opening.event, opening.reading);
        Ok((state.stage, state.plan))
    }

    pub(crate) fn run(
        &self,
        asked: &Asked,
        turn: String,
        (mut state, mut n): (State, u32),
        Opening { mut event, mut reading }: Opening,
        mut phases: Phases,
        door: &mut dyn TurnDoor,
    ) -> Result<Told, Failure> {
        // One for the whole turn, whatever changes meanwhile.
        let machine = self.machine();
        loop {
            let phase = if matches!(event, Event::Done { .. }) { "next_us" } else { "plan_us" };
            let known: Option<Reading> = reading.take();
            let (next, effects) = phases.time(phase, || machine.step_read(state, event.clone(), known));
            state = next;
            n += 1;
            self.log(&turn, n, &event, &effects)?;
            door.logged(&turn, n);
            // The machine gives one effect for each event while the turn is not over.
            let Some(effect) = effects.into_iter().next() else {
                return Err(Failure::new(ErrorClass::Conflict, format!("turn {turn} is over")));
            };
            event = match effect {
                // Nobody wants it any more, or nobody may.
                Effect::Invoke { .. }
                | Effect::Consult { .. }
                | Effect::Measure { .. }
                | Effect::Candidates { .. }
                    if door.cancelled() =>
                {
                    Event::Cancelled
                }
                Effect::Invoke { step, tool, args, entries, with, derived, unsaid } => {
                    if step == 1
                        && let Some(plan) = &state.plan
                    {
                        door.plan(plan);
                    }
                    let provenance = Provenance { derived, unsaid, ..Provenance::default() };
                    let spec = self.spec(asked, &state, &turn, step, tool, args, (entries, with), provenance);
                    let got = match spec {
                        Ok(spec) => {
                            let done = phases.time("exec_ms", || self.runtime.call(spec, door.as_door()));
                            self.keep(&turn, step, done)?
                        }
                        Err(failure) => {
                            let failure = failure.in_language(&state.language);
                            Got { error: Some(trouble(&failure)), ..Got::default() }
                        }
                    };
                    Event::Done { step, got: Box::new(got) }
                }
                Effect::Ask { text, choices, .. } => {
                    let answer = match choices.is_empty() {
                        true => door.question(&text),
                        false => door.offer(&text, &choices),
                    };
                    match answer {
                        Some(text) => Event::Answered { text },
                        None if door.cancelled() => Event::Cancelled,
                        None => return self.left_open(turn, numbered(&text, &choices)),
                    }
                }
                Effect::Candidates { step, most, around } => {
                    phases.time("exec_ms", || self.candidates(asked, &state, &turn, (step, most, around)))?
                }
                Effect::Consult { role, system, user, constraint, most_tokens } => {
                    let wanted = Wanted { role, system, user, constraint, most_tokens };
                    let tiers = self.runtime.tiers();
                    phases.time("model_ms", || self.consult(Some(&turn), &asked.now, wanted, &tiers, door))?
                }
                Effect::Measure { role } => {
                    phases.time("model_ms", || self.measure(role, &self.runtime.tiers()))
                }
                Effect::Finish(ending) => {
                    let timed = (state.stage.map(Stage::word), phases.json());
                    self.advised(asked, &ending)?;
                    return self.close(turn, &self.runtime.told(&asked.text), ending, timed);
                }
            };
        }
    }

    /// The turn, decided again from its log.
    pub fn replay(&self, turn: &str) -> Result<Replayed, Failure> {
        let log = self.entries(turn)?;
        replay(&self.machine(), &log).map_err(|e| Failure::internal(e.to_string()))
    }

    /// One turn, if it is known.
    pub fn turn(&self, id: &str) -> Result<Option<Turn>, Failure> {
        self.db(|db| db.turn(id))
    }

    /// What happened in a turn, as it happened: to decide it again.
    pub(crate) fn entries(&self, turn: &str) -> Result<Vec<Entry>, Failure> {
        let log = self.db(|db| db.turn_log(turn))?;
        let log: Vec<Entry> = log
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect::<Result<_, _>>()
            .map_err(damaged(turn))?;
        // What was said to another process is as secret here.
        for entry in &log {
            if let Event::Asked { text, .. } | Event::Answered { text } = &entry.event {
                self.runtime.hear(text);
            }
        }
        Ok(log)
    }

    /// The same, without secrets: to be shown, and to be learned from.
    pub(crate) fn told_entries(&self, turn: &str) -> Result<Vec<Entry>, Failure> {
        let one = |line: &String| {
            let mut value = serde_json::from_str(line)?;
            self.runtime.told_value(&mut value);
            serde_json::from_value(value)
        };
        self.db(|db| db.turn_entries(turn))?.iter().map(one).collect::<Result<_, _>>().map_err(damaged(turn))
    }

    /// The latest turns, the newest first.
    pub fn turns(&self, most: u32) -> Result<Vec<Turn>, Failure> {
        self.db(|db| db.turns(None, most))
    }

    /// The latest turns of a conversation, the newest first.
    pub fn turns_in(&self, conversation: &str, most: u32) -> Result<Vec<Turn>, Failure> {
        self.db(|db| db.turns(Some(conversation), most))
    }

    /// The turns of a conversation older than `before`, the newest first.
    pub fn turns_before(&self, conversation: &str, before: &str, most: u32) -> Result<Vec<Turn>, Failure> {
        self.db(|db| db.turns_before(conversation, before, most))
    }

    /// The turns of one person, or of all, older than `before`, the newest first.
    pub fn turns_of(
        &self,
        person: Option<&str>,
        before: Option<&str>,
        most: u32,
    ) -> Result<Vec<Turn>, Failure> {
        self.db(|db| db.turns_of(person, before, most))
    }

    /// Earlier requests of a conversation, oldest first.
    pub(crate) fn context(&self, asked: &Asked) -> Result<Vec<String>, Failure> {
        let earlier = self.earlier(&asked.caller, &asked.conversation, CONTEXT)?;
        let mut earlier: Vec<String> = earlier.into_iter().map(|turn| turn.request).collect();
        earlier.reverse();
        Ok(earlier)
    }

    #[allow(clippy::too_many_arguments, reason = "one step's parts, used once, here")]
    pub(crate) fn spec(
        &self,
        asked: &Asked,
        state: &State,
        turn: &str,
        step: usize,
        tool: String,
        args: Map<String, Value>,
        (entries, with): (Option<Source>, Option<Source>),
        provenance: Provenance,
    ) -> Result<Spec, Failure> {
        let last = || self.earlier(&asked.caller, &asked.conversation, EARLIER);
        let list = |source: Option<Source>| {
            let found = source.map(|source| self.list(turn, source, last)).transpose();
            found.map(|found| found.map_or((None, None), |(list, place)| (Some(list), Some(place))))
        };
        let ((entries, entries_at), (with, with_at)) = (list(entries)?, list(with)?);
        let provenance = Provenance { places: Places { entries: entries_at, with: with_at }, ..provenance };
        Ok(Spec {
            executor: tool,
            version: None,
            args,
            base: asked.base.clone(),
            entries,
            with,
            caller: asked.caller.clone(),
            session: asked.session.clone(),
            call_id: Some(format!("{turn}-{}", state.before + step)),
            lang: state.language.clone(),
            now: asked.now.clone(),
            provenance,
            bound: None,
        })
    }

    pub(crate) fn keep(&self, turn: &str, step: usize, mut done: Done) -> Result<Got, Failure> {
        let mut reader = BufReader::new(done.items.reader().map_err(|e| Failure::io("a list", &e))?);
        let count = self.scratch.keep(turn, step, &mut reader)?;
        drop(reader);
        Ok(got(&done, count))
    }

    fn log(&self, turn: &str, n: u32, event: &Event, effects: &[Effect]) -> Result<(), Failure> {
        let broken = |e: serde_json::Error| Failure::internal(e.to_string());
        let entry = Entry::new(event.clone(), effects).map_err(broken)?;
        let text = serde_json::to_string(&entry).map_err(broken)?;
        self.db(|db| db.log_turn(turn, n, &text))
    }

    fn close(
        &self,
        turn: String,
        request: &str,
        ending: Ending,
        (stage, phases): (Option<&'static str>, String),
    ) -> Result<Told, Failure> {
        let now = jiff::Timestamp::now();
        if ending.status == Status::Gap {
            self.db(|db| db.note_gap(&turn, request, &ending.words.join(" "), now))?;
        }
        let shown = ending.show.or(ending.nothing).and_then(|step| u32::try_from(step).ok());
        self.db(|db| db.close_turn(&turn, ending.status.word(), shown, (stage, &phases), now))?;
        // It has ended, whether or not its list is still kept.
        let list = ending.show.and_then(|step| self.scratch.whole(&turn, step).ok());
        Ok(Told { turn, ending, list, stage })
    }

    /// Nobody was there to answer: the question is the answer.
    fn left_open(&self, turn: String, text: String) -> Result<Told, Failure> {
        let ending = Ending::asks(text);
        self.db(|db| db.end_turn(&turn, ending.status.word(), None, jiff::Timestamp::now()))?;
        Ok(Told { turn, ending, list: None, stage: None })
    }

    pub(crate) fn db<T>(
        &self,
        act: impl FnOnce(&metnos_memory::db::Db) -> metnos_memory::Result<T>,
    ) -> Result<T, Failure> {
        act(self.runtime.db()).map_err(|e| Failure::new(ErrorClass::Internal, e.to_string()))
    }
}

fn damaged(turn: &str) -> impl Fn(serde_json::Error) -> Failure {
    move |e| {
        let why = metnos_executor::versions::unread(&e);
        Failure::internal(format!("the log of turn {turn} {why}"))
    }
}

/// What failed and why, for a person: named once, and without the number the system gives it.
fn item(what: &str, message: &str) -> String {
    let message = message.split(" (os error ").next().unwrap_or(message);
    let (what, message) = (&*shown::part(what), &*shown::part(message));
    match message.starts_with(what) {
        true => message.to_owned(),
        false => format!("{what}: {message}"),
    }
}

fn got(done: &Done, count: u64) -> Got {
    let outcome = &done.outcome;
    Got {
        call_id: done.call_id.clone(),
        ok: outcome.ok,
        ok_count: outcome.ok_count,
        fail_count: outcome.fail_count,
        claimed: outcome.claimed,
        failed: outcome.failed.iter().take(FAILED_SHOWN).map(|f| item(&f.what, &f.message)).collect(),
        error: outcome.error.as_ref().map(trouble),
        fields: outcome.fields.clone(),
        count,
        truncated: outcome.truncation.as_ref().map(|cut| match cut.available_total {
            Some(all) => format!("{} / {all} ({})", cut.used, cut.cap_field),
            None => format!("{} ({})", cut.used, cut.cap_field),
        }),
        digest: String::new(),
    }
}

fn credential(lacked: &Lacked) -> Credential {
    Credential { name: lacked.name.clone(), fields: lacked.fields.clone() }
}

fn trouble(failure: &Failure) -> Trouble {
    Trouble {
        class: failure.class.as_str().to_owned(),
        message: failure.message.clone(),
        hint: failure.hint.clone(),
        approval: failure.approval.clone(),
        credentials: failure.lacks.iter().map(credential).collect(),
    }
}
