//! Everything the judge may look at.

use metnos_executor::Origin;
use serde::{Deserialize, Serialize};

/// One step, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The executor that would run.
    pub executor: String,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// How many items it would touch.
    pub items: usize,
    /// True when it deletes.
    pub deletes: bool,
    /// True when it moves.
    pub moves: bool,
    /// True when it changes the world.
    pub side_effects: bool,
    /// True when it can be undone.
    pub reversible: bool,
    /// True when something leaves the house.
    pub outbound: bool,
    /// True when it reaches the person who asked and nobody else.
    pub to_self: bool,
    /// The hour on the person's clock, 0..=23.
    pub hour: u8,
    /// How often this executor was used before.
    pub used_before: u64,
    /// The words of the request; none when nobody asked just now.
    pub request: Option<Vec<String>>,
    /// How many days ago the same act was last approved.
    pub approved_days_ago: Option<u32>,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// Where the value came from.
    pub origin: Origin,
    /// True when the request explains it.
    pub traceable: bool,
}

impl Arg {
    /// Whether its value is somebody else's words.
    pub fn is_tainted(&self) -> bool {
        self.origin > Origin::Local
    }
}

impl Facts {
    /// Whether anything could go wrong beyond having looked.
    pub(super) fn acts(&self) -> bool {
        self.side_effects || self.outbound || self.deletes || self.moves
    }
}
