//! Numbers in digits and words, and what is measured with them: sizes and lengths of time.

use super::atom::{Atoms, Found, Piece};
use super::unit::Dimension;
use crate::sense::{Hour, Math, Operator, Relation, Sense, TimeUnit};

/// A number that was said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) value: f64,
    /// The piece after it.
    pub(super) end: usize,
    pub(super) cost: u8,
    /// Written in digits.
    pub(super) digits: bool,
    /// An article, which is a number only before a unit.
    pub(super) article: bool,
}

/// What words of numbers add up to.
#[derive(Clone, Copy, Default)]
struct Sum {
    total: i64,
    current: i64,
}

impl Sum {
    /// Takes a number if it can stand after what was said: "twenty" "five", "two hundred" "fifty".
    fn add(&mut self, n: i64) -> bool {
        let free = self.current % 100 == 0 || self.current % 10 == 0 && self.current % 100 >= 20 && n < 10;
        let begins = self.total == 0 && self.current == 0;
        match n {
            1000 if begins => self.total = 1000,
            100 if self.current == 0 => self.current = 100,
            _ if begins => self.current = n,
            1..100 if free => self.current += n,
            _ => return false,
        }
        true
    }

    /// Multiplies what was said last.
    fn scale(&mut self, by: i64) -> bool {
        match by {
            _ if self.current == 0 => return false,
            100 if self.current < 10 => self.current *= 100,
            1000.. if self.total == 0 || self.total % by.saturating_mul(1000) == 0 => {
                self.total += self.current.saturating_mul(by);
                self.current = 0;
            }
            // dozens
            ..100 if self.total == 0 && self.current < 100 => self.current *= by,
            _ => return false,
        }
        true
    }
}

impl Atoms<'_> {
    /// The number that begins at a piece. Money is part of it: nothing is computed with its unit.
    pub(super) fn number(&self, at: usize) -> Option<Number> {
        let money = |at: usize| matches!(self.sign(at), Some('€' | '$' | '£'));
        let number = self.digits(at + usize::from(money(at))).or_else(|| self.in_words(at))?;
        let number = self.decimals(number);
        let unit = |end: usize| self.units(end).into_iter().find(|unit| unit.dimension == Dimension::Money);
        let sign = || (money(number.end) && self.touches(number.end - 1)).then_some(number.end + 1);
        let word = || unit(number.end).filter(|unit| unit.cost == 0).map(|unit| unit.end);
        Some(Number { end: sign().or_else(word).unwrap_or(number.end), ..number })
    }

    fn digits(&self, at: usize) -> Option<Number> {
        let Piece::Number(value) = *self.piece(at) else { return None };
        let mut number = Number { value, end: at + 1, cost: 0, digits: true, article: false };
        while let Some(scale) = self.find(number.end, scale).filter(|_| self.bytes(number.end).is_none()) {
            number.value *= scale.is as f64;
            number.end = scale.end;
        }
        Some(number)
    }

    fn in_words(&self, at: usize) -> Option<Number> {
        // "half a dozen"
        if let Some(half) = self.is(at, |sense| sense == Sense::Half)
            && let Some(dozen) = self.find(self.after_idle(half), scale)
        {
            let value = dozen.is as f64 / 2.0;
            return Some(Number { value, end: dozen.end, cost: dozen.cost, digits: false, article: false });
        }
        let (mut sum, mut end, mut cost, mut words) = (Sum::default(), at, 0, 0);
        let mut scaled = false;
        loop {
            // "two hundred and fifty", but not "two hundred and three hundred"
            let joined = self.operator(end, Operator::And).filter(|_| scaled);
            let next = joined.unwrap_or(end);
            let mut tried = sum;
            let found = match (self.find(next, scale), self.find(next, word)) {
                (Some(by), _) if words > 0 && joined.is_none() && tried.scale(by.is) => {
                    scaled = true;
                    by
                }
                (_, Some(n)) if tried.add(n.is) => {
                    if joined.is_some() && (n.is >= 100 || self.find(n.end, scale).is_some()) {
                        break;
                    }
                    scaled = false;
                    n
                }
                _ => break,
            };
            (sum, end, words) = (tried, found.end, words + 1);
            cost = cost.max(found.cost);
        }
        let idle = |sense: Sense| sense == Sense::Idle;
        let article = words == 1 && self.is(at, idle) == Some(end);
        let value = (sum.total + sum.current) as f64;
        (words > 0).then_some(Number { value, end, cost, digits: false, article })
    }

    /// "three point five"
    fn decimals(&self, number: Number) -> Number {
        let point = self.is(number.end, |sense| sense == Sense::Math(Math::Point));
        let after = point.and_then(|at| match *self.piece(at) {
            Piece::Number(value) => Some((value, at + 1)),
            _ => self.in_words(at).map(|n| (n.value, n.end)),
        });
        match after.filter(|(n, _)| n.fract() == 0.0 && *n < 1e6) {
            Some((n, end)) => Number {
                value: format!("{}.{n}", number.value).parse().unwrap_or(number.value),
                end,
                ..number
            },
            None => number,
        }
    }

    /// A number with what "and a half" adds to it.
    pub(super) fn number_and_part(&self, at: usize) -> Option<Number> {
        let number = self.number(at)?;
        Some(match self.and_part(number.end) {
            Some((part, end)) if number.value.fract() == 0.0 => {
                Number { value: number.value + part, end, article: false, ..number }
            }
            _ => number,
        })
    }

    /// "and a half", "and three quarters".
    pub(super) fn and_part(&self, at: usize) -> Option<(f64, usize)> {
        let and = self.operator(at, Operator::And)?;
        self.part(and).or_else(|| self.part(self.after_idle(and)))
    }

    /// A part of one: "half", "a third", "three quarters".
    pub(super) fn part(&self, at: usize) -> Option<(f64, usize)> {
        if let Some(end) = self.is(at, |sense| sense == Sense::Half) {
            return Some((0.5, end));
        }
        let (count, next) = match self.in_words(at) {
            Some(n) if n.value < 10.0 => (n.value, n.end),
            Some(_) => return None,
            None => (1.0, at),
        };
        let parts = |sense: Sense| match sense {
            Sense::Hour(Hour::Quarter) => Some(4.0),
            Sense::Ordinal(n @ 3..=10) => Some(n as f64),
            _ => None,
        };
        let parts = self.find(next, parts)?;
        Some((count / parts.is, parts.end))
    }

    pub(super) fn bytes(&self, at: usize) -> Option<Found<u64>> {
        self.find(at, |sense| match sense {
            Sense::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }

    pub(super) fn time_unit(&self, at: usize) -> Option<Found<TimeUnit>> {
        self.find(at, |sense| match sense {
            Sense::TimeUnit(unit) => Some(unit),
            _ => None,
        })
    }

    /// How many of a unit begin at a piece: "2", "half a", "three quarters of an", "an"; and where the unit is.
    fn count(&self, at: usize) -> Option<Number> {
        let part = self.part(at).map(|(value, end)| {
            let of = self.relation(end, &[Relation::Of]).unwrap_or(end);
            Number { value, end: self.after_idle(of), cost: 0, digits: false, article: false }
        });
        // "a hundred of …" too.
        let number = self.number_and_part(at).map(|n| match self.relation(n.end, &[Relation::Of]) {
            Some(end) if !n.digits && !n.article => Number { end, ..n },
            _ => n,
        });
        let unit = |n: &Number| self.bytes(n.end).is_some() || self.time_unit(n.end).is_some();
        part.filter(unit).or(number)
    }

    /// A size in bytes; without a number, one, where `one` allows it.
    pub(super) fn size(&self, at: usize, one: bool) -> Option<Found<f64>> {
        let count = self.count(at).filter(|n| self.bytes(n.end).is_some());
        let alone = Number { value: 1.0, end: at, cost: 0, digits: false, article: false };
        let count = count.or(one.then_some(alone))?;
        let unit = self.bytes(count.end)?;
        let (more, end) = self.and_part(unit.end).unwrap_or((0.0, unit.end));
        Some(Found { is: (count.value + more) * unit.is as f64, end, cost: count.cost.max(unit.cost) })
    }

    /// A length of time in minutes: "1 hour 30 minutes", "un'ora e mezza". Months and years have none.
    pub(super) fn length(&self, at: usize) -> Option<Found<f64>> {
        if let Piece::Clock(hours, minutes) = *self.piece(at) {
            let unit = self.time_unit(at + 1).filter(|unit| unit.is == TimeUnit::Hour)?;
            let is = f64::from(hours) * 60.0 + f64::from(minutes);
            return Some(Found { is, end: unit.end, cost: 0 });
        }
        let count = self.count(at).filter(|n| self.time_unit(n.end).is_some());
        let bare = Number { value: 1.0, end: at, cost: 0, digits: false, article: false };
        let first = count.unwrap_or(bare);
        let unit = self.time_unit(first.end)?;
        let each = minutes(unit.is)?;
        let part = self.and_part(unit.end);
        // "an hour and a half" without its article; "second and third" is none.
        if count.is_none() && (part.is_none() || unit.is != TimeUnit::Hour) {
            return None;
        }
        let (more, mut end) = part.unwrap_or((0.0, unit.end));
        let mut is = (first.value + more) * each;
        // The rest in smaller units.
        let mut smallest = each;
        while part.is_none() {
            let next = self.operator(end, Operator::And).unwrap_or(end);
            let Some(n) = self.number(next) else { break };
            let Some(unit) = self.time_unit(n.end) else { break };
            let Some(each) = minutes(unit.is).filter(|each| *each < smallest) else { break };
            is += n.value * each;
            (end, smallest) = (unit.end, each);
        }
        Some(Found { is, end, cost: first.cost.max(unit.cost) })
    }
}

fn scale(sense: Sense) -> Option<i64> {
    match sense {
        Sense::Scale(by) => Some(by),
        _ => None,
    }
}

fn word(sense: Sense) -> Option<i64> {
    match sense {
        Sense::Number(n) => Some(n),
        _ => None,
    }
}

/// The minutes of a unit.
fn minutes(unit: TimeUnit) -> Option<f64> {
    match unit {
        TimeUnit::Second => Some(1.0 / 60.0),
        TimeUnit::Minute => Some(1.0),
        TimeUnit::Hour => Some(60.0),
        TimeUnit::Day => Some(1440.0),
        TimeUnit::Week => Some(10080.0),
        _ => None,
    }
}
