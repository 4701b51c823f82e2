//! The forms a list can take as text: one file each. Every form guards against what its reader
//! would do with hostile content: terminals obey escapes, sheets run formulas, pages run markup.

mod chart;
mod csv;
mod html;
mod markdown;
mod table;
mod width;

use crate::tables::markup::escape;
pub(super) use chart::Chart;
use serde_json::value::RawValue;
use std::borrow::Cow;

use super::field::{Cell, Fields, Record};

/// One entry, seen through the columns that are shown.
pub(super) struct Row<'a> {
    /// The value of each column.
    pub(super) cells: Vec<Cell<'a>>,
    /// The whole entry, for the forms that show it whole.
    pub(super) fields: Fields<'a>,
}

/// A form being written. What `row` and `tail` return is appended in order.
pub(super) trait Form {
    /// What comes before the rows.
    fn head(&mut self, columns: &[String]) -> String;
    /// One row.
    fn row(&mut self, row: &Row<'_>) -> String;
    /// The most a row of this weight can add to the text, when more than what `row` returns.
    fn charge(&self, _weight: usize, _cells: usize) -> usize {
        0
    }
    /// What comes after them.
    fn tail(&mut self) -> String;
}

/// The form with this name; `None` for `chart`, which is a picture of numbers and not of rows.
pub(super) fn form(name: &str) -> Option<Box<dyn Form>> {
    Some(match name {
        "table" => Box::new(table::Table::default()),
        "csv" => Box::new(csv::Csv),
        "markdown" => Box::new(markdown::Markdown),
        "html" => Box::new(html::Html),
        "json" => Box::new(Json { first: true }),
        _ => return None,
    })
}

/// The entries as they are, without their origin.
struct Json {
    first: bool,
}

impl Form for Json {
    fn head(&mut self, _: &[String]) -> String {
        "[".to_owned()
    }

    fn row(&mut self, row: &Row<'_>) -> String {
        let fields: Vec<(Cow<'_, str>, &RawValue)> =
            row.fields.iter().filter(|(name, _)| name != super::field::ORIGIN).cloned().collect();
        let record = serde_json::to_string(&Record(fields)).unwrap_or_default();
        let comma = if std::mem::take(&mut self.first) { "\n  " } else { ",\n  " };
        format!("{comma}{record}")
    }

    fn tail(&mut self) -> String {
        if self.first { "]".to_owned() } else { "\n]".to_owned() }
    }
}

use metnos_executor::shown::is_unseen;

/// The text on one line, with what must not be shown replaced.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|sign| match sign {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
            sign if is_unseen(sign) => '\u{fffd}',
            sign => sign,
        })
        .collect()
}

/// Text that markup cannot take for markup, with what must not be shown replaced.
fn escaped(text: &str) -> String {
    let shown = |sign: char| if is_unseen(sign) && !matches!(sign, '\n' | '\t') { '\u{fffd}' } else { sign };
    escape(&text.chars().map(shown).collect::<String>())
}
