//! Numbers that stay exact as long as they can.
//!
//! A number with up to 28 significant digits is kept as a decimal; sums are integers of 128 bits
//! with a decimal scale. Beyond that a value or a sum becomes a 64-bit float, and says so.

use rust_decimal::Decimal;
use serde_json::Value;
use std::cmp::Ordering;

/// The most digits after the point that a decimal keeps.
const SCALE_MAX: u32 = 28;

/// A number, with the nearest float beside it so that any two numbers have one order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    nearest: f64,
    exact: Option<Decimal>,
}

impl Number {
    /// The number that `text` spells: digits, a point, an exponent; nothing else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E');
        if text.is_empty() || !text.bytes().all(plain) || !text.bytes().any(|b| b.is_ascii_digit()) {
            return None;
        }
        if text.len() <= 18
            && let Ok(integer) = text.parse::<i64>()
        {
            return Some(Self { nearest: integer as f64, exact: Some(Decimal::from(integer)) });
        }
        let nearest: f64 = text.parse().ok()?;
        // Adding zero turns minus zero into zero, so that both are one number.
        nearest.is_finite().then(|| Self { nearest: nearest + 0.0, exact: decimal(text) })
    }

    /// The nearest float.
    pub(super) fn nearest(self) -> f64 {
        self.nearest
    }

    /// One spelling for one number.
    pub(super) fn canonical(self) -> String {
        match self.exact {
            Some(decimal) if decimal.is_zero() => "0".to_owned(),
            Some(decimal) => decimal.normalize().to_string(),
            None => self.nearest.to_string(),
        }
    }

    /// The number as JSON; see [`json`].
    pub(super) fn to_json(self) -> Value {
        match self.exact {
            Some(_) => json(&self.canonical()),
            None => Value::from(self.nearest),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    // The float decides first: it is correctly rounded, hence monotone, and makes the order total
    // also between a decimal and a number too large or too fine for one.
    fn cmp(&self, other: &Self) -> Ordering {
        self.nearest.total_cmp(&other.nearest).then_with(|| self.exact.cmp(&other.exact))
    }
}

fn decimal(text: &str) -> Option<Decimal> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let mut value = Decimal::from_str_exact(digits.strip_prefix('+').unwrap_or(digits)).ok()?;
    let up = u32::try_from(exponent).unwrap_or(0);
    let down = u32::try_from(exponent.checked_neg()?).unwrap_or(0);
    let scale = value.scale().checked_add(down)?;
    value.set_scale(scale.saturating_sub(up)).ok()?;
    let shift = up.saturating_sub(scale);
    if shift > 0 {
        let factor = Decimal::try_from_i128_with_scale(10i128.checked_pow(shift)?, 0).ok()?;
        value = value.checked_mul(factor)?;
    }
    Some(value)
}

/// A decimal spelling as JSON: a number when a reader with 64-bit numbers gets back the same
/// digits, else a text that keeps them all.
fn json(text: &str) -> Value {
    if let Ok(integer) = text.parse::<i64>() {
        return integer.into();
    }
    match text.parse::<f64>() {
        Ok(float) if float.to_string() == text => Value::from(float),
        _ => Value::from(text),
    }
}

/// A running sum.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    digits: i128,
    scale: u32,
    exact: bool,
    float: f64,
    lost: f64,
    count: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { digits: 0, scale: 0, exact: true, float: 0.0, lost: 0.0, count: 0 }
    }
}

impl Sum {
    /// Adds one number.
    pub(super) fn add(&mut self, number: Number) {
        self.count = self.count.saturating_add(1);
        // The float runs along, with what rounding took from it, in case exactness ends later.
        let next = self.float + number.nearest;
        self.lost += if self.float.abs() >= number.nearest.abs() {
            (self.float - next) + number.nearest
        } else {
            (number.nearest - next) + self.float
        };
        self.float = next;
        if self.exact {
            match number.exact.and_then(|value| self.aligned(value)) {
                Some((digits, scale)) => (self.digits, self.scale) = (digits, scale),
                None => self.exact = false,
            }
        }
    }

    fn aligned(&self, value: Decimal) -> Option<(i128, u32)> {
        let scale = self.scale.max(value.scale());
        let ours = self.digits.checked_mul(power(scale - self.scale)?)?;
        let theirs = value.mantissa().checked_mul(power(scale - value.scale())?)?;
        Some((ours.checked_add(theirs)?, scale))
    }

    /// True while every digit is right.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// The sum. `null` when it is beyond every float.
    pub(super) fn total(&self) -> Value {
        if self.exact { json(&spell(self.digits, self.scale)) } else { Value::from(self.float_total()) }
    }

    /// The mean; exact when its digits end, else the nearest float. `null` without numbers.
    pub(super) fn mean(&self) -> Value {
        if self.count == 0 {
            return Value::Null;
        }
        if !self.exact {
            return Value::from(self.float_total() / self.count as f64);
        }
        let count = i128::from(self.count);
        let (mut digits, mut scale) = (self.digits, self.scale);
        while digits % count != 0 && scale < SCALE_MAX {
            let Some(wider) = digits.checked_mul(10) else { break };
            (digits, scale) = (wider, scale + 1);
        }
        let text = spell(digits / count, scale);
        if digits % count == 0 { json(&text) } else { text.parse::<f64>().map_or(Value::Null, Value::from) }
    }

    fn float_total(&self) -> f64 {
        let corrected = self.float + self.lost;
        if corrected.is_finite() { corrected } else { self.float }
    }
}

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

fn spell(digits: i128, scale: u32) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let scale = scale as usize;
    let padded = format!("{:0>width$}", digits.unsigned_abs(), width = scale.saturating_add(1));
    let (whole, fraction) = padded.split_at(padded.len().saturating_sub(scale));
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn sum(texts: &[&str]) -> Sum {
        let mut sum = Sum::default();
        for text in texts {
            sum.add(Number::parse(text).unwrap());
        }
        sum
    }

    #[test]
    fn cents_do_not_drift() {
        assert_eq!(sum(&["0.1", "0.2"]).total(), json!(0.3));
        assert_eq!(sum(&["0.10"; 10]).total(), json!(1));
        assert_eq!(sum(&["1", "2", "4"]).mean(), json!(7.0 / 3.0));
        assert_eq!(sum(&["1", "2"]).mean(), json!(1.5));
        assert_eq!(sum(&["-0.5", "0.25"]).total(), json!(-0.25));
    }

    #[test]
    fn what_64_bits_cannot_hold_is_spelled_out() {
        assert_eq!(sum(&["9223372036854775807", "1"]).total(), json!("9223372036854775808"));
        assert_eq!(sum(&["1000000000000000000", "0.01"]).total(), json!("1000000000000000000.01"));
    }

    #[test]
    fn beyond_the_exact_range_the_sum_is_a_float_and_says_so() {
        let sum = sum(&["1e300", "1"]);
        assert!(!sum.is_exact());
        assert_eq!(sum.total(), json!(1e300));
        assert_eq!(super::tests::sum(&["1e308", "1e308"]).total(), Value::Null);
    }

    #[test]
    fn only_numbers_are_numbers() {
        for text in
            ["", "-", ".", "e", "1_000", "0x10", "inf", "NaN", "1e999", "12 MB", "1,5", "--1", "1e+-1"]
        {
            assert!(Number::parse(text).is_none(), "{text}");
        }
        assert_eq!(Number::parse("1.50e3"), Number::parse(" 1500 "));
        assert_eq!(Number::parse("-0.0"), Number::parse("0"));
        assert_eq!(Number::parse("12e-1").unwrap().canonical(), "1.2");
        assert_eq!(Number::parse("1e-2147483648").unwrap().canonical(), "0");
    }

    proptest! {
        #[test]
        fn parsing_never_fails_badly(text in "[-+.eE0-9]{0,40}") {
            let _ = Number::parse(&text).map(|n| (n.canonical(), n.to_json()));
        }

        #[test]
        fn integer_sums_are_exact(values in prop::collection::vec(any::<i64>(), 0..50)) {
            let mut sum = Sum::default();
            for value in &values {
                sum.add(Number::parse(&value.to_string()).unwrap());
            }
            let expected: i128 = values.iter().map(|v| i128::from(*v)).sum();
            let total = sum.total();
            let text = total.as_str().map_or_else(|| total.to_string(), str::to_owned);
            prop_assert_eq!(text, expected.to_string());
        }
    }
}
