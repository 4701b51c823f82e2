//! Decimal numbers as text: rounding them, and handing them to JSON without losing digits.

use serde_json::Value;

/// Digits shown of a number that is not exact; as many as a JSON number holds faithfully.
pub(crate) const SHOWN: usize = 15;

/// Plain decimal text rounded to `keep` significant digits, without useless zeros at its end.
pub(crate) fn round_digits(text: &str, keep: usize) -> String {
    let (sign, body) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let mut digits: Vec<u8> = std::iter::once(0)
        .chain(whole.bytes().chain(fraction.bytes()).map(|b| b.wrapping_sub(b'0')))
        .collect();
    let point = whole.len() + 1;
    let first = digits.iter().position(|d| *d != 0).unwrap_or(digits.len());
    let cut = first.saturating_add(keep);
    if cut < digits.len() {
        let up = digits.get(cut).is_some_and(|d| *d >= 5);
        for digit in digits.iter_mut().skip(cut) {
            *digit = 0;
        }
        if up {
            for digit in digits.iter_mut().take(cut).rev() {
                if *digit == 9 {
                    *digit = 0;
                } else {
                    *digit += 1;
                    break;
                }
            }
        }
    }
    let show = |part: &[u8]| part.iter().map(|d| char::from(b'0' + (d % 10))).collect::<String>();
    let (whole, fraction) = digits.split_at(point.min(digits.len()));
    let (whole, fraction) = (show(whole), show(fraction));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    match (fraction, whole) {
        ("", "0") => "0".to_owned(),
        ("", whole) => format!("{sign}{whole}"),
        (fraction, whole) => format!("{sign}{whole}.{fraction}"),
    }
}

/// Plain decimal text as JSON: a number when every reader gets the same digits back from it, the
/// text itself when not.
pub(crate) fn json(plain: &str) -> Value {
    const SAFE: u64 = 1 << 53;
    if let Ok(n) = plain.parse::<i64>() {
        return if n.unsigned_abs() <= SAFE { n.into() } else { plain.into() };
    }
    let significant = plain.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    match plain.parse::<f64>() {
        Ok(f) if f.is_finite() && significant <= SHOWN => f.into(),
        _ => plain.into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn rounding_carries_and_ends_without_zeros() {
        assert_eq!(round_digits("999.96", 4), "1000");
        assert_eq!(round_digits("-0.00", 4), "0");
        assert_eq!(round_digits("", 4), "0");
    }

    #[test]
    fn json_numbers_only_when_nothing_is_lost() {
        assert_eq!(json("12.5"), serde_json::json!(12.5));
        assert_eq!(json("9007199254740993"), serde_json::json!("9007199254740993"));
        assert_eq!(json("0.12345678901234567890"), serde_json::json!("0.12345678901234567890"));
    }
}
