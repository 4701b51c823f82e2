//! Seeds on what entries mean: classify, extract, describe, one file each.
//!
//! These are the deterministic halves: rules and patterns kept in data files. What needs a model
//! is refused here with `dependency_missing`.

use crate::registry::Seed;

pub(crate) mod text;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[];
