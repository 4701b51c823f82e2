//! What is said beside a request: that somebody asks, and why somebody wants something.
//!
//! Who asks has not said to do anything. Why something is wanted is no step of its own, where the rest says what.

use super::Item;
use super::clause::only_stop;
use crate::lexicon::Senses;
use crate::text::Lit;

/// Whether a sentence asks: the first word that says more than where, and more than "tell me", is one that asks.
pub(crate) fn asks(items: &[Item], senses: &Senses) -> bool {
    let mut placed = false;
    for item in items {
        if item.asks {
            return true;
        }
        let query = item.command().is_some_and(|id| senses.asks(id));
        let place = item.sense("prep").is_some()
            || item.sense("place").is_some() && item.capital
            || item.sense("folder_word").is_some()
            || matches!(item.lit, Lit::Path(_) | Lit::Slashed(_));
        placed |= place || query;
        let light = ["polite", "then", "self"].iter().any(|cat| item.sense(cat).is_some());
        if !(place || query || light || item.is_symbol() || placed && only_stop(item)) {
            return false;
        }
    }
    false
}

/// The items without the sentences that only say why, unless they say all there is.
pub(crate) fn without_reasons(items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    let items = without_purpose(items, senses);
    let mut parts: Vec<Vec<Item>> = vec![Vec::new()];
    for item in items.iter().cloned() {
        let ends = item.is_comma() || matches!(item.lit, Lit::Symbol('.' | '!' | ':' | '-' | '–' | '—'));
        if let Some(part) = parts.last_mut() {
            part.push(item);
        }
        if ends {
            parts.push(Vec::new());
        }
    }
    let said = |part: &&Vec<Item>| part.iter().any(|item| !item.is_symbol() && !light(item));
    let kept: Vec<Vec<Item>> = parts.into_iter().filter(|part| !reason(part)).collect();
    if kept.iter().any(|part| said(&part)) { kept.into_iter().flatten().collect() } else { items }
}

/// The items without what something is for: "so I can mail it". Where the words could tell which things are meant, they
/// are no purpose unless they point back.
fn without_purpose(items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    let Some(at) = items.iter().position(|item| item.sense("purpose").is_some()) else { return items };
    let end = items[at..].iter().position(Item::is_symbol).map_or(items.len(), |i| at + i);
    let back = |item: &Item| item.is("pron", "it") || item.is("pron", "them");
    let rest = &items[at + 1..end];
    let points = rest.iter().any(back) || back(&items[at]);
    let deed = rest.iter().any(|item| item.sense("verb").is_some() || item.senses.is_empty());
    let small = |item: &Item| {
        let plain = matches!(item.lit, Lit::Word) && !item.capital;
        plain && (item.sense("verb").is_some() || back(item) || light(item) || item.senses.is_empty())
    };
    let told = items[..at].iter().any(|item| item.command().is_some_and(|id| senses.verb.contains_key(id)));
    let whole = told && deed && rest.iter().all(small);
    if !whole || items[at].is("purpose", "back") && !points {
        return items;
    }
    let mut items = items;
    items.drain(at..end);
    items
}

/// The items without "so that I can …" at the end of a sentence that makes or shows something: what that is for changes
/// nothing about it.
pub(crate) fn without_purposes(items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    let Some(from) = items.iter().position(|item| item.is("reason", "for")).filter(|from| *from > 0) else {
        return items;
    };
    let deed = |item: &Item| item.command().and_then(|id| senses.verb.get(id));
    let mild =
        |item: &Item| deed(item).is_none_or(|verb| verb.query || verb.verb.as_deref() == Some("create"));
    let said = items[..from].iter().any(|item| deed(item).is_some() || item.sense("noun").is_some());
    let plain = |item: &Item| {
        let value = !matches!(item.lit, Lit::Word | Lit::Symbol(_));
        !value && !item.is_comma() && ["neg", "not", "condition"].iter().all(|cat| item.sense(cat).is_none())
    };
    if said && items[..from].iter().all(mild) && items[from..].iter().all(plain) {
        return items[..from].to_vec();
    }
    items
}

/// Whether these words say why and nothing else: one that could mean things, or leave some out, is more.
fn reason(part: &[Item]) -> bool {
    part.iter().any(|item| item.is("reason", "why"))
        && part.iter().all(|item| {
            item.sense("reason").is_some() || light(item) || matches!(item.lit, Lit::Symbol(c) if c != '?')
        })
}

pub(super) fn light(item: &Item) -> bool {
    let meant = ["noun", "place", "pron", "vague", "number", "neg", "not", "ordinal", "flag"];
    let binds =
        item.words == 1 && item.sense("stop").is_some() && meant.iter().all(|cat| item.sense(cat).is_none());
    only_stop(item)
        || binds && !item.capital
        || ["polite", "then", "subject", "self", "ambient"].iter().any(|cat| item.sense(cat).is_some())
            && item.command().is_none()
}
