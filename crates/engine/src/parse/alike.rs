//! Two texts held against each other, in whatever words: "are 'x' and 'y' the same?" compares them.
//!
//! Only where nothing else is said; a text that looks like the name of a file is one.

use super::Item;
use super::clause::only_stop;
use crate::catalog::Role;
use crate::lexicon::{Senses, VerbSense};
use crate::text::Lit;

/// The verb that compares.
const COMPARES: &str = "compare";

/// The comparison of two texts that these items ask for, or the items as they are.
pub(crate) fn compared(items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    let texts: Vec<usize> = (0..items.len()).filter(|at| matches!(items[*at].lit, Lit::Quoted(_))).collect();
    let [first, second] = texts[..] else { return items };
    let named = |at: usize| items[at].text.contains(['/', '*']) || super::places::has_ending(&items[at].text);
    let said = items.iter().any(|item| item.sense("alike").is_some());
    let rest = |at: usize, item: &Item| at == first || at == second || idle(item, senses);
    if !said || named(first) || named(second) || !items.iter().enumerate().all(|(at, item)| rest(at, item)) {
        return items;
    }
    let verb = Item::order(COMPARES, items[first].start);
    vec![verb, items[first].clone(), items[second].clone()]
}

/// A word that adds nothing to a comparison of texts: it holds them against each other, asks, or calls them texts.
fn idle(item: &Item, senses: &Senses) -> bool {
    let puts = |verb: &VerbSense| verb.in_goal && verb.goals == [Role::DstDir];
    let verb = |id: &str| senses.verb.get(id);
    let asks = |id: &str| verb(id).is_some_and(|v| v.query || v.verb.as_deref() == Some(COMPARES) || puts(v));
    item.is_symbol()
        || item.sense("alike").is_some()
        || item.is("noun", "sentence")
        || item.command().is_some_and(asks)
        || only_stop(item)
        || item.sense("stop").is_some() && item.command().is_none() && item.sense("noun").is_none()
        || ["polite", "then", "prep", "self", "set"].iter().any(|cat| item.sense(cat).is_some())
            && item.command().is_none()
}
