//! Addresses of mail, telephone numbers, links and bank accounts in a text.

use super::dates::pattern;
use crate::numbers::words::data;
use metnos_executor::Failure;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where something stands in a text, in bytes.
pub(crate) type Span = std::ops::Range<usize>;

/// What was found, in the order of the text; of two that overlap the earlier stays.
pub(crate) fn in_order<T>(mut found: Vec<(Span, T)>) -> Vec<(Span, T)> {
    found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    found.retain(|(span, _)| {
        let free = span.start >= end;
        if free {
            end = span.end;
        }
        free
    });
    found
}

#[derive(Deserialize)]
struct Lengths {
    length: BTreeMap<String, usize>,
}

/// Finds them.
pub(crate) struct Contacts {
    email: Regex,
    url: Regex,
    phone: Regex,
    iban: Regex,
    lengths: BTreeMap<String, usize>,
}

impl Contacts {
    /// With the table of countries that ships.
    pub(crate) fn new() -> Result<Self, Failure> {
        let table: Lengths = data(include_str!("../../data/extract/iban.toml"), "the table of IBANs")?;
        Ok(Self {
            email: pattern(
                r"[a-z0-9._%+\-]{1,64}@[a-z0-9](?:[a-z0-9\-]{0,62})(?:\.[a-z0-9](?:[a-z0-9\-]{0,62})){1,8}",
            )?,
            url: pattern(r#"\b(?:https?://|www\.)[^\s<>"{}|\\^`\x{0}-\x{1f}]{1,2048}"#)?,
            phone: pattern(r"(?:\+|\(\+?)?\d(?:[ ().\-/\x{a0}]{0,2}\d){6,16}")?,
            iban: pattern(r"\b[a-z]{2}\d{2}")?,
            lengths: table.length,
        })
    }

    /// Addresses of mail.
    pub(crate) fn emails(&self, text: &str) -> Vec<(Span, String)> {
        let matches = self.email.find_iter(text).filter_map(|found| {
            let address = found.as_str().trim_start_matches(['.', '-', '%', '+']).trim_end_matches('-');
            let local = address.split('@').next()?;
            (!local.is_empty() && !local.ends_with('.') && !local.contains(".."))
                .then(|| (found.range(), address.to_owned()))
        });
        matches.collect()
    }

    /// Links, without the punctuation of the sentence around them.
    pub(crate) fn urls(&self, text: &str) -> Vec<(Span, String)> {
        let matches = self.url.find_iter(text).filter_map(|found| {
            let mut url = found.as_str();
            let mut open = url.matches('(').count();
            let mut closed = url.matches(')').count();
            while let Some(last) = url.chars().next_back() {
                match last {
                    '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | ']' | '»' | '”' | '’' => {}
                    // A parenthesis that the link itself did not open.
                    ')' if closed > open => closed -= 1,
                    '(' => open -= 1,
                    _ => break,
                }
                url = url.get(..url.len() - last.len_utf8()).unwrap_or_default();
            }
            let host = url.split("://").last()?;
            (host.len() > 4 || url.contains("://") && !host.is_empty())
                .then(|| (found.start()..found.start() + url.len(), url.to_owned()))
        });
        matches.collect()
    }

    /// Accounts whose length and check digits are right, without spaces.
    pub(crate) fn ibans(&self, text: &str) -> Vec<(Span, String)> {
        let mut found = Vec::new();
        for start in self.iban.find_iter(text).map(|m| m.start()) {
            let rest = text.get(start..).unwrap_or_default();
            let country = rest.get(..2).unwrap_or_default().to_uppercase();
            let Some(&length) = self.lengths.get(&country) else { continue };
            let (mut account, mut end, mut gap) = (String::with_capacity(length), start, 0);
            for (at, c) in rest.char_indices() {
                if c.is_ascii_alphanumeric() {
                    if account.len() == length {
                        // It goes on without a space: something longer.
                        if gap == 0 {
                            account.clear();
                        }
                        break;
                    }
                    account.push(c.to_ascii_uppercase());
                    end = start + at + 1;
                    gap = 0;
                } else if matches!(c, ' ' | '-' | '\u{a0}') && gap == 0 {
                    gap = 1;
                } else {
                    break;
                }
            }
            if account.len() == length && remainder(&account) == Some(1) {
                found.push((start..end, account));
            }
        }
        in_order(found)
    }

    /// Telephone numbers as `+` and digits, none of them inside one of `taken`, which is in order.
    pub(crate) fn phones(&self, text: &str, taken: &[Span]) -> Vec<(Span, String)> {
        let matches = self.phone.find_iter(text).filter_map(|found| {
            let span = found.range();
            let before = text.get(..span.start).unwrap_or_default().chars().next_back();
            let after = text.get(span.end..).unwrap_or_default().chars().next();
            let inside =
                |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '=' | '@' | '#' | '€' | '$');
            if before.is_some_and(|c| inside(c) || matches!(c, '.' | ',' | '-'))
                || after.is_some_and(|c| inside(c) || c == '%')
            {
                return None;
            }
            // `taken` is in order and does not overlap, so only one of them can be in the way.
            let next = taken.partition_point(|other| other.end <= span.start);
            if taken.get(next).is_some_and(|other| other.start < span.end) {
                return None;
            }
            let digits: String = found.as_str().chars().filter(char::is_ascii_digit).collect();
            let international =
                found.as_str().trim_start_matches('(').starts_with('+') || digits.starts_with("00");
            let spaced = found.as_str().chars().any(|c| !c.is_ascii_digit());
            let likely = match digits.len() {
                8..=15 if international => true,
                // National: a prefix of zero, an Italian mobile, or three groups of ten digits.
                9..=11 if digits.starts_with('0') => true,
                9..=10 if digits.starts_with('3') => true,
                10 => spaced,
                _ => false,
            };
            let plus = if international { "+" } else { "" };
            let digits = if plus.is_empty() { &digits } else { digits.strip_prefix("00").unwrap_or(&digits) };
            likely.then(|| (span, format!("{plus}{digits}")))
        });
        matches.collect()
    }
}

/// The check of an IBAN: its country and check digits moved to the end, letters as numbers, modulo 97.
fn remainder(account: &str) -> Option<u32> {
    let (head, tail) = account.split_at_checked(4)?;
    tail.chars().chain(head.chars()).try_fold(0u32, |rest, c| {
        let value = c.to_digit(36)?;
        Some((rest * if value < 10 { 10 } else { 100 } + value) % 97)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn values(found: Vec<(Span, String)>) -> Vec<String> {
        found.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn accounts_need_the_right_check() {
        let c = Contacts::new().unwrap();
        let text = "IBAN: IT60 X054 2811 1010 0000 0123 456 BIC ABCDEF, DE89370400440532013000; gb82 west 1234 5698 7654 32.";
        assert_eq!(
            values(c.ibans(text)),
            ["IT60X0542811101000000123456", "DE89370400440532013000", "GB82WEST12345698765432"]
        );
        for wrong in [
            "IT61 X054 2811 1010 0000 0123 456",
            "DE8937040044053201300",
            "DE893704004405320130001",
            "ZZ82WEST12345698765432",
            "IT60",
            "",
        ] {
            assert!(c.ibans(wrong).is_empty(), "{wrong}");
        }
    }

    #[test]
    fn mail_and_links() {
        let c = Contacts::new().unwrap();
        assert_eq!(
            values(c.emails("Ada <ada.l+x@mail.example.org>, or: bob@example.com.")),
            ["ada.l+x@mail.example.org", "bob@example.com"]
        );
        assert!(c.emails("@ a@ @b a@b a..@example.org").is_empty());
        assert_eq!(
            values(c.urls("See https://example.org/a_(b)?x=1, (http://example.com/). www.example.net! www.")),
            ["https://example.org/a_(b)?x=1", "http://example.com/", "www.example.net"]
        );
    }

    #[test]
    fn telephones_but_not_every_number() {
        let c = Contacts::new().unwrap();
        assert_eq!(
            values(
                c.phones("Tel. +39 06 1234 5678, cell. 333 1234567, (212) 555-0123, 0039 02 1234567", &[])
            ),
            ["+390612345678", "3331234567", "2125550123", "+39021234567"]
        );
        for text in
            ["2026000123", "order 1234567", "12345678901234567890", "v1.2.3.4.5.6.7", "1 234 567 €", ""]
        {
            assert!(c.phones(text, &[]).is_empty(), "{text}");
        }
        assert!(c.phones("0612345678", std::slice::from_ref(&(0..3))).is_empty());
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        let c = Contacts::new().unwrap();
        for text in [
            "1".repeat(200_000),
            "a@".repeat(100_000),
            "IT60 ".repeat(40_000),
            "www.(".repeat(40_000),
            "+1-".repeat(60_000),
        ] {
            c.emails(&text);
            c.urls(&text);
            c.ibans(&text);
            c.phones(&text, &[]);
        }
    }
}
