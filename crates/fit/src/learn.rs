//! Weights from rows.

use crate::rows::Row;
use crate::svm;
use metnos_engine::evidence::{
    Built, CHANGES, Candidate, Features, Filled, LOOKS, Last, Layout, Model, Packed, Reader, Said, Spoken,
    construction, factors, flag, given, heard_under, is_given, quality, unheld, word,
};
use metnos_engine::shape::Shape;
use metnos_engine::{Catalog, Clock, Step};
use metnos_language::{Lattice, Lexicons, Lit};
use metnos_vocab::Class;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What rows are read with.
pub(crate) struct Teacher<'c> {
    pub(crate) catalog: &'c Catalog,
    pub(crate) lexicons: Arc<Lexicons>,
    now: jiff::Zoned,
}

/// So many requests make a word one that people use for an executor.
const SPOKEN: usize = 2;

/// And so many one that says nothing in a request that changes something.
const AROUND_CHANGES: usize = 3;

/// Every word that may say what is asked does.
struct Asked;

impl Spoken for Asked {
    fn asks(&self, _: &str) -> bool {
        true
    }

    fn idles(&self, _: &str) -> bool {
        false
    }

    fn changes(&self) -> bool {
        true
    }
}

/// The features of a request, by number.
type Input<'i> = &'i [(u32, f32)];

/// A row, read.
pub(crate) struct Example {
    /// Whether it stands as it was written.
    original: bool,
    said: Said,
    shape: Shape,
    steps: Vec<Step>,
    flags: Vec<String>,
    /// The features of each mention that could fill a slot, and whether it does.
    slots: Vec<(Features, bool)>,
    /// Those that do.
    filled: Vec<Filled>,
}

/// Rows that were read.
pub(crate) struct Library<'r> {
    alone: Vec<(&'r Row, Vec<Example>)>,
    /// Rows that follow others: what they are about depends on the weights.
    following: Vec<&'r Row>,
}

/// Does both halves of a list at once, and joins what comes of them in order.
pub(crate) fn split<'i, T: Sync, O: Send>(all: &'i [T], work: impl Fn(&'i [T]) -> Vec<O> + Sync) -> Vec<O> {
    let (first, second) = all.split_at(all.len() / 2);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| work(first));
        let second = work(second);
        let mut all = first.join().unwrap_or_default();
        all.extend(second);
        all
    })
}

impl<'c> Teacher<'c> {
    pub(crate) fn new(catalog: &'c Catalog) -> Result<Self, String> {
        let lexicons = Lexicons::shipped().map_err(|e| e.to_string())?;
        let now =
            "2026-11-15T10:00:00+01:00[Europe/Rome]".parse::<jiff::Zoned>().map_err(|e| e.to_string())?;
        Ok(Self { catalog, lexicons, now })
    }

    /// The moment at which all rows are said.
    pub(crate) fn clock(&self) -> Clock {
        Clock::at(self.now.clone())
    }

    /// What rows that stand alone say, read once for every fit.
    pub(crate) fn library<'r>(&self, rows: &'r [Row]) -> Library<'r> {
        let read = |rows: &'r [Row]| -> Vec<(&'r Row, Vec<Example>)> {
            let alone = |row: &&Row| row.context.is_empty();
            rows.iter().filter(alone).map(|row| (row, self.examples(row, None))).collect()
        };
        let alone = split(rows, read);
        Library { alone, following: rows.iter().filter(|row| !row.context.is_empty()).collect() }
    }

    /// Weights from the rows that `of` takes: once without what earlier requests were about, to read those with, and
    /// once with it.
    pub(crate) fn fit(&self, library: &Library<'_>, of: impl Fn(&Row) -> bool) -> Result<Packed, String> {
        let alone: Vec<&Example> =
            library.alone.iter().filter(|(row, _)| of(row)).flat_map(|(_, examples)| examples).collect();
        let first = Packed::new(&self.fit_to(&alone)).map_err(|e| e.to_string())?;
        let reader = Reader::new(&first, self.catalog);
        let rows: Vec<&Row> = library.following.iter().copied().filter(|row| of(row)).collect();
        let following = split(&rows, |rows: &[&Row]| {
            rows.iter().flat_map(|row| self.examples(row, Some(&reader))).collect()
        });
        let all: Vec<&Example> = alone.into_iter().chain(&following).collect();
        Packed::new(&self.fit_to(&all)).map_err(|e| e.to_string())
    }

    fn fit_to(&self, examples: &[&Example]) -> Model {
        let mut model = self.labels(examples);
        slots(examples, &mut model);
        self.spoken(examples, &mut model);
        model.shapes = examples.iter().map(|example| example.shape.clone()).collect();
        model.shapes.sort();
        model.shapes.dedup();
        model.factors = factors(&model.shapes, &model.labels, self.catalog);
        model
    }

    /// A row as it was written, and with a typing error.
    fn examples(&self, row: &Row, reader: Option<&Reader<'_>>) -> Vec<Example> {
        let mut examples: Vec<Example> = self.example(row, reader).into_iter().collect();
        if let Some(row) = self.misspelled(row) {
            let example = self.example(&row, reader);
            examples.extend(example.map(|example| Example { original: false, ..example }));
        }
        examples
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
        let gold = given(&steps, self.catalog);
        let pairs = Layout::new(&shape, self.catalog).map(|layout| said.pairs(&layout, &self.clock()));
        let pairs = pairs.into_iter().flatten();
        let (mut slots, mut filled) = (Vec::new(), Vec::new());
        for (pair, features) in pairs {
            let wanted = is_given(pair.slot, &pair.values, &gold);
            slots.push((features, wanted));
            if wanted {
                filled.push(pair);
            }
        }
        Some(Example { original: true, said, shape, steps, flags, slots, filled })
    }

    pub(crate) fn said(&self, row: &Row, last: Option<&Last>) -> Option<Said> {
        let lexicon = self.lexicons.get(&row.lang)?;
        Some(Said::new(&row.query, last, row.context.last().map(String::as_str), lexicon, &self.clock()))
    }

    /// What the requests before a row were about, as this reader reads them.
    pub(crate) fn last(&self, row: &Row, reader: &Reader<'_>) -> Option<Last> {
        let lexicon = self.lexicons.get(&row.lang)?;
        let mut last: Option<Last> = None;
        let mut before: Option<&str> = None;
        for text in &row.context {
            let said = Said::new(text, last.as_ref(), before, lexicon, &self.clock());
            if let Some(best) = reader.read(&said, last.as_ref(), &self.clock()).into_iter().next() {
                last = reader.after(&best, last);
            }
            before = Some(text);
        }
        last
    }

    /// One separator for each label: what shapes share, and what words decide.
    fn labels(&self, examples: &[&Example]) -> Model {
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
        let classes: Vec<(String, Vec<bool>)> = classes.into_iter().collect();
        let learn = |(label, of): &(String, Vec<bool>)| {
            // What words decide about an executor is learned where it is used.
            let tool = label.strip_prefix("flag:").and_then(|rest| rest.split('.').next());
            let fits = |example: &&Example| {
                tool.is_none_or(|tool| example.steps.iter().any(|step| step.tool == tool))
            };
            let (some, wanted): (Vec<Input<'_>>, Vec<bool>) = inputs
                .iter()
                .zip(of)
                .zip(examples)
                .filter(|(_, example)| fits(example))
                .map(|((input, of), _)| (input.as_slice(), *of))
                .unzip();
            svm::fit(&some, &wanted, names.len(), 1.0)
        };
        let all = split(&classes, |classes| classes.iter().map(learn).collect::<Vec<_>>());
        let mut model = Model::default();
        for ((label, _), weights) in classes.into_iter().zip(all) {
            let n = model.labels.len() as u32;
            model.labels.push(label);
            model.bias.push(weights[names.len()] as f32);
            for (feature, weight) in names.iter().zip(&weights).filter(|(_, weight)| weight.abs() > 1e-4) {
                model.weights.entry(*feature).or_default().push((n, *weight as f32));
            }
        }
        model
    }

    /// Which words people use for what is done, and around it, where more than one request did.
    fn spoken(&self, examples: &[&Example], model: &mut Model) {
        let mut counts: BTreeMap<(&str, String), BTreeSet<&str>> = BTreeMap::new();
        let mut heard: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
        let mut qualities: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
        for example in examples.iter().filter(|example| example.original) {
            let changer = |tool: &&str| self.catalog.get(tool).is_some_and(|t| t.class == Class::Changer);
            let tools: Vec<&str> =
                example.steps.iter().map(|step| step.tool.as_str()).filter(changer).collect();
            let said = &example.said;
            for word in said.mentions.iter().filter(|m| m.cost == 0).filter_map(word) {
                for tool in example.steps.iter().map(|step| &step.tool) {
                    counts.entry((tool, word.clone())).or_default().insert(&said.text);
                }
            }
            // Which qualities are said of what is asked: "empty" of folders that go, "duplicate" of files that are compared.
            let shape = example.shape.to_string();
            for quality in said.mentions.iter().filter(|m| m.cost == 0).filter_map(quality) {
                qualities.entry((shape.clone(), quality)).or_default().insert(&said.text);
            }
            for filled in &example.filled {
                let said = construction(filled.slot, &said.mentions[filled.mention]);
                for tool in example.steps.iter().map(|step| &step.tool).filter(|_| !tools.is_empty()) {
                    heard.entry((heard_under(tool), said.clone())).or_default().insert(&example.said.text);
                }
            }
            let built = Built { steps: example.steps.clone(), ask: None };
            let candidate = Candidate::new(example.shape.clone(), example.filled.clone(), built);
            if matches!(example.shape, Shape::Say | Shape::Gap) {
                continue;
            }
            let of = if tools.is_empty() { LOOKS } else { CHANGES };
            // A word with a sense of its own says something, and remarks are skipped anyway.
            let plain = format!("{} ", said.language);
            let idle = unheld(said, &candidate, &Asked).into_iter();
            let idle: Vec<_> = idle.collect();
            for word in idle.iter().filter(|word| word.key.starts_with(&plain) && !word.beside) {
                for tool in &tools {
                    heard.entry(((*tool).to_owned(), word.key.clone())).or_default().insert(&said.text);
                }
            }
            for word in idle
                .into_iter()
                .filter(|word| word.key.starts_with(&plain) && !(word.beside && of == CHANGES))
            {
                counts.entry((of, word.key)).or_default().insert(&said.text);
            }
        }
        for ((of, said), requests) in heard.into_iter().chain(qualities) {
            let words = model.spoken.entry(of).or_default();
            if requests.len() >= SPOKEN && !words.contains(&said) {
                words.push(said);
            }
        }
        for ((of, word), requests) in counts {
            let enough = if of == CHANGES { AROUND_CHANGES } else { SPOKEN };
            if requests.len() >= enough {
                model.spoken.entry(of.to_owned()).or_default().push(word);
            }
        }
        model.spoken.values_mut().for_each(|words| words.sort());
    }
}

/// Which mention fills which slot.
fn slots(examples: &[&Example], model: &mut Model) {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut names: Vec<u64> = Vec::new();
    let mut inputs: Vec<Vec<(u32, f32)>> = Vec::new();
    let mut wanted = Vec::new();
    for (features, is_wanted) in examples.iter().flat_map(|example| &example.slots) {
        let numbered = features.iter().map(|(feature, strength)| {
            let at = *numbers.entry(*feature).or_insert_with(|| {
                names.push(*feature);
                names.len() as u32 - 1
            });
            (at, *strength)
        });
        inputs.push(numbered.collect());
        wanted.push(*is_wanted);
    }
    let some: Vec<&[(u32, f32)]> = inputs.iter().map(Vec::as_slice).collect();
    let weights = svm::fit(&some, &wanted, names.len(), 1.0);
    model.slots = names
        .iter()
        .zip(&weights)
        .filter(|(_, weight)| weight.abs() > 1e-4)
        .map(|(name, weight)| (*name, *weight as f32))
        .collect();
    model.slot_bias = weights[names.len()] as f32;
}
