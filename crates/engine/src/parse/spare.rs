//! "don't touch the PDFs, but delete all the other files in X": what is to stay, said before what is to be done with the
//! rest. It is the same order with an exception, and is put into those words; whatever does not fit is left as it is.

use super::Item;
use super::clause::only_stop;
use crate::lexicon::{Sense, Senses};
use crate::text::Lit;

/// The items with what is to stay put behind the order about the rest, as an exception.
pub(crate) fn spared(items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    plan(&items, senses).unwrap_or(items)
}

fn plan(items: &[Item], senses: &Senses) -> Option<Vec<Item>> {
    let spare = items.iter().position(|item| item.is("spare", "spare"))?;
    let rest = items.iter().position(|item| item.sense("rest").is_some()).filter(|rest| *rest > spare)?;
    let acts = |at: &usize| items[*at].command().is_some_and(|id| !senses.asks(id));
    let order = (spare + 2..rest).filter(|at| between(&items[at - 1])).find(acts)?;
    let end = items[..order].iter().rposition(|item| !between(item))? + 1;
    let small = items[..spare].iter().all(|item| only_stop(item) || item.sense("polite").is_some());
    // What is to stay, and where it is.
    let place = (spare + 1..end).find(|at| items[*at].sense("prep").is_some()).unwrap_or(end);
    let stays: Vec<Item> =
        items[spare + 1..place].iter().filter(|item| !item.is("spare", "after")).cloned().collect();
    let places = &items[place..end];
    let elsewhere = |items: &[Item]| items.iter().any(|item| item.sense("prep").is_some());
    let once = places.is_empty() || !elsewhere(&items[order + 1..]);
    let left = items.iter().filter(|item| item.is("spare", "spare") || item.sense("rest").is_some());
    let dated = |item: &Item| {
        let when = ["rel", "unit", "month", "weekday", "day", "age", "compare", "bound"];
        item.number().is_some()
            || when.iter().any(|cat| item.sense(cat).is_some()) && item.sense("prep").is_none()
    };
    if places.iter().any(dated) {
        return None;
    }
    if !(small && once && left.count() == 2 && names(&stays, senses)) {
        return None;
    }
    let mut out = items[order..rest].to_vec();
    // "the other files" are files; "the rest" is everything.
    let named = items.get(rest + 1).is_some_and(|item| item.sense("noun").is_some());
    if !named {
        out.push(word(&items[rest], "noun", "contents"));
    }
    out.extend_from_slice(&items[rest + 1..]);
    while out.last().is_some_and(Item::is_symbol) {
        out.pop();
    }
    out.extend_from_slice(places);
    out.push(word(&items[spare], "neg", "except"));
    out.extend(stays);
    Some(out)
}

/// Words that stand between two orders.
fn between(item: &Item) -> bool {
    item.is_symbol() || ["then", "but", "polite"].iter().any(|cat| item.sense(cat).is_some())
}

/// Whether nothing but kinds of things, endings and names is said, so that an exception can be made of it.
fn names(items: &[Item], senses: &Senses) -> bool {
    let kind = |item: &Item| {
        let noun = item.sense("noun").and_then(|id| senses.noun.get(id));
        noun.is_some_and(|noun| {
            noun.set.len() == 1 && noun.object.as_deref() == Some("files") && noun.names.is_empty()
        })
    };
    let ending = |item: &Item| item.senses.is_empty() && senses.extension(&item.norm).is_some();
    let named = |item: &Item| matches!(item.lit, Lit::Ext(_) | Lit::Glob(_) | Lit::Quoted(_) | Lit::File(_));
    let plain =
        |item: &Item| only_stop(item) && item.sense("vague").is_none() && item.sense("condition").is_none();
    let said = |item: &Item| kind(item) || ending(item) || named(item);
    let joins = |item: &Item| item.is_comma() || item.is("then", "and") || item.is("noun", "file");
    items.iter().any(said) && items.iter().all(|item| said(item) || plain(item) || joins(item))
}

/// An item in the place of another one, with one sense.
fn word(item: &Item, cat: &str, id: &str) -> Item {
    Item { senses: vec![Sense::plain(cat, id)], lit: Lit::Word, capital: false, asks: false, ..item.clone() }
}
