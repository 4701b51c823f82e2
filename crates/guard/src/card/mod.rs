//! The approval card: what a person reads before saying yes.
//!
//! Three lines: what, where, why and how serious. A card that was approved often shrinks, but never
//! so far as to hide that something cannot be undone, leaves the sandbox, came from elsewhere or
//! binds a schedule.

mod render;
mod texts;

#[cfg(test)]
mod tests;

pub use texts::{CardError, Lang, Texts};

use metnos_executor::Origin;
use serde::{Deserialize, Serialize};

/// Approved so often before, a card shows less.
const MEDIUM_FROM: u64 = 3;
/// Approved so often before, it is one line.
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
    /// Why the question is asked, in words: of the policy or of the judge.
    pub reason: Option<String>,
}

impl Card {
    /// Whether another card shows the same things: names, counts, sizes, places and what remains of them. A yes to one
    /// is a yes to the other; why it is asked may differ.
    pub fn shows_the_same(&self, other: &Self) -> bool {
        let things =
            |card: &Self| Self { capability: String::new(), grant: None, reason: None, ..card.clone() };
        things(self) == things(other)
    }

    /// More things than this are counted, not named.
    pub const NAMES_MAX: usize = 5;
}

/// What remains of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    NoChange,
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

/// How much of a card is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// Three lines.
    Full,
    /// Two.
    Medium,
    /// One.
    Line,
}

impl Size {
    /// The size of a card that was approved so often before.
    pub fn after(times_approved_before: u64) -> Self {
        match times_approved_before {
            ..MEDIUM_FROM => Self::Full,
            MEDIUM_FROM..LINE_FROM => Self::Medium,
            _ => Self::Line,
        }
    }
}
