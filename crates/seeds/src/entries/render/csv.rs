//! Comma separated values, quoted as RFC 4180 says, with formulas made harmless.

use super::{Cell, Form, Row};
use crate::tables::cell::harmless_text;

/// Stateless: every row stands alone.
pub(super) struct Csv;

impl Form for Csv {
    fn head(&mut self, columns: &[String]) -> String {
        record(columns.iter().map(|name| harmless_text(name).into_owned()))
    }

    fn row(&mut self, row: &Row<'_>) -> String {
        record(row.cells.iter().map(|cell| match cell {
            Cell::Text(text) => harmless_text(text).into_owned(),
            cell => cell.text().into_owned(),
        }))
    }

    fn tail(&mut self) -> String {
        String::new()
    }
}

fn record(values: impl Iterator<Item = String>) -> String {
    let mut writer = csv::WriterBuilder::new().buffer_capacity(512).from_writer(Vec::new());
    // Writing to memory cannot fail; should it, the row is empty and not the call broken.
    let written = writer.write_record(values.map(String::into_bytes)).is_ok();
    match writer.into_inner() {
        Ok(bytes) if written => String::from_utf8(bytes).unwrap_or_default(),
        _ => String::new(),
    }
}
