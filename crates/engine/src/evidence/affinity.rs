//! Executors that no row speaks of: the words of their manifests speak for them, so that one is found the day it is
//! signed.

use super::assign::sense;
use super::{Packed, Said};
use crate::catalog::{Catalog, Tool};
use crate::plan::Step;
use crate::shape::Shape;
use metnos_language::{Lexicon, Lexicons, Lit, Mention, Sense, What, fold};
use metnos_vocab::Class;
use serde_json::Map;
use std::collections::{BTreeMap, BTreeSet};

/// How much it counts that the words of an executor were said: the same for all of them.
const WEIGHT: f32 = 12.0;
/// So many of its words are as good as all.
const ENOUGH: usize = 2;
/// Words with fewer letters are the same only as they are written.
const SHORT: usize = 4;
/// So many letters an ending has at most.
const ENDING: usize = 3;

/// Those executors of a catalog, by their words. Made once for a catalog.
#[derive(Clone, Debug, Default)]
pub(super) struct Affinity {
    strangers: Vec<Stranger>,
    /// Where words that begin with the same letters stand: executor, language, phrase, word.
    words: BTreeMap<String, Vec<Place>>,
    /// The same for what the lexicons know of them.
    senses: BTreeMap<String, Vec<At>>,
}

#[derive(Clone, Debug)]
struct Stranger {
    shape: Shape,
    /// It changes something: its words count only as they are written.
    changes: bool,
    /// What its name says: what it does, and to what.
    named: [String; 2],
    /// For each language the length of its phrases, and whether they say something that no row says.
    languages: Vec<Vec<(usize, bool)>>,
}

/// Where a word stands: the executor, the language, the phrase, the word in it.
type At = (usize, usize, usize, usize);
type Place = (String, At);

/// An executor that was spoken of.
#[derive(Debug)]
pub(super) struct Called<'a> {
    /// It alone.
    pub(super) shape: &'a Shape,
    /// How much that counts.
    pub(super) score: f32,
    /// The words that did.
    pub(super) at: Vec<usize>,
}

impl Affinity {
    /// The executors that no known shape mentions.
    pub(super) fn new(model: &Packed, catalog: &Catalog) -> Self {
        let known: BTreeSet<&str> =
            model.shapes().iter().flat_map(Shape::parts).map(|part| part.tool.as_str()).collect();
        let of_rows = catalog.tools().filter(|tool| known.contains(tool.name.as_str()));
        let phrases = of_rows.flat_map(|tool| tool.affinity.values().flatten());
        let mut taken: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for word in phrases.flat_map(|phrase| phrase.split_whitespace()).map(fold) {
            taken.entry(begins(&word)).or_default().push(word);
        }
        let own = |word: &str, senses: &[String]| {
            let rows = taken.get(&begins(word)).into_iter().flatten();
            !rows.into_iter().any(|known| meet(known, word)) && !senses.iter().any(|s| model.is_said(s))
        };
        let lexicons = Lexicons::shipped().ok();
        let mut affinity = Self::default();
        for tool in catalog.tools().filter(|tool| !tool.affinity.is_empty()) {
            let shape = alone(tool, catalog);
            if shape.parts().iter().all(|part| !known.contains(part.tool.as_str())) {
                affinity.add(tool, shape, lexicons.as_deref(), &own);
            }
        }
        affinity
    }

    fn add(
        &mut self,
        tool: &Tool,
        shape: Shape,
        lexicons: Option<&Lexicons>,
        own: &dyn Fn(&str, &[String]) -> bool,
    ) {
        let row = self.strangers.len();
        let mut languages = Vec::new();
        for (n, (language, phrases)) in tool.affinity.iter().enumerate() {
            let lexicon = lexicons.and_then(|lexicons| lexicons.get(language));
            let mut lengths = Vec::new();
            for (nth, phrase) in phrases.iter().enumerate() {
                let words: Vec<String> = phrase.split_whitespace().map(fold).collect();
                let mut is_own = false;
                for (i, word) in words.iter().enumerate() {
                    let at = (row, n, nth, i);
                    self.words.entry(begins(word)).or_default().push((word.clone(), at));
                    let senses = lexicon.map(|lexicon| meant(word, lexicon)).unwrap_or_default();
                    is_own |= own(word, &senses);
                    for sense in senses {
                        self.senses.entry(sense).or_default().push(at);
                    }
                }
                lengths.push((words.len(), is_own));
            }
            languages.push(lengths);
        }
        let named = [tool.verb(), tool.object()].map(|name| name.trim_end_matches('s').to_owned());
        let changes = tool.class == Class::Changer;
        self.strangers.push(Stranger { shape, changes, named, languages });
    }

    /// The executors that a request speaks of, and how much it does.
    pub(super) fn called(&self, said: &Said) -> Vec<Called<'_>> {
        if self.strangers.is_empty() {
            return Vec::new();
        }
        let mut found: BTreeMap<(usize, usize), BTreeMap<usize, BTreeMap<usize, usize>>> = BTreeMap::new();
        for at in (0..said.lattice.tokens.len()).filter(|at| speaks(said, *at)) {
            for (row, language, phrase, word) in self.meeting(said, at) {
                let phrases = found.entry((row, language)).or_default();
                phrases.entry(phrase).or_default().entry(word).or_insert(at);
            }
        }
        let mut best: BTreeMap<usize, Called<'_>> = BTreeMap::new();
        for ((row, language), phrases) in found {
            let stranger = &self.strangers[row];
            let lengths = &stranger.languages[language];
            let whole: Vec<_> =
                phrases.iter().filter(|(phrase, words)| words.len() == lengths[**phrase].0).collect();
            // What rows speak of they know better.
            if !whole.iter().any(|(phrase, _)| lengths[**phrase].1) {
                continue;
            }
            let mut at: Vec<usize> = whole.iter().flat_map(|(_, words)| words.values().copied()).collect();
            let named = stranger.names(said);
            at.extend(named.into_iter().flatten());
            at.sort_unstable();
            at.dedup();
            let share = at.len().min(ENOUGH) as f32 / lengths.len().min(ENOUGH) as f32;
            let score = WEIGHT * share.min(1.0);
            if best.get(&row).is_none_or(|known| known.score < score) {
                best.insert(row, Called { shape: &stranger.shape, score, at });
            }
        }
        best.into_values().collect()
    }

    /// The words of executors that a word of the request is: as it is written, in another form where no lexicon knows it,
    /// or with another word for the same. Where something is changed, as it is written.
    fn meeting(&self, said: &Said, at: usize) -> BTreeSet<At> {
        let word = fold(&said.lattice.tokens[at].norm);
        let exact = said.lattice.at(at).iter().filter(|edge| edge.cost == 0);
        let senses: Vec<String> =
            exact.filter(|edge| edge.end == at + 1).filter_map(|edge| name(edge.sense)).collect();
        let looks = |at: &At| !self.strangers[at.0].changes;
        let beginning = self.words.get(&begins(&word)).into_iter().flatten();
        let forms = beginning
            .filter(|(own, place)| *own == word || looks(place) && senses.is_empty() && meet(own, &word));
        let mut out: BTreeSet<At> = forms.map(|(_, place)| *place).collect();
        for sense in &senses {
            let same = self.senses.get(sense).into_iter().flatten().copied();
            out.extend(same.filter(looks));
        }
        out
    }
}

impl Stranger {
    /// The words that say the verb and the object of its name.
    fn names(&self, said: &Said) -> [Option<usize>; 2] {
        let says = |wanted: &str| {
            let exact = |mention: &&Mention| mention.cost == 0 && mention.to == mention.from + 1;
            said.mentions.iter().filter(exact).find_map(|mention| match mention.what {
                What::Act(id) | What::Thing(id) if id.name() == wanted => Some(mention.from),
                _ => None,
            })
        };
        [says(&self.named[0]), says(&self.named[1])]
    }
}

/// One executor, and nothing else.
fn alone(tool: &Tool, catalog: &Catalog) -> Shape {
    Shape::of(&[Step { tool: tool.name.as_str().to_owned(), args: Map::new(), dormant: None }], catalog)
}

/// Whether a word may lead to an executor: what joins, counts or denies says something of its own.
fn speaks(said: &Said, at: usize) -> bool {
    let own = |sense: Sense| {
        matches!(
            sense,
            Sense::Idle | Sense::Operator(_) | Sense::Quantity(_) | Sense::Relation(_) | Sense::Pronoun(_)
        )
    };
    let token = &said.lattice.tokens[at];
    matches!(token.lit, Lit::Word)
        && !said.lattice.at(at).iter().any(|edge| edge.end == at + 1 && edge.cost == 0 && own(edge.sense))
}

/// What a lexicon knows of a word: what is done, or to what.
fn meant(word: &str, lexicon: &Lexicon) -> Vec<String> {
    lexicon.meanings(word).iter().filter_map(|meaning| name(meaning.sense)).collect()
}

fn name(meant: Sense) -> Option<String> {
    match meant {
        Sense::Act(id) => sense(&What::Act(id)),
        Sense::Thing(id) => sense(&What::Thing(id)),
        _ => None,
    }
}

/// The letters that forms of one word share.
fn begins(word: &str) -> String {
    word.chars().take(SHORT - 1).collect()
}

/// Whether two words are forms of one: they differ in a short ending.
fn meet(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    let ending = (same / 2).min(ENDING);
    same == long || same >= SHORT && long - same <= ending && (same == short || same * 3 >= long * 2)
}

#[cfg(test)]
mod tests {
    use super::meet;

    #[test]
    fn forms_of_one_word_meet_and_other_words_do_not() {
        for (a, b) in
            [("grind", "grinds"), ("transcribing", "transcribe"), ("marea", "maree"), ("macina", "macinami")]
        {
            assert!(meet(a, b) && meet(b, a), "{a} {b}");
        }
        for (a, b) in [("car", "card"), ("contact", "contract"), ("front", "frontier"), ("planet", "planner")]
        {
            assert!(!meet(a, b) && !meet(b, a), "{a} {b}");
        }
    }
}
