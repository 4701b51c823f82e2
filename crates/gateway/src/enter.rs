//! The ways into a turn: a new request, a step that was let through, the answer to a question, a credential that is
//! kept now.

use crate::conduct::{Asked, Gateway, Told, TurnDoor};
use crate::cut::Running;
use crate::phases::Phases;
use crate::recall::{Opening, SECRET};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::call::Done;
use metnos_runtime::guards::Answer;
use metnos_turn::{Entry, Event, State, Status};
use serde_json::Value;
use std::path::PathBuf;

/// A turn that is written down and held, and has not run yet.
pub struct Begun {
    /// Its id.
    pub turn: String,
    /// Let go of when the turn has ended or its process dies.
    running: Running,
    context: Vec<String>,
    /// The request as it is planned and written, where what was said may hold a secret.
    said: Option<String>,
}

/// A turn whose question was answered: nobody else goes on with it.
pub struct AtWork {
    turn: String,
    running: Running,
    /// What it showed while it waited, if it did wait.
    waited: Option<Option<u32>>,
}

impl Gateway {
    /// Carries one turn out.
    pub fn ask(&self, asked: &Asked, door: &mut dyn TurnDoor) -> Result<Told, Failure> {
        self.carry(self.begin(None, asked, None)?, asked, door)
    }

    /// Writes a turn down, with what whoever asks came in by, so that it is known before anything of it runs. An id
    /// that is given is used once.
    pub fn begin(
        &self,
        turn: Option<String>,
        asked: &Asked,
        came_by: Option<&str>,
    ) -> Result<Begun, Failure> {
        let turn = turn.unwrap_or_else(|| metnos_executor::Ulid::new().to_string());
        let before = || Failure::new(ErrorClass::Conflict, format!("turn {turn} was begun before"));
        // Held before anybody can see the turn.
        let running = self.scratch().running(&turn)?.ok_or_else(before)?;
        if self.turn(&turn)?.is_some() {
            return Err(before());
        }
        // What changed since the last turn.
        self.catch_up()?;
        // Whoever wants something else chooses from nothing any more.
        self.withdraw_offer(asked)?;
        // What was said before, this not included.
        let context = self.context(asked)?;
        self.runtime.hear(&asked.text);
        // What may be the value of a credential is given by a form; of what was typed, the rest is planned.
        let clock = metnos_engine::Clock::at(asked.now.clone());
        let said = self.machine().without_value(&asked.text, asked.language.as_deref(), &clock);
        // A secret typed in the wrong place is not kept; what was typed is still what is planned.
        let request = self.runtime.told(said.as_deref().unwrap_or(&asked.text));
        let now = jiff::Timestamp::now();
        self.db(|db| db.begin_turn(&turn, &asked.caller, came_by, &asked.conversation, &request, now))?;
        Ok(Begun { turn, running, context, said })
    }

    /// Carries out a turn that was begun.
    pub fn carry(&self, begun: Begun, asked: &Asked, door: &mut dyn TurnDoor) -> Result<Told, Failure> {
        let Begun { turn, running, context, said } = begun;
        let without;
        let asked = match said {
            Some(text) => {
                without = Asked { text, ..asked.clone() };
                &without
            }
            None => asked,
        };
        let mut phases = Phases::default();
        let told = self
            .opening(asked, context, &mut phases)
            .and_then(|opening| self.run(asked, turn, (State::default(), 0), opening, phases, door));
        drop(running);
        told
    }

    /// Answers the question a turn waits for, by `decide`, with the turn at work from then on: a cut in the middle of
    /// the step finds it so, and nobody answers beside. An answer that does not count lets it wait as before.
    pub fn at_work(
        &self,
        turn: &str,
        answer: Answer,
        decide: impl FnOnce() -> Result<Option<Done>, Failure>,
    ) -> Result<(Option<Done>, AtWork), Failure> {
        let late = || Failure::new(ErrorClass::Conflict, format!("turn {turn} is being answered already"));
        let running = self.scratch().running(turn)?.ok_or_else(late)?;
        let known = self.turn(turn)?.filter(|known| known.status.as_deref() == Some(Status::Waits.word()));
        // A no is always heard; a yes only where the turn can go on after it.
        if known.is_some() && !matches!(answer, Answer::No | Answer::Never) {
            self.catch_up()?;
            self.state_of(turn)?;
        }
        if known.is_some() {
            self.db(|db| db.reopen_turn(turn))?;
        }
        let at_work = AtWork { turn: turn.to_owned(), running, waited: known.map(|known| known.shown) };
        match decide() {
            Ok(done) => Ok((done, at_work)),
            Err(failure) => {
                self.leave(at_work)?;
                Err(failure)
            }
        }
    }

    /// Lets a turn wait as it did before its question was answered.
    pub fn leave(&self, at_work: AtWork) -> Result<(), Failure> {
        at_work.waited.map_or(Ok(()), |shown| self.wait_on(&at_work.turn, Status::Waits, shown))
    }

    /// Goes on with a turn that waited for a yes, now that the step it waited for has run.
    pub fn resume(
        &self,
        AtWork { turn, running, .. }: AtWork,
        done: Done,
        asked: &Asked,
        door: &mut dyn TurnDoor,
    ) -> Result<Told, Failure> {
        let (state, n) = self.state_of(&turn)?;
        let step = state.results.len() + 1;
        let event = Event::Done { step, got: Box::new(self.keep(&turn, step, done)?) };
        self.go_on(&turn, (state, n), event, running, asked, door)
    }

    /// Says that a turn waits for somebody, as it did before.
    pub(crate) fn wait_on(&self, turn: &str, status: Status, shown: Option<u32>) -> Result<(), Failure> {
        self.db(|db| db.end_turn(turn, status.word(), shown, jiff::Timestamp::now()))
    }

    /// Goes on with a turn that asked for what was missing.
    pub fn answer(
        &self,
        turn: &str,
        text: &str,
        asked: &Asked,
        door: &mut dyn TurnDoor,
    ) -> Result<Told, Failure> {
        let running = self.asking(turn)?;
        self.catch_up()?;
        self.runtime.hear(text);
        let known = self.state_of(turn)?;
        if known.0.lacks().is_some() {
            return Err(Failure::wrong_args("this turn lacks a credential, which is not given in words")
                .with_hint("metnos credentials set keeps it; then go on without words"));
        }
        self.go_on(turn, known, Event::Answered { text: text.to_owned() }, running, asked, door)
    }

    /// Goes on with a turn whose step lacked a credential: that step is tried again, and nothing before it. While
    /// it is not kept, the turn asks for it once more.
    pub fn supplied(&self, turn: &str, asked: &Asked, door: &mut dyn TurnDoor) -> Result<Told, Failure> {
        let running = self.asking(turn)?;
        self.catch_up()?;
        let known = self.state_of(turn)?;
        if known.0.lacks().is_none() {
            return Err(Failure::wrong_args("this turn asks a question, which is answered in words")
                .with_hint("metnos forms shows it"));
        }
        self.go_on(turn, known, Event::Supplied, running, asked, door)
    }

    /// Holds a turn that asks for something. Two answers at once: the first one counts.
    pub(crate) fn asking(&self, turn: &str) -> Result<Running, Failure> {
        let late = || {
            Failure::new(ErrorClass::Conflict, format!("turn {turn} asks for nothing")).with_hint("ask again")
        };
        let asks = || -> Result<bool, Failure> {
            let known = self.turn(turn)?;
            Ok(known.is_some_and(|known| known.status.as_deref() == Some(Status::Asks.word())))
        };
        // What asks goes on asking: an answer now would be used up by a refusal.
        if let Some(stopped) = metnos_runtime::halt::stopped(&self.runtime.home) {
            return Err(Failure::new(ErrorClass::PolicyViolation, stopped.to_string())
                .with_hint("metnos resume lets work go on; what was asked is kept"));
        }
        // What is not known leaves no lock behind.
        if !asks()? {
            return Err(late());
        }
        let running = self.scratch().running(turn)?.ok_or_else(late)?;
        if !asks()? {
            return Err(late());
        }
        Ok(running)
    }

    /// Ends a turn that asked for what was missing, without an answer.
    pub fn give_up(&self, turn: &str, asked: &Asked, door: &mut dyn TurnDoor) -> Result<Told, Failure> {
        let running = self.asking(turn)?;
        let known = self.state_as_logged(turn)?;
        self.go_on(turn, known, Event::Cancelled, running, asked, door)
    }

    /// Ends a turn whose question was answered with no.
    pub fn refused(
        &self,
        AtWork { turn, running, .. }: AtWork,
        asked: &Asked,
        door: &mut dyn TurnDoor,
    ) -> Result<Told, Failure> {
        let known = self.state_as_logged(&turn)?;
        self.go_on(&turn, known, Event::Cancelled, running, asked, door)
    }

    pub(crate) fn go_on(
        &self,
        turn: &str,
        known: (State, u32),
        event: Event,
        running: Running,
        asked: &Asked,
        door: &mut dyn TurnDoor,
    ) -> Result<Told, Failure> {
        // Whoever goes on with it may stand elsewhere.
        let base = self.begun_in(turn)?.unwrap_or_else(|| asked.base.clone());
        let asked = &Asked { base, ..asked.clone() };
        self.db(|db| db.reopen_turn(turn))?;
        let opening = Opening { event, reading: None };
        let told = self.run(asked, turn.to_owned(), known, opening, Phases::default(), door);
        drop(running);
        told
    }

    /// What relative paths of a turn are relative to, if that was written down.
    fn begun_in(&self, turn: &str) -> Result<Option<PathBuf>, Failure> {
        Ok(self.entries(turn)?.into_iter().next().and_then(|entry| match entry.event {
            Event::Asked { base, .. } => base.map(PathBuf::from),
            _ => None,
        }))
    }

    /// Where a turn stands, from its log, and how long that is; also of one that can only end.
    fn state_as_logged(&self, turn: &str) -> Result<(State, u32), Failure> {
        let (log, machine) = (self.entries(turn)?, self.machine());
        let n = u32::try_from(log.len()).unwrap_or(u32::MAX);
        let step = |state, entry: Entry| machine.step(state, entry.event).0;
        Ok((log.into_iter().fold(State::default(), step), n))
    }

    /// The same of one that goes on: what was begun must be what would be begun now.
    pub(crate) fn state_of(&self, turn: &str) -> Result<(State, u32), Failure> {
        let log = self.entries(turn)?;
        let n = u32::try_from(log.len()).unwrap_or(u32::MAX);
        let machine = self.machine();
        let mut state = State::default();
        for entry in log {
            let (next, effects) = machine.step(state, entry.event.clone());
            // A step that is planned otherwise now is not the one that was begun.
            let now = Entry::new(entry.event, &effects).map_err(|e| Failure::internal(e.to_string()))?;
            if !same_calls(&now.effects, &entry.effects) {
                return Err(Failure::new(
                    ErrorClass::Conflict,
                    format!("turn {turn} would be planned otherwise now: executors or words changed since"),
                )
                .with_hint("ask again; what it did stays done"));
            }
            state = next;
        }
        Ok((state, n))
    }
}

/// Whether the same executors are called with the same arguments, and the same is offered. Where a secret was cut out of what was written, the
/// names alone tell.
fn same_calls(now: &[Value], then: &[Value]) -> bool {
    let calls = |effects: &[Value], key: &str| -> Vec<Option<Value>> {
        let calls = effects.iter().filter(|effect| effect.get("effect") == Some(&Value::from("invoke")));
        calls.map(|effect| effect.get(key).cloned()).collect()
    };
    let cut = then.iter().any(|effect| effect.to_string().contains(SECRET));
    let choices =
        |effects: &[Value]| effects.iter().filter_map(|e| e.get("choices").cloned()).collect::<Vec<_>>();
    if !cut && choices(now) != choices(then) {
        return false;
    }
    let keys: &[&str] = if cut { &["step", "tool"] } else { &["step", "tool", "args"] };
    keys.iter().all(|key| calls(now, key) == calls(then, key))
}
