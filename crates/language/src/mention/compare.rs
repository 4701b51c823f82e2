//! Comparisons: limits of size, of a number, of a length of time.

use super::amount::{Amounts, LESS_LIKELY, UNLIKELY};
use super::atom::{Found, Piece};
use super::{Mention, What};
use crate::sense::{Compare, Id, Operator, Relation, Sense};
use std::sync::LazyLock;

/// What the words around a size may call it.
static SIZE: LazyLock<Id> = LazyLock::new(|| Id::of("size"));
/// So far before "at most" its number may stand.
const NEAR: usize = 4;

impl Amounts<'_> {
    /// "between 5 and 10 MB", "from 5 to 10 MB", "5-10 MB"; without a unit only where it is said to lie between.
    pub(super) fn between(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let atoms = &self.atoms;
        let opened = atoms.find(at, |sense| match sense {
            Sense::Relation(relation @ (Relation::Between | Relation::From)) => Some(relation),
            _ => None,
        });
        let from = opened.map_or(at, |found| atoms.after_idle(found.end));
        let low = atoms.number(from).filter(|n| !n.article)?;
        let unit = atoms.bytes(low.end);
        let middle = unit.map_or(low.end, |unit| unit.end);
        let and = atoms.operator(middle, Operator::And).filter(|_| opened.is_some());
        let to = || atoms.relation(middle, &[Relation::To, Relation::Until]);
        let dash = || atoms.sign(middle).filter(|sign| matches!(sign, '-' | '–' | '−')).map(|_| middle + 1);
        let second = atoms.after_idle(and.or_else(to).or_else(dash)?);
        let cost = opened.map_or(0, |found| found.cost).max(low.cost);
        if let Some(high) = atoms.size(second, false) {
            let end = atoms.number(second).map_or(high.end, |n| n.end);
            let each = unit.or_else(|| atoms.bytes(end))?.is as f64;
            let (low, high_bytes) = (bytes(low.value * each)?, bytes(high.is)?);
            let size = What::Size(Some(low.min(high_bytes)), Some(low.max(high_bytes)));
            atoms.say(self.with_field(at), high.end, size, cost.max(high.cost), all);
            return Some(high.end);
        }
        let high = atoms.number(second).filter(|n| !n.article && self.counts(n))?;
        let between = opened.is_some_and(|found| found.is == Relation::Between) && and.is_some();
        if !between || unit.is_some() {
            return None;
        }
        let (low, top) = (low.value.min(high.value), low.value.max(high.value));
        atoms.say(at, high.end, What::Range(Some(low), Some(top)), cost.max(high.cost) + 1, all);
        Some(high.end)
    }

    /// A comparison with what it compares to.
    pub(super) fn comparison(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let compare = self.compare(at)?;
        let value = self.after_compare(compare.end);
        let from = self.with_field(at);
        if let Some(size) = self.atoms.size(value, value > compare.end) {
            let cost = compare.cost.max(size.cost);
            self.atoms.say(from, size.end, limits(compare.is, size.is), cost, all);
            self.compared = Some(compare.is);
            return Some(size.end);
        }
        if let Some(length) = self.atoms.length(value) {
            let cost = compare.cost.max(length.cost);
            let (from, cost) = match compare.is {
                Compare::Least | Compare::Exactly => (at, cost),
                Compare::More | Compare::About => (at, cost + LESS_LIKELY),
                _ => (value, cost + UNLIKELY),
            };
            self.say_length(from, length, cost, all);
            return Some(length.end);
        }
        // "+39…" is a telephone number.
        let plus = self.atoms.sign(at) == Some('+');
        let number = self.atoms.number(value).filter(|n| !plus && !n.article && self.counts(n));
        let Some(number) = number else {
            return self.echo(at, compare, all);
        };
        let cost = compare.cost.max(number.cost);
        if let Some(unit) = self.unit_of_next(number.end) {
            self.atoms.say(from, number.end, limits(compare.is, number.value * unit), cost, all);
            return Some(number.end);
        }
        // "4 plus 5" compares nothing.
        let sum = at > 0 && matches!(self.atoms.piece(at - 1), Piece::Number(_));
        let unlikely = if sum { UNLIKELY } else { 0 };
        let range = match compare.is {
            Compare::More | Compare::Least => What::Range(Some(number.value), None),
            Compare::Less | Compare::Most => What::Range(None, Some(number.value)),
            Compare::About => What::Range(None, None),
            _ => What::Range(Some(number.value), Some(number.value)),
        };
        self.atoms.say(at, number.end, range, cost + unlikely, all);
        if matches!(compare.is, Compare::Most | Compare::Exactly) {
            self.atoms.say(at, number.end, What::Number(number.value), cost, all);
        }
        let extra = if sum { 0 } else { LESS_LIKELY };
        self.atoms.say(value, number.end, What::Number(number.value), number.cost + extra, all);
        Some(number.end)
    }

    /// "more than 5 and less than 10 MB": the unit of the second is the first's too.
    fn unit_of_next(&self, at: usize) -> Option<f64> {
        let compare = self.compare(self.atoms.operator(at, Operator::And)?)?;
        let number = self.atoms.number(self.after_compare(compare.end))?;
        Some(self.atoms.bytes(number.end)?.is as f64)
    }

    /// "twenty songs at most": says of the number before what it is.
    fn echo(&self, at: usize, compare: Found<Compare>, all: &mut Vec<Mention>) -> Option<usize> {
        let (number, _) = self.counted.filter(|(_, end)| at <= end + NEAR && compare.is == Compare::Most)?;
        self.atoms.say(at, compare.end, What::Number(number), compare.cost, all);
        Some(compare.end)
    }

    /// The comparison at a piece, with the negation before it.
    fn compare(&self, at: usize) -> Option<Found<Compare>> {
        let not = |sense: Sense| matches!(sense, Sense::Operator(Operator::Not | Operator::Without));
        let Some(end) = self.atoms.is(at, not) else { return self.unnegated(at) };
        let inner = self.unnegated(self.atoms.after_idle(end))?;
        let is = match inner.is {
            Compare::More => Compare::Most,
            Compare::Less => Compare::Least,
            _ => return None,
        };
        Some(Found { is, ..inner })
    }

    fn unnegated(&self, at: usize) -> Option<Found<Compare>> {
        let sign = |at: usize| self.atoms.sign(at);
        let signs = match (sign(at), sign(at + 1)) {
            (Some('>'), Some('=')) => Some((Compare::Least, 2)),
            (Some('<'), Some('=')) => Some((Compare::Most, 2)),
            (Some('>'), _) => Some((Compare::More, 1)),
            (Some('<'), _) => Some((Compare::Less, 1)),
            (Some('≥'), _) => Some((Compare::Least, 1)),
            (Some('≤'), _) => Some((Compare::Most, 1)),
            (Some('='), _) => Some((Compare::Exactly, 1)),
            // "+100M"
            (Some('+'), None) if self.is_open(at) => Some((Compare::Least, 1)),
            (Some('~' | '≈'), _) => Some((Compare::About, 1)),
            _ => None,
        };
        if let Some((is, length)) = signs {
            return Some(Found { is, end: at + length, cost: 0 });
        }
        let found = self.atoms.find(at, |sense| match sense {
            Sense::Compare(compare) => Some(compare),
            Sense::Relation(Relation::Until) => Some(Compare::Most),
            _ => None,
        });
        // Age is compared with dates.
        found.filter(|found| !matches!(found.is, Compare::Older | Compare::Newer))
    }

    /// Where the value begins after a comparison: "than", "or equal to", an article, a word that says of what.
    fn after_compare(&self, mut at: usize) -> usize {
        let atoms = &self.atoms;
        // "more heavy than": one word, if something ties it to the value.
        let tie = |at: usize| atoms.relation(at, &[Relation::Than, Relation::Of, Relation::As, Relation::To]);
        if atoms.number(at).is_none()
            && atoms.bytes(at).is_none()
            && tie(at).is_none()
            && tie(at + 1).is_some()
        {
            let value = self.after_compare(at + 1);
            if atoms.size(value, false).is_some() {
                return value;
            }
        }
        for _ in 0..5 {
            if atoms.number(at).is_some_and(|n| !n.article) || atoms.bytes(at).is_some() {
                break;
            }
            let or = atoms
                .operator(at, Operator::Or)
                .and_then(|end| atoms.is(end, |sense| sense == Sense::Compare(Compare::Exactly)));
            let size = |sense: Sense| sense == Sense::Field(*SIZE);
            let article = || atoms.number(at).map(|n| n.end).filter(|end| self.unit_at(*end));
            if article().is_some() {
                break;
            }
            let idle = atoms.after_idle(at);
            let Some(end) =
                or.or_else(|| (idle > at).then_some(idle)).or_else(|| tie(at)).or_else(|| atoms.is(at, size))
            else {
                break;
            };
            at = end;
        }
        at
    }

    fn unit_at(&self, at: usize) -> bool {
        self.atoms.bytes(at).is_some() || self.atoms.time_unit(at).is_some()
    }

    /// Whether a sign belongs to the number after it: nothing is before it, and nothing between.
    fn is_open(&self, at: usize) -> bool {
        let joined = at.checked_sub(1).is_some_and(|before| self.atoms.touches(before));
        let number =
            |at: Option<usize>| at.is_some_and(|at| matches!(self.atoms.piece(at), Piece::Number(_)));
        self.atoms.touches(at) && !joined && !number(at.checked_sub(1)) && number(Some(at + 1))
    }

    /// "that weigh more than", "a size of at least": the word for the size right before belongs to it.
    fn with_field(&self, at: usize) -> usize {
        let field = |at: usize| self.atoms.back(at, |sense| sense == Sense::Field(*SIZE));
        let small = |sense: Sense| matches!(sense, Sense::Idle | Sense::Relation(Relation::Of));
        let before = || self.atoms.back(at, small).and_then(field);
        field(at).or_else(before).unwrap_or(at)
    }

    /// A size; what compares may stand after it: "10 MB or more", "2 GB+".
    pub(super) fn bare_size(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let size = self.atoms.size(at, false)?;
        let joined = |operator| self.atoms.operator(size.end, operator);
        let after = joined(Operator::Or).or_else(|| joined(Operator::And)).unwrap_or(size.end);
        let plus = self.atoms.sign(size.end) == Some('+') && self.atoms.number(size.end + 1).is_none();
        let compare = if plus {
            Some(Found { is: Compare::Least, end: size.end + 1, cost: 0 })
        } else {
            let value = |end: usize| self.atoms.number(self.after_compare(end)).is_some();
            let compare = self.compare(size.end).or_else(|| self.compare(after));
            compare.filter(|compare| !value(compare.end))
        };
        if let Some(compare) = compare {
            let cost = size.cost.max(compare.cost);
            self.atoms.say(self.with_field(at), compare.end, limits(compare.is, size.is), cost, all);
            self.compared = Some(compare.is);
            return Some(compare.end);
        }
        let exact = limits(Compare::Exactly, size.is);
        self.atoms.say(self.with_field(at), size.end, exact, size.cost + LESS_LIKELY, all);
        // "no, 800 MB": compared as the one before.
        let corrects = |sense: Sense| matches!(sense, Sense::Operator(Operator::Correction | Operator::Not));
        if let Some(compare) = self.compared.filter(|_| self.atoms.back(at, corrects).is_some()) {
            self.atoms.say(at, size.end, limits(compare, size.is), size.cost, all);
        }
        // "1.5k": a number too.
        if let Some(number) = self.atoms.number(at)
            && let Some(scale) = self.atoms.find(number.end, |sense| match sense {
                Sense::Scale(by) => Some(by as f64),
                _ => None,
            })
        {
            self.atoms.say(at, scale.end, What::Number(number.value * scale.is), number.cost, all);
        }
        Some(size.end)
    }
}

/// The limits that a comparison with a size sets.
fn limits(compare: Compare, size: f64) -> What {
    let size = bytes(size);
    match compare {
        Compare::More | Compare::Least => What::Size(size, None),
        Compare::Less | Compare::Most => What::Size(None, size),
        Compare::About => What::Size(None, None),
        _ => What::Size(size, size),
    }
}

/// A whole number of bytes.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: positive and exact")]
fn bytes(n: f64) -> Option<u64> {
    (0.0..9e15).contains(&n).then(|| n.round() as u64)
}
