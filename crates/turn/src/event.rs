//! What comes in and what goes out.

use crate::{Bound, Ending, Recalled};
use metnos_shape::{Constraint, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that happened outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A person asked for something.
    Asked {
        /// The words.
        text: String,
        /// Their language, if it is known.
        language: Option<String>,
        /// When, with its offset.
        now: String,
        /// In which zone.
        zone: String,
        /// Earlier requests of the same conversation, oldest first.
        context: Vec<String>,
        /// What memory had for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recalled: Option<Box<Recalled>>,
        /// The roles a model is bound to.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        models: Vec<Role>,
        /// What the handles in the words stand for.
        #[serde(default, skip_serializing_if = "Bound::is_empty")]
        bound: Bound,
        /// What relative paths are relative to, so that whoever goes on with it elsewhere means the same ones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
        /// Nobody was told yet how a model can be bound, and whoever asks can bind one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        advise: bool,
    },
    /// The person answered the one question.
    Answered {
        /// The words.
        text: String,
    },
    /// What a step lacked is kept now: it is tried again, and nothing before it.
    Supplied,
    /// A step ended, well or not.
    Done {
        /// Which one, from 1.
        step: usize,
        /// What came of it.
        got: Box<Got>,
    },
    /// What a list holds of which one thing is meant.
    Candidates {
        /// The step whose list it is, from 1.
        step: usize,
        /// The first of it, by where they are or what they are called.
        names: Vec<String>,
        /// Where it is empty: names that are there and come near to the one that was looked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        near: Vec<String>,
    },
    /// How much the model that is about to be asked can hold.
    Measured {
        /// In tokens, prompt and answer together.
        tokens: u64,
    },
    /// A model answered.
    Consulted {
        /// What it said, unchecked.
        text: String,
    },
    /// No model answered.
    NotConsulted {
        /// The word for why.
        why: String,
        /// What happened.
        said: String,
    },
    /// The person wants no more of it.
    Cancelled,
}

/// What came of one step. The list itself lies elsewhere: here is what decisions and sentences need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Got {
    /// The call.
    pub call_id: String,
    /// True when nothing failed.
    pub ok: bool,
    /// Items handled.
    pub ok_count: u64,
    /// Items not handled.
    pub fail_count: u64,
    /// What it said it had handled, where that is not what was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<u64>,
    /// The first of those, in words.
    pub failed: Vec<String>,
    /// Why the step as a whole failed.
    pub error: Option<Trouble>,
    /// Scalars beside the list.
    pub fields: Map<String, Value>,
    /// How long the list is.
    pub count: u64,
    /// The cap that cut the list short, in words.
    pub truncated: Option<String>,
    /// The digest of the whole answer.
    pub digest: String,
}

/// Why a step failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trouble {
    /// The class of the failure.
    pub class: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The question that waits.
    pub approval: Option<String>,
    /// The credentials that nobody kept; then nothing of the step ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Credential>,
}

/// A credential that a step lacked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<String>,
}

/// Something the driver must do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Run a step, through every guard.
    Invoke {
        /// Which one, from 1.
        step: usize,
        /// The executor.
        tool: String,
        /// Its arguments, with every reference resolved.
        args: Map<String, Value>,
        /// Where its list comes from.
        #[serde(skip_serializing_if = "Option::is_none")]
        entries: Option<Source>,
        /// Where its second list comes from.
        #[serde(skip_serializing_if = "Option::is_none")]
        with: Option<Source>,
        /// Arguments whose value an earlier step answered.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        derived: Vec<String>,
        /// Arguments of which nothing was said: a model made them up.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unsaid: Vec<String>,
    },
    /// Ask the person one thing.
    Ask {
        /// What is missing.
        missing: Vec<String>,
        /// The question.
        text: String,
        /// What can be chosen, in sentences; without any, the answer is free.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        choices: Vec<String>,
    },
    /// Look at a list of which one thing is meant; nothing is changed.
    Candidates {
        /// The step whose list it is, from 1.
        step: usize,
        /// How many of it are wanted.
        most: usize,
        /// Where it is empty: the look that shows what else is there.
        #[serde(skip_serializing_if = "Option::is_none")]
        around: Option<Around>,
    },
    /// Look up how much a model can hold, before it is asked.
    Measure {
        /// Which one.
        role: Role,
    },
    /// Ask a model.
    Consult {
        /// Which one.
        role: Role,
        /// What it is and must obey.
        system: String,
        /// What is wanted.
        user: String,
        /// What an answer may look like.
        constraint: Constraint,
        /// The longest answer, in tokens.
        most_tokens: u64,
    },
    /// Say how it ended; nothing follows.
    Finish(Ending),
}

/// A look at everything where something was not found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Around {
    /// The executor.
    pub tool: String,
    /// Where it looks, and nothing else.
    pub args: Map<String, Value>,
    /// The name that was not found.
    pub name: String,
}

/// Where a list comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A step of this turn.
    Step(usize),
    /// One of its list, from 1: the one that was chosen.
    OneOfStep(usize, u64),
    /// The last list of the conversation.
    Turn,
    /// One of it: from 1, or from the end with -1.
    OneOfTurn(i64),
}
