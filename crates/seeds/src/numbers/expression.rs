//! Expressions with exact numbers, percentages and units, computed as they are read.
//!
//! Every error names its column. Nesting is bounded, so a hostile expression ends as an error.

use super::exact::{Number, NumberError};
use super::lexer::{Lexicon, Token, Wrong, tokens};
use super::units::{Unit, Units};
use std::cmp::Ordering;

/// Parentheses, functions and towers of powers inside each other.
const DEPTH: usize = 100;
/// Characters of an expression.
const LENGTH: usize = 10_000;

/// A number of something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    /// How many of `unit`; of a percentage, the fraction.
    pub(crate) n: Number,
    /// Of what.
    pub(crate) unit: Unit,
    /// Written with a percent sign: `350 + 20%` adds a fifth of 350.
    pub(crate) percent: bool,
}

impl Quantity {
    fn number(n: Number) -> Self {
        Self { n, unit: Unit::default(), percent: false }
    }
}

/// The value of `text`.
pub(crate) fn evaluate(text: &str, units: &Units, lexicon: &Lexicon, lang: &str) -> Result<Quantity, Wrong> {
    if text.chars().nth(LENGTH).is_some() {
        return Err(Wrong::new(LENGTH + 1, format!("the expression is longer than {LENGTH} characters")));
    }
    let tokens = tokens(text, lexicon, lang)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, units };
    let value = parser.conversion()?;
    match parser.peek() {
        Token::End => Ok(value),
        Token::Sign(')') => Err(parser.wrong("this parenthesis closes nothing")),
        _ => Err(parser.wrong("an operator was expected here")),
    }
}

struct Parser<'a> {
    tokens: &'a [(Token, usize)],
    at: usize,
    depth: usize,
    units: &'a Units,
}

impl Parser<'_> {
    fn token(&self, at: usize) -> &Token {
        self.tokens.get(at).map_or(&Token::End, |(token, _)| token)
    }

    fn peek(&self) -> &Token {
        self.token(self.at)
    }

    fn column(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, column)| *column)
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong::new(self.column(), message)
    }

    fn sign(&mut self, signs: &[char]) -> Option<(char, usize)> {
        match *self.peek() {
            Token::Sign(sign) if signs.contains(&sign) => {
                let column = self.column();
                self.at += 1;
                Some((sign, column))
            }
            _ => None,
        }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth >= DEPTH {
            return Err(self.wrong(format!("nested more than {DEPTH} deep")));
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    /// `sum [in unit]…`
    fn conversion(&mut self) -> Result<Quantity, Wrong> {
        let mut value = self.sum()?;
        while let Token::Convert(_) = self.peek() {
            self.at += 1;
            let column = self.column();
            if self.sign(&['%']).is_some() {
                if !value.unit.is_none() {
                    return Err(Wrong::new(column, "only a pure number can be a percentage"));
                }
                value.percent = true;
                continue;
            }
            let unit = self.target()?;
            if value.percent || !self.units.comparable(value.unit, unit) {
                let (from, to) = (self.units.symbol(value.unit), self.units.symbol(unit));
                let from = if from.is_empty() { "a pure number" } else { &from };
                return Err(Wrong::new(column, format!("{from} cannot become {to}")));
            }
            value.n = self.units.convert(value.n, value.unit, unit).map_err(|e| at(column, e))?;
            value.unit = unit;
        }
        Ok(value)
    }

    /// The unit a conversion asks for: `km`, `km/h`, `m^2`.
    fn target(&mut self) -> Result<Unit, Wrong> {
        let mut unit = self.unit_power()?;
        loop {
            let sign = match self.sign(&['/', '*']) {
                Some(('/', _)) => -1,
                Some(_) => 1,
                None => return Ok(unit),
            };
            let column = self.column();
            let next = self.unit_power()?;
            let (product, factor) = self.units.product(unit, next, sign).map_err(|e| at(column, e))?;
            if factor.order(Number::ONE) != Ok(Ordering::Equal) {
                return Err(Wrong::new(column, "two units of the same thing in one unit"));
            }
            unit = product;
        }
    }

    fn unit_power(&mut self) -> Result<Unit, Wrong> {
        let word = match self.peek() {
            Token::Word(word) | Token::Convert(word) => word.clone(),
            _ => return Err(self.wrong("a unit was expected here")),
        };
        let unit = self
            .units
            .find(&word)
            .ok_or_else(|| self.wrong(format!("{word:?} is neither a unit nor a function")))?;
        self.at += 1;
        self.raised(unit)
    }

    /// A power written on a unit belongs to the unit: `2 m^2` is two square metres.
    fn raised(&mut self, unit: Unit) -> Result<Unit, Wrong> {
        if let (Token::Sign('^'), Token::Number(n)) = (self.peek(), self.token(self.at + 1)) {
            let n = *n;
            let column = self.column();
            self.at += 2;
            return n
                .as_whole()
                .and_then(|n| unit.power(n))
                .ok_or_else(|| Wrong::new(column, "a unit can only have a small whole power"));
        }
        Ok(unit)
    }

    fn sum(&mut self) -> Result<Quantity, Wrong> {
        let mut left = self.product()?;
        while let Some((sign, column)) = self.sign(&['+', '-']) {
            let right = self.product()?;
            left = self.add(left, right, sign == '-').map_err(|wrong| wrong.at(column))?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Quantity, Wrong> {
        let mut left = self.signed()?;
        loop {
            if let Token::Of = self.peek() {
                let column = self.column();
                self.at += 1;
                let right = self.signed()?;
                left = self.multiply(left, right, 1).map_err(|wrong| wrong.at(column))?;
                continue;
            }
            let Some((sign, column)) = self.sign(&['*', '/', 'm', '%']) else { return Ok(left) };
            let right = self.signed()?;
            left = match sign {
                '*' => self.multiply(left, right, 1),
                '/' => self.multiply(left, right, -1),
                _ => self.remainder(left, right),
            }
            .map_err(|wrong| wrong.at(column))?;
        }
    }

    fn signed(&mut self) -> Result<Quantity, Wrong> {
        let mut negative = false;
        while let Some((sign, _)) = self.sign(&['-', '+']) {
            negative ^= sign == '-';
        }
        let mut value = self.power()?;
        if negative {
            value.n = value.n.neg();
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<Quantity, Wrong> {
        let base = self.percentage()?;
        let Some((_, column)) = self.sign(&['^']) else { return Ok(base) };
        let exponent = self.deeper(Self::signed)?;
        if !exponent.unit.is_none() || exponent.percent {
            return Err(Wrong::new(column, "an exponent is a pure number"));
        }
        let n = base.n.pow(exponent.n).map_err(|e| at(column, e))?;
        if base.unit.is_none() {
            return Ok(Quantity::number(n));
        }
        self.refuse_degrees(base).map_err(|wrong| wrong.at(column))?;
        let unit = exponent.n.as_whole().and_then(|n| base.unit.power(n));
        let unit = unit.ok_or_else(|| Wrong::new(column, "a unit can only have a small whole power"))?;
        Ok(Quantity { n, unit, percent: false })
    }

    fn percentage(&mut self) -> Result<Quantity, Wrong> {
        let mut value = self.primary()?;
        // After a value, `%` before another value is the remainder.
        let remainder = matches!(
            self.token(self.at + 1),
            Token::Number(_) | Token::Word(_) | Token::Function(_) | Token::Sign('(')
        );
        if !remainder && let Some((_, column)) = self.sign(&['%']) {
            if !value.unit.is_none() || value.percent {
                return Err(Wrong::new(column, "only a pure number can be a percentage"));
            }
            value.n = value.n.div(Number::whole(100)).map_err(|e| at(column, e))?;
            value.percent = true;
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Quantity, Wrong> {
        match self.peek().clone() {
            Token::Number(n) => {
                self.at += 1;
                self.measured(n)
            }
            Token::Word(_) => Ok(Quantity { unit: self.unit_power()?, ..Quantity::number(Number::ONE) }),
            Token::Function(name) => {
                let column = self.column();
                self.at += 1;
                let arguments = self.deeper(Self::arguments)?;
                self.call(&name, &arguments).map_err(|wrong| wrong.at(column))
            }
            Token::Sign('(') => {
                let column = self.column();
                self.at += 1;
                let value = self.deeper(Self::conversion)?;
                self.close(column)?;
                Ok(value)
            }
            Token::End => Err(self.wrong("a number was expected here, but the expression ends")),
            Token::Sign(sign) => Err(self.wrong(format!("a number was expected here, not {sign:?}"))),
            Token::Convert(_) | Token::Of => Err(self.wrong("a number was expected here")),
        }
    }

    /// A number with its unit, and what follows in smaller units: `1 h 30 min`, `5 ft 3 in`.
    fn measured(&mut self, n: Number) -> Result<Quantity, Wrong> {
        let Some(unit) = self.unit_here()? else { return Ok(Quantity::number(n)) };
        let mut value = Quantity { n, unit, percent: false };
        while let Token::Number(more) = *self.peek() {
            let (start, column) = (self.at, self.column());
            self.at += 1;
            match self.unit_here()? {
                Some(unit) if self.units.comparable(unit, value.unit) => {
                    let more = Quantity { n: more, unit, percent: false };
                    value = self.add(value, more, false).map_err(|wrong| wrong.at(column))?;
                }
                _ => {
                    self.at = start;
                    break;
                }
            }
        }
        Ok(value)
    }

    /// The unit right after a number. `in` is an inch only where no unit to convert to follows.
    fn unit_here(&mut self) -> Result<Option<Unit>, Wrong> {
        match (self.peek(), self.token(self.at + 1)) {
            (Token::Word(_), _) => self.unit_power().map(Some),
            (Token::Convert(word), next)
                if word == "in" && !matches!(next, Token::Word(_) | Token::Sign('%')) =>
            {
                self.unit_power().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Quantity>, Wrong> {
        let column = self.column();
        if self.sign(&['(']).is_none() {
            return Err(self.wrong("the function has no arguments"));
        }
        let mut arguments = Vec::new();
        if self.sign(&[')']).is_some() {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.conversion()?);
            if self.sign(&[';']).is_none() {
                self.close(column)?;
                return Ok(arguments);
            }
        }
    }

    fn close(&mut self, opened: usize) -> Result<(), Wrong> {
        match self.peek() {
            Token::Sign(')') => {
                self.at += 1;
                Ok(())
            }
            Token::End => Err(Wrong::new(opened, "this parenthesis is never closed")),
            _ => Err(self.wrong("an operator or ')' was expected here")),
        }
    }

    fn add(&self, a: Quantity, b: Quantity, negative: bool) -> Result<Quantity, Reason> {
        let b_n = if negative { b.n.neg() } else { b.n };
        if b.percent && !a.percent {
            let part = a.n.mul(b_n)?;
            return Ok(Quantity { n: a.n.add(part)?, ..a });
        }
        self.same_kind(a, b)?;
        // Degrees added to degrees are a difference: 20 °C + 5 °C is 25 °C.
        let n = a.n.add(self.units.stretch(b_n, b.unit, a.unit)?)?;
        Ok(Quantity { n, unit: a.unit, percent: a.percent && b.percent })
    }

    fn multiply(&self, a: Quantity, b: Quantity, sign: i32) -> Result<Quantity, Reason> {
        if !b.unit.is_none() {
            self.refuse_degrees(b)?;
            if !a.unit.is_none() {
                self.refuse_degrees(a)?;
            }
        }
        let (unit, factor) = self.units.product(a.unit, b.unit, sign)?;
        let n = if sign < 0 { a.n.div(b.n)? } else { a.n.mul(b.n)? };
        Ok(Quantity { n: n.mul(factor)?, unit, percent: false })
    }

    fn remainder(&self, a: Quantity, b: Quantity) -> Result<Quantity, Reason> {
        self.same_kind(a, b)?;
        let n = a.n.rem(self.units.stretch(b.n, b.unit, a.unit)?)?;
        Ok(Quantity { n, unit: a.unit, percent: false })
    }

    fn same_kind(&self, a: Quantity, b: Quantity) -> Result<(), Reason> {
        if self.units.comparable(a.unit, b.unit) {
            return Ok(());
        }
        let name = |unit| match self.units.symbol(unit) {
            symbol if symbol.is_empty() => "a pure number".to_owned(),
            symbol => symbol,
        };
        Err(Reason(format!("{} and {} do not measure the same thing", name(a.unit), name(b.unit))))
    }

    fn refuse_degrees(&self, q: Quantity) -> Result<(), Reason> {
        if self.units.has_offset(q.unit) {
            return Err(Reason("degrees cannot be multiplied or divided; convert them to K first".into()));
        }
        Ok(())
    }

    fn call(&self, name: &str, arguments: &[Quantity]) -> Result<Quantity, Reason> {
        let one = |n| Ok(Quantity { n, ..arguments.first().copied().unwrap_or(Quantity::number(n)) });
        match (name, arguments) {
            ("abs", [q]) => one(q.n.abs()),
            ("round", [q]) => one(q.n.round(0)?),
            ("round", [q, places]) if places.unit.is_none() && !places.percent => {
                let places =
                    places.n.as_whole().ok_or(Reason("round wants a whole number of places".into()))?;
                one(q.n.round(places)?)
            }
            ("floor", [q]) => one(q.n.floor()?),
            ("ceil", [q]) => one(q.n.neg().floor()?.neg()),
            ("sqrt", [q]) if q.unit.is_none() => Ok(Quantity::number(q.n.sqrt()?)),
            ("sqrt", [_]) => Err(Reason("sqrt wants a pure number".into())),
            ("min" | "max", [first, rest @ ..]) => {
                let wanted = if name == "min" { Ordering::Less } else { Ordering::Greater };
                let mut best = *first;
                for q in rest {
                    self.same_kind(best, *q)?;
                    if self.units.convert(q.n, q.unit, best.unit)?.order(best.n)? == wanted {
                        best = *q;
                    }
                }
                Ok(best)
            }
            _ => Err(Reason(format!("{name} does not take {} arguments", arguments.len()))),
        }
    }
}

/// What went wrong, before it has a place.
struct Reason(String);

impl Reason {
    fn at(self, column: usize) -> Wrong {
        Wrong::new(column, self.0)
    }
}

impl From<NumberError> for Reason {
    fn from(error: NumberError) -> Self {
        Self(error.to_string())
    }
}

fn at(column: usize, error: NumberError) -> Wrong {
    Wrong::new(column, error.to_string())
}
