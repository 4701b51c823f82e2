//! Conversions of units: "26 miles in km", "how many grams are 3 pounds".

use super::atom::Atoms;
use super::unit::{Dimension, Quantity, Unit};
use super::{Mention, What};
use crate::sense::{Math, Operator, Relation, Sense};

/// So many pieces may stand between an amount and the unit it should have, where one mention covers both.
const NEAR: usize = 5;

/// Adds what is said.
pub(super) fn read(atoms: &Atoms<'_>, all: &mut Vec<Mention>) {
    let mut last: Vec<Quantity> = Vec::new();
    let mut asked: Vec<(usize, Unit)> = Vec::new();
    let mut at = 0;
    while at < atoms.len() {
        let here = atoms.quantities(at, true);
        if let Some(end) = here.first().map(|quantity| quantity.end) {
            for quantity in &here {
                linked(atoms, quantity, all);
            }
            pair(atoms, &here, &asked, all);
            (last, at) = (here, end);
            continue;
        }
        let units = asked_unit(atoms, at);
        if let Some((_, unit)) = units.first() {
            let end = unit.end;
            pair(atoms, &last, &units, all);
            (asked, at) = (units, end);
            continue;
        }
        at += 1;
    }
}

/// "in km", "to km", "→ km" after an amount; a few words may stand between, but not where time is measured, since its
/// units are everyday words.
fn linked(atoms: &Atoms<'_>, quantity: &Quantity, all: &mut Vec<Mention>) {
    let near = if quantity.unit.dimension == Dimension::Time { 0 } else { NEAR };
    for at in quantity.end..=quantity.end + near {
        // Another amount, or what joins it, ends the search.
        if atoms.number(at).is_some() || atoms.operator(at, Operator::And).is_some() {
            return;
        }
        let Some(end) = link(atoms, at) else { continue };
        let target = [end, atoms.after_idle(end)].into_iter().find_map(|at| {
            atoms.units(at).into_iter().find_map(|to| Some((quantity.converted_to(&to)?, to)))
        });
        if let Some((text, to)) = target {
            let cost = quantity.cost.max(to.cost) + u8::from(at > quantity.end);
            atoms.say(quantity.from, to.end, What::Expression(text), cost, all);
            return;
        }
    }
}

/// The end of a word or sign that leads to a unit.
fn link(atoms: &Atoms<'_>, at: usize) -> Option<usize> {
    match (atoms.sign(at), atoms.sign(at + 1)) {
        (Some('-'), Some('>')) => Some(at + 2),
        (Some('→' | '='), _) => Some(at + 1),
        _ => atoms.relation(at, &[Relation::In, Relation::To, Relation::As]),
    }
}

/// "how many km": a unit without a number, right after what asks for it.
fn asked_unit(atoms: &Atoms<'_>, at: usize) -> Vec<(usize, Unit)> {
    let Some(ask) = atoms.is(at, |sense| sense == Sense::Math(Math::Ask)) else { return Vec::new() };
    atoms.units(ask).into_iter().map(|unit| (at, unit)).collect()
}

/// Ties an amount to the unit that is asked for: one mention where they are near, else one on each.
fn pair(atoms: &Atoms<'_>, quantities: &[Quantity], asked: &[(usize, Unit)], all: &mut Vec<Mention>) {
    for quantity in quantities {
        for (from, unit) in asked {
            let Some(text) = quantity.converted_to(unit) else { continue };
            let cost = quantity.cost.max(unit.cost);
            let (first, last) = (quantity.from.min(*from), quantity.end.max(unit.end));
            let between = quantity.from.max(*from).saturating_sub(quantity.end.min(unit.end));
            let what = What::Expression(text);
            if between <= NEAR {
                atoms.say(first, last, what, cost, all);
            } else if unit.dimension != Dimension::Time {
                atoms.say(quantity.from, quantity.end, what.clone(), cost + 1, all);
                atoms.say(*from, unit.end, what, cost + 1, all);
            }
            return;
        }
    }
}
