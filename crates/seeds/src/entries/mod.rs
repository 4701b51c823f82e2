//! Seeds on lists of entries, one file each. They read and answer lists line by line; an entry
//! that is only chosen or moved keeps its bytes, and with them its origin.

mod exact;
mod field;
mod identity;
mod lines;
mod moment;
mod pattern;
mod tally;

mod filter_entries;

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[("filter_entries", filter_entries::run)];
