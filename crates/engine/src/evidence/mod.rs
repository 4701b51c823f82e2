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
mod noted;
mod packed;
mod rank;
mod slot;
mod target;
mod value;

pub use assign::{Features, Filled};
pub use build::{Built, Last};
pub use cover::{Spoken, Unheld, unheld, word};
pub use decide::{Around, Decision, Readings, Words};
pub(crate) use decide::{Talk, answer, shipped};
pub use doubt::{Doubt, construction, heard_under, quality};
pub use flag::flag;
pub use gold::{Given, given, is_given};
pub use model::{Model, hash};
pub use packed::{CHANGES, LOOKS, Packed, PackedError};
pub use rank::{START, TRAITS, Traits, exp};
pub use slot::{Layout, Slot};

use crate::catalog::{Catalog, Role, Tool};
use crate::clock::Clock;
use crate::shape::Shape;
use affinity::{Affinity, Called};
use again::repeated;
use assign::Scene;
use build::Builder;
use metnos_language::{Lattice, Lexicon, Mention, Sense, features, mentions};
use rank::Weighed;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

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
    /// How likely it is what is meant, of all readings of the request and none of them.
    pub chance: f32,
    /// What speaks for it.
    pub traits: Traits,
    /// What is particular about it, as numbers.
    pub marks: Vec<u32>,
    /// The words that the manifest of its executor knows: they say what is asked.
    pub called: Vec<usize>,
}

impl Candidate {
    /// A reading before anything is known for or against it.
    pub fn new(shape: Shape, filled: Vec<Filled>, built: Built) -> Self {
        Self {
            shape,
            filled,
            built,
            score: 0.0,
            chance: 0.0,
            traits: [0.0; TRAITS.len()],
            marks: Vec::new(),
            called: Vec::new(),
        }
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
            let found = mentions(metnos_language::Reading { request: text, lattice: &lattice, lexicon, now });
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
        Scene::new(&self.lattice, &self.mentions, clock).pairs(layout)
    }

    /// Where the words begin that tie what stands at `at` to the rest: articles, and one word before them.
    fn before(&self, from: usize) -> usize {
        let mut at = from;
        let small = |at: usize, wanted: &dyn Fn(Sense) -> bool| {
            let edges = || self.lattice.at(at).iter().filter(|edge| edge.end == at + 1 && edge.cost == 0);
            edges().any(|edge| wanted(edge.sense)) && !edges().any(|edge| matches!(edge.sense, Sense::Act(_)))
        };
        let ties = |sense: Sense| matches!(sense, Sense::Relation(_));
        // "take it out in 40 minutes": of two words that tie, the second one does.
        if small(from, &ties) {
            return from;
        }
        while at > 0 && small(at - 1, &|sense| sense == Sense::Idle) {
            at -= 1;
        }
        let tied = at > 0 && small(at - 1, &ties);
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
    /// For each known shape the labels that speak for it, one a factor; none where the weights have them.
    factors: Vec<Vec<Option<u16>>>,
    /// The labels that decide arguments.
    flags: Vec<usize>,
    /// The executors that no known shape mentions.
    affinity: Affinity,
}

impl Index {
    pub(crate) fn new(model: &Packed, catalog: &Catalog) -> Self {
        let (shapes, labels) = (model.shapes(), model.labels());
        let known = model.factors().len() == shapes.len();
        let factors = if known { Vec::new() } else { factors(shapes, labels, catalog) };
        let flags = labels.iter().enumerate().filter(|(_, label)| label.starts_with("flag:")).map(|(n, _)| n);
        Self { factors, flags: flags.collect(), affinity: Affinity::new(model, catalog) }
    }
}

/// For each shape the labels that speak for it, one a factor.
pub fn factors(shapes: &[Shape], labels: &[String], catalog: &Catalog) -> Vec<Vec<Option<u16>>> {
    let numbered =
        labels.iter().enumerate().filter_map(|(n, label)| Some((label.as_str(), n.try_into().ok()?)));
    let index: HashMap<&str, u16> = numbered.collect();
    let of =
        |shape: &Shape| shape.factors(catalog).iter().map(|name| index.get(name.as_str()).copied()).collect();
    shapes.iter().map(of).collect()
}

/// What is known while one request is read.
struct Reading<'r> {
    said: &'r Said,
    scene: Scene<'r>,
    last: Option<&'r Last>,
    /// What words decide about an executor.
    decided: &'r build::Flags<'r>,
    /// The request, where nothing in it says when.
    rest: String,
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

    /// For each known shape the labels that speak for it.
    fn factors(&self) -> &[Vec<Option<u16>>] {
        if self.index.factors.is_empty() { self.model.factors() } else { &self.index.factors }
    }

    /// The readings of a request, the likeliest first; those that do the same are one.
    pub fn read(&self, said: &Said, last: Option<&Last>, clock: &Clock) -> Vec<Candidate> {
        rank::merged(self.all(said, last, clock), self.model.nothing())
    }

    /// All readings of a request.
    pub fn all(&self, said: &Said, last: Option<&Last>, clock: &Clock) -> Vec<Candidate> {
        let scores: Vec<Vec<f32>> =
            said.features.iter().map(|features| self.model.scores(features)).collect();
        let known = RefCell::new(HashMap::new());
        let decided = |tool: &Tool| self.decided_once(tool, scores.first(), said, &known);
        let reading = Reading {
            said,
            scene: Scene::new(&said.lattice, &said.mentions, clock),
            last,
            decided: &decided,
            rest: said.rest(&[]),
        };
        let mut out: Vec<Candidate> = Vec::new();
        for (n, (factors, shape)) in self.likeliest(&scores).into_iter().enumerate() {
            out.extend(self.candidates(&factors, shape, &reading, n < VARIED));
        }
        for called in self.index.affinity.called(said) {
            out.extend(self.called(&called, &reading, clock));
        }
        out
    }

    /// The readings with an executor that only its manifest speaks for. Words that lead to it are no values.
    fn called(&self, called: &Called<'_>, reading: &Reading<'_>, clock: &Clock) -> Vec<Candidate> {
        let mut mentions = reading.said.mentions.clone();
        for mention in &mut mentions {
            if (mention.from..mention.to).any(|at| called.at.contains(&at)) {
                mention.cost = u8::MAX;
            }
        }
        let Reading { said, last, decided, .. } = *reading;
        let scene = Scene::new(&said.lattice, &mentions, clock);
        let reading = Reading { said, scene, last, decided, rest: reading.rest.clone() };
        let mut readings = self.candidates(&[], called.shape, &reading, true);
        for candidate in &mut readings {
            candidate.called.clone_from(&called.at);
            let cost = candidate.traits[rank::Trait::Cost as usize];
            self.weigh(candidate, &[], cost, &reading);
            candidate.score += called.score;
        }
        readings
    }

    /// The shapes for which most speaks, with what does, one number a factor: what is in the whole request, or in the
    /// sentence that says most.
    fn likeliest(&self, scores: &[Vec<f32>]) -> Vec<(Vec<f32>, &Shape)> {
        let sum = |labels: &[Option<u16>], scores: &Vec<f32>| -> f32 {
            labels.iter().flatten().map(|label| scores[usize::from(*label)]).sum()
        };
        let best = |(n, (labels, shape)): (usize, (&Vec<Option<u16>>, &Shape))| {
            let idle = matches!(shape, Shape::Say | Shape::Gap | Shape::Again);
            let parts = scores.iter().take(if idle { 1 } else { usize::MAX }).enumerate();
            let sums = parts.map(|(part, scores)| (sum(labels, scores), part));
            let (score, part) = sums.max_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((score, n, part))
        };
        let shapes = self.model.shapes();
        let mut ranked: Vec<(f32, usize, usize)> =
            self.factors().iter().zip(shapes).enumerate().filter_map(best).collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        ranked.truncate(TRIED);
        let of = |(_, n, part): (f32, usize, usize)| {
            let score = |label: &Option<u16>| label.map_or(0.0, |label| scores[part][usize::from(label)]);
            (self.factors()[n].iter().map(score).collect(), &shapes[n])
        };
        ranked.into_iter().map(of).collect()
    }

    /// The readings of a request with one shape, the best first; where `varied`, with other values too.
    fn candidates(
        &self,
        factors: &[f32],
        shape: &Shape,
        reading: &Reading<'_>,
        varied: bool,
    ) -> Vec<Candidate> {
        let last = reading.last;
        let weighed = |filled: Vec<Filled>, built: Built, cost: f32| {
            let mut candidate = Candidate::new(shape.clone(), filled, built);
            self.weigh(&mut candidate, factors, cost, reading);
            candidate
        };
        if matches!(shape, Shape::Say | Shape::Gap) {
            return vec![weighed(Vec::new(), Built { steps: Vec::new(), ask: None }, 0.0)];
        }
        let again = matches!(shape, Shape::Again);
        let asked = match last {
            Some(last) if again => Shape::of(&last.steps, self.catalog),
            None if again => return Vec::new(),
            Some(last) if shape.is_back() => match target::of_things(shape, last, self.catalog) {
                Some(shape) => shape,
                None => return Vec::new(),
            },
            _ => shape.clone(),
        };
        let shape = if again { shape } else { &asked };
        let Some(layout) = Layout::new(&asked, self.catalog) else { return Vec::new() };
        let mut out: Vec<Candidate> = Vec::new();
        for (filled, cost) in reading.scene.assign(&layout, self.model, varied) {
            let Some((filled, built)) = self.made(shape, &layout, reading, filled) else { continue };
            if !out.iter().any(|known| known.built.steps == built.steps) {
                out.push(weighed(filled, built, cost));
            }
        }
        out
    }

    /// What speaks for a reading, and how much.
    fn weigh(&self, candidate: &mut Candidate, factors: &[f32], cost: f32, reading: &Reading<'_>) {
        let Reading { said, scene, last, .. } = reading;
        let (catalog, weights) = (self.catalog, self.model);
        let weighed = Weighed { said, scene, candidate, factors, cost, last: *last, catalog, weights };
        (candidate.traits, candidate.marks) = weighed.weighed();
        candidate.score =
            rank::weigh(&candidate.traits, self.model.rank()) + self.model.marked(&candidate.marks);
    }

    /// The steps of a shape with these values.
    fn made(
        &self,
        shape: &Shape,
        layout: &Layout<'_>,
        reading: &Reading<'_>,
        mut filled: Vec<Filled>,
    ) -> Option<(Vec<Filled>, Built)> {
        if let Some(last) = reading.last.filter(|_| *shape == Shape::Again) {
            let steps = repeated(&last.steps, reading.said, &mut filled, self.catalog)?;
            return Some((filled, Built { steps, ask: None }));
        }
        let timed = filled.iter().any(|filled| filled.slot.role == Role::Schedule);
        let rest = if timed { &reading.said.rest(&filled) } else { &reading.rest };
        let builder = Builder {
            catalog: self.catalog,
            layout,
            filled: &filled,
            flags: reading.decided,
            last: reading.last,
            rest,
            steps: Vec::new(),
            ask: None,
            made: None,
        };
        let built = builder.build();
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
        let scene = Scene::new(&said.lattice, &said.mentions, clock);
        let reading = Reading { said, scene, last, decided: &decided, rest: said.rest(&[]) };
        let assigned = self.candidates(&[], shape, &reading, true);
        let asked = match (shape, last) {
            (Shape::Again, Some(last)) => Shape::of(&last.steps, self.catalog),
            _ => shape.clone(),
        };
        let from_gold = Layout::new(&asked, self.catalog).and_then(|layout| {
            let mut pairs = reading.scene.pairs(&layout);
            pairs.retain(|(filled, _)| is_given(filled.slot, &filled.values, gold));
            let mut filled: Vec<Filled> = Vec::new();
            for (pair, _) in pairs {
                if !filled.iter().any(|known| known.slot == pair.slot && known.values == pair.values) {
                    filled.push(pair);
                }
            }
            let (filled, built) = self.made(shape, &layout, &reading, filled)?;
            Some(Candidate::new(shape.clone(), filled, built))
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
        let labels = self.model.labels();
        for (label, score) in self.index.flags.iter().map(|n| (&labels[*n], scores[*n])) {
            if score > 0.0
                && let Some((arg, value)) = flag::decided(label, tool)
            {
                let known = best.get(&arg).map_or(f32::MIN, |(known, _)| *known);
                if score > known {
                    best.insert(arg, (score, value));
                }
            }
        }
        let mut all: Vec<(String, Value)> = best.into_iter().map(|(arg, (_, value))| (arg, value)).collect();
        all.extend(flag::stated(tool, &said.mentions));
        all
    }

    /// The same, looked up once for each executor.
    fn decided_once(
        &self,
        tool: &Tool,
        scores: Option<&Vec<f32>>,
        said: &Said,
        known: &RefCell<HashMap<String, Vec<(String, Value)>>>,
    ) -> Vec<(String, Value)> {
        let name = tool.name.as_str();
        if let Some(known) = known.borrow().get(name) {
            return known.clone();
        }
        let decided = scores.map_or_else(Vec::new, |scores| self.decided(tool, scores, said));
        known.borrow_mut().insert(name.to_owned(), decided.clone());
        decided
    }
}
