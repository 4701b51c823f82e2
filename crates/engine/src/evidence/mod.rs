//! Reading by evidence: fitted weights say which shape a request has and which of its mentions fills which slot; types
//! read the values.

mod affinity;
mod again;
mod assign;
mod build;
mod cover;
mod decide;
mod doubt;
mod fetched;
mod flag;
mod gold;
mod marks;
mod model;
mod narrowed;
mod packed;
mod rank;
mod slot;
mod value;

pub use assign::{Features, Filled};
pub use build::{Built, Last};
pub use cover::{Spoken, Unheld, unheld, word};
pub use decide::{Decision, Readings, Words};
pub(crate) use decide::{Talk, answer, shipped};
pub use doubt::{Doubt, construction, heard_under};
pub use flag::flag;
pub use gold::{Given, given, is_given};
pub use marks::marks;
pub use model::{Model, hash};
pub use packed::{CHANGES, LOOKS, Packed, PackedError};
pub use rank::{START, TRAITS, Traits};
pub use slot::{Layout, Slot};

use crate::catalog::{Catalog, Role, Tool};
use crate::clock::Clock;
use crate::shape::Shape;
use affinity::{Affinity, Called};
use again::repeated;
use assign::Scene;
use build::Builder;
use metnos_language::{Lattice, Lexicon, Mention, Reading, Sense, features, mentions};
use rank::Weighed;
use serde_json::Value;
use std::borrow::Cow;

/// A request, as weights see it.
#[derive(Debug)]
pub struct Said {
    /// As written.
    pub text: String,
    /// The language it was read in.
    pub language: String,
    /// Its words with all their readings.
    pub lattice: Lattice,
    /// What was said, typed.
    pub mentions: Vec<Mention>,
    /// What speaks for one shape or another: of the whole request, then of each of its sentences.
    pub features: Vec<Vec<(u64, f32)>>,
    /// When it was said.
    pub now: jiff::civil::DateTime,
}

/// One reading of a request.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What is asked.
    pub shape: Shape,
    /// What fills its slots.
    pub filled: Vec<Filled>,
    /// What was made of it.
    pub built: Built,
    /// How much speaks for it.
    pub score: f32,
    /// What does.
    pub traits: Traits,
    /// How likely it is among the readings of its request.
    pub chance: f32,
    /// The words that the manifest of its executor knows: they say what is asked.
    pub called: Vec<usize>,
}

impl Candidate {
    /// A reading that nothing speaks for yet.
    pub fn new(shape: &Shape, filled: Vec<Filled>, built: Built) -> Self {
        let traits = [0.0; TRAITS.len()];
        Self { shape: shape.clone(), filled, built, score: 0.0, traits, chance: 0.0, called: Vec::new() }
    }
}

/// So many shapes are tried.
const TRIED: usize = 12;
/// Of so many also what differs in one thing.
const VARIED: usize = 4;

impl Said {
    /// Reads a request with the words of one language, after the request before it.
    pub fn new(
        text: &str,
        before: Option<&Last>,
        earlier: Option<&str>,
        lexicon: &Lexicon,
        clock: &Clock,
    ) -> Self {
        let now = clock.now().datetime();
        let read = |text: &str| {
            let lattice = Lattice::new(text, lexicon);
            let found = mentions(Reading { request: text, lattice: &lattice, lexicon, now });
            let features = features(&lattice, &found);
            (lattice, found, features)
        };
        let mut context: Vec<(String, f32)> = vec![(format!("after:{}", earlier.is_some()), 0.3)];
        if let Some(last) = before {
            context.push((format!("last:{}", last.object), 0.5));
            context.extend(last.steps.iter().map(|step| (format!("did:{}", step.tool), 0.4)));
        }
        if let Some(earlier) = earlier {
            context.extend(read(earlier).2.into_iter().map(|(name, x)| (format!("before {name}"), x * 0.5)));
        }
        let hashed = |own: Vec<(String, f32)>| -> Vec<(u64, f32)> {
            own.iter().chain(&context).map(|(name, x)| (hash(name), *x)).collect()
        };
        let (lattice, mentions, whole) = read(text);
        let mut features = vec![hashed(whole)];
        features.extend(sentences(text).into_iter().map(|part| hashed(read(part).2)));
        Self { text: text.to_owned(), language: lexicon.language.clone(), lattice, mentions, features, now }
    }

    /// Every pair of a mention and a slot of this shape, with their features: what slots are fitted from.
    pub fn pairs(&self, layout: &Layout<'_>, clock: &Clock) -> Vec<(Filled, Features)> {
        Scene::new(&self.lattice, &self.mentions).pairs(layout, clock)
    }

    /// Where the words begin that tie what stands at `at` to the rest: articles, and one word before them.
    fn before(&self, mut at: usize) -> usize {
        let small = |at: usize, wanted: &dyn Fn(Sense) -> bool| {
            let edges = || self.lattice.at(at).iter().filter(|edge| edge.end == at + 1 && edge.cost == 0);
            edges().any(|edge| wanted(edge.sense)) && !edges().any(|edge| matches!(edge.sense, Sense::Act(_)))
        };
        while at > 0 && small(at - 1, &|sense| sense == Sense::Idle) {
            at -= 1;
        }
        let tied = at > 0 && small(at - 1, &|sense| matches!(sense, Sense::Relation(_)));
        at - usize::from(tied)
    }

    /// The request without its words about time.
    fn rest(&self, filled: &[Filled]) -> String {
        let when = filled.iter().filter(|f| f.slot.role == Role::Schedule).map(|f| &self.mentions[f.mention]);
        let mut out = String::new();
        let mut at = 0;
        for mention in when {
            let from = self.before(mention.from);
            let start = self.lattice.tokens.get(from).map_or(at, |token| token.start);
            let end =
                mention.to.checked_sub(1).and_then(|i| self.lattice.tokens.get(i)).map_or(start, |t| t.end);
            if start >= at {
                out.push_str(&self.text[at..start]);
                at = end;
            }
        }
        out.push_str(&self.text[at..]);
        let joined = out.split_whitespace().collect::<Vec<_>>().join(" ");
        joined.trim_matches([' ', ',', '.', ';', ':', '?', '!']).replace(" ,", ",")
    }
}

/// The sentences of a text, where it has several.
fn sentences(text: &str) -> Vec<&str> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | '\n' | ':');
    let mut out = Vec::new();
    let (mut from, mut chars) = (0, text.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        if ends(c) && chars.peek().is_none_or(|(_, next)| next.is_whitespace()) {
            out.push(text[from..at + c.len_utf8()].trim());
            from = at + c.len_utf8();
        }
    }
    out.push(text[from..].trim());
    out.retain(|part| part.split_whitespace().count() > 1);
    if out.len() < 2 { Vec::new() } else { out }
}

/// Reads requests with fitted weights.
#[derive(Debug)]
pub struct Reader<'m> {
    model: &'m Packed,
    catalog: &'m Catalog,
    index: Cow<'m, Index>,
}

/// What speaks for what, over one catalog: made once.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// For each known shape the labels that speak for it, one a factor.
    factors: Vec<(Shape, Vec<Option<usize>>)>,
    /// The executors that no known shape mentions.
    affinity: Affinity,
}

impl Index {
    pub(crate) fn new(model: &Packed, catalog: &Catalog) -> Self {
        let index: std::collections::HashMap<&str, usize> =
            model.labels().iter().enumerate().map(|(n, label)| (label.as_str(), n)).collect();
        let of = |shape: &Shape| {
            let names = shape.factors(catalog);
            let labels = names.iter().map(|name| index.get(name.as_str()).copied()).collect();
            (shape.clone(), labels)
        };
        let factors = model.shapes().iter().map(of).collect();
        Self { factors, affinity: Affinity::new(model, catalog) }
    }
}

impl<'m> Reader<'m> {
    /// A reader over a catalog.
    pub fn new(model: &'m Packed, catalog: &'m Catalog) -> Self {
        Self { model, catalog, index: Cow::Owned(Index::new(model, catalog)) }
    }

    /// The same over an index that was made before.
    pub(crate) fn over(model: &'m Packed, catalog: &'m Catalog, index: &'m Index) -> Self {
        Self { model, catalog, index: Cow::Borrowed(index) }
    }

    /// The readings of a request, the likeliest first.
    pub fn read(&self, said: &Said, last: Option<&Last>, clock: &Clock) -> Vec<Candidate> {
        let scores: Vec<Vec<f32>> =
            said.features.iter().map(|features| self.model.scores(features)).collect();
        let mut ranked: Vec<(f32, Vec<f32>, &Shape)> =
            self.index.factors.iter().map(|(shape, labels)| self.rated(shape, labels, &scores)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(b.2)));
        ranked.truncate(TRIED);
        let scene = Scene::new(&said.lattice, &said.mentions);
        let decided = |tool: &Tool| self.decided(tool, &scores[0], said);
        let mut out: Vec<Candidate> = Vec::new();
        for (n, (_, factors, shape)) in ranked.iter().enumerate() {
            let readings = self.candidates(factors, shape, said, &scene, last, &decided, clock);
            out.extend(readings.into_iter().take(if n < VARIED { usize::MAX } else { 1 }));
        }
        for called in self.index.affinity.called(said) {
            out.extend(self.called(&called, said, last, &decided, clock));
        }
        out.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut kept: Vec<Candidate> = Vec::with_capacity(out.len());
        for candidate in out {
            let same = |known: &Candidate| {
                !known.built.steps.is_empty() && known.built.steps == candidate.built.steps
            };
            if !kept.iter().any(same) {
                kept.push(candidate);
            }
        }
        let best = kept.first().map_or(0.0, |candidate| candidate.score);
        let total: f32 = kept.iter().map(|candidate| ((candidate.score - best) * 0.8).exp()).sum();
        for candidate in &mut kept {
            candidate.chance = ((candidate.score - best) * 0.8).exp() / total;
        }
        kept
    }

    /// The readings with an executor that only its manifest speaks for. Words that lead to it are no values.
    fn called(
        &self,
        called: &Called<'_>,
        said: &Said,
        last: Option<&Last>,
        decided: &build::Flags<'_>,
        clock: &Clock,
    ) -> Vec<Candidate> {
        let mut mentions = said.mentions.clone();
        for mention in &mut mentions {
            if (mention.from..mention.to).any(|at| called.at.contains(&at)) {
                mention.cost = u8::MAX;
            }
        }
        let scene = Scene::new(&said.lattice, &mentions);
        let mut readings = self.candidates(&[], called.shape, said, &scene, last, decided, clock);
        for reading in &mut readings {
            reading.called.clone_from(&called.at);
            let cost = reading.traits[rank::Trait::Cost as usize];
            self.weigh(reading, &[], cost, said, last);
            reading.score += called.score;
        }
        readings
    }

    /// How much speaks for a shape, altogether and for each of its factors: in the whole request, or in the sentence that
    /// says most.
    fn rated<'s>(
        &self,
        shape: &'s Shape,
        labels: &[Option<usize>],
        scores: &[Vec<f32>],
    ) -> (f32, Vec<f32>, &'s Shape) {
        let rank = self.model.rank();
        let of = |scores: &Vec<f32>| -> (f32, Vec<f32>) {
            let factors: Vec<f32> =
                labels.iter().map(|label| label.map_or(0.0, |label| scores[label])).collect();
            (factors.iter().zip(rank).map(|(score, weight)| score * weight).sum(), factors)
        };
        let idle = matches!(shape, Shape::Say | Shape::Gap | Shape::Again);
        let parts = if idle { &scores[..1] } else { scores };
        let best = parts.iter().map(of).max_by(|a, b| a.0.total_cmp(&b.0));
        let (score, factors) = best.unwrap_or_default();
        (score, factors, shape)
    }

    /// The readings of a request with one shape, the best first.
    #[allow(clippy::too_many_arguments, reason = "one call")]
    fn candidates(
        &self,
        factors: &[f32],
        shape: &Shape,
        said: &Said,
        scene: &Scene<'_>,
        last: Option<&Last>,
        decided: &build::Flags<'_>,
        clock: &Clock,
    ) -> Vec<Candidate> {
        let weighed = |filled: Vec<Filled>, built: Built, cost: f32| {
            let mut candidate = Candidate::new(shape, filled, built);
            self.weigh(&mut candidate, factors, cost, said, last);
            candidate
        };
        if matches!(shape, Shape::Say | Shape::Gap) {
            return vec![weighed(Vec::new(), Built { steps: Vec::new(), ask: None }, 0.0)];
        }
        let again = matches!(shape, Shape::Again);
        let asked = match last {
            Some(last) if again => Shape::of(&last.steps, self.catalog),
            None if again => return Vec::new(),
            _ => shape.clone(),
        };
        let Some(layout) = Layout::new(&asked, self.catalog) else { return Vec::new() };
        let made = |(filled, cost): (Vec<Filled>, f32)| {
            let (filled, built) = self.made(shape, &layout, said, last, decided, filled)?;
            Some(weighed(filled, built, cost))
        };
        scene.assign(&layout, self.model, clock).into_iter().filter_map(made).collect()
    }

    /// What speaks for a reading, and how much.
    fn weigh(&self, reading: &mut Candidate, factors: &[f32], cost: f32, said: &Said, last: Option<&Last>) {
        let (catalog, weights) = (self.catalog, self.model);
        reading.traits = Weighed { said, candidate: reading, factors, cost, last, catalog, weights }.traits();
        reading.score = rank::weigh(&reading.traits, self.model.rank());
    }

    /// The steps of a shape with these values.
    fn made(
        &self,
        shape: &Shape,
        layout: &Layout<'_>,
        said: &Said,
        last: Option<&Last>,
        decided: &build::Flags<'_>,
        mut filled: Vec<Filled>,
    ) -> Option<(Vec<Filled>, Built)> {
        let built = match last {
            Some(last) if *shape == Shape::Again => {
                Built { steps: repeated(&last.steps, said, &mut filled, self.catalog)?, ask: None }
            }
            _ => {
                let rest = said.rest(&filled);
                let builder = Builder {
                    catalog: self.catalog,
                    layout,
                    filled: &filled,
                    flags: decided,
                    last,
                    rest: &rest,
                    steps: Vec::new(),
                    ask: None,
                    made: None,
                };
                builder.build()
            }
        };
        Some((filled, built))
    }

    /// The reading of one shape with the values that a plan has, and those that weights give.
    pub fn with_shape(
        &self,
        shape: &Shape,
        said: &Said,
        last: Option<&Last>,
        clock: &Clock,
        gold: &[Given],
    ) -> (Option<Candidate>, Vec<Candidate>) {
        let scores = self.model.scores(&said.features[0]);
        let decided = |tool: &Tool| self.decided(tool, &scores, said);
        let scene = Scene::new(&said.lattice, &said.mentions);
        let assigned = self.candidates(&[], shape, said, &scene, last, &decided, clock);
        let asked = match (shape, last) {
            (Shape::Again, Some(last)) => Shape::of(&last.steps, self.catalog),
            _ => shape.clone(),
        };
        let from_gold = Layout::new(&asked, self.catalog).and_then(|layout| {
            let mut pairs = scene.pairs(&layout, clock);
            pairs.retain(|(filled, _)| is_given(filled.slot, &filled.values, gold));
            let mut filled: Vec<Filled> = Vec::new();
            for (pair, _) in pairs {
                if !filled.iter().any(|known| known.slot == pair.slot && known.values == pair.values) {
                    filled.push(pair);
                }
            }
            self.made(shape, &layout, said, last, &decided, filled)
                .map(|(filled, built)| Candidate::new(shape, filled, built))
        });
        (from_gold, assigned)
    }

    /// What the conversation is about after this reading was carried out.
    pub fn after(&self, candidate: &Candidate, before: Option<Last>) -> Option<Last> {
        let steps = &candidate.built.steps;
        if steps.is_empty() || candidate.built.ask.is_some() {
            return before;
        }
        Some(Last::of(steps, self.catalog, before))
    }

    /// What words decide about an executor: of each argument the value that most speaks for, if anything does.
    fn decided(&self, tool: &Tool, scores: &[f32], said: &Said) -> Vec<(String, Value)> {
        let mut best: std::collections::BTreeMap<String, (f32, Value)> = std::collections::BTreeMap::new();
        for (label, score) in self.model.labels().iter().zip(scores).filter(|(_, score)| **score > 0.0) {
            if let Some((arg, value)) = flag::decided(label, tool) {
                let known = best.get(&arg).map_or(f32::MIN, |(known, _)| *known);
                if *score > known {
                    best.insert(arg, (*score, value));
                }
            }
        }
        let mut all: Vec<(String, Value)> = best.into_iter().map(|(arg, (_, value))| (arg, value)).collect();
        all.extend(flag::stated(tool, &said.mentions));
        all
    }
}
