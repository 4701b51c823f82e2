//! What a request shows of what is asked: words, senses, kinds of values and their order. Values themselves are masked
//! by their type, so that nothing is learned from a name.

use crate::lattice::Lattice;
use crate::mention::{Mention, What};
use crate::sense::Sense;
use crate::token::Lit;

/// A feature by name, and how strongly it shows.
pub type Feature = (String, f32);

/// Weights of the families of features.
const WORD: f32 = 1.0;
const PAIR: f32 = 0.7;
const APART: f32 = 0.5;
const LETTERS: f32 = 0.35;
/// How long the runs of letters of an unknown word are.
const RUNS: std::ops::RangeInclusive<usize> = 3..=5;

/// The features of a request, of length one together.
pub fn features(lattice: &Lattice, mentions: &[Mention]) -> Vec<Feature> {
    let masks = masks(lattice, mentions);
    let mut found = Features::default();
    // For each place its tags: the word or the type first, then senses.
    let mut line: Vec<Vec<String>> = vec![vec!["<".to_owned()]];
    let mut at = 0;
    while at < lattice.tokens.len() {
        if let Some((to, tag)) = &masks[at] {
            line.push(vec![tag.clone()]);
            at = *to;
            continue;
        }
        line.push(found.word(lattice, at));
        at += 1;
    }
    line.push(vec![">".to_owned()]);
    for tags in &line {
        tags.iter().for_each(|tag| found.add(tag.clone(), WORD));
    }
    let (first, last) =
        (|tags: &Vec<String>| tags.first().cloned(), |tags: &Vec<String>| tags.last().cloned());
    for pair in line.windows(2) {
        found.joined("+", [first(&pair[0]), first(&pair[1])], PAIR);
        found.joined("~", [last(&pair[0]), last(&pair[1])], PAIR);
    }
    for triple in line.windows(3) {
        found.joined("_", [last(&triple[0]), last(&triple[2])], APART);
    }
    for mention in mentions.iter().filter(|mention| mention.cost < LIKELY) {
        let relation = mention.relation.map_or("", |relation| relation.name());
        found.once(format!("{}:{relation}", tag(&mention.what)), WORD);
    }
    found.normal()
}

/// Readings that cost more are not shown.
const LIKELY: u8 = 3;

/// The tokens that hold a value, each with where it ends and its type; of two over the same tokens the longer, then the
/// cheaper one.
fn masks(lattice: &Lattice, mentions: &[Mention]) -> Vec<Option<(usize, String)>> {
    let mut best: Vec<Option<&Mention>> = vec![None; lattice.tokens.len()];
    for mention in mentions.iter().filter(|mention| is_closed(&mention.what) && mention.cost < LIKELY) {
        let Some(known) = best.get_mut(mention.from) else { continue };
        let better = |old: &Mention| (mention.to, old.cost) > (old.to, mention.cost);
        if known.is_none_or(better) {
            *known = Some(mention);
        }
    }
    let mut out = vec![None; lattice.tokens.len()];
    let mut free = 0;
    for (at, mention) in best.into_iter().enumerate() {
        if let Some(mention) = mention.filter(|_| at >= free) {
            out[at] = Some((mention.to, tag(&mention.what)));
            free = mention.to;
        }
    }
    out
}

/// Whether it is a value, not a word that says what is asked.
fn is_value(what: &What) -> bool {
    !matches!(
        what,
        What::Kind(_)
            | What::Quality(_)
            | What::Act(_)
            | What::Thing(_)
            | What::Field(_)
            | What::Order(_)
            | What::Stat(_)
            | What::Group(_)
            | What::Format(_)
            | What::Channel(_)
            | What::Talk(_)
            | What::Pronoun(_)
            | What::Operator(_)
            | What::Quantity(_)
    )
}

/// Whether its words say nothing but the value.
fn is_closed(what: &What) -> bool {
    let file = |name: &str| name.contains(['.', '*']) && !name.contains(' ');
    match what {
        What::Text(_) | What::Person(_) | What::Column(_) => false,
        What::Code(code) => code.contains(|c: char| c.is_ascii_digit()),
        What::Name(name) => file(name.trim_matches('*')) || name.starts_with("*."),
        what => is_value(what),
    }
}

/// The type of a value, and its sense where that is a closed one.
fn tag(what: &What) -> String {
    let debug = format!("{what:?}");
    let open = debug.find('(').unwrap_or(debug.len());
    let (name, value) = debug.split_at(open);
    if is_value(what) { format!("<{name}>") } else { format!("{name}{value}") }
}

#[derive(Default)]
struct Features(std::collections::BTreeMap<String, f32>);

impl Features {
    fn add(&mut self, name: String, strength: f32) {
        *self.0.entry(name).or_default() += strength;
    }

    fn once(&mut self, name: String, strength: f32) {
        self.0.entry(name).or_insert(strength);
    }

    fn joined(&mut self, sign: &str, tags: [Option<String>; 2], strength: f32) {
        if let [Some(a), Some(b)] = tags {
            self.add(format!("{a}{sign}{b}"), strength);
        }
    }

    /// The tags of a word that is no value; an unknown one is also known by its letters.
    fn word(&mut self, lattice: &Lattice, at: usize) -> Vec<String> {
        let token = &lattice.tokens[at];
        if !matches!(token.lit, Lit::Word) {
            let text =
                if matches!(token.lit, Lit::Symbol(_)) { token.text.clone() } else { kind(&token.lit) };
            return vec![text];
        }
        let written = crate::lexicon::fold(&token.norm);
        let senses: Vec<String> =
            lattice.at(at).iter().filter(|edge| edge.sense != Sense::Idle).map(sense).collect();
        if senses.is_empty() && lattice.at(at).is_empty() {
            if lattice.is_name(at) {
                return vec!["<Name?>".to_owned()];
            }
            let framed: Vec<char> = format!("^{written}$").chars().collect();
            for run in RUNS.flat_map(|length| framed.windows(length)) {
                self.add(format!("…{}", run.iter().collect::<String>()), LETTERS);
            }
        }
        let mut tags = vec![lattice.corrected(at).map_or(written, str::to_owned)];
        tags.extend(senses);
        tags
    }

    fn normal(self) -> Vec<Feature> {
        let length =
            self.0.values().map(|strength| strength * strength).sum::<f32>().sqrt().max(f32::EPSILON);
        self.0.into_iter().map(|(name, strength)| (name, strength / length)).collect()
    }
}

fn sense(edge: &crate::lattice::Edge) -> String {
    format!("{:?}", edge.sense)
}

fn kind(lit: &Lit) -> String {
    let debug = format!("{lit:?}");
    format!("<{}>", debug.split('(').next().unwrap_or_default())
}
