//! Rows of tables as records: which row is a header, how columns are called, what a cell is.

use super::source::Named;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Fields every record has, so a column may not be called like them.
const TAKEN: &[&str] = &["path", "path_b64", "row", "sheet", "_origin"];
/// The longest name of a column; a header is a label, not a text.
const NAME_MAX: usize = 200;
/// The most columns of a table; the same as a sheet has.
pub(crate) const COLUMNS_MAX: usize = 16_384;

/// What a cell says. Only what is clearly a number becomes one: no leading zero (codes), no
/// exponent, no more digits than survive, point and never comma for decimals.
pub(crate) fn cell(text: &str) -> Value {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix('-').unwrap_or(trimmed);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let clear = all_digits(whole)
        && all_digits(fraction)
        && (whole == "0" || !whole.starts_with('0'))
        && whole.len().saturating_add(fraction.len()) <= 16
        && trimmed != "-0";
    if !clear {
        return text.into();
    }
    match digits.contains('.') {
        true => trimmed.parse::<f64>().map_or_else(|_| text.into(), Value::from),
        false => trimmed.parse::<i64>().map_or_else(|_| text.into(), Value::from),
    }
}

/// True when the first row names the columns: every cell says something, nothing begins like a
/// number or a date, and most names are told apart.
pub(crate) fn is_header(row: &[Value]) -> bool {
    let mut seen = HashSet::new();
    let names = row.iter().all(|value| match value {
        Value::String(s) => {
            let s = s.trim();
            seen.insert(s.to_lowercase());
            !s.is_empty() && !s.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    });
    !row.is_empty() && names && seen.len().saturating_mul(2) > row.len()
}

/// The names of columns: a second column of the same name gets `_2`, a nameless one its place.
#[derive(Default)]
pub(crate) struct Columns {
    names: Vec<String>,
    uses: HashMap<String, u32>,
}

impl Columns {
    /// The columns a header row names.
    pub(crate) fn of(header: &[String]) -> Self {
        let mut columns = Self::default();
        for name in header {
            columns.add(name);
        }
        columns
    }

    /// The names so far.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Names columns up to `count` by their place.
    pub(crate) fn reach(&mut self, count: usize) {
        while self.names.len() < count {
            self.add("");
        }
    }

    fn add(&mut self, name: &str) {
        let base: String = match name.trim() {
            "" => format!("column_{}", self.names.len().saturating_add(1)),
            name => name.chars().take(NAME_MAX).collect(),
        };
        let taken = u32::from(TAKEN.contains(&base.as_str()));
        let mut n = *self.uses.entry(base.clone()).or_insert(taken);
        let mut unique = base.clone();
        // `a, a_2, a` would otherwise make a second `a_2`.
        while n > 0 {
            n = n.saturating_add(1);
            unique = format!("{base}_{n}");
            if !self.uses.contains_key(&unique) {
                break;
            }
        }
        self.uses.insert(base, n.max(1));
        self.uses.entry(unique.clone()).or_insert(1);
        self.names.push(unique);
    }
}

/// One row as a record: the columns by name, then where it stands.
pub(crate) struct Row<'a> {
    /// The file.
    pub(crate) named: &'a Named,
    /// The sheet, for workbooks.
    pub(crate) sheet: Option<&'a str>,
    /// Its number, counted from one, header included.
    pub(crate) row: u64,
    /// Names of columns, at least as many as cells.
    pub(crate) columns: &'a [String],
    /// Its cells; missing ones are null.
    pub(crate) cells: &'a [Value],
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (i, name) in self.columns.iter().enumerate() {
            map.serialize_entry(name, self.cells.get(i).unwrap_or(&Value::Null))?;
        }
        map.serialize_entry("path", &self.named.path)?;
        if let Some(b64) = &self.named.path_b64 {
            map.serialize_entry("path_b64", b64)?;
        }
        if let Some(sheet) = self.sheet {
            map.serialize_entry("sheet", sheet)?;
        }
        map.serialize_entry("row", &self.row)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use serde_json::json;

    #[test]
    fn only_clear_numbers_become_numbers() {
        for (text, value) in [
            ("42", json!(42)),
            ("-3", json!(-3)),
            ("12.50", json!(12.5)),
            ("0.5", json!(0.5)),
            ("0", json!(0)),
            ("007", json!("007")),
            ("1,5", json!("1,5")),
            ("1e5", json!("1e5")),
            ("12345678901234567890", json!("12345678901234567890")),
            (".5", json!(".5")),
            ("5.", json!("5.")),
            ("", json!("")),
            ("-", json!("-")),
            ("+39", json!("+39")),
            ("１２", json!("１２")),
        ] {
            assert_eq!(cell(text), value, "{text}");
        }
    }

    #[test]
    fn names_of_columns_are_unique_and_never_hide_ours() {
        let header = ["a", "a_2", "a", "a", "", "path", "_origin", "a"].map(String::from);
        let columns = Columns::of(&header);
        let mut names = columns.names().to_vec();
        assert_eq!(names[..3], ["a", "a_2", "a_3"]);
        assert_eq!(names[4..7], ["column_5", "path_2", "_origin_2"]);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), header.len());
    }
}
