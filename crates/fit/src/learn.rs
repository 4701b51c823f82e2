//! Weights from rows.

use crate::rows::Row;
use crate::svm;
use metnos_engine::evidence::{Last, Layout, Model, Reader, Said, flag, given, is_given};
use metnos_engine::shape::Shape;
use metnos_engine::{Catalog, Clock, Step};
use metnos_language::{Lattice, Lexicons, Lit};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What rows are read with.
pub(crate) struct Teacher<'c> {
    pub(crate) catalog: &'c Catalog,
    pub(crate) lexicons: Arc<Lexicons>,
    pub(crate) clock: Clock,
}

/// A row, read.
struct Example {
    said: Said,
    shape: Shape,
    steps: Vec<Step>,
    flags: Vec<String>,
}

impl<'c> Teacher<'c> {
    pub(crate) fn new(catalog: &'c Catalog) -> Result<Self, String> {
        let lexicons = Lexicons::shipped().map_err(|e| e.to_string())?;
        let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").map_err(|e| e.to_string())?;
        Ok(Self { catalog, lexicons, clock })
    }

    /// Weights from these rows: once without what earlier requests were about, to read those with, and once with it.
    pub(crate) fn fit(&self, rows: &[&Row]) -> Model {
        let alone: Vec<&Row> = rows.iter().copied().filter(|row| row.context.is_empty()).collect();
        let first = self.fit_to(&alone, None);
        self.fit_to(rows, Some(&first))
    }

    fn fit_to(&self, rows: &[&Row], earlier: Option<&Model>) -> Model {
        let reader = earlier.map(|model| Reader::new(model, self.catalog));
        let mut examples = Vec::with_capacity(rows.len() * 2);
        for row in rows {
            examples.extend(self.example(row, reader.as_ref()));
            if let Some(row) = self.misspelled(row) {
                examples.extend(self.example(&row, reader.as_ref()));
            }
        }
        let mut model = self.labels(&examples);
        self.slots(&examples, &mut model);
        let mut shapes: Vec<Shape> = examples.into_iter().map(|example| example.shape).collect();
        shapes.sort();
        shapes.dedup();
        model.shapes = shapes;
        model
    }

    /// The row with one typing error, in a word that a lexicon knows.
    fn misspelled(&self, row: &Row) -> Option<Row> {
        let lexicon = self.lexicons.get(&row.lang)?;
        let lattice = Lattice::new(&row.query, lexicon);
        let known = |at: &usize| {
            let token = &lattice.tokens[*at];
            let long = token.text.is_ascii() && token.text.len() > 3;
            long && matches!(token.lit, Lit::Word) && !lattice.is_name(*at) && !lattice.at(*at).is_empty()
        };
        let words: Vec<usize> = (0..lattice.tokens.len()).filter(known).collect();
        let seed = row
            .id
            .bytes()
            .chain(row.query.bytes())
            .fold(7u32, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        let token = &lattice.tokens[*words.get(seed as usize % words.len().max(1))?];
        let mut letters: Vec<u8> = token.text.bytes().collect();
        let at = 1 + (seed / 7) as usize % (letters.len() - 2);
        match seed / 97 % 4 {
            0 => letters.swap(at, at + 1),
            1 => drop(letters.remove(at)),
            2 => letters.insert(at, letters[at]),
            _ => letters[at] = b"etaoinshr"[(seed / 13) as usize % 9],
        }
        let word = String::from_utf8(letters).ok()?;
        let query = format!("{}{word}{}", &row.query[..token.start], &row.query[token.end..]);
        Some(Row { query, ..row.clone() })
    }

    fn example(&self, row: &Row, reader: Option<&Reader<'_>>) -> Option<Example> {
        let steps = row.steps();
        let last = reader.and_then(|reader| self.last(row, reader));
        let said = self.said(row, last.as_ref())?;
        let acts =
            said.mentions.iter().any(|m| matches!(m.what, metnos_language::What::Act(_)) && m.cost == 0);
        let shape = row.shape(self.catalog, acts)?;
        let mut flags = Vec::new();
        for step in &steps {
            let Some(tool) = self.catalog.get(&step.tool) else { continue };
            for arg in &tool.args {
                let Some(value) = step.args.get(&arg.name) else { continue };
                flags.extend(flag(tool, arg, value));
                for inner in &arg.inside {
                    flags.extend(value[0].get(&inner.name).and_then(|value| flag(tool, inner, value)));
                }
            }
        }
        Some(Example { said, shape, steps, flags })
    }

    pub(crate) fn said(&self, row: &Row, last: Option<&Last>) -> Option<Said> {
        let lexicon = self.lexicons.get(&row.lang)?;
        Some(Said::new(&row.query, last, row.context.last().map(String::as_str), lexicon, &self.clock))
    }

    /// What the requests before a row were about, as this reader reads them.
    pub(crate) fn last(&self, row: &Row, reader: &Reader<'_>) -> Option<Last> {
        let lexicon = self.lexicons.get(&row.lang)?;
        let mut last: Option<Last> = None;
        let mut before: Option<&str> = None;
        for text in &row.context {
            let said = Said::new(text, last.as_ref(), before, lexicon, &self.clock);
            if let Some(best) = reader.read(&said, last.as_ref(), &self.clock).into_iter().next() {
                last = reader.after(&best, last);
            }
            before = Some(text);
        }
        last
    }

    /// One separator for each label: what shapes share, and what words decide.
    fn labels(&self, examples: &[Example]) -> Model {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut names: Vec<u64> = Vec::new();
        let inputs: Vec<Vec<(u32, f32)>> = examples
            .iter()
            .map(|example| {
                let number = |(feature, x): &(u64, f32)| {
                    let at = *numbers.entry(*feature).or_insert_with(|| {
                        names.push(*feature);
                        names.len() as u32 - 1
                    });
                    (at, *x)
                };
                example.said.features[0].iter().map(number).collect()
            })
            .collect();
        let mut classes: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        for (i, example) in examples.iter().enumerate() {
            for label in example.shape.factors(self.catalog).into_iter().chain(example.flags.clone()) {
                classes.entry(label).or_insert_with(|| vec![false; examples.len()])[i] = true;
            }
        }
        let mut model = Model::default();
        for (label, of) in classes {
            // What words decide about an executor is learned where it is used.
            let tool = label.strip_prefix("flag:").and_then(|rest| rest.split('.').next());
            let fits = |example: &Example| {
                tool.is_none_or(|tool| example.steps.iter().any(|step| step.tool == tool))
            };
            let (some, wanted): (Vec<&[(u32, f32)]>, Vec<bool>) = inputs
                .iter()
                .zip(&of)
                .zip(examples)
                .filter(|(_, example)| fits(example))
                .map(|((input, of), _)| (input.as_slice(), *of))
                .unzip();
            let weights = svm::fit(&some, &wanted, names.len(), 1.0);
            let n = model.labels.len() as u32;
            model.labels.push(label);
            model.bias.push(weights[names.len()] as f32);
            for (feature, weight) in names.iter().zip(&weights).filter(|(_, weight)| weight.abs() > 1e-4) {
                model.weights.entry(*feature).or_default().push((n, *weight as f32));
            }
        }
        model
    }

    /// Which mention fills which slot.
    fn slots(&self, examples: &[Example], model: &mut Model) {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut names: Vec<u64> = Vec::new();
        let mut inputs: Vec<Vec<(u32, f32)>> = Vec::new();
        let mut wanted = Vec::new();
        for example in examples {
            let Some(layout) = Layout::new(&example.shape, self.catalog) else { continue };
            let gold = given(&example.steps, self.catalog);
            for (filled, features) in example.said.pairs(&layout, &self.clock) {
                let numbered = features.into_iter().map(|feature| {
                    let at = *numbers.entry(feature).or_insert_with(|| {
                        names.push(feature);
                        names.len() as u32 - 1
                    });
                    (at, 0.3)
                });
                inputs.push(numbered.collect());
                wanted.push(is_given(filled.slot, &filled.values, &gold));
            }
        }
        let some: Vec<&[(u32, f32)]> = inputs.iter().map(Vec::as_slice).collect();
        let weights = svm::fit(&some, &wanted, names.len(), 1.0);
        model.slots = names
            .iter()
            .zip(&weights)
            .filter(|(_, weight)| weight.abs() > 1e-4)
            .map(|(name, weight)| (*name, *weight as f32 * 0.3))
            .collect();
        model.slot_bias = weights[names.len()] as f32;
    }
}
