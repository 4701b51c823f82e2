//! Wishes and passives, as the order they are: "the videos should be moved to X" is "move the videos to X",
//! "I need process 5 killed" is "kill process 5", "I don't need them any more: delete them" is "delete them".
//!
//! The words stay; the verb is put where an order has it. Which words make a wish is data.

use super::clause::only_stop;
use super::{Item, asks, has_ending};
use crate::lexicon::Senses;
use crate::text::Lit;

/// The items with every wish turned into an order.
pub(crate) fn ordered(mut items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    unwanted(&mut items, senses);
    let mut at = 0;
    while at < items.len() {
        if goes(&items, at) && !asks(&items[beginning(&items, at)..], senses) {
            let mut order = items.remove(at);
            command(&mut order);
            let start = beginning(&items, at);
            items.insert(start, order);
        }
        let verb = match items[at].sense("wish") {
            Some("passive") => directly_after(&items, at),
            Some("want") => wanted(&items, at, senses),
            _ => None,
        };
        if let Some(verb) = verb.filter(|_| !asks(&items[beginning(&items, at)..], senses)) {
            order(&mut items, at, verb);
        }
        at += 1;
    }
    items
}

/// "X can go": it is to go away, unless something says where to.
fn goes(items: &[Item], at: usize) -> bool {
    let leads = |item: &Item| item.sense("prep").is_some() || item.command().is_some();
    items[at].is("wish", "gone")
        && items[at].participle().is_some()
        && items.get(at + 1).is_none_or(|next| !leads(next))
        && items[beginning(items, at)..at].iter().any(|item| !only_stop(item) && item.sense("pron").is_none())
}

/// The participle right after a passive, with nothing but small words between.
fn directly_after(items: &[Item], at: usize) -> Option<usize> {
    let next =
        (at + 1..items.len()).find(|i| !only_stop(&items[*i]) && items[*i].sense("polite").is_none())?;
    items[next].participle().is_some().then_some(next)
}

/// The participle that says what is wanted done. One that can mean anything else, or that tells what things
/// are ("that were deleted"), is not it; neither is one after another order.
fn wanted(items: &[Item], at: usize, senses: &Senses) -> Option<usize> {
    for (next, item) in items.iter().enumerate().skip(at + 1) {
        // "every tmp file": a thing, though the word can be an order too.
        let orders = item.command().is_some_and(|id| !senses.asks(id)) && item.sense("noun").is_none();
        if strong(item) || orders {
            return None;
        }
        let pure = item.senses.iter().all(|sense| sense.cat == "verb");
        let told = items[next - 1].sense("wish") == Some("state");
        // "written to ~/list.csv" says where to, whatever else it may mean.
        // So does "saved in ~/Work" of things that come from elsewhere.
        let literal = |item: &Item| matches!(item.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_));
        let sourced = items[at..next].iter().any(literal);
        let leads = |after: &Item| after.is("prep", "to") || sourced && after.sense("prep").is_some();
        let goes = items.get(next + 1).is_some_and(leads)
            && items
                .get(next + 2)
                .is_some_and(|path| matches!(path.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_)));
        if (pure || goes) && !told && item.participle().is_some_and(|id| !senses.asks(id)) {
            return Some(next);
        }
    }
    None
}

/// Puts the verb where the sentence begins, and takes the words of the wish away.
fn order(items: &mut Vec<Item>, wish: usize, verb: usize) {
    let start = beginning(items, wish);
    let mut order = items.remove(verb);
    command(&mut order);
    items.remove(wish);
    // "could … be moved", "I want … to be moved": the beginning of the same wish.
    let opening = (start..wish).find(|i| matches!(items[*i].sense("wish"), Some("modal" | "want")));
    if let Some(opening) = opening {
        items.remove(opening);
    }
    items.insert(start, order);
    // "… and then deleted": the same wish goes on, about the same things.
    let mut at = start + 1;
    while at < items.len() && !strong(&items[at]) {
        let joined = items[at].sense("then").is_some();
        let next =
            (at + 1..items.len()).find(|i| items[*i].sense("then").is_none() && !only_stop(&items[*i]));
        if let Some(next) = next.filter(|next| joined && items[*next].participle().is_some()) {
            command(&mut items[next]);
            let after =
                items.get(next + 1).is_none_or(|item| item.is_symbol() || item.sense("prep").is_some());
            if after {
                let pronoun = Item::attached("them", items[next].end);
                items.insert(next + 1, pronoun);
            }
        }
        at += 1;
    }
}

/// "I don't need X any more: delete them" is "delete X"; so is what was seen, or does not answer.
fn unwanted(items: &mut Vec<Item>, senses: &Senses) {
    let event = |item: &Item| {
        let noun = item.sense("noun").and_then(|id| senses.noun.get(id));
        noun.is_some_and(|noun| noun.object.as_deref() == Some("events"))
    };
    let quoted = |at: usize| items[..at].iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
    let beside = |at: &usize| match items[*at].sense("wish") {
        Some("unwanted" | "stuck" | "seen") => !relative(items, *at),
        Some("off") => true,
        // "the videos I've seen" are some of them; "I've seen the videos" is said of all.
        Some("saw" | "unneeded") => {
            items[beginning(items, *at)..*at].iter().all(|item| item.sense("polite").is_some())
        }
        _ => false,
    };
    // Said of two, it is not known of which the order is.
    let found: Vec<usize> = (0..items.len()).filter(beside).collect();
    let [wish] = found[..] else { return };
    let off = items[wish].sense("wish") == Some("off");
    let bound = |i: &usize| items[*i].is_symbol() || items[*i].sense("then").is_some();
    let found = (wish + 1..items.len()).filter(bound).find_map(|cut| {
        let verb = (cut + 1..items.len()).find(|i| items[*i].sense("polite").is_none())?;
        // "delete the folder" points to nothing, though its article could.
        let named = |item: &Item| item.sense("noun").is_some() || item.senses.is_empty() && !item.is_symbol();
        let points = items.get(verb + 1).is_some_and(|item| item.sense("pron").is_some())
            && !items.get(verb + 2).is_some_and(named);
        // "I'm not going to 'x' any more": only of what has a name.
        let whole = !off
            || points
                && quoted(cut)
                && items.iter().any(event)
                && !items[..cut].iter().any(|item| item.command().is_some());
        let end = if points { Some(verb + 2) } else { the_folder(items, wish, verb + 1) }?;
        (whole && items[verb].command().is_some()).then_some((cut, verb, end))
    });
    let Some((cut, verb, end)) = found else { return };
    let order = items[verb].clone();
    items.drain(cut..end);
    items.remove(wish);
    items.insert(beginning(items, wish), order);
}

/// "… that are no longer needed": said of some of the things, not of all.
fn relative(items: &[Item], at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|b| items[b].sense("subject").is_some() || items[b].sense("wish") == Some("state"))
}

/// "I'm done with ~/x: bin the whole folder": where the words for the folder that was just named end.
fn the_folder(items: &[Item], wish: usize, from: usize) -> Option<usize> {
    let path = |item: &Item| matches!(&item.lit, Lit::Path(path) if !has_ending(path));
    let beside = [wish.checked_sub(1), Some(wish + 1)].into_iter().flatten();
    let named = beside.filter_map(|i| items.get(i)).any(path);
    let noun = (from..items.len()).find(|i| !only_stop(&items[*i]))?;
    let folder = items[noun].sense("folder_word").is_some() && (noun > from || items[noun].words > 1);
    let last = items.get(noun + 1).is_none_or(Item::is_symbol);
    (named && folder && last).then_some(noun + 1)
}

/// Where the sentence of `at` begins.
fn beginning(items: &[Item], at: usize) -> usize {
    let after = |item: &Item| strong(item) || item.is("then", "then");
    items[..at].iter().rposition(after).map_or(0, |i| i + 1)
}

fn strong(item: &Item) -> bool {
    matches!(item.lit, Lit::Symbol('.' | '!' | '?' | ';' | ':'))
}

/// Makes the participle of an item open a command.
fn command(item: &mut Item) {
    item.senses.retain(|sense| sense.participle);
    item.senses.iter_mut().for_each(|sense| sense.command = true);
}
