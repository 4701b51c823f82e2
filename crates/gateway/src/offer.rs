//! Offers: what a turn lets the person choose from, the choice, and what a list holds of which one thing is meant.

use crate::conduct::{Asked, Gateway, Told, TurnDoor};
use metnos_executor::{ErrorClass, Failure, shown};
use metnos_runtime::call::{Door, Provenance, Silent, Spec};
use metnos_turn::{Around, Event, Reply, State, Status};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read};

/// How many names that come near are told.
const NEAR: usize = 3;
/// Fields that name a thing, the surest first.
const NAMES: [&str; 7] = ["path", "name", "title", "subject", "summary", "url", "id"];

/// What a turn lets the person choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenOffer {
    /// Which offer of the turn: the number of its entry in the log. A choice is good for one offer.
    pub number: u32,
    /// The question.
    pub text: String,
    /// What can be chosen, in sentences; the first has the number 1.
    pub choices: Vec<String>,
}

/// Nobody sits there.
struct Nobody;
impl Door for Nobody {}
impl TurnDoor for Nobody {
    fn as_door(&mut self) -> &mut dyn Door {
        self
    }
}

impl Gateway {
    /// What a turn lets the person choose from, if it waits for that.
    pub fn open_offer(&self, turn: &str) -> Result<Option<OpenOffer>, Failure> {
        let asks = |status: Option<String>| status.as_deref() == Some(Status::Asks.word());
        if !self.turn(turn)?.is_some_and(|known| asks(known.status)) {
            return Ok(None);
        }
        let log = self.told_entries(turn)?;
        let number = u32::try_from(log.len()).unwrap_or(u32::MAX);
        let offered = log.last().and_then(|entry| offered(&entry.effects));
        Ok(offered.map(|(text, choices)| OpenOffer { number, text, choices }))
    }

    /// What a message says to an offer.
    pub fn reply_to(&self, offer: &OpenOffer, text: &str) -> Reply {
        self.machine().reply(text, &offer.choices)
    }

    /// Chooses from the offer with this number, and goes on with that. A choice from an offer that is over changes
    /// nothing.
    pub fn choose(
        &self,
        turn: &str,
        number: u32,
        text: &str,
        asked: &Asked,
        door: &mut dyn TurnDoor,
    ) -> Result<Told, Failure> {
        let running = self.asking(turn)?;
        self.catch_up()?;
        let open = self.open_offer(turn)?.is_some_and(|open| open.number == number);
        if !open {
            return Err(Failure::new(ErrorClass::Conflict, format!("turn {turn} offers that no longer"))
                .with_hint("ask again"));
        }
        let known = self.state_of(turn)?;
        self.go_on(turn, known, Event::Answered { text: text.to_owned() }, running, asked, door)
    }

    /// Withdraws what the last turn of a conversation offers: something else is wanted.
    pub(crate) fn withdraw_offer(&self, asked: &Asked) -> Result<(), Failure> {
        let last = self.earlier(&asked.caller, &asked.conversation, 1)?.pop();
        let asks = last.filter(|turn| turn.status.as_deref() == Some(Status::Asks.word()));
        let Some(last) = asks else { return Ok(()) };
        if self.open_offer(&last.id)?.is_none() {
            return Ok(());
        }
        let before = Asked { text: last.request.clone(), ..asked.clone() };
        match self.give_up(&last.id, &before, &mut Nobody) {
            // Somebody chooses from it just now, or nothing may run: then it stands.
            Err(failure) if matches!(failure.class, ErrorClass::Conflict | ErrorClass::PolicyViolation) => {
                Ok(())
            }
            other => other.map(|_| ()),
        }
    }

    /// What stands in the list of a step, and where it is empty what comes near.
    pub(crate) fn candidates(
        &self,
        asked: &Asked,
        state: &State,
        turn: &str,
        (step, most, around): (usize, usize, Option<Around>),
    ) -> Result<Event, Failure> {
        let home = self.runtime.home.user_home();
        let home = home.to_string_lossy();
        let mut names = Vec::new();
        each_name(self.scratch().whole(turn, step)?, |name| {
            names.push(shown::part(&from_home(name, &home)));
            names.len() < most
        })?;
        let near = around.map(|around| self.near(asked, state, turn, step, around)).transpose()?;
        Ok(Event::Candidates { step, names, near: near.unwrap_or_default() })
    }

    /// Names that come near to one that was not found, by a look that changes nothing.
    fn near(
        &self,
        asked: &Asked,
        state: &State,
        turn: &str,
        step: usize,
        around: Around,
    ) -> Result<Vec<String>, Failure> {
        let Around { tool, args, name } = around;
        let provenance = Provenance::default();
        let spec = self.spec(asked, state, turn, step, tool, args, (None, None), provenance)?;
        let mut done = self.runtime.call(Spec { call_id: None, ..spec }, &mut Silent);
        // What cannot be looked at names nothing.
        if done.outcome.error.is_some() {
            return Ok(Vec::new());
        }
        let wanted = name.to_lowercase();
        let mut best: Vec<(usize, String)> = Vec::new();
        let list = done.items.reader().map_err(|e| Failure::io("a list", &e))?;
        each_name(Box::new(list), |found| {
            let found = shown::part(found.rsplit('/').next().unwrap_or(found));
            if let Some(far) = metnos_vocab::how_far(&wanted, &found)
                && !best.iter().any(|(_, known)| *known == found)
            {
                best.push((far, found));
                best.sort();
                best.truncate(NEAR);
            }
            true
        })?;
        Ok(best.into_iter().map(|(_, name)| name).collect())
    }
}

/// The question and the choices of an offer, as they were written down.
pub(crate) fn offered(effects: &[Value]) -> Option<(String, Vec<String>)> {
    let effect = effects.last()?.as_object().filter(|effect| effect.get("effect") == Some(&"ask".into()))?;
    let choices = effect.get("choices")?.as_array()?;
    let choices = choices.iter().filter_map(|choice| choice.as_str().map(str::to_owned)).collect();
    Some((effect.get("text")?.as_str()?.to_owned(), choices))
}

/// The name of each entry of a list, for as long as it is wanted.
fn each_name(list: Box<dyn Read + '_>, mut wanted: impl FnMut(&str) -> bool) -> Result<(), Failure> {
    for line in BufReader::new(list).split(b'\n') {
        let line = line.map_err(|e| Failure::io("a list", &e))?;
        let Ok(row) = serde_json::from_slice::<Map<String, Value>>(&line) else { continue };
        let name = NAMES.iter().find_map(|key| row.get(*key)?.as_str().filter(|name| !name.is_empty()));
        if !wanted(name.unwrap_or("–")) {
            break;
        }
    }
    Ok(())
}

/// `~/Documents/a.txt`.
fn from_home(path: &str, home: &str) -> String {
    match path.strip_prefix(home).filter(|rest| rest.starts_with('/')) {
        Some(rest) => format!("~{rest}"),
        None => path.to_owned(),
    }
}
