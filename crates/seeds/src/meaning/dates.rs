//! Dates as people write them.

use super::contacts::Span;
use crate::numbers::words::{data, day_first};
use metnos_executor::Failure;
use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

#[derive(Deserialize)]
struct Months {
    months: Vec<Vec<String>>,
    /// Words before a month and before a year.
    of: Vec<String>,
}

/// Finds dates in a text.
pub(crate) struct Dates {
    digits: Regex,
    day_month: Regex,
    month_day: Regex,
    months: Vec<Vec<String>>,
    day_first: bool,
}

impl Dates {
    /// For a person who speaks `lang`: it decides whether 12/03 is in March or in December.
    pub(crate) fn new(lang: &str) -> Result<Self, Failure> {
        let months: Months = data(include_str!("../../data/extract/months.toml"), "the names of the months")?;
        // Longer names first: the alternation takes the first that fits.
        let mut names: Vec<String> = months.months.iter().flatten().map(|name| regex::escape(name)).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let month = names.join("|");
        let of: Vec<String> = months.of.iter().map(|word| regex::escape(word)).collect();
        let of = of.join("|");
        Ok(Self {
            digits: pattern(r"\b(\d{4}|\d{1,2})([/.\-])(\d{1,2})([/.\-])(\d{4}|\d{1,2})")?,
            day_month: pattern(&format!(
                r"\b(\d{{1,2}})(?:st|nd|rd|th|°|º)?\.?[\s\-]{{1,3}}(?:(?:{of})\s)?({month})\b\.?,?[\s\-]{{1,3}}(?:(?:{of})\s)?(\d{{4}})\b"
            ))?,
            month_day: pattern(&format!(
                r"\b({month})\b\.?\s{{1,3}}(\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}(\d{{4}})\b"
            ))?,
            months: months.months,
            day_first: day_first(lang),
        })
    }

    /// Every date of `text` as `YYYY-MM-DD`, in the order of the text.
    pub(crate) fn find(&self, text: &str) -> Vec<(Span, String)> {
        let mut found = Vec::new();
        let mut note = |captures: &Captures<'_>, date: Option<String>| {
            if let (Some(whole), Some(date)) = (captures.get(0), date) {
                found.push((whole.range(), date));
            }
        };
        for c in self.digits.captures_iter(text) {
            note(&c, c.get(0).filter(|m| stands_alone(text, &m.range())).and_then(|_| self.in_digits(&c)));
        }
        for c in self.day_month.captures_iter(text) {
            note(&c, self.named(group(&c, 3), group(&c, 2), group(&c, 1)));
        }
        for c in self.month_day.captures_iter(text) {
            note(&c, self.named(group(&c, 3), group(&c, 1), group(&c, 2)));
        }
        super::contacts::in_order(found)
    }

    fn named(&self, year: &str, month: &str, day: &str) -> Option<String> {
        let month = month.to_lowercase();
        let index = self.months.iter().position(|names| names.contains(&month))?;
        date(year.parse().ok()?, i16::try_from(index).ok()?.checked_add(1)?, day.parse().ok()?)
    }

    fn in_digits(&self, c: &Captures<'_>) -> Option<String> {
        let (a, b, d) = (group(c, 1), group(c, 3), group(c, 5));
        if group(c, 2) != group(c, 4) {
            return None;
        }
        let (first, second, third): (i16, i16, i16) = (a.parse().ok()?, b.parse().ok()?, d.parse().ok()?);
        if a.len() == 4 {
            return if d.len() <= 2 { date(first, second, third) } else { None };
        }
        let year = match d.len() {
            4 => third,
            2 if third < 70 => third.checked_add(2000)?,
            2 => third.checked_add(1900)?,
            _ => return None,
        };
        // The other order only when the first makes no date. A point is never used month first.
        let day_first = self.day_first || group(c, 2) == ".";
        let (one, other) =
            if day_first { ((second, first), (first, second)) } else { ((first, second), (second, first)) };
        date(year, one.0, one.1).or_else(|| date(year, other.0, other.1))
    }
}

fn group<'t>(captures: &Captures<'t>, index: usize) -> &'t str {
    captures.get(index).map_or("", |m| m.as_str())
}

fn date(year: i16, month: i16, day: i16) -> Option<String> {
    let date = jiff::civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    (1000..=9999).contains(&year).then(|| date.to_string())
}

/// Not a piece of a longer run such as a version, an address or a telephone number.
fn stands_alone(text: &str, span: &Span) -> bool {
    let mark = |c: char| matches!(c, '/' | '.' | '-');
    let mut before = text.get(..span.start).unwrap_or_default().chars().rev();
    let mut after = text.get(span.end..).unwrap_or_default().chars();
    let left = match before.next() {
        Some(c) if mark(c) => !before.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric(),
        None => true,
    };
    let right = match after.next() {
        Some(c) if mark(c) => !after.next().is_some_and(|c| c.is_ascii_digit()),
        // `2026-03-12T10:00` is a date with its time.
        Some(c) => c == 'T' || !c.is_alphanumeric(),
        None => true,
    };
    left && right
}

/// One of our own patterns, ignoring case.
pub(crate) fn pattern(text: &str) -> Result<Regex, Failure> {
    RegexBuilder::new(text)
        .case_insensitive(true)
        .build()
        .map_err(|e| Failure::internal(format!("a pattern of ours: {e}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn find(lang: &str, text: &str) -> Vec<String> {
        Dates::new(lang).unwrap().find(text).into_iter().map(|(_, date)| date).collect()
    }

    #[test]
    fn the_order_of_day_and_month_follows_the_language() {
        assert_eq!(find("it", "12/03/2026"), ["2026-03-12"]);
        assert_eq!(find("en", "12/03/2026"), ["2026-12-03"]);
        assert_eq!(find("en", "25/03/2026"), ["2026-03-25"]);
        assert_eq!(find("it", "03/25/26"), ["2026-03-25"]);
        assert_eq!(find("en", "12.03.2026 and 1-2-1999"), ["2026-03-12", "1999-01-02"]);
    }

    #[test]
    fn names_and_iso() {
        let text = "Il 3 marzo 2026, March 3rd, 2026; 1° gennaio 2025, 4th of July 2026 and 2026-03-12T10:00:00Z, 5 set. 2024";
        for lang in ["en", "it"] {
            assert_eq!(
                find(lang, text),
                ["2026-03-03", "2026-03-03", "2025-01-01", "2026-07-04", "2026-03-12", "2024-09-05"]
            );
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "1.2.3.4",
            "192.168.10.20",
            "31/02/2026",
            "99/99/9999",
            "2026-13-40",
            "12/03-2026",
            "v1.2.2026-beta.1.2",
            "maybe 3 marching 2026",
            "12/03/20261",
        ] {
            assert!(find("en", text).is_empty(), "{text}: {:?}", find("en", text));
        }
    }
}
