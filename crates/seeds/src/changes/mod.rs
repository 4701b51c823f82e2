//! Seeds on changing files and folders, one file each.
//!
//! They all work the same way: look, plan every operation, send the plan as an intent, perform
//! it through the hands, and answer one result for each thing that really happened. What did not
//! is in `failed`, so a pipe goes on with exactly what was done.

mod archive;
mod compress_files;
mod copy_tree;
mod create_dirs;
mod delete_dirs;
mod delete_files;
mod dirs;
mod extract_files;
mod items;
mod lines;
mod move_files;
mod records;
mod render;
mod tree;
mod write_files;

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("compress_files", compress_files::run),
    ("create_dirs", create_dirs::run),
    ("delete_dirs", delete_dirs::run),
    ("delete_files", delete_files::run),
    ("extract_files", extract_files::run),
    ("move_files", move_files::run),
    ("write_files", write_files::run),
];

#[cfg(test)]
mod tests;
