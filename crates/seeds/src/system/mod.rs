//! Seeds on packages, one file each.

use crate::registry::Seed;

pub mod find_packages;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[("find_packages", find_packages::run)];
