//! Seeds on numbers and time, one file each.

use crate::registry::Seed;

pub mod compute_numbers;
pub mod describe_numbers;
pub(crate) mod digits;
mod exact;
mod expression;
pub mod get_now;
pub(crate) mod lexer;
mod units;
pub(crate) mod words;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("compute_numbers", compute_numbers::run),
    ("describe_numbers", describe_numbers::run),
    ("get_now", get_now::run),
];
