//! Seeds on what entries mean: classify, extract, describe, one file each.

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[];
