//! The approval card: what a person reads before saying yes.
//!
//! Two lines: what, how many, from where to where; how it is taken back, with every warning. Names, the reason, the
//! capability and the grant are its details, shown to whoever wants them. A card that was approved often is one line,
//! which never hides that something cannot be undone, leaves the sandbox, came from elsewhere or binds a schedule.

mod render;
mod texts;

#[cfg(test)]
mod tests;

pub use texts::{CardError, Lang, Texts};

use metnos_executor::Origin;
use metnos_executor::lab::{self, Layer};
use serde::{Deserialize, Serialize};

/// Approved so often before, a card is one line.
const LINE_FROM: u64 = 8;

/// Everything a person needs to decide about one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The executor that would run; what it does is read from its name.
    pub executor: String,
    /// The verb for it where the executor does more than one thing: `append`, `copy`, `rename`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manner: Option<String>,
    /// The word for what it is about where that is not in the name: `dirs` for folders that are moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub things: Option<String>,
    /// How many items, when that is known.
    pub count: Option<u64>,
    /// The one thing it is about: a name, a recipient, a command.
    pub object: Option<String>,
    /// The first of the things it is about, when there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The folders in which it may change anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// Where it is taken from.
    pub source: Option<String>,
    /// Where it goes.
    pub destination: Option<String>,
    /// How large it is.
    pub bytes: Option<u64>,
    /// True when there was more than could be measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// What remains of it afterwards.
    pub effect: Effect,
    /// What it frees, and when.
    pub frees: Option<Frees>,
    /// The capability it needs.
    pub capability: String,
    /// The grant that a yes could create.
    pub grant: Option<Offer>,
    /// The values that somebody else wrote.
    pub tainted: Vec<Tainted>,
    /// True when it would run outside the sandbox.
    pub outside_sandbox: bool,
    /// What else must be known to say yes: never among the details.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Why the question is asked, in words: of the policy or of the judge.
    pub reason: Option<String>,
}

impl Card {
    /// Whether another card shows the same things: names, counts, sizes, places and what remains of them. A yes to one
    /// is a yes to the other; why it is asked may differ.
    pub fn shows_the_same(&self, other: &Self) -> bool {
        let things =
            |card: &Self| Self { capability: String::new(), grant: None, reason: None, ..card.clone() };
        things(self) == things(other) || lab::without(Layer::Showing)
    }

    /// More things than this are counted, not named.
    pub const NAMES_MAX: usize = 5;
}

/// What remains of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it only looks.
    NoChange,
    /// Nothing here, since it is tried where nothing can be written; what it would do is not known.
    Contained,
    /// Something that undo takes back.
    Reversible,
    /// Something that stays.
    Irreversible,
}

/// Space that becomes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frees {
    /// How much.
    pub bytes: u64,
    /// In how many days; none is at once.
    pub after_days: Option<u32>,
}

/// A grant that a yes could create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// The capability, on this target, until revoked.
    Here {
        /// The target.
        target: String,
    },
    /// Every firing of a schedule.
    Schedule {
        /// Which one.
        schedule: String,
        /// The most items one step may delete or move.
        item_cap: u64,
    },
}

/// What must be known to say yes, beside the count and the place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Processes are ended without being asked to end.
    Forced,
    /// What is changed runs code by itself: this file, or what it brings along.
    RunsCode(String),
    /// It may cost so much, in millionths.
    Costs(u64),
    /// Names that are taken where things go: both are kept, and the new one gets a number.
    Taken {
        /// How many.
        count: u64,
        /// The first of them.
        names: Vec<String>,
    },
    /// So many of the things lie where they are to go, and stay there.
    Stay(u64),
    /// Things that were named and are not there.
    NotThere {
        /// How many.
        count: u64,
        /// Their names.
        names: Vec<String>,
    },
    /// A credential of the host goes into somebody else's call, from now on.
    Lends {
        /// Which credential.
        credential: String,
        /// To whom.
        person: String,
        /// Into the calls of which executor.
        executor: String,
    },
}

/// A value that the person did not write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tainted {
    /// The value.
    pub value: String,
    /// What kind of place it came from.
    pub origin: Origin,
    /// Which one: a path, a sender, an address.
    pub from: Option<String>,
}

/// A card as a door shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its lines.
    pub text: String,
    /// What is shown to whoever wants to know more, one sentence each.
    pub details: Vec<String>,
}

/// How much of a card is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// Two lines.
    Full,
    /// One.
    Line,
}

impl Size {
    /// The size of a card that was approved so often before.
    pub fn after(times_approved_before: u64) -> Self {
        if times_approved_before < LINE_FROM { Self::Full } else { Self::Line }
    }
}
