//! Arithmetic in signs and words: "12 times 450", "18% of 240", "divide 340 by 4".

use super::atom::{Atoms, Piece};
use super::unit::Unit;
use super::{Mention, Reading, What, conversion};
use crate::sense::{Compare, Math, Relation, Sense};
use std::ops::Range;

/// Parentheses inside each other.
const DEPTH: usize = 20;
/// So many words may stand between a percentage and what it is of: "18% tip on 240".
const GAP: usize = 3;
/// What signs written without spaces between small numbers cost: they may be a date, a range, a format.
const DENSE: u8 = 3;

/// Adds what is said.
pub(super) fn read(reading: Reading<'_>, all: &mut Vec<Mention>) {
    let atoms = Atoms::new(reading);
    conversion::read(&atoms, all);
    let mut at = 0;
    while at < atoms.len() {
        let found = atoms
            .share_asked(at)
            .or_else(|| atoms.share_named(at))
            .or_else(|| atoms.prefixed(at))
            .or_else(|| atoms.infix(at));
        let Some(found) = found else {
            at += 1;
            continue;
        };
        atoms.say(at, found.end, What::Expression(found.text.clone()), found.cost, all);
        if let Some(other) = atoms.corrected(&found) {
            atoms.say(at, other.end, What::Expression(other.text), other.cost, all);
        }
        at = found.end.max(at + 1);
    }
}

/// An expression, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) text: String,
    pub(super) end: usize,
    pub(super) cost: u8,
    /// Where in the text the number stands that was said last.
    pub(super) last: Range<usize>,
    /// How many operations there are.
    pub(super) operations: usize,
    /// What its numbers measure.
    pub(super) unit: Option<Unit>,
    pub(super) percent: bool,
}

impl Expr {
    pub(super) fn number(text: String, end: usize, cost: u8) -> Self {
        let last = 0..text.len();
        Self { text, end, cost, last, operations: 0, unit: None, percent: false }
    }

    /// This after `before`, with both in one text.
    pub(super) fn after(mut self, before: &str) -> Self {
        self.last = self.last.start + before.len()..self.last.end + before.len();
        self.text.insert_str(0, before);
        self
    }

    pub(super) fn then(mut self, after: &str) -> Self {
        self.text.push_str(after);
        self.operations += 1;
        self
    }

    pub(super) fn with_cost(mut self, cost: u8) -> Self {
        self.cost = self.cost.max(cost);
        self
    }
}

impl Atoms<'_> {
    pub(super) fn math(&self, at: usize) -> Option<(Math, usize)> {
        let found = self.find(at, |sense| match sense {
            Sense::Math(math) => Some(math),
            _ => None,
        })?;
        Some((found.is, found.end))
    }

    pub(super) fn is_math(&self, at: usize, wanted: Math) -> Option<usize> {
        self.is(at, |sense| sense == Sense::Math(wanted))
    }

    pub(super) fn percent(&self, at: usize) -> Option<usize> {
        let sign = (self.sign(at) == Some('%')).then_some(at + 1);
        sign.or_else(|| self.is_math(at, Math::Percent))
    }

    /// After small words: relations of these kinds, and words that say nothing.
    fn after_small(&self, at: usize, relations: &[Relation]) -> usize {
        let at = self.after_idle(at);
        self.relation(at, relations).map_or(at, |end| self.after_idle(end))
    }

    /// A number with its sign and unit.
    pub(super) fn value(&self, at: usize) -> Option<Expr> {
        let minus = matches!(self.sign(at), Some('-' | '−'));
        let number = self.number_and_part(at + usize::from(minus)).filter(|n| !n.article)?;
        let sign = if minus { "-" } else { "" };
        let value = Expr::number(format!("{sign}{}", number.value), number.end, number.cost);
        let quantity = self.quantities(at, false).into_iter().find(|q| q.cost == 0);
        Some(match quantity {
            Some(quantity) => {
                let unit = Some(quantity.unit);
                Expr { unit, last: value.last, ..Expr::number(quantity.text, quantity.end, quantity.cost) }
            }
            None => value,
        })
    }

    /// What an operation is done with.
    fn operand(&self, at: usize, depth: usize) -> Option<Expr> {
        if depth > DEPTH {
            return None;
        }
        if matches!(self.sign(at), Some('(')) {
            let inner = self.terms(at + 1, depth + 1)?;
            let closed = matches!(self.sign(inner.end), Some(')'));
            let inner = Expr { end: inner.end + 1, ..inner };
            return closed.then(|| inner.after("(").then(")")).map(|e| self.raised(e));
        }
        if self.sign(at) == Some('√') {
            return Some(self.value(at + 1)?.after("sqrt(").then(")"));
        }
        if let Some((math, end)) = self.math(at)
            && let Some(function) = self.function(math, end, depth)
        {
            return Some(self.raised(function));
        }
        if let Some(part) = self.part_of(at) {
            return Some(part);
        }
        let value = self.value(at)?;
        match self.percent(value.end) {
            Some(end) if value.unit.is_none() => {
                let share = self.share_of(&value, end);
                Some(share.unwrap_or_else(|| Expr {
                    end,
                    percent: true,
                    ..Expr { operations: 0, ..value.then("%") }
                }))
            }
            _ => Some(self.raised(value)),
        }
    }

    /// "the square root of 16", "twice 45".
    fn function(&self, math: Math, end: usize, depth: usize) -> Option<Expr> {
        let (before, after) = match math {
            Math::Root => ("sqrt(", ")"),
            Math::CubeRoot => ("", "^(1/3)"),
            Math::Double => ("2*", ""),
            Math::Triple => ("3*", ""),
            _ => return None,
        };
        let end = self.after_small(end, &[Relation::Of]);
        if math == Math::Root && matches!(self.sign(end), Some('(')) {
            return Some(self.operand(end, depth + 1)?.after("sqrt").then(""));
        }
        // "twice one each"
        let multiple = matches!(math, Math::Double | Math::Triple);
        let cost = if multiple && !matches!(self.piece(end), Piece::Number(_)) { DENSE } else { 0 };
        Some(self.value(end)?.after(before).then(after).with_cost(cost))
    }

    /// "half of 250", "two thirds of 90".
    fn part_of(&self, at: usize) -> Option<Expr> {
        let (part, end) = self.part(at)?;
        let of = self.relation(end, &[Relation::Of]);
        // "half of" may be one word of the lexicon.
        let half = self.is(at, |sense| sense == Sense::Half) == Some(end);
        let value = self.value(self.after_idle(of.or(half.then_some(end))?))?;
        let parts = (2..=10).find(|n| (part * f64::from(*n)).fract().abs() < 1e-9)?;
        let count = (part * f64::from(parts)).round();
        let share = if count > 1.0 { format!("*{count}/{parts}") } else { format!("/{parts}") };
        (value.unit.is_none()).then(|| value.then(&share).with_cost(2))
    }

    /// "squared", "^2", "²" after a number.
    fn raised(&self, value: Expr) -> Expr {
        let (power, end) = match (self.sign(value.end), self.math(value.end)) {
            (Some('²'), _) => ("^2", value.end + 1),
            (Some('³'), _) => ("^3", value.end + 1),
            (_, Some((Math::Square, end))) => ("^2", end),
            (_, Some((Math::Cube, end))) => ("^3", end),
            _ => return value,
        };
        Expr { end, ..value.then(power) }
    }

    /// "18% of 240", "18% tip on 240", "20% off 80": what follows the percent sign at `at`.
    fn share_of(&self, share: &Expr, at: usize) -> Option<Expr> {
        let relations = [Relation::Of, Relation::In, Relation::From];
        for gap in 0..=GAP {
            let here = at + gap;
            if gap > 0 && !matches!(self.piece(here - 1), Piece::Token | Piece::Part(_)) {
                return None;
            }
            let here = self.after_idle(here);
            let Some(end) = self.relation(here, &relations) else { continue };
            // A word that says both is the usual one of a share.
            let of = self.relation(here, &[Relation::Of]) == Some(end);
            let off = !of && self.relation(here, &[Relation::From]) == Some(end);
            let Some(whole) = self.value(self.after_idle(end)) else { continue };
            let whole = whole.with_cost(share.cost.max(u8::from(gap > 0)));
            return Some(if off {
                whole.then(&format!("-{}%", share.text)).with_cost(1)
            } else {
                whole.then(&format!("*{}/100", share.text))
            });
        }
        None
    }

    /// The sign of an operation and where what follows it begins; its cost.
    fn operation(&self, at: usize) -> Option<(&'static str, usize, u8)> {
        let sign = match (self.sign(at), self.sign(at + 1)) {
            (Some('*'), Some('*')) => Some(("^", 2)),
            (Some('+'), _) => Some(("+", 1)),
            (Some('-' | '−' | '–'), _) => Some(("-", 1)),
            (Some('*' | '×'), _) => Some(("*", 1)),
            (Some('/' | '÷'), _) => Some(("/", 1)),
            (Some('^'), _) => Some(("^", 1)),
            _ => None,
        };
        if let Some((sign, length)) = sign {
            let dense =
                self.same_token(at.saturating_sub(1), at) && self.same_token(at, at + length) && sign != "+";
            return Some((sign, at + length, if dense { DENSE } else { 0 }));
        }
        let (math, end) = self.math(at)?;
        let sign = match math {
            Math::Plus => "+",
            Math::Minus => "-",
            Math::Times => "*",
            Math::Over => "/",
            Math::Power => "^",
            Math::Modulo => " mod ",
            _ => return None,
        };
        // A word with another use between numbers is less sure.
        let other = |sense: Sense| matches!(sense, Sense::Relation(_) | Sense::Compare(Compare::More));
        let dense = if self.same_token(at.saturating_sub(1), at) { DENSE } else { 0 };
        Some((sign, end, dense.max(u8::from(self.is(at, other).is_some()))))
    }

    /// Operands with the operations between them; the end of what is complete.
    fn terms(&self, at: usize, depth: usize) -> Option<Expr> {
        let mut all = self.operand(at, depth)?;
        loop {
            // "340 euro diviso 4", "3 boxes times 12": one word after a number says of what.
            let here = [all.end, all.end + 1].into_iter().find(|here| {
                *here == all.end && self.operation(*here).is_some()
                    || self.is_unknown(all.end)
                        && self.math(*here).is_some()
                        && self.operation(*here).is_some()
            });
            let Some(here) = here else { return Some(all) };
            let Some((sign, end, cost)) = self.operation(here) else { return Some(all) };
            let Some(next) = self.second(sign, end, depth) else { return Some(all) };
            if !fits(&all, sign, &next) {
                return Some(all);
            }
            // A product bound more loosely than the sign before it.
            let wrap = matches!(sign, "/" | "^") && next.operations > 0 && !next.text.starts_with('(');
            let next = if wrap { next.after("(").then(")") } else { next };
            let unknown = if here > all.end { 2 } else { 0 };
            let joined = next.clone().after(&format!("{}{sign}", all.text));
            all = Expr {
                operations: all.operations + next.operations + 1,
                unit: all.unit.or(next.unit),
                cost: all.cost.max(next.cost).max(cost).max(unknown),
                ..joined
            };
        }
    }

    /// What follows an operation: an operand, or for a power the ordinal that says which.
    fn second(&self, sign: &str, at: usize, depth: usize) -> Option<Expr> {
        let ordinal = |sense: Sense| match sense {
            Sense::Ordinal(n) if n > 1 => Some(n),
            _ => None,
        };
        if sign == "^"
            && let Some(found) = self.find(at, ordinal)
        {
            return Some(Expr::number(found.is.to_string(), found.end, found.cost));
        }
        self.operand(at, depth).or_else(|| self.operand(self.after_idle(at), depth))
    }

    fn infix(&self, at: usize) -> Option<Expr> {
        let found = self.terms(at, 0)?;
        // "2 h + 30 min in min"
        let converted = found.unit.as_ref().filter(|_| found.operations > 0).and_then(|unit| {
            let link = self.relation(found.end, &[Relation::In, Relation::To])?;
            let same = |to: &Unit| to.dimension == unit.dimension;
            let to = self.units(link).into_iter().find(same)?;
            Some(Expr { end: to.end, ..found.clone().then(&format!(" to {}", to.symbol)) })
        });
        Some(converted.unwrap_or(found)).filter(|found| found.operations > 0)
    }
}

/// Whether two values can be taken together: sums need the same dimension.
pub(super) fn fits(a: &Expr, sign: &str, b: &Expr) -> bool {
    let dimension = |e: &Expr| e.unit.as_ref().map(|unit| unit.dimension);
    match sign {
        "+" | "-" => dimension(a) == dimension(b) || b.percent,
        "^" | " mod " => b.unit.is_none(),
        _ => true,
    }
}
