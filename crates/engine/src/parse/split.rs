//! A request into clauses: where a connective or a comma is followed by a new command.

use super::Item;
use super::clause::only_stop;
use crate::catalog::Role;
use crate::lexicon::Senses;
use crate::text::Lit;

/// Most clauses that are looked at; a longer request is not understood.
pub(crate) const CLAUSES: usize = 12;

/// The clauses of a request, without the connectives between them.
pub(crate) fn split(items: Vec<Item>, senses: &Senses) -> Vec<Vec<Item>> {
    let items = introduced(items, senses);
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < items.len() {
        if !boundary(&items[at]) {
            at += 1;
            continue;
        }
        let mut next = at;
        while items.get(next).is_some_and(boundary) {
            next += 1;
        }
        let command = (opens(&items, next) || asks_values(&items, next) || asked_too(&items, at, next))
            && items[..at].iter().any(content)
            && !only_place(&items[..at])
            && (items[at..next].iter().any(|item| item.sense("then").is_some())
                || !only_left_out(&items[..at]))
            && !gives_text(&items, next);
        let (left, right) = (&items[..at], &items[next..]);
        let belongs =
            beside(left, right, senses) || taken_up(left, right, senses) || fronted(left, right, senses);
        if command && !belongs || apart(&items[..at], &items[next..], senses) {
            cuts.push((at, next));
        }
        at = next.max(at + 1);
    }
    let mut out = Vec::new();
    let mut rest = items;
    for (from, to) in cuts.into_iter().rev() {
        out.push(rest.split_off(to));
        rest.truncate(from);
    }
    out.push(rest);
    out.reverse();
    out
}

/// "what time is it and how many files are there": one side is answered by an executor that stands alone, the other
/// is about things.
fn apart(left: &[Item], right: &[Item], senses: &Senses) -> bool {
    let noun = |item: &Item| item.sense("noun").and_then(|id| senses.noun.get(id));
    let alone = |item: &Item| noun(item).is_some_and(|noun| noun.tool.is_some());
    let thing = |item: &Item| noun(item).is_some_and(|noun| noun.object.is_some() && noun.tool.is_none());
    let only_alone = |items: &[Item]| items.iter().any(alone) && !items.iter().any(thing);
    let only_things = |items: &[Item]| items.iter().any(thing) && !items.iter().any(alone);
    only_alone(left) && only_things(right) || only_things(left) && only_alone(right)
}

/// "try https://x and tell me if it answers": what is asked needs the address that was named before.
fn beside(left: &[Item], right: &[Item], senses: &Senses) -> bool {
    let address = |items: &[Item]| items.iter().any(|item| matches!(item.lit, Lit::Url(_)));
    let needs = |item: &Item| {
        let noun = item.sense("noun").and_then(|id| senses.noun.get(id));
        noun.is_some_and(|noun| noun.beside.is_some())
    };
    let asks = right.first().and_then(Item::command).is_some_and(|id| senses.asks(id));
    address(left) && !address(right) && asks && right.iter().any(needs)
}

/// "I met 'x', add him to my contacts": what is said of something that is made new says nothing about what is made.
fn introduced(items: Vec<Item>, senses: &Senses) -> Vec<Item> {
    let makes = |id: &str| senses.verb.get(id).is_some_and(|verb| verb.makes);
    let turned = |item: &Item, id: &str| {
        let noun = item.sense("noun").and_then(|noun| senses.noun.get(noun));
        noun.and_then(|noun| noun.turns.get(id)).is_some_and(|other| makes(other))
    };
    let new = |right: &[Item]| {
        let verb = right.first().and_then(Item::command);
        verb.is_some_and(|id| makes(id) || right.iter().any(|item| turned(item, id)))
    };
    let cut = (0..items.len()).find(|at| {
        let (left, right) = (&items[..*at], items.get(at + 1..).unwrap_or_default());
        boundary(&items[*at]) && new(right) && taken_up(left, right, senses)
    });
    let Some(cut) = cut else { return items };
    // What is told is not asked, also where it begins as a question does.
    let mut items = items;
    items[..cut].iter_mut().for_each(|item| item.asks = false);
    let unknown = |item: &Item| matches!(item.lit, Lit::Word) && item.senses.is_empty() && !item.capital;
    items
        .into_iter()
        .enumerate()
        .filter(|(at, item)| *at > cut || !unknown(item))
        .map(|(_, item)| item)
        .collect()
}

/// "I have 'x' on Thursday at 6, note it in the calendar": what is said first is what is done something with.
fn taken_up(left: &[Item], right: &[Item], senses: &Senses) -> bool {
    let quoted = |items: &[Item]| items.iter().filter(|item| matches!(item.lit, Lit::Quoted(_))).count();
    let acts = |item: &Item| item.command().is_some_and(|id| !senses.asks(id));
    // "note it": a phrase may hold the pronoun itself.
    let points =
        right.get(1).is_some_and(|item| item.sense("pron").is_some() && item.sense("noun").is_none())
            || right.first().is_some_and(|item| item.words > 1);
    let record = |item: &Item| {
        let noun = item.sense("noun").and_then(|id| senses.noun.get(id));
        noun.is_some_and(|noun| {
            noun.rank > 2 && matches!(noun.object.as_deref(), Some("events" | "contacts"))
        })
    };
    let books = |item: &Item| {
        let verb = item.command().and_then(|id| senses.verb.get(id));
        verb.is_some_and(|verb| verb.object.as_deref() == Some("events"))
    };
    let other = |item: &Item| matches!(item.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_) | Lit::Url(_));
    let small = |item: &Item| {
        let told = item.sense("wish").is_none_or(|wish| wish == "state");
        told && ["neg", "not", "condition"].iter().all(|cat| item.sense(cat).is_none())
    };
    quoted(left) == 1
        && quoted(right) == 0
        && !left.iter().any(|item| acts(item) || other(item))
        && left.iter().all(small)
        && right.first().is_some_and(acts)
        && points
        && (right.iter().any(record) || right.first().is_some_and(books))
}

/// "among the mails of last month, move the invoices to 'x'": things that are named first, and then a sort of them.
fn fronted(left: &[Item], right: &[Item], senses: &Senses) -> bool {
    let noun = |item: &Item| item.sense("noun").and_then(|id| senses.noun.get(id));
    let sort = right.iter().filter_map(noun).find(|noun| noun.set.contains_key(&Role::Dimension));
    let named = left.iter().filter_map(noun).find(|noun| noun.object.is_some());
    let alike = sort.zip(named).is_some_and(|(sort, named)| sort.object == named.object);
    alike && left.iter().all(|item| item.command().is_none())
}

fn boundary(item: &Item) -> bool {
    item.is_comma()
        || matches!(item.lit, Lit::Symbol('.' | '!' | '?' | ':'))
        || item.is("then", "and")
        || item.is("then", "then")
}

fn content(item: &Item) -> bool {
    let said = ["polite", "then", "correction"].iter().all(|cat| item.sense(cat).is_none());
    !item.is_symbol() && said
}

/// "in Documents, …", "from the last ten days, …": where or when, before what.
fn only_place(items: &[Item]) -> bool {
    let place = |item: &Item| {
        item.sense("place").is_some()
            || matches!(item.lit, Lit::Path(_) | Lit::Slashed(_))
            || item.capital && item.senses.is_empty()
    };
    let dated = |item: &Item| {
        ["number", "unit", "month", "weekday", "day", "rel", "age", "day_part"]
            .iter()
            .any(|cat| item.sense(cat).is_some())
            || matches!(item.lit, Lit::Number(_) | Lit::Date(..))
    };
    let small = |item: &Item| {
        dated(item)
            || item.sense("prep").is_some()
            || item.sense("folder_word").is_some()
            || only_stop(item)
            || item.is_symbol()
    };
    items.iter().any(|item| item.sense("prep").is_some())
        && items.iter().any(|item| place(item) || dated(item))
        && items.iter().all(|item| place(item) || small(item))
}

/// "leaving aside the zips, …": what is left out, before what of.
fn only_left_out(items: &[Item]) -> bool {
    let first = items.iter().find(|item| content(item) && !only_stop(item));
    first.is_some_and(|item| item.sense("neg").is_some())
        && items.iter().all(|item| item.sense("neg").is_some() || item.command().is_none())
}

/// "… and tell me the amounts": values of what was spoken of.
fn asks_values(items: &[Item], at: usize) -> bool {
    let small = |item: &Item| only_stop(item) || item.sense("self").is_some();
    let told = items.get(at).is_some_and(|item| item.sense("polite").is_some() || item.command().is_some());
    let next = (at + 1..items.len()).find(|i| !small(&items[*i]));
    told && next.is_some_and(|next| items[next].sense("extract_field").is_some())
}

/// "…, subject 'x', text 'y'": a word that names a part of a message, after another one did.
fn gives_text(items: &[Item], at: usize) -> bool {
    let part = |i: usize| {
        items[i].sense("cue").is_some()
            && items.get(i + 1).is_some_and(|next| matches!(next.lit, Lit::Quoted(_)))
    };
    // "…, place 'x'": where what was named before takes place.
    let placed = items[at].is("cue", "location") && part(at);
    let named = items[..at].iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
    part(at) && (0..at).any(part) || placed && named
}

/// "read x, can you sum it up", *leggi x, me lo riassumi?*: a second thing that is asked for politely, after one that
/// was ordered.
fn asked_too(items: &[Item], at: usize, next: usize) -> bool {
    let small = |item: &Item| ["polite", "self", "pron"].iter().any(|cat| item.sense(cat).is_some());
    let kind = items[next..].iter().take_while(|item| small(item) && item.command().is_none()).count();
    kind > 0 && items[..at].iter().any(|item| item.command().is_some()) && opens(items, next + kind)
}

/// Whether a command starts here.
fn opens(items: &[Item], at: usize) -> bool {
    let Some(item) = items.get(at) else { return false };
    let Some(verb) = item.command() else { return false };
    // Questions and bare presentations do not open a second clause; neither does a verb that is also a noun, unless
    // what follows is its object.
    if item.sense("noun").is_none()
        && item.sense("stop").is_none()
        && item.sense("by").is_none()
        && verb != "find"
    {
        return true;
    }
    let object = items[at + 1..].iter().find(|next| next.words > 0 || next.sense("self").is_none());
    let bound = object.is_some_and(|next| {
        next.sense("pron").is_some()
            || only_stop(next)
            || matches!(next.lit, Lit::Path(_) | Lit::Quoted(_))
            || next.is("list_word", "list")
            || next.sense("extract_field").is_some()
    });
    let question = item.sense("by").is_some();
    bound && !question
}
