//! "my boss, 'Ricci',": who somebody is, and then the name. The name alone says who is meant.

use super::Item;
use super::clause::only_stop;
use crate::text::Lit;

/// The items without the words that only say who a named correspondent is.
pub(crate) fn appositions(mut items: Vec<Item>) -> Vec<Item> {
    let things = |item: &Item| item.sense("noun").is_some() && !item.is("touch", "received");
    if !items.iter().any(mail) && (!items.iter().any(writes) || items.iter().any(things)) {
        return items;
    }
    while let Some((from, name)) = (1..items.len()).find_map(|at| Some((at, named(&items, at)?))) {
        if items.get(name + 1).is_some_and(Item::is_comma) {
            items.remove(name + 1);
        }
        items.drain(from..name);
    }
    items
}

/// A word for what people write to each other.
fn mail(item: &Item) -> bool {
    ["mail", "telegram", "inbox", "attachment"].iter().any(|id| item.is("noun", id))
}

/// Says that somebody wrote or sent something.
fn writes(item: &Item) -> bool {
    item.is("touch", "received") || item.is("cue", "sent_me")
}

/// Where the name of the person or office at `at` stands: in quotes, between commas or at the end.
fn named(items: &[Item], at: usize) -> Option<usize> {
    let person = |item: &Item| matches!(item.lit, Lit::Word) && !item.capital && item.is_unknown();
    let (who, comma, name) = (items.get(at)?, items.get(at + 1)?, items.get(at + 2)?);
    let ends = items.get(at + 3).is_none_or(Item::is_symbol);
    let quoted = matches!(name.lit, Lit::Quoted(_)) && !super::places::has_ending(&name.text);
    let placed =
        only_stop(&items[at - 1]) || ["cue", "prep"].iter().any(|cat| items[at - 1].sense(cat).is_some());
    (person(who) && comma.is_comma() && quoted && ends && placed).then_some(at + 2)
}
