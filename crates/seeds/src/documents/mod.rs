//! Seeds on documents: reading, comparing and converting files by their format, one file each.
//!
//! `source` opens, `format` decides, `charset`, `html`, `pdf`, `docx` and `workbook` read, `text`
//! puts them together; `convert` and `picture` write; the rest are the seeds.

pub mod change_files_format;
pub(crate) mod charset;
pub mod compare_files;
mod convert;
mod csv_rows;
mod docx;
pub(crate) mod format;
mod html;
mod package;
mod pdf;
mod picture;
pub mod read_files;
pub mod read_files_csv;
pub mod read_files_xlsx;
mod sink;
pub(crate) mod source;
mod table;
pub(crate) mod text;
mod workbook;

use crate::registry::Seed;

/// The seeds of this family.
pub const SEEDS: &[(&str, Seed)] = &[
    ("change_files_format", change_files_format::run),
    ("compare_files", compare_files::run),
    ("read_files", read_files::run),
    ("read_files_csv", read_files_csv::run),
    ("read_files_xlsx", read_files_xlsx::run),
];

#[cfg(test)]
mod tests;
