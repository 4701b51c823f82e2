//! Numbers that stay exact as long as they can: fractions of whole numbers first, and 28 digits of
//! decimal when a fraction grows too large or a root has no end. Which of the two it is, is known.

use super::digits::{SHOWN, round_digits};
use rust_decimal::{Decimal, MathematicalOps};
use std::cmp::Ordering;
use std::str::FromStr;

/// Both halves of a fraction stay below this, so that ten times a remainder still fits.
const LIMIT: i128 = 10i128.pow(37);
/// Places after the point worked out before a fraction counts as endless.
const PLACES: usize = 60;

/// Why a number could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NumberError {
    /// Division by zero.
    #[error("division by zero")]
    ByZero,
    /// Outside what is computed.
    #[error("the number is too large or too small")]
    Range,
    /// The even root of a negative number.
    #[error("the root of a negative number")]
    Negative,
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// `num / den`, in lowest terms, `den` positive.
    Ratio {
        /// Above the line.
        num: i128,
        /// Below it.
        den: i128,
    },
    /// Rounded to what a decimal holds.
    Rounded(Decimal),
}

type Result<T> = std::result::Result<T, NumberError>;

impl Number {
    /// Nought.
    pub(crate) const ZERO: Self = Self::Ratio { num: 0, den: 1 };
    /// One.
    pub(crate) const ONE: Self = Self::Ratio { num: 1, den: 1 };

    /// A whole number.
    pub(crate) fn whole(n: i64) -> Self {
        Self::Ratio { num: i128::from(n), den: 1 }
    }

    /// `digits × 10^exponent`, from ASCII digits.
    pub(crate) fn scaled(digits: &str, exponent: i32) -> Result<Self> {
        let digits = digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Ok(Self::ZERO);
        }
        let zeros = i32::try_from(digits.len() - kept.len()).map_err(|_| NumberError::Range)?;
        let exponent = exponent.checked_add(zeros).ok_or(NumberError::Range)?;
        let num: i128 = kept.parse().map_err(|_| NumberError::Range)?;
        let power = 10i128.checked_pow(exponent.unsigned_abs()).ok_or(NumberError::Range)?;
        if exponent >= 0 {
            Self::ratio(num.checked_mul(power).ok_or(NumberError::Range)?, 1)
        } else {
            Self::ratio(num, power)
        }
        .ok_or(NumberError::Range)
    }

    /// A plain decimal such as `-12.50`, or a fraction such as `5/9`.
    pub(crate) fn plain(text: &str) -> Result<Self> {
        if let Some((num, den)) = text.split_once('/') {
            return Self::plain(num)?.div(Self::plain(den)?);
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
            return Err(NumberError::Range);
        }
        let places = i32::try_from(fraction.len()).map_err(|_| NumberError::Range)?;
        let number = Self::scaled(&format!("{whole}{fraction}"), -places)?;
        Ok(if negative { number.neg() } else { number })
    }

    fn ratio(num: i128, den: i128) -> Option<Self> {
        if den == 0 {
            return None;
        }
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()?;
        let (mut num, mut den) = (num.checked_div(divisor)?, den.checked_div(divisor)?);
        if den < 0 {
            (num, den) = (num.checked_neg()?, den.checked_neg()?);
        }
        (num > -LIMIT && num < LIMIT && den < LIMIT).then_some(Self::Ratio { num, den })
    }

    fn decimal(self) -> Result<Decimal> {
        match self {
            Self::Rounded(d) => Ok(d),
            Self::Ratio { num, .. } => {
                let (text, _) = self.digits();
                // More than 28 digits do not fit; what is dropped is below what is shown.
                let text = round_digits(&text, 28);
                let d = Decimal::from_str(&text).map_err(|_| NumberError::Range)?;
                if d.is_zero() && num != 0 { Err(NumberError::Range) } else { Ok(d) }
            }
        }
    }

    /// `exact` on fractions; on decimals, or when the fraction outgrows its limit, `rounded`.
    fn both(
        self,
        other: Self,
        exact: impl Fn(i128, i128, i128, i128) -> Option<Self>,
        rounded: impl Fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> Result<Self> {
        if let (Self::Ratio { num: a, den: b }, Self::Ratio { num: c, den: d }) = (self, other)
            && let Some(number) = exact(a, b, c, d)
        {
            return Ok(number);
        }
        rounded(self.decimal()?, other.decimal()?).map(Self::Rounded).ok_or(NumberError::Range)
    }

    /// The sum.
    pub(crate) fn add(self, other: Self) -> Result<Self> {
        self.both(
            other,
            |a, b, c, d| {
                let common = i128::try_from(gcd(b.unsigned_abs(), d.unsigned_abs())).ok()?;
                let (left, right) = (d.checked_div(common)?, b.checked_div(common)?);
                let num = a.checked_mul(left)?.checked_add(c.checked_mul(right)?)?;
                Self::ratio(num, right.checked_mul(d)?)
            },
            Decimal::checked_add,
        )
    }

    /// The difference.
    pub(crate) fn sub(self, other: Self) -> Result<Self> {
        self.add(other.neg())
    }

    /// The product.
    pub(crate) fn mul(self, other: Self) -> Result<Self> {
        let product = self.both(
            other,
            |a, b, c, d| {
                // Cancelling crosswise first keeps the halves small.
                let (Self::Ratio { num: a, den: d }, Self::Ratio { num: c, den: b }) =
                    (Self::ratio(a, d)?, Self::ratio(c, b)?)
                else {
                    return None;
                };
                Self::ratio(a.checked_mul(c)?, b.checked_mul(d)?)
            },
            Decimal::checked_mul,
        )?;
        // A decimal that vanished is not the answer nought.
        if product.is_zero() && !self.is_zero() && !other.is_zero() {
            return Err(NumberError::Range);
        }
        Ok(product)
    }

    /// The quotient.
    pub(crate) fn div(self, other: Self) -> Result<Self> {
        if other.is_zero() {
            return Err(NumberError::ByZero);
        }
        if let Self::Ratio { num, den } = other
            && let Some(inverse) = Self::ratio(den, num)
        {
            return self.mul(inverse);
        }
        let quotient = self.decimal()?.checked_div(other.decimal()?).ok_or(NumberError::Range)?;
        if quotient.is_zero() && !self.is_zero() {
            return Err(NumberError::Range);
        }
        Ok(Self::Rounded(quotient))
    }

    /// What is left of `self` after whole multiples of `other`; it has the sign of `self`.
    pub(crate) fn rem(self, other: Self) -> Result<Self> {
        let times = self.div(other)?;
        let whole = if times.is_negative() { times.neg().floor()?.neg() } else { times.floor()? };
        self.sub(other.mul(whole)?)
    }

    /// The opposite.
    pub(crate) fn neg(self) -> Self {
        match self {
            // `ratio` keeps both halves far from the edge of the type.
            Self::Ratio { num, den } => Self::Ratio { num: num.saturating_neg(), den },
            Self::Rounded(d) => Self::Rounded(-d),
        }
    }

    /// Without its sign.
    pub(crate) fn abs(self) -> Self {
        if self.is_negative() { self.neg() } else { self }
    }

    /// The largest whole number not above.
    pub(crate) fn floor(self) -> Result<Self> {
        match self {
            Self::Ratio { num, den } => Self::ratio(num.div_euclid(den), 1).ok_or(NumberError::Range),
            Self::Rounded(d) => Ok(Self::Rounded(d.floor())),
        }
    }

    /// To `places` after the point, halves away from nought.
    pub(crate) fn round(self, places: i64) -> Result<Self> {
        let places = i32::try_from(places).map_err(|_| NumberError::Range)?;
        if !(-36..=36).contains(&places) {
            return Err(NumberError::Range);
        }
        let unit = Self::scaled("1", -places)?;
        let half = Self::Ratio { num: 1, den: 2 };
        let rounded = self.abs().div(unit)?.add(half)?.floor()?.mul(unit)?;
        Ok(if self.is_negative() { rounded.neg() } else { rounded })
    }

    /// The square root.
    pub(crate) fn sqrt(self) -> Result<Self> {
        if self.is_negative() {
            return Err(NumberError::Negative);
        }
        if let Self::Ratio { num, den } = self {
            let (n, d) = (num.isqrt(), den.isqrt());
            if n.checked_mul(n) == Some(num) && d.checked_mul(d) == Some(den) {
                return Self::ratio(n, d).ok_or(NumberError::Range);
            }
        }
        self.decimal()?.sqrt().map(Self::Rounded).ok_or(NumberError::Range)
    }

    /// `self` to the power `exponent`.
    pub(crate) fn pow(self, exponent: Self) -> Result<Self> {
        if let Some(n) = exponent.as_whole() {
            let count = u32::try_from(n.unsigned_abs()).map_err(|_| NumberError::Range)?;
            if n >= 0 {
                return self.times_itself(count);
            }
            return Self::ONE.div(self.times_itself(count)?);
        }
        if let Self::Ratio { num: 1, den: 2 } = exponent {
            return self.sqrt();
        }
        if self.is_negative() {
            return Err(NumberError::Negative);
        }
        let power = self.float().powf(exponent.float());
        if !power.is_finite() || (power == 0.0 && !self.is_zero()) {
            return Err(NumberError::Range);
        }
        // Two digits fewer than a float has: the last ones are noise.
        let text = round_digits(&format!("{power:.40}"), 14);
        Decimal::from_str(&text).map(Self::Rounded).map_err(|_| NumberError::Range)
    }

    fn times_itself(self, mut count: u32) -> Result<Self> {
        let (mut result, mut square) = (Self::ONE, self);
        while count > 0 {
            if count & 1 == 1 {
                result = result.mul(square)?;
            }
            count >>= 1;
            if count > 0 {
                square = square.mul(square)?;
            }
        }
        Ok(result)
    }

    /// The whole number it is, if it is one and an `i64` holds it.
    pub(crate) fn as_whole(self) -> Option<i64> {
        match self {
            Self::Ratio { num, den: 1 } => i64::try_from(num).ok(),
            _ => None,
        }
    }

    /// As a float, for what floats are good enough for.
    pub(crate) fn float(self) -> f64 {
        self.digits().0.parse().unwrap_or(f64::NAN)
    }

    /// Is it nought?
    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::Ratio { num, .. } => num == 0,
            Self::Rounded(d) => d.is_zero(),
        }
    }

    /// Is it below nought?
    pub(crate) fn is_negative(self) -> bool {
        match self {
            Self::Ratio { num, .. } => num < 0,
            Self::Rounded(d) => d.is_sign_negative() && !d.is_zero(),
        }
    }

    /// Which of two is larger.
    pub(crate) fn order(self, other: Self) -> Result<Ordering> {
        let difference = self.sub(other)?;
        Ok(if difference.is_zero() {
            Ordering::Equal
        } else if difference.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        })
    }

    /// As plain decimal text, and whether that text is the number itself and not a rounding.
    pub(crate) fn text(self) -> (String, bool) {
        let (text, exact) = self.digits();
        if exact { (text, true) } else { (round_digits(&text, SHOWN), false) }
    }

    fn digits(self) -> (String, bool) {
        let (num, den) = match self {
            Self::Ratio { num, den } => (num, den),
            Self::Rounded(d) => return (d.normalize().to_string(), false),
        };
        let sign = if num < 0 { "-" } else { "" };
        let (num, den) = (num.unsigned_abs(), den.unsigned_abs().max(1));
        let mut text = format!("{sign}{}", num / den);
        let mut rest = num % den;
        if rest > 0 {
            text.push('.');
        }
        for _ in 0..PLACES {
            if rest == 0 {
                break;
            }
            // `rest < den < 10^37`, so this cannot overflow.
            let next = rest.saturating_mul(10);
            text.push(char::from(b'0' + u8::try_from(next / den).unwrap_or(9)));
            rest = next % den;
        }
        (text, rest == 0)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn n(text: &str) -> Number {
        Number::plain(text).unwrap()
    }

    #[test]
    fn thirds_come_back_whole() {
        assert_eq!(n("10").div(n("3")).unwrap().mul(n("3")).unwrap().text(), ("10".into(), true));
        assert_eq!(n("0.1").add(n("0.2")).unwrap().text(), ("0.3".into(), true));
        assert_eq!(n("1").div(n("3")).unwrap().text(), ("0.333333333333333".into(), false));
        assert_eq!(n("-2").div(n("3")).unwrap().text(), ("-0.666666666666667".into(), false));
    }

    #[test]
    fn the_edges_are_errors_not_wrong_numbers() {
        assert_eq!(n("1").div(n("0")).unwrap_err(), NumberError::ByZero);
        assert_eq!(n("10").pow(n("100")).unwrap_err(), NumberError::Range);
        assert_eq!(n("0.1").pow(n("100")).unwrap_err(), NumberError::Range);
        assert_eq!(n("-1").sqrt().unwrap_err(), NumberError::Negative);
        assert_eq!(n("2").pow(n("100")).unwrap().text(), ("1267650600228229401496703205376".into(), true));
        assert_eq!(n("1").pow(n("4000000000")).unwrap().text().0, "1");
        assert!(Number::scaled("1", i32::MIN).is_err());
        assert!(Number::scaled("1", i32::MAX).is_err());
    }

    #[test]
    fn rounding_and_rests() {
        assert_eq!(n("2.345").round(2).unwrap().text().0, "2.35");
        assert_eq!(n("-2.5").round(0).unwrap().text().0, "-3");
        assert_eq!(n("1234").round(-2).unwrap().text().0, "1200");
        assert_eq!(n("-7").rem(n("3")).unwrap().text().0, "-1");
        assert_eq!(n("7.5").rem(n("2")).unwrap().text().0, "1.5");
        assert_eq!(n("2").sqrt().unwrap().text().0, "1.4142135623731");
        assert_eq!(n("0.25").sqrt().unwrap().text(), ("0.5".into(), true));
    }

    proptest! {
        #[test]
        fn sums_and_products_undo(a in -1_000_000_000i64..1_000_000_000, b in 1i64..1_000_000, c in 1i64..1_000_000) {
            let x = Number::whole(a).div(Number::whole(b)).unwrap();
            let y = Number::whole(c).div(Number::whole(1000)).unwrap();
            prop_assert!(x.add(y).unwrap().sub(y).unwrap().sub(x).unwrap().is_zero());
            prop_assert!(x.mul(y).unwrap().div(y).unwrap().sub(x).unwrap().is_zero());
        }

        #[test]
        fn plain_text_is_stable(a in any::<i64>(), places in 0u32..12) {
            let x = Number::whole(a).div(Number::scaled("1", places as i32).unwrap()).unwrap();
            let (text, exact) = x.text();
            prop_assert!(exact);
            prop_assert_eq!(Number::plain(&text).unwrap().text().0, text);
        }
    }
}
