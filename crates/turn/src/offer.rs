//! Offers: several readings of a request, or several things that one may be. The person chooses; nothing is done before.

use crate::ending::{Messages, Status};
use crate::event::{Around, Effect};
use crate::machine::{Machine, State};
use crate::validate::validate;
use metnos_engine::catalog::{Role, Tool};
use metnos_engine::{Choice, Plan, Step};
use metnos_vocab::Class;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The most readings that are offered.
const READINGS: usize = 4;
/// The most things that are offered.
pub(crate) const RECORDS: usize = 8;
/// The argument that says how many of a list are meant, and its only value.
pub(crate) const PICK: &str = "pick";
const ONE: &str = "one";
/// Arguments that say where is looked, not for what.
const WHERE: [Role; 4] = [Role::Place, Role::Recursive, Role::Hidden, Role::Folder];
/// Arguments that name what is looked for.
const NAMES: [Role; 5] = [Role::Patterns, Role::Names, Role::Name, Role::Pattern, Role::Query];

/// What the person chooses from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Offered {
    /// Readings of the request.
    Readings(Vec<Choice>),
    /// What stands in the list of a step, counted from 1.
    Records { step: usize, names: Vec<String>, more: u64 },
}

impl Offered {
    /// What can be chosen, in sentences.
    fn choices(&self) -> Vec<String> {
        match self {
            Self::Readings(readings) => readings.iter().map(|choice| choice.says.clone()).collect(),
            Self::Records { names, .. } => names.clone(),
        }
    }
}

/// What an answer to an offer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This one, counted from 1.
    Chosen(usize),
    /// None of them.
    None,
    /// An answer, and to none of them: which one is asked again.
    Which,
    /// No answer: something else is wanted.
    Else,
}

impl Machine {
    /// Offers readings: those that may run, each once.
    pub(crate) fn offer(&self, state: &mut State, readings: Vec<Choice>) -> Effect {
        let mut offered: Vec<Choice> = Vec::new();
        for choice in readings {
            let known = |other: &Choice| same_steps(&other.plan, &choice.plan);
            if validate(&choice.plan, &self.catalog).is_ok() && !offered.iter().any(known) {
                offered.push(choice);
            }
        }
        offered.truncate(READINGS);
        if offered.is_empty() {
            return self.finish(state, Status::Unclear, None);
        }
        let now = state.asked.as_ref().map(|words| words.now.clone());
        let year = now.as_deref().and_then(|now| now.get(..4));
        for choice in &mut offered {
            if choice.says.trim().is_empty() {
                choice.says = self.says(&state.language, &choice.plan, year);
            }
        }
        let says = apart(offered.iter().map(|choice| choice.says.clone()).collect());
        offered.iter_mut().zip(says).for_each(|(choice, says)| choice.says = says);
        self.ask_which(state, Offered::Readings(offered), None)
    }

    fn ask_which(&self, state: &mut State, offered: Offered, first: Option<String>) -> Effect {
        let key = match &offered {
            Offered::Readings(one) if one.len() == 1 => "offer_one",
            Offered::Readings(_) => "offer",
            Offered::Records { .. } => "pick_which",
        };
        let mut text = self.messages.say(&state.language, key, &[]);
        if let Offered::Records { more, .. } = &offered
            && *more > 0
        {
            let more = self.messages.say(&state.language, "pick_more", &[("count", &more.to_string())]);
            text = format!("{text} {more}");
        }
        if let Some(first) = first {
            text = format!("{first} {text}");
        }
        let choices = offered.choices();
        state.offered = Some(offered);
        Effect::Ask { missing: Vec::new(), text, choices }
    }

    /// The person answered an offer.
    pub(crate) fn chosen(&self, state: &mut State, text: &str) -> Effect {
        let Some(offered) = state.offered.take() else {
            return self.finish(state, Status::Failed, Some("an answer came to no question".into()));
        };
        let at = match self.messages.reply(text, &offered.choices()) {
            Reply::Chosen(at) => at,
            Reply::None => {
                // It was asked about, and is not told as what was left over.
                state.waiting = matches!(offered, Offered::Records { .. });
                let why = self.messages.say(&state.language, "none_chosen", &[]);
                return self.finish(state, Status::Cancelled, Some(why));
            }
            Reply::Which | Reply::Else => {
                let first = self.messages.say(&state.language, "offer_again", &[]);
                return self.ask_which(state, offered, Some(first));
            }
        };
        match offered {
            Offered::Readings(mut readings) => {
                state.chosen = true;
                self.begin(state, readings.swap_remove(at - 1).plan)
            }
            Offered::Records { step, .. } => {
                state.picks.insert(step, at as u64);
                self.invoke(state)
            }
        }
    }

    /// What has to be known before step `number` of the plan, if it is for one thing and it is not plain which.
    pub(crate) fn unpicked(&self, state: &State, plan: &Plan, number: usize) -> Option<Effect> {
        let from = picked_from(plan.steps.get(number - 1)?)?;
        let found = state.results.get(from.checked_sub(1)?)?.count;
        if found == 1 || state.picks.contains_key(&from) {
            return None;
        }
        let around = (found == 0).then(|| self.around(plan, from)).flatten();
        Some(Effect::Candidates { step: from, most: RECORDS, around })
    }

    /// What stands in the list that one thing is meant of, or what comes near to it where nothing does.
    pub(crate) fn candidates(
        &self,
        state: &mut State,
        step: usize,
        names: Vec<String>,
        near: &[String],
    ) -> Effect {
        let count = state.results.get(step.wrapping_sub(1)).map_or(0, |got| got.count);
        if count > 0 && !names.is_empty() {
            let more = count.saturating_sub(names.len() as u64);
            return self.ask_which(state, Offered::Records { step, names: apart(names), more }, None);
        }
        let named = state.plan.as_ref().and_then(|plan| self.around(plan, step)).map(|around| around.name);
        let mut why = match &named {
            Some(name) => self.messages.say(&state.language, "pick_none_named", &[("name", name)]),
            None => self.messages.say(&state.language, "pick_none", &[]),
        };
        if !near.is_empty() {
            let near: Vec<String> = near.iter().map(|name| format!("“{name}”")).collect();
            let near = self.messages.say(&state.language, "pick_near", &[("names", &near.join(", "))]);
            why = format!("{why} {near}");
        }
        state.waiting = true;
        self.finish(state, Status::Failed, Some(why))
    }

    /// The look that would show everything where a list was looked for, and the name that was not found.
    fn around(&self, plan: &Plan, step: usize) -> Option<Around> {
        let producer = producer(plan, step)?;
        let tool = self.catalog.get(&producer.tool).filter(|tool| tool.class != Class::Changer)?;
        let with = |roles: &'static [Role]| {
            let named = move |name: &str| role_of(tool, name).is_some_and(|role| roles.contains(&role));
            producer.args.iter().filter(move |(key, _)| named(key))
        };
        let name = with(&NAMES).find_map(|(_, value)| first_text(value))?;
        let name = name.trim_matches(['*', '?']).to_owned();
        let args: Map<String, Value> =
            with(&WHERE).map(|(key, value)| (key.clone(), value.clone())).collect();
        (!name.is_empty()).then(|| Around { tool: producer.tool.clone(), args, name })
    }
}

impl Messages {
    /// What an answer to an offer of these choices says.
    pub fn reply(&self, text: &str, choices: &[String]) -> Reply {
        let text = plain(text);
        let digits = text.trim_end_matches([')', '.', ':']).trim_start_matches(['#', '(']);
        if let Ok(number) = digits.parse::<usize>() {
            return if (1..=choices.len()).contains(&number) { Reply::Chosen(number) } else { Reply::Which };
        }
        if let Some(at) = choices.iter().position(|choice| plain(choice) == text) {
            return Reply::Chosen(at + 1);
        }
        // The name at the end of a path names it, where only one ends so.
        let ends = format!("/{text}");
        let mut named = (1..).zip(choices).filter(|(_, choice)| plain(choice).ends_with(&ends));
        if let (Some((at, _)), None) = (named.next(), named.next()) {
            return Reply::Chosen(at);
        }
        let is = |which: &str| self.words(which).any(|word| word == text);
        if let Some(at) = (1..=choices.len()).find(|at| is(&at.to_string())) {
            return Reply::Chosen(at);
        }
        match (is("none") || is("no") || is("stop"), is("yes")) {
            (true, _) => Reply::None,
            (_, true) if choices.len() == 1 => Reply::Chosen(1),
            (_, true) => Reply::Which,
            _ => Reply::Else,
        }
    }
}

/// A question with what can be chosen, as it is read where there are only letters.
pub fn numbered(text: &str, choices: &[String]) -> String {
    let lines = (1..).zip(choices).map(|(n, choice): (usize, _)| format!("{n}. {choice}"));
    std::iter::once(text.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Whether two plans do the same.
pub(crate) fn same_steps(one: &Plan, other: &Plan) -> bool {
    let same = |(a, b): (&Step, &Step)| a.tool == b.tool && a.args == b.args;
    one.steps.len() == other.steps.len() && one.steps.iter().zip(&other.steps).all(same)
}

/// The list of which one is meant by a step.
pub(crate) fn picked_from(step: &Step) -> Option<usize> {
    let one = step.args.get(PICK).and_then(Value::as_str) == Some(ONE);
    let from = step.args.get("from_step")?.as_u64()?;
    one.then(|| usize::try_from(from).ok()).flatten()
}

/// The step in which something was looked for that others only went on with.
fn producer(plan: &Plan, step: usize) -> Option<&Step> {
    let mut at = step;
    loop {
        let known = plan.steps.get(at.checked_sub(1)?)?;
        match known.args.get("from_step").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()) {
            // Only ever back: a plan that was validated has no circle.
            Some(before) if before < at => at = before,
            _ => return Some(known),
        }
    }
}

fn role_of(tool: &Tool, name: &str) -> Option<Role> {
    tool.args.iter().find(|arg| arg.name == name)?.role
}

fn first_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(items) => items.iter().find_map(first_text),
        _ => None,
    }
}

/// A text as answers are compared.
fn plain(text: &str) -> String {
    text.trim().trim_end_matches(['.', '!', '?', ' ']).to_lowercase()
}

/// Sentences that can be told apart.
fn apart(sentences: Vec<String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let distinct = |sentence: String| {
        let same = |n: &usize| if *n == 1 { sentence.clone() } else { format!("{sentence} ({n})") };
        let fresh = (1..).map(|n| same(&n)).find(|text| !known.contains(&plain(text))).unwrap_or(sentence);
        known.insert(plain(&fresh));
        fresh
    };
    sentences.into_iter().map(distinct).collect()
}

#[cfg(test)]
#[path = "offer_tests.rs"]
mod tests;
