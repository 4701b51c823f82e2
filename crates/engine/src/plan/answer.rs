//! What the planner says: a plan, one question, what it is for, or that nothing fits.

use super::respell::Correction;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Steps that do what was asked, complete.
    Plan(Plan),
    /// One thing is missing.
    Ask(Ask),
    /// Several readings, of which the person chooses one; nothing is done before.
    Offer(Offer),
    /// The person asks what can be asked.
    Help,
    /// There is nothing to do but something to say: the name of the message.
    Say(String),
    /// Nothing in the catalog does it, or the words were not understood well enough to act on.
    Gap(Gap),
}

/// The steps, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The steps.
    pub steps: Vec<Step>,
    /// Slots that a model fills; the embedded planner leaves none.
    pub fillers: BTreeMap<String, Value>,
    /// What is said at the end, with `${stepN.field}` for results.
    pub final_message: String,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Maker::is_embedded")]
    pub source: Maker,
    /// Words of the request that were taken for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<Correction>,
    /// Parts of the request that the plan makes no use of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

/// Who made a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maker {
    /// The planner of this crate.
    #[default]
    Embedded,
    /// A model: whoever reads the plan is told.
    Model,
}

impl Maker {
    fn is_embedded(&self) -> bool {
        *self == Self::Embedded
    }
}

impl Plan {
    /// These steps, told by what the last of them did.
    pub(crate) fn of(steps: Vec<Step>) -> Self {
        let final_message = format!("${{step{}.ok_count}}", steps.len());
        Self { steps, final_message, ..Self::default() }
    }
}

/// One call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The executor.
    pub tool: String,
    /// Its arguments; `from_step`, `with_step`, `from_turn`, `index` and `pick` refer to results.
    pub args: Map<String, Value>,
    /// Why it cannot run yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dormant: Option<String>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ask {
    /// The arguments that are missing; one, unless any of several will do.
    pub missing: Vec<String>,
    /// The executor that lacks it.
    pub tool: String,
}

/// Readings to choose from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The likeliest first, at most four.
    pub offers: Vec<Choice>,
}

/// One reading of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What would be done.
    pub plan: Plan,
    /// The plan in a short sentence, in the language of the person.
    pub says: String,
}

/// Nothing fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Why.
    pub reason: String,
    /// The words nothing explained.
    pub words: Vec<String>,
    /// The executors that come nearest, best first, at most three.
    pub near: Vec<String>,
    /// One of the words leaves something out without saying what: whoever explains it away does too much.
    pub narrows: bool,
}

impl Gap {
    /// A gap; what is near is added where the whole request is known.
    pub(crate) fn new(reason: impl Into<String>, words: Vec<String>) -> Self {
        Self { reason: reason.into(), words, near: Vec::new(), narrows: false }
    }
}

/// Why an answer is what it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explain {
    /// The lexicon that was used.
    pub language: String,
    /// Words and what explained them.
    pub used: Vec<(String, String)>,
    /// Words that nothing explained.
    pub leftover: Vec<String>,
    /// From 0 to 1: how much of what was said is explained.
    pub confidence: f64,
    /// Decisions, in order.
    pub notes: Vec<String>,
    /// What else it depends on than the words.
    pub leans: Leans,
}

/// What a plan depends on beside the words of the request. False only where it was not even looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Leans {
    /// The moment it was asked.
    pub clock: bool,
    /// The request before, with other values.
    pub request: bool,
    /// What was spoken of before, because this request does not say what it is about.
    pub topic: bool,
    /// The last list.
    pub list: bool,
}

impl Leans {
    /// Whether anything that was said before was looked at.
    pub fn conversation(self) -> bool {
        self.request || self.topic || self.list
    }
}

impl Answer {
    /// `plan`, `ask`, `offer`, `help`, `say` or `gap`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plan(_) => "plan",
            Self::Ask(_) => "ask",
            Self::Offer(_) => "offer",
            Self::Help => "help",
            Self::Say(_) => "say",
            Self::Gap(_) => "gap",
        }
    }

    /// The plan, when there is one.
    pub fn as_plan(&self) -> Option<&Plan> {
        match self {
            Self::Plan(plan) => Some(plan),
            _ => None,
        }
    }
}
