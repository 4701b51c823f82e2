//! Seeds on files and folders, one file each.

use crate::registry::Seed;

pub mod compute_files_loc;
pub mod compute_files_size;
pub mod find_dirs;
pub mod find_files;
pub mod find_files_hash;
pub mod get_files;
pub mod list_dirs;

mod contains;
mod languages;
mod lines;
mod mime;
pub(crate) mod pattern;
mod photo;
mod record;
mod visit;
mod walk;
mod when;

#[cfg(test)]
mod tests;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("compute_files_loc", compute_files_loc::run),
    ("compute_files_size", compute_files_size::run),
    ("find_dirs", find_dirs::run),
    ("find_files", find_files::run),
    ("find_files_hash", find_files_hash::run),
    ("get_files", get_files::run),
    ("list_dirs", list_dirs::run),
];
