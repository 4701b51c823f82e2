//! Seeds on lists of entries, one file each. They read and answer lists line by line; an entry
//! that is only chosen or moved keeps its bytes, and with them its origin.

mod derive;
mod exact;
mod field;
mod identity;
mod lines;
mod moment;
mod overlap;
mod pattern;
mod render;
mod seen;
mod tally;

mod compare_entries;
mod compute_entries;
mod filter_entries;
mod filter_lists;
mod group_entries;
mod render_entries;
mod sort_entries;

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("filter_entries", filter_entries::run),
    ("filter_lists", filter_lists::run),
    ("sort_entries", sort_entries::run),
    ("group_entries", group_entries::run),
    ("compute_entries", compute_entries::run),
    ("compare_entries", compare_entries::run),
    ("render_entries", render_entries::run),
];
