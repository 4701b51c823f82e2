//! What is particular about a reading: which kind of mention fills which slot, which is left out, what is asked.

use super::assign::Scene;
use super::doubt::Doubt;
use super::model::{both, hash};
use super::packed::short;
use super::{Candidate, Packed, Said, Unheld};
use crate::catalog::Catalog;
use crate::shape::{Part, Shape};
use metnos_language::{Mention, What};
use metnos_vocab::Class;
use std::ops::Range;

/// What a mark is about.
#[derive(Clone, Copy)]
#[repr(u64)]
enum About {
    Fill = 1,
    FillFor,
    FillCost,
    FillRelation,
    FillAsks,
    FillLevel,
    Filled,
    Drop,
    DropRelation,
    DropAsks,
    DropChanges,
    Lost,
    LostChanges,
    LostWhere,
    LostClass,
    Part,
    Fixed,
    Step,
    Arg,
    ArgOf,
    Steps,
    Ask,
    AskOf,
    Word,
    WordOf,
    Words,
    Doubt,
    DoubtOf,
}

/// What is known when a reading is marked.
pub(super) struct Marked<'m> {
    pub(super) said: &'m Said,
    pub(super) scene: &'m Scene<'m>,
    pub(super) candidate: &'m Candidate,
    /// What it makes no use of.
    pub(super) lost: &'m [Unheld],
    /// For each mention whether the reading uses some of its words.
    pub(super) used: &'m [bool],
    pub(super) catalog: &'m Catalog,
    pub(super) weights: &'m Packed,
    /// What makes it doubtful, where it changes something.
    pub(super) doubts: &'m [Doubt],
}

/// So well a value fits that it is sure, and so well that it fits at all.
const SURE: f32 = 0.5;
const FITS: f32 = -0.35;
/// A word that costs so much does not say what is asked.
const DOUBTED: u8 = 4;

impl Marked<'_> {
    /// The words of the request, each with the one after it: values only by their type, and what is no value as it was
    /// meant. Punctuation counts where a sentence ends.
    fn around(&self) -> Vec<(u64, u64)> {
        let tokens = &self.said.lattice.tokens;
        let noted = self.scene.noted();
        let mut words: Vec<u64> = tokens
            .iter()
            .enumerate()
            .map(|(at, token)| hash(self.said.lattice.corrected(at).unwrap_or(&token.norm)))
            .collect();
        let mut first = vec![true; tokens.len()];
        for f in &self.candidate.filled {
            let m = &self.said.mentions[f.mention];
            for at in m.from..m.to {
                words[at] = noted[f.mention].kind;
                first[at] = at == m.from;
            }
        }
        let words: Vec<u64> =
            words.into_iter().zip(first).filter(|(_, first)| *first).map(|(w, _)| w).collect();
        (0..words.len()).map(|at| (words[at], words.get(at + 1).copied().unwrap_or(0))).collect()
    }

    /// The tokens from the first to the last that the reading makes use of, or that say what is done.
    fn deed(&self) -> Range<usize> {
        let says = |m: &&Mention| matches!(m.what, What::Act(_)) && m.cost < DOUBTED;
        let used = self.candidate.filled.iter().map(|f| &self.said.mentions[f.mention]);
        let all: Vec<&Mention> = used.chain(self.said.mentions.iter().filter(says)).collect();
        let from = all.iter().map(|m| m.from).min().unwrap_or_default();
        from..all.iter().map(|m| m.to).max().unwrap_or_default()
    }

    /// Whether a word stands among those of the deed, and whether beside the things it is done to.
    fn position(&self, at: usize, deed: &Range<usize>) -> (bool, bool) {
        let things = |m: &&Mention| {
            m.cost < DOUBTED
                && matches!(m.what, What::Thing(_) | What::Kind(_) | What::Pronoun(_) | What::Extension(_))
        };
        let near = |m: &Mention| m.to == at || m.from == at + 1;
        (deed.contains(&at), self.said.mentions.iter().filter(things).any(near))
    }

    /// The marks of a reading, as numbers, each as often as it is found.
    pub(super) fn marks(&self) -> Vec<u32> {
        let Candidate { shape, filled, built, .. } = self.candidate;
        let mut out: Vec<u32> = Vec::new();
        if matches!(shape, Shape::Say | Shape::Gap) {
            return out;
        }
        out.reserve(filled.len() * 6 + self.used.len() * 2 + 16);
        let mut add = |about: About, what: u64| out.push(short(both(about as u64, what)));
        let noted = self.scene.noted();
        let changes = built
            .steps
            .iter()
            .any(|step| self.catalog.get(&step.tool).is_none_or(|tool| tool.class == Class::Changer));
        let changer =
            |part: &&Part| self.catalog.get(&part.tool).is_some_and(|tool| tool.class == Class::Changer);
        let main = shape.parts().iter().rev().find(changer).or(shape.parts().first());
        let main = main.map_or(0, |part| hash(&part.tool));
        let mut keys: Vec<u64> = Vec::with_capacity(filled.len());
        for f in filled {
            let (mention, noted) = (&self.said.mentions[f.mention], &noted[f.mention]);
            let key = hash(&f.slot.key());
            let pair = both(key, noted.kind);
            let known = both(pair, noted.known);
            keys.push(key);
            add(About::Fill, known);
            add(About::FillFor, both(main, key));
            add(About::FillCost, both(known, u64::from(mention.cost / 2)));
            add(About::FillRelation, both(pair, noted.relation));
            add(About::FillAsks, both(pair, noted.asks as u64));
            add(About::FillLevel, both(key, u64::from(f.score > SURE) + u64::from(f.score > FITS)));
        }
        keys.sort_unstable();
        add(About::Filled, keys.iter().fold(0, |all, key| both(all, *key)));
        let mut dropped: Vec<(usize, u64)> = Vec::new();
        for ((mention, noted), used) in self.said.mentions.iter().zip(noted).zip(self.used) {
            let Some(kind) = noted.dropped.filter(|_| !used) else { continue };
            if dropped.contains(&(mention.from, kind)) {
                continue;
            }
            dropped.push((mention.from, kind));
            add(About::Drop, both(kind, u64::from(mention.cost / 2)));
            add(About::DropRelation, both(kind, noted.relation));
            add(About::DropAsks, both(kind, noted.asks as u64));
            add(About::DropChanges, both(kind, u64::from(changes)));
        }
        let at_once = self.deed();
        let yes = |answers: &[bool]| answers.iter().fold(1, |sum, yes| sum * 2 + u64::from(*yes));
        for unheld in self.lost {
            let sense =
                unheld.key.contains(' ') && noted.iter().any(|n| n.word.as_ref() == Some(&unheld.key));
            let says = if sense { hash(&unheld.key) } else { 0 };
            add(About::Lost, both(says, yes(&[unheld.narrows, unheld.open, unheld.beside])));
            add(About::LostChanges, yes(&[changes, unheld.narrows, unheld.beside]));
            let (inside, near) = self.position(unheld.at, &at_once);
            let class = class(unheld);
            add(About::LostClass, both(class, yes(&[changes, unheld.beside, inside])));
            add(About::LostWhere, both(class, yes(&[changes, inside, near, unheld.open])));
        }
        for part in shape.parts() {
            add(About::Part, hash(&part.tool));
            for (name, value) in &part.fixed {
                add(About::Fixed, both(hash(name), hash(value)));
            }
        }
        for step in &built.steps {
            if self.catalog.get(&step.tool).is_none() {
                continue;
            }
            let spoken = self.scene.spoken(&step.tool, self.weights);
            let mut spoken = spoken.iter().zip(&self.said.mentions);
            let said = spoken.any(|(spoken, mention)| *spoken && mention.cost < DOUBTED);
            add(About::Step, both(hash(&step.tool), u64::from(said)));
            for (name, value) in &step.args {
                add(About::ArgOf, both(hash(&step.tool), hash(name)));
                if value.is_boolean() || name.starts_with("where") {
                    add(About::Arg, both(hash(name), u64::from(value.is_boolean())));
                }
            }
        }
        add(About::Steps, built.steps.len() as u64);
        for (word, next) in self.around() {
            add(About::Word, both(word, u64::from(changes)));
            if changes {
                add(About::WordOf, both(word, main));
                add(About::Words, both(word, next));
            }
        }
        for doubt in self.doubts {
            add(About::Doubt, doubt.rule());
            add(About::DoubtOf, both(doubt.rule(), main));
        }
        if let Some(ask) = &built.ask {
            let missing = ask.missing.iter().fold(0, |all, name| both(all, hash(name)));
            add(About::Ask, missing);
            add(About::AskOf, both(missing, hash(&ask.tool)));
        }
        out
    }
}

/// Of which class a word is that is left out: "operator", "quality", or of none.
fn class(unheld: &Unheld) -> u64 {
    let family = unheld.key.split([' ', '(']).next().unwrap_or_default();
    let plain = family.len() < 3;
    if plain { 0 } else { hash(family) }
}
