//! What is taken back in the same breath: "from 2024, no, I tell a lie, from 2023" means 2023.

use super::{Mention, What};
use crate::sense::Operator;
use std::mem::discriminant;

/// How far after the words that take something back its new value may stand.
const REACH: usize = 8;
/// Readings that cost more are no values here.
const LIKELY: u8 = 2;
/// What a reading costs that was taken back: no slot takes it.
const GONE: u8 = u8::MAX;

/// Makes what was taken back no reading, and names the words between it and its new value.
pub(super) fn read(all: &mut Vec<Mention>) {
    let corrects = |m: &&Mention| m.what == What::Operator(Operator::Correction) && m.cost <= LIKELY;
    let words: Vec<(usize, usize)> = all.iter().filter(corrects).map(|m| (m.from, m.to)).collect();
    for (from, to) in words {
        let Some((old, new)) = pair(all, from, to) else { continue };
        let (old, new) = (all[old].clone(), all[new].clone());
        for mention in all.iter_mut() {
            if mention.from < old.to && old.from < mention.to {
                mention.cost = GONE;
            }
            // The new value stands where the old one stood.
            if (mention.from, mention.to) == (new.from, new.to) {
                mention.relation = mention.relation.or(old.relation);
            }
        }
        all.push(Mention::new(old.from, new.from, What::TakenBack));
    }
}

/// The last value before these words and the first one of its type after them.
fn pair(all: &[Mention], from: usize, to: usize) -> Option<(usize, usize)> {
    let value = |m: &&(usize, &Mention)| m.1.cost <= LIKELY && is_value(&m.1.what);
    let longest = |m: &(usize, &Mention)| m.1.to - m.1.from;
    let after = all.iter().enumerate().filter(|(_, m)| m.from >= to && m.from < to + REACH);
    let mut after: Vec<(usize, &Mention)> = after.filter(|m| value(&m)).collect();
    after.sort_by_key(|m| (m.1.from, std::cmp::Reverse(longest(m))));
    after.into_iter().find_map(|(new, value_after)| {
        let before = all.iter().enumerate().filter(|(_, m)| m.to <= from);
        let before = before.filter(|m| value(&m));
        let same = before.filter(|(_, m)| discriminant(&m.what) == discriminant(&value_after.what));
        let (old, _) = same.max_by_key(|m| (m.1.to, longest(m)))?;
        Some((old, new))
    })
}

/// Whether a mention is a value that another one of its type can replace.
fn is_value(what: &What) -> bool {
    matches!(
        what,
        What::Window(..)
            | What::Moment(..)
            | What::Schedule(_)
            | What::Place(_)
            | What::Path(_)
            | What::Name(_)
            | What::Kind(_)
            | What::Size(..)
            | What::Person(_)
            | What::Quoted(_)
    )
}
