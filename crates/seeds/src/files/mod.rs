//! Seeds on files and folders, one file each.

use crate::registry::Seed;

pub mod find_files;
pub mod kinds;

mod contains;
mod pattern;
mod record;
mod walk;
mod when;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[("find_files", find_files::run)];
