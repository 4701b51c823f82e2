//! Paths that are more than one word: in quotes, or with spaces in their names.
//!
//! A path in quotes is a path. Words that go on from a path, with nothing between that binds or leads elsewhere, belong
//! to it where they end like a file, or where the word for folder says that a folder is named.

use super::part::ends_in_prep;
use super::places::has_ending;
use super::{Clause, Item};
use crate::lexicon::{Lexicon, Senses};
use crate::text::Lit;

/// Most words that a path goes on over.
const WORDS: usize = 4;

/// The items with every path in one piece.
pub(crate) fn whole_paths(items: Vec<Item>, text: &str, lexicon: &Lexicon, senses: &Senses) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    for item in items {
        let lit = unquoted(&out, &item, lexicon, senses);
        out.push(Item { lit: lit.unwrap_or(item.lit.clone()), ..item });
    }
    let mut at = 0;
    while at < out.len() {
        if let Some(end) = goes_on_to(&out, at, lexicon) {
            join(&mut out, at, end, text);
        } else if numbered_folder(&out, at, lexicon) {
            join(&mut out, at, at + 2, text);
            out[at].lit = Lit::Slashed(out[at].text.clone());
        }
        at += 1;
    }
    out
}

/// What a text in quotes is where a place or a file belongs.
fn unquoted(before: &[Item], item: &Item, lexicon: &Lexicon, senses: &Senses) -> Option<Lit> {
    let Lit::Quoted(text) = &item.lit else { return None };
    if text.contains("://") || text.contains('\n') || text.contains('*') {
        return None;
    }
    let last = before.iter().rev().find(|item| !articled(item, lexicon))?;
    let led = last.sense("prep").is_some()
        || last.sense("folder_word").is_some()
        || last.words > 1 && ends_in_prep(&last.norm, lexicon);
    let handled = last.command().and_then(|id| senses.verb.get(id)).is_some_and(|verb| {
        !verb.query && !verb.makes && verb.tool.is_none() && verb.on_file.is_none() && verb.verb.is_some()
    });
    if let Some((first, rest)) = text.split_once('/') {
        let place = |phrase: &crate::lexicon::Phrase| phrase.senses.iter().any(|sense| sense.cat == "place");
        let known = lexicon.single(&first.to_lowercase()).is_some_and(place);
        let named = !first.is_empty() && !rest.is_empty() && !first.ends_with(' ') && !rest.starts_with(' ');
        let rooted = text.starts_with("~/") || first.is_empty() && !rest.is_empty();
        let looked =
            last.command().and_then(|id| senses.verb.get(id)).is_some_and(|verb| verb.query) && known;
        let belongs = led || handled || looked;
        return match () {
            () if rooted && belongs => Some(Lit::Path(text.clone())),
            () if named && belongs && (known || led || has_ending(text)) => Some(Lit::Slashed(text.clone())),
            () => None,
        };
    }
    let goes = matches!(last.sense("prep"), Some("to" | "inor" | "in" | "from" | "of"));
    (known_ending(text, senses) && (handled || goes)).then(|| Lit::File(text.clone()))
}

/// Whether files are known to end like this.
fn known_ending(text: &str, senses: &Senses) -> bool {
    let Some((_, ext)) = text.rsplit_once('.') else { return false };
    let ext = ext.to_lowercase();
    let formats = || senses.endings.values().any(|endings| endings.contains_key(&ext));
    senses.extension(&ext).is_some() || senses.noun.contains_key(&ext) || formats()
}

fn articled(item: &Item, lexicon: &Lexicon) -> bool {
    lexicon.articles.contains(&item.norm)
        && item.sense("prep").is_none()
        && item.sense("folder_word").is_none()
}

/// Where the path that begins at `at` ends, if it goes on over the next words.
fn goes_on_to(items: &[Item], at: usize, lexicon: &Lexicon) -> Option<usize> {
    let begins = match &items[at].lit {
        Lit::Path(path) | Lit::Slashed(path) => !has_ending(path) && !path.ends_with('/') && path != "~",
        _ => named_after(items, at),
    };
    if !begins || items[at].end - items[at].start != items[at].text.len() {
        return None;
    }
    let folder = at.checked_sub(1).is_some_and(|before| {
        let last = items[before].norm.rsplit(' ').next().and_then(|word| lexicon.single(word));
        last.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "folder_word"))
    });
    let mut end = at + 1;
    while end < items.len() && end - at <= WORDS && beside(items, end) {
        match &items[end].lit {
            Lit::Slashed(path) | Lit::File(path) if has_ending(path) => return Some(end + 1),
            Lit::Number(_) | Lit::Slashed(_) => {}
            Lit::Word if part(&items[end]) => {}
            _ => break,
        }
        end += 1;
    }
    let path = matches!(items[at].lit, Lit::Path(_) | Lit::Slashed(_));
    // A name ends where the sentence does, or where something leads on.
    let over = items
        .get(end)
        .is_none_or(|next| next.is_symbol() || next.sense("prep").is_some() || next.sense("then").is_some());
    (folder && path && over && end > at + 1).then_some(end)
}

/// "the folder Work 2024": a name and a year right after it, behind the word for folder.
fn numbered_folder(items: &[Item], at: usize, lexicon: &Lexicon) -> bool {
    let folder = at.checked_sub(1).is_some_and(|before| {
        let last = items[before].norm.rsplit(' ').next().and_then(|word| lexicon.single(word));
        last.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "folder_word"))
    });
    let name = items[at].capital && items[at].words == 1 && matches!(items[at].lit, Lit::Word);
    let next = items.get(at + 1).filter(|_| folder && name);
    let year = next.is_some_and(|next| matches!(next.lit, Lit::Number(_)) && next.text.len() == 4);
    let leads =
        |next: &Item| next.is_symbol() || next.sense("prep").is_some() || next.sense("then").is_some();
    let over = items.get(at + 2).is_none_or(leads);
    year && over && beside(items, at + 1)
}

/// "called budget 2026.xlsx", "~/a.docx to CV 2025.docx": a word with which a name begins that was announced.
fn named_after(items: &[Item], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &items[before]) else { return false };
    let begins =
        matches!(items[at].lit, Lit::Number(_)) || matches!(items[at].lit, Lit::Word) && part(&items[at]);
    let file = at.checked_sub(2).is_some_and(|i| {
        matches!(&items[i].lit, Lit::Path(path) | Lit::Slashed(path) | Lit::File(path) if has_ending(path))
    });
    let renamed = file && matches!(before.sense("prep"), Some("to" | "inor"));
    begins && (before.is("cue", "named") || renamed)
}

/// Whether nothing but a space stands before the item.
fn beside(items: &[Item], at: usize) -> bool {
    items[at].start == items[at - 1].end + 1 && items[at].words > 0
}

/// A word of a name: one that nobody knows, or that is written as a name is, and leads nowhere.
fn part(item: &Item) -> bool {
    const LEADING: [&str; 6] = ["prep", "then", "pron", "neg", "stop", "cue"];
    let leads = LEADING.iter().any(|cat| item.sense(cat).is_some());
    let deed = item.command().is_some() || item.participle().is_some();
    item.words == 1 && (item.senses.is_empty() || item.capital || !leads && !deed)
}

/// Makes one path of the items from `at` to `end`.
fn join(items: &mut Vec<Item>, at: usize, end: usize, text: &str) {
    let whole = text[items[at].start..items[end - 1].end].to_owned();
    items.drain(at + 1..end);
    let rooted = matches!(items[at].lit, Lit::Path(_));
    let item = &mut items[at];
    item.end = item.start + whole.len();
    item.norm = whole.to_lowercase();
    item.senses.clear();
    item.lit = match () {
        () if rooted => Lit::Path(whole.clone()),
        () if whole.contains('/') => Lit::Slashed(whole.clone()),
        () => Lit::File(whole.clone()),
    };
    item.text = whole;
}

impl Clause<'_> {
    /// Words right after a folder that could go on its name, and were read as something else: which of the two is
    /// meant is not said.
    pub(crate) fn cut_off(&self) -> Vec<String> {
        let folder = |item: &Item| matches!(&item.lit, Lit::Path(path) | Lit::Slashed(path) if !has_ending(path) && path != "~");
        let cut = |at: &usize| {
            let (before, item) = (&self.items[at - 1], &self.items[*at]);
            let beside = item.start == before.end + 1 && item.words > 0;
            let year = matches!(item.lit, Lit::Number(_)) && item.taken == "date";
            let number = year && self.items.get(at + 1).is_none_or(|next| next.sense("unit").is_none());
            let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
            // A word about addresses or mail goes on with no folder: "pack ~/x up".
            let here =
                noun.is_some_and(|n| n.object.as_deref().is_none_or(|o| matches!(o, "files" | "dirs")));
            let thing = matches!(item.taken, "noun" | "") && self.changes() && here && noun_only(item);
            let file =
                |item: &Item| matches!(&item.lit, Lit::Path(path) | Lit::Slashed(path) if has_ending(path));
            // "Documents/a.txt b.txt": whether the second is in the same folder is not said.
            let second = matches!(item.lit, Lit::File(_)) && item.taken == "place" && self.changes();
            beside && (folder(before) && (number || thing) || file(before) && second)
        };
        (1..self.len()).filter(cut).map(|at| self.items[at].text.clone()).collect()
    }
}

/// A word for things, which leads nowhere.
fn noun_only(item: &Item) -> bool {
    let leads = ["prep", "then", "cue", "subject", "neg"].iter().any(|cat| item.sense(cat).is_some());
    item.sense("noun").is_some() && !leads
}
