//! Seeds on texts, one file each. `source` finds the texts of a call, `lines` and `diff` take
//! them apart.

pub mod compare_texts;
pub mod compute_texts;
pub(crate) mod diff;
pub mod filter_texts_lines;
mod lines;
mod source;

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("compare_texts", compare_texts::run),
    ("compute_texts", compute_texts::run),
    ("filter_texts_lines", filter_texts_lines::run),
];

#[cfg(test)]
mod tests;
