//! Where a plan comes from: the shortest way that leads to it.

use crate::machine::Words;
use metnos_engine::shortcut::{Shape, normal};
use metnos_engine::{Answer, Clock, Plan, Planner, Reading, Request};
use serde::{Deserialize, Serialize};

/// The stage that gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A phrase of the closed table.
    Literal,
    /// This very request, kept.
    Fastpath,
    /// A request of the same skeleton, kept; the values are this request's.
    Autopath,
    /// The embedded planner.
    Embedded,
    /// A model, where the planner found nothing.
    Model,
}

impl Stage {
    /// As it is written down.
    pub fn word(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Fastpath => "fastpath",
            Self::Autopath => "autopath",
            Self::Embedded => "embedded",
            Self::Model => "model",
        }
    }
}

/// What memory had for a request. It is part of what happened; whether it serves is decided here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recalled {
    /// Its number in memory.
    pub id: i64,
    /// The digest of what it was made with.
    pub made: String,
    /// The language of the request it was learned from.
    pub language: String,
    /// What it is.
    pub kept: Kept,
    /// A person chose it for these words: it is theirs, whatever the planner would make of them now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}

/// What is kept of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// The plan of one request, with its normal form.
    Exact(String, Plan),
    /// The shape of many.
    Shape(Shape),
}

/// An answer, the language it is spoken in, and the stage that gave it.
pub(crate) type Staged = (Answer, String, Stage);

/// The answer to a request by the first stage that has one. `known` is its reading, where somebody read it already.
pub(crate) fn answer(
    planner: &Planner,
    words: &Words,
    clock: &Clock,
    recalled: Option<&Recalled>,
    known: Option<Reading>,
) -> Staged {
    let language = words.language.as_deref();
    if let Some((plan, spoken)) = planner.literal(&words.text, language) {
        return (Answer::Plan(plan), spoken.to_owned(), Stage::Literal);
    }
    // What another planner made is not what this one would: it is planned again.
    let recalled = recalled.filter(|recalled| recalled.chosen || recalled.made == planner.digest());
    if let Some(Recalled { kept: Kept::Exact(key, plan), language, .. }) = recalled
        && *key == normal(&words.text)
    {
        return (Answer::Plan(plan.clone()), language.clone(), Stage::Fastpath);
    }
    let request = Request { text: &words.text, language, context: &words.context };
    let reading = known.unwrap_or_else(|| planner.read(&request, clock));
    // A chosen language is spoken also where its words are not read.
    let unread =
        |code: &&str| metnos_tongue::known_as(code).is_some() && planner.lexicons().get(code).is_none();
    let chosen = language.filter(unread);
    let spoken = |read: &str| chosen.unwrap_or(read).to_owned();
    if let Some(Recalled { kept: Kept::Shape(shape), .. }) = recalled
        && let Some(mut plan) = planner.skeleton(&reading).and_then(|skeleton| shape.fill(&skeleton))
    {
        plan.corrected = reading.corrected().to_vec();
        return (Answer::Plan(plan), spoken(&reading.explain().language), Stage::Autopath);
    }
    let (mut answer, why) = planner.answer(&request, &reading);
    let language = spoken(&why.language);
    // What a person put in is known by the words of its manifest.
    if let Answer::Gap(gap) = &answer
        && let Some((led, _)) = planner.led(&request, &gap.words, clock)
    {
        answer = led;
    }
    (answer, language, Stage::Embedded)
}
