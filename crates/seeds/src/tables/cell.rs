//! A value as the text of a cell, and the guard against formulas: a spreadsheet that opens a CSV
//! runs a text that begins like a formula, whoever wrote it.

use serde_json::Value;
use std::borrow::Cow;

/// A value as plain text, for tab-separated and comma-separated forms.
pub(crate) fn plain(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// The same for CSV: a text that a spreadsheet would run gets an apostrophe in front.
pub(crate) fn harmless(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => harmless_text(text),
        other => plain(other),
    }
}

/// A text that no spreadsheet takes for a formula. Numbers stay numbers.
pub(crate) fn harmless_text(text: &str) -> Cow<'_, str> {
    let risky = text
        .trim_start_matches(' ')
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if risky && !is_number(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn is_number(text: &str) -> bool {
    // `parse` also takes words such as `-inf`.
    let signs = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(signs) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn what_begins_like_a_formula_is_quoted_and_numbers_are_not() {
        for risky in ["=1", " =1", "+a", "-a", "@x", "\tx", "\r=1", "\n=1", "＝1", "-1+1", "-inf", "- 1"] {
            assert_eq!(harmless_text(risky), format!("'{risky}"));
        }
        for fine in ["", "a=1", "-5", "+3.25", "-1e9", "1-2", "a@b", "'=1"] {
            assert_eq!(harmless_text(fine), fine);
        }
        assert_eq!(harmless(&serde_json::json!(-5)), "-5");
        assert_eq!(harmless(&Value::Null), "");
    }
}
