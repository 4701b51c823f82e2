//! What these seeds say, in the language of the person. The sentences are data files; code only
//! fills their blanks.

use metnos_executor::Failure;
use serde::Deserialize;
use std::collections::BTreeMap;

const FILE: &str = "results.toml";

/// The words of one language.
#[derive(Debug, Deserialize)]
pub(crate) struct Words {
    /// Decimal mark; the language itself says it.
    #[serde(skip)]
    pub(crate) decimal: String,
    /// Mark between groups of three digits.
    #[serde(skip)]
    pub(crate) group: String,
    /// Monday first.
    pub(crate) weekdays: Vec<String>,
    /// January first.
    pub(crate) months: Vec<String>,
    /// Sentences of `get_now`.
    pub(crate) now: BTreeMap<String, String>,
    /// Sentences of `describe_entries`.
    pub(crate) digest: BTreeMap<String, String>,
    /// Sentences of `describe_numbers`.
    pub(crate) numbers: BTreeMap<String, String>,
}

impl Words {
    /// The words of `lang` (`it`, `it_IT`, `it-CH`, …); English for any language not shipped.
    pub(crate) fn of(lang: &str) -> Result<Self, Failure> {
        let words: Self =
            metnos_tongue::table(lang, FILE).map_err(|error| Failure::internal(error.to_string()))?;
        let about = &metnos_tongue::of(lang).about;
        Ok(Self { decimal: about.decimal.clone(), group: about.group.clone(), ..words })
    }

    /// A plain number (`-1234.5`) as people write it here: `-1,234.5` or `-1.234,5`.
    pub(crate) fn number(&self, plain: &str) -> String {
        // A power of ten is no run of digits to group.
        if plain.contains(['e', 'E']) {
            return plain.replace('.', &self.decimal);
        }
        let (sign, digits) = match plain.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", plain),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut out = String::from(sign);
        let len = whole.chars().count();
        for (i, c) in whole.chars().enumerate() {
            if i > 0 && (len - i) % 3 == 0 {
                out.push_str(&self.group);
            }
            out.push(c);
        }
        if !fraction.is_empty() {
            out.push_str(&self.decimal);
            out.push_str(fraction);
        }
        out
    }
}

/// Whether somebody who speaks `lang` writes the day before the month.
pub(crate) fn day_first(lang: &str) -> bool {
    metnos_tongue::of(lang).about.day_first
}

/// Whether a comma is the decimal mark there.
pub(crate) fn decimal_comma(lang: &str) -> bool {
    metnos_tongue::of(lang).about.decimal == ","
}

/// The sentence `key` of `section` with its blanks filled. Values are inserted once and never
/// looked into, so a value that holds `{count}` stays as it is.
pub(crate) fn say(section: &BTreeMap<String, String>, key: &str, blanks: &[(&str, &str)]) -> String {
    let Some(mut rest) = section.get(key).map(String::as_str) else {
        return String::new();
    };
    let mut out = String::with_capacity(rest.len() + 32);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            rest = after;
            break;
        };
        if let Some((_, value)) = blanks.iter().find(|(blank, _)| *blank == name) {
            out.push_str(value);
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// One of our own data files as a record.
pub(crate) fn data<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|e| Failure::internal(format!("{what}: {}", e.message())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn both_languages_say_the_same_things() {
        let (en, it) = (Words::of("en").unwrap(), Words::of("it_IT").unwrap());
        assert_eq!(en.digest.keys().collect::<Vec<_>>(), it.digest.keys().collect::<Vec<_>>());
        assert_eq!(en.numbers.keys().collect::<Vec<_>>(), it.numbers.keys().collect::<Vec<_>>());
        assert_eq!((en.months.len(), it.months.len()), (12, 12));
        assert_eq!((en.weekdays.len(), it.weekdays.len()), (7, 7));
    }

    #[test]
    fn numbers_are_grouped_as_people_write_them() {
        let (en, it) = (Words::of("en").unwrap(), Words::of("it").unwrap());
        assert_eq!(en.number("-1234567.89"), "-1,234,567.89");
        assert_eq!(it.number("-1234567.89"), "-1.234.567,89");
        assert_eq!(en.number("123"), "123");
        assert_eq!(it.number("1.5e300"), "1,5e300");
        assert_eq!(en.number(""), "");
    }

    #[test]
    fn a_value_is_never_read_as_a_template() {
        let section = BTreeMap::from([("x".to_owned(), "{a} and {b}".to_owned())]);
        assert_eq!(say(&section, "x", &[("a", "{b}"), ("b", "2")]), "{b} and 2");
        assert_eq!(say(&section, "absent", &[]), "");
    }
}
