//! Verbs in two words that what they are said of stands between: "bring 'x' forward", "take him off my calendar".
//!
//! The two words are put together where the first one stands. Which pairs there are is data.

use super::Item;
use super::clause::only_stop;
use crate::lexicon::{Lexicon, Sense, Senses};
use crate::text::Lit;

/// Most words that may stand between the two.
const BETWEEN: usize = 8;

/// The items with every such verb in one piece.
pub(crate) fn together(mut items: Vec<Item>, lexicon: &Lexicon, senses: &Senses) -> Vec<Item> {
    let mut at = 0;
    while at < items.len() {
        if let Some((second, verb)) = pair(&items, at, lexicon, senses) {
            items[at].senses = vec![command(&verb)];
            items.remove(second);
        } else if let Some(verb) = taken_off(&items, at, senses) {
            items[at].senses = vec![command(&verb)];
        }
        at += 1;
    }
    items
}

fn command(verb: &str) -> Sense {
    Sense { command: true, ..Sense::plain("verb", verb) }
}

/// The second word of a verb whose first word stands at `at`, and what the verb is.
fn pair(items: &[Item], at: usize, lexicon: &Lexicon, senses: &Senses) -> Option<(usize, String)> {
    let first = Some(&items[at]).filter(|item| item.words == 1 && opens(items, at))?;
    let pairs = lexicon.phrases.get(first.norm.as_str())?;
    let pairs = pairs.iter().filter(|phrase| phrase.words.len() == 2);
    let pairs = pairs.filter_map(|phrase| {
        let apart = phrase.senses.iter().find(|sense| sense.cat == "apart")?;
        Some((phrase.words[1].as_str(), apart.id.as_str()))
    });
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let reach = items.len().min(at + 2 + BETWEEN);
    let cut = (at + 1..reach).find(|i| ends(&items[*i])).unwrap_or(reach);
    (at + 2..cut).find_map(|i| {
        let (_, verb) = pairs.iter().find(|(word, _)| *word == items[i].norm)?;
        let sense = senses.verb.get(*verb)?;
        let events = [&sense.object, &sense.about].iter().any(|of| of.as_deref() == Some("events"));
        let fits = !events || items[at + 1..i].iter().any(|item| is_event(item, senses));
        fits.then(|| (i, (*verb).to_owned()))
    })
}

/// A name, something pointed to, or a word for events.
fn is_event(item: &Item, senses: &Senses) -> bool {
    let noun = item.sense("noun").and_then(|id| senses.noun.get(id));
    let event = noun.is_some_and(|noun| noun.object.as_deref() == Some("events"));
    event || matches!(item.lit, Lit::Quoted(_)) || item.sense("pron").is_some()
}

/// "take 'x' off my calendar", "get him out of the address book": what is taken off a list of records is no file.
fn taken_off(items: &[Item], at: usize, senses: &Senses) -> Option<String> {
    let verb = items[at].sense("taken_off").filter(|_| opens(items, at))?;
    let reach = items.len().min(at + 2 + BETWEEN);
    let from = (at + 2..reach).find(|i| items[*i].is("prep", "from"))?;
    let named = |item: &Item| {
        let name = matches!(item.lit, Lit::Quoted(_)) || item.capital && item.sense("noun").is_none();
        name || item.sense("pron").is_some() || only_stop(item)
    };
    let list = items[from + 1..].iter().find(|item| !only_stop(item))?;
    let noun = list.sense("noun").and_then(|id| senses.noun.get(id))?;
    let record = noun.rank > 2 && matches!(noun.object.as_deref(), Some("events" | "contacts"));
    (record && items[at + 1..from].iter().all(named)).then(|| verb.to_owned())
}

/// Whether an order can begin at `at`.
fn opens(items: &[Item], at: usize) -> bool {
    let light = |item: &Item| ["polite", "then", "self"].iter().any(|cat| item.sense(cat).is_some());
    at.checked_sub(1).is_none_or(|before| items[before].is_symbol() || light(&items[before]))
}

fn ends(item: &Item) -> bool {
    item.is_comma() || matches!(item.lit, Lit::Symbol('.' | '!' | '?' | ':')) || item.sense("then").is_some()
}
