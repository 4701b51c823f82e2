//! Seeds on documents: reading, comparing and converting files by their format, one file each.

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[];
