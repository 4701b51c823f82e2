//! Operations named before their numbers, and expressions with a number corrected.

use super::atom::Atoms;
use super::expression::{Expr, fits};
use crate::sense::{Math, Operator, Relation, Sense};

impl Atoms<'_> {
    /// "divide 340 by 4", "the sum of 3, 4 and 5", "add 22% to 1350", "take 5 from 12".
    pub(super) fn prefixed(&self, at: usize) -> Option<Expr> {
        let (math, end) = self.math(at)?;
        let sign = match math {
            Math::Sum => "+",
            Math::Difference => "-",
            Math::Product => "*",
            Math::Quotient => "/",
            _ => return None,
        };
        let mut all: Vec<Expr> = Vec::new();
        let (mut here, mut from, mut cost) = (end, false, 0);
        loop {
            let (next, turned, joined) = self.connective(here);
            // "split 90 three ways"
            let beside = sign == "/" && all.len() == 1 && self.value(here).is_some();
            if !all.is_empty() && !joined && !beside {
                // One word after a number says of what.
                if self.is_unknown(here)
                    && self.connective(here + 1).2
                    && here == all.last().map_or(0, |e| e.end)
                {
                    (here, cost) = (here + 1, 2);
                    continue;
                }
                break;
            }
            let Some(value) = self.value(next) else { break };
            let value = match self.percent(value.end) {
                Some(end) => Expr { end, percent: true, ..value.then("%") },
                None => value,
            };
            from |= turned;
            here = value.end;
            all.push(value);
            if all.len() == 2 && !matches!(sign, "+" | "*") {
                break;
            }
        }
        if all.len() < 2 {
            return None;
        }
        let end = all.last()?.end;
        if from && sign == "-" || all.first()?.percent && matches!(sign, "+" | "-") {
            all.reverse();
        }
        let cost = all.iter().map(|value| value.cost).max()?.max(cost);
        let mut joined = all.first()?.clone();
        for next in all.iter().skip(1) {
            if !fits(&joined, sign, next) {
                return None;
            }
            joined =
                Expr { unit: joined.unit.clone(), ..next.clone().after(&format!("{}{sign}", joined.text)) };
        }
        Some(Expr { end, cost, operations: 1, ..joined })
    }

    /// What stands between the numbers of an operation that was named before them: where it ends, whether it says
    /// "from", whether there is any.
    fn connective(&self, at: usize) -> (usize, bool, bool) {
        let (mut here, mut from) = (at, false);
        loop {
            if self.value(here).is_some() {
                break;
            }
            let small = |sense: Sense| match sense {
                Sense::Relation(relation) => Some(relation == Relation::From),
                Sense::Operator(Operator::And) | Sense::Math(Math::Times | Math::Over) | Sense::Idle => {
                    Some(false)
                }
                _ => None,
            };
            match self.find(here, small) {
                Some(found) => {
                    from |= found.is;
                    here = found.end;
                }
                None if self.sign(here) == Some(',') => here += 1,
                None => break,
            }
        }
        (here, from, here > at)
    }

    /// "…, no, 245": with another number for the last.
    pub(super) fn corrected(&self, found: &Expr) -> Option<Expr> {
        let comma = self.sign(found.end) == Some(',');
        let mut here = found.end + usize::from(comma);
        let mut said = false;
        for _ in 0..2 {
            let corrects =
                |sense: Sense| matches!(sense, Sense::Operator(Operator::Correction | Operator::Not));
            if let Some(end) = self.is(here, corrects) {
                (here, said) = (end, true);
            } else if self.is_unknown(here) {
                here += 1;
            }
            here += usize::from(self.sign(here) == Some(','));
        }
        let number = self.number(here).filter(|n| !n.article && (said || comma && here > found.end + 1))?;
        let mut text = found.text.clone();
        text.replace_range(found.last.clone(), &number.value.to_string());
        let cost = found.cost.max(if said { 0 } else { 2 });
        Some(Expr { text, end: number.end, cost, ..found.clone() })
    }

    /// "what percent of 200 is 50".
    pub(super) fn share_asked(&self, at: usize) -> Option<Expr> {
        let percent = self.is_math(at, Math::Percent)?;
        let whole_relations = [Relation::Of, Relation::In];
        let mut found: Vec<(Expr, bool)> = Vec::new();
        let mut here = percent;
        for _ in 0..6 {
            let related = self.relation(here, &whole_relations);
            let begin = related.map_or(here, |end| self.after_idle(end));
            match self.value(begin).filter(|value| value.unit.is_none()) {
                Some(value) => {
                    here = value.end;
                    found.push((value, related.is_some()));
                }
                None => here += 1,
            }
            if found.len() == 2 {
                break;
            }
        }
        let [first, second] = &found[..] else { return None };
        let (part, whole) = if first.1 { (&second.0, &first.0) } else { (&first.0, &second.0) };
        (first.1 != second.1).then(|| {
            let end = first.0.end.max(second.0.end);
            let share = Expr { end, ..whole.clone().after(&format!("{}/", part.text)) };
            share.then("*100").with_cost(1)
        })
    }

    /// "50 as a percentage of 200", "50 is what percent of 200", "50 of 200 in percent".
    pub(super) fn share_named(&self, at: usize) -> Option<Expr> {
        let part = self.value(at).filter(|value| value.unit.is_none())?;
        let whole_at = |at: usize| {
            let of = self.relation(at, &[Relation::Of, Relation::In])?;
            self.value(self.after_idle(of)).filter(|value| value.unit.is_none())
        };
        let percent_at = |mut at: usize| {
            for _ in 0..3 {
                if let Some(end) = self.is_math(at, Math::Percent) {
                    return Some(end);
                }
                let small = |sense: Sense| {
                    matches!(
                        sense,
                        Sense::Idle | Sense::Relation(_) | Sense::Math(Math::Ask) | Sense::Operator(_)
                    )
                };
                at = self.is(at, small)?;
            }
            None
        };
        // Right after the number it says what it is, not what is asked.
        let after = || percent_at(part.end).filter(|_| self.percent(part.end).is_none()).and_then(whole_at);
        let before = || {
            let whole = whole_at(part.end)?;
            let end = percent_at(whole.end).filter(|_| self.percent(whole.end).is_none())?;
            Some(Expr { end, ..whole })
        };
        let whole = after().or_else(before)?;
        Some(whole.after(&format!("{}/", part.text)).then("*100").with_cost(1))
    }
}
