//! Amounts of money as people write them, and back.

use super::contacts::{Span, in_order};
use super::dates::pattern;
use crate::numbers::lexer::separators;
use crate::numbers::words::{Words, data};
use metnos_executor::Failure;
use regex::Regex;
use serde::Deserialize;

/// Digits of an amount; longer runs are account numbers.
const DIGITS: usize = 24;

#[derive(Deserialize)]
struct Currency {
    code: String,
    signs: Vec<String>,
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Currencies {
    currency: Vec<Currency>,
}

/// An exact amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Amount {
    /// Plain decimal: `-1234.56`.
    pub(crate) value: String,
    /// Three letters.
    pub(crate) currency: String,
}

impl Amount {
    /// As people write it in the language of `words`.
    pub(crate) fn text(&self, words: &Words) -> String {
        format!("{} {}", words.number(&self.value), self.currency)
    }
}

/// Finds amounts in a text.
pub(crate) struct Amounts {
    before: Regex,
    after: Regex,
    currencies: Vec<Currency>,
}

impl Amounts {
    /// With the currencies that ship.
    pub(crate) fn new() -> Result<Self, Failure> {
        let table: Currencies =
            data(include_str!("../../data/extract/currencies.toml"), "the table of currencies")?;
        let mut signs: Vec<&String> = table.currency.iter().flat_map(|c| &c.signs).collect();
        let mut words: Vec<&String> = table.currency.iter().flat_map(|c| &c.words).collect();
        // Longer names first: the alternation takes the first that fits.
        signs.sort_by_key(|sign| std::cmp::Reverse(sign.len()));
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let any = |list: &[&String]| list.iter().map(|s| regex::escape(s)).collect::<Vec<_>>().join("|");
        let (signs, words) = (any(&signs), any(&words));
        let number = r"\d(?:[\d.,'’\x{a0}\x{202f}]{0,40}\d)?";
        Ok(Self {
            before: pattern(&format!(
                r"([\-−]?)({signs}|\b(?:{words}))[ \x{{a0}}]?([\-−]?)[ \x{{a0}}]?({number})"
            ))?,
            after: pattern(&format!(
                r"([\-−]?)({number})[ \x{{a0}}\x{{202f}}]?({signs}|(?:{words})(?:\b|\s|$))"
            ))?,
            currencies: table.currency,
        })
    }

    /// Every amount of `text`, in its order.
    pub(crate) fn find(&self, text: &str) -> Vec<(Span, Amount)> {
        let mut found = Vec::new();
        for c in self.before.captures_iter(text) {
            if let (Some(whole), Some(sign), Some(number)) = (c.get(0), c.get(2), c.get(4)) {
                let negative = [1, 3].iter().any(|i| c.get(*i).is_some_and(|m| !m.is_empty()));
                self.note(&mut found, text, whole.range(), negative, number.as_str(), sign.as_str());
            }
        }
        for c in self.after.captures_iter(text) {
            if let (Some(whole), Some(minus), Some(number), Some(sign)) =
                (c.get(0), c.get(1), c.get(2), c.get(3))
            {
                let negative = !minus.is_empty();
                self.note(&mut found, text, whole.range(), negative, number.as_str(), sign.as_str());
            }
        }
        in_order(found)
    }

    fn note(
        &self,
        found: &mut Vec<(Span, Amount)>,
        text: &str,
        span: Span,
        negative: bool,
        number: &str,
        sign: &str,
    ) {
        let before = text.get(..span.start).unwrap_or_default().chars().next_back();
        let after = text.get(span.end..).unwrap_or_default().chars().next();
        // A minus after a word or number joins them: `10-12 €` is a range.
        let joined = before.is_some_and(char::is_alphanumeric);
        let starts_inside =
            joined && text.get(span.clone()).is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()));
        let ends_inside = after.is_some_and(|c| c.is_ascii_digit() || c == '%');
        if starts_inside || ends_inside {
            return;
        }
        let (Some(value), Some(currency)) = (plain(number), self.code(sign.trim())) else { return };
        let zero = value.bytes().all(|b| matches!(b, b'0' | b'.'));
        let value = if negative && !joined && !zero { format!("-{value}") } else { value };
        found.push((span, Amount { value, currency: currency.to_owned() }));
    }

    fn code(&self, sign: &str) -> Option<&str> {
        let same = |name: &String| name.to_lowercase() == sign.to_lowercase();
        let known = self.currencies.iter().find(|c| c.signs.iter().chain(&c.words).any(same))?;
        Some(&known.code)
    }
}

/// A number as written beside a currency, as a plain decimal. One mark before exactly three digits
/// groups thousands, whichever mark it is: prices have no thousandths.
fn plain(written: &str) -> Option<String> {
    let marks: Vec<char> = written.chars().filter(|c| !c.is_ascii_digit()).collect();
    let swapped = if marks == ['.'] { written.replace('.', ",") } else { written.to_owned() };
    let (digits, places) = separators(&swapped, metnos_tongue::FALLBACK).ok()?;
    if digits.len() > DIGITS {
        return None;
    }
    let (whole, fraction) = digits.split_at_checked(digits.len().checked_sub(places)?)?;
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static AMOUNTS: LazyLock<Amounts> = LazyLock::new(|| Amounts::new().unwrap());

    fn find(text: &str) -> Vec<String> {
        let found = AMOUNTS.find(text);
        found.into_iter().map(|(_, a)| format!("{} {}", a.value, a.currency)).collect()
    }

    #[test]
    fn both_ways_of_writing_thousands() {
        assert_eq!(find("Totale 1.234,56 € (pari a $1,234.56)"), ["1234.56 EUR", "1234.56 USD"]);
        assert_eq!(find("EUR 1.234 or 1,234 euro"), ["1234 EUR", "1234 EUR"]);
        assert_eq!(
            find("€ 12,5; £0.99; CHF 1'234.50; 99,90 euro."),
            ["12.5 EUR", "0.99 GBP", "1234.50 CHF", "99.90 EUR"]
        );
        assert_eq!(find("10 € 20 € 30 €"), ["10 EUR", "20 EUR", "30 EUR"]);
        assert_eq!(find("-12,50 € and € -3 and 5-7 €"), ["-12.50 EUR", "-3 EUR", "7 EUR"]);
        assert_eq!(find("US$ 5 and CA$5 and $5"), ["5 USD", "5 CAD", "5 USD"]);
    }

    #[test]
    fn what_is_no_amount() {
        for text in ["", "12 apples", "€", "1.2.3,4 €", "europe 2026", "neuro 5x", "$$$"] {
            assert!(find(text).is_empty(), "{text}: {:?}", find(text));
        }
        assert!(find(&format!("{} €", "9".repeat(5000))).is_empty());
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_stable(whole in 0u64..10_000_000_000, cents in proptest::option::of(0u8..100), negative: bool, italian: bool) {
            let words = Words::of(if italian { "it" } else { "en" }).unwrap();
            let mut value = whole.to_string();
            if let Some(cents) = cents {
                value.push_str(&format!(".{cents:02}"));
            }
            if negative && value.bytes().any(|b| matches!(b, b'1'..=b'9')) {
                value.insert(0, '-');
            }
            let amount = Amount { value, currency: "EUR".into() };
            let text = amount.text(&words);
            let read: Vec<Amount> = AMOUNTS.find(&text).into_iter().map(|(_, a)| a).collect();
            prop_assert_eq!(&read, &[amount]);
            prop_assert_eq!(&read[0].text(&words), &text);
        }
    }
}
