//! Folders, paths, names, texts that a cue introduces, people and columns.

mod addresses;
mod codes;
mod columns;
mod endings;
mod folders;
mod joined;
mod lists;
mod names;
mod people;
mod programs;
mod span;
mod texts;

use super::{Mention, Reading, What};
use span::Words;

/// Adds what is said.
pub(super) fn read(reading: Reading<'_>, all: &mut Vec<Mention>) {
    let words = Words::new(reading);
    let mut found = Found::default();
    folders::read(&words, &mut found);
    lists::read(&words, &mut found);
    names::read(&words, &mut found);
    joined::read(&words, &mut found);
    texts::read(&words, &mut found);
    people::read(&words, &mut found);
    columns::read(&words, &mut found);
    codes::read(&words, &mut found);
    programs::read(&words, &mut found);
    addresses::read(&words, &mut found);
    all.append(&mut found.into_mentions());
}

/// What is found so far.
#[derive(Default)]
struct Found {
    mentions: Vec<Mention>,
    /// Folders by name that a word for folders introduces: first and last token, the name, the cost.
    called: Vec<Called>,
}

/// A folder or file that is named without where it is.
#[derive(Clone)]
struct Called {
    from: usize,
    to: usize,
    name: String,
    cost: u8,
}

impl Found {
    fn add(&mut self, words: &Words<'_>, from: usize, to: usize, what: What, cost: u8) {
        let relation = words.relation(from).map(|found| found.relation);
        self.mentions.push(Mention { relation, cost, ..Mention::new(from, to, what) });
    }

    /// Each reading once, at its lowest cost.
    fn into_mentions(self) -> Vec<Mention> {
        let mut all = self.mentions;
        all.sort_by_key(|mention| (mention.from, mention.to, mention.cost));
        let mut kept: Vec<Mention> = Vec::with_capacity(all.len());
        for mention in all {
            let same = |known: &&Mention| known.from == mention.from && known.to == mention.to;
            let known = kept.iter().rev().take_while(same).any(|known| known.what == mention.what);
            if !known {
                kept.push(mention);
            }
        }
        kept
    }
}
