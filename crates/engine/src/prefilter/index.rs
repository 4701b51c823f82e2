//! The words of a catalog, each with the tools it speaks for: a query touches only those.

use super::query::Query;
use super::words::{parts, senses, stem, words};
use super::{AFFINITY, Candidate};
use crate::Lexicons;
use std::collections::{BTreeSet, HashMap};

/// A word that stands in one tool of a thousand says no more than one of fifty.
const RAREST: f32 = 4.0;
/// Objects of processors: what is done to any list.
const LISTS: [&str; 2] = ["entries", "lists"];

/// What the producer of an object gains when something is done to it.
const COMPANION: f32 = 3.0;
/// What an executor loses whose object is another than those named.
const ELSEWHERE: f32 = 3.0;

/// Where a word stands in a tool, and what it weighs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Field {
    Name,
    NameSense,
    Text,
    TextSense,
    Argument,
    Affinity,
    Verb,
    Object,
    Qualifier,
    Whole,
}

impl Field {
    /// How much a match weighs, before rarity.
    fn weight(self) -> f32 {
        match self {
            Self::Name => 1.2,
            Self::NameSense => 1.0,
            Self::Text => 0.8,
            Self::TextSense => 0.3,
            Self::Argument => 0.3,
            Self::Affinity => 1.0,
            // These weigh by themselves.
            Self::Verb | Self::Object | Self::Qualifier | Self::Whole => 0.0,
        }
    }
}

/// The tools a word speaks for, and how rare it is.
#[derive(Clone, Debug, Default)]
struct Posting {
    rows: Vec<u32>,
    rarity: f32,
}

/// A catalog by its words.
#[derive(Clone, Debug)]
pub(super) struct Index {
    names: Vec<String>,
    /// The place of each tool in the order of names: ties go by it.
    place: Vec<u32>,
    /// The second part of each name, for companions.
    object: Vec<String>,
    /// Whether a name says more than verb and object.
    qualified: Vec<bool>,
    /// Whether the second part is an object of the closed vocabulary.
    closed: Vec<bool>,
    /// Whether it finds things and says no more than which.
    finds: Vec<bool>,
    postings: HashMap<Field, HashMap<String, Posting>>,
}

/// What speaks for one tool.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    score: f32,
    affinity: f32,
    works: bool,
    verb: bool,
    object: bool,
    qualifier: bool,
}

impl Index {
    pub(super) fn new(catalog: &[Candidate], lexicons: &Lexicons) -> Self {
        let mut found: HashMap<Field, HashMap<String, Vec<u32>>> = HashMap::new();
        let mut meant: HashMap<String, BTreeSet<String>> = HashMap::new();
        let mut mean =
            |word: &str| meant.entry(word.to_owned()).or_insert_with(|| senses(word, lexicons)).clone();
        let (mut object, mut qualified, mut closed, mut finds) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (row, tool) in catalog.iter().enumerate() {
            let row = u32::try_from(row).unwrap_or(u32::MAX);
            let mut add = |field: Field, terms: BTreeSet<String>| {
                for term in terms {
                    found.entry(field).or_default().entry(term).or_default().push(row);
                }
            };
            let stems = |list: &[String]| list.iter().map(|word| stem(word)).collect::<BTreeSet<_>>();
            let name = parts(&tool.name);
            let text = words(&tool.description);
            let args: Vec<String> = tool.args.keys().flat_map(|arg| parts(arg)).collect();
            let affinity: Vec<String> = tool.affinity.iter().flat_map(|word| words(word)).collect();
            add(Field::Name, stems(&name));
            add(Field::NameSense, name.iter().flat_map(|word| mean(word)).collect());
            add(Field::TextSense, text.iter().flat_map(|word| mean(word)).collect());
            add(Field::Text, stems(&text));
            add(Field::Argument, stems(&args));
            add(Field::Affinity, stems(&affinity));
            add(Field::Whole, BTreeSet::from([tool.name.clone()]));
            let part = |n: usize| name.get(n).cloned().into_iter().collect::<BTreeSet<_>>();
            add(Field::Verb, part(0));
            add(Field::Object, part(1));
            add(Field::Qualifier, name.iter().skip(2).cloned().collect());
            object.push(name.get(1).cloned().unwrap_or_default());
            qualified.push(name.len() > 2);
            closed.push(name.get(1).is_some_and(|part| metnos_vocab::Object::parse(part).is_some()));
            finds.push(name.len() == 2 && name[0] == "find");
        }
        let all = catalog.len().max(1) as f32;
        let posting = |rows: Vec<u32>| Posting {
            rarity: (1.0 + all / rows.len().max(1) as f32).ln().min(RAREST),
            rows,
        };
        let postings = found
            .into_iter()
            .map(|(field, terms)| {
                (field, terms.into_iter().map(|(term, rows)| (term, posting(rows))).collect())
            })
            .collect();
        let names: Vec<String> = catalog.iter().map(|tool| tool.name.clone()).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|a, b| names[*a].cmp(&names[*b]));
        let mut place = vec![0; names.len()];
        for (at, row) in order.into_iter().enumerate() {
            place[row] = u32::try_from(at).unwrap_or(u32::MAX);
        }
        Self { names, place, object, qualified, closed, finds, postings }
    }

    /// The best `most` tools and their scores, best first.
    pub(super) fn score(&self, query: &Query, most: usize) -> Vec<(f32, &str)> {
        let mut found: Vec<Evidence> = vec![Evidence::default(); self.names.len()];
        let mut touched: Vec<u32> = Vec::new();
        let mut each = |field: Field, term: &str, act: &mut dyn FnMut(&mut Evidence, f32)| {
            let Some(posting) = self.postings.get(&field).and_then(|terms| terms.get(term)) else { return };
            for row in &posting.rows {
                let evidence = &mut found[*row as usize];
                act(evidence, posting.rarity);
                touched.push(*row);
            }
        };
        for word in &query.words {
            for field in [Field::Name, Field::Text, Field::Argument] {
                each(field, word, &mut |evidence, rarity| evidence.score += field.weight() * rarity);
            }
            each(Field::Affinity, word, &mut |evidence, rarity| evidence.affinity += rarity);
            each(Field::Qualifier, word, &mut |evidence, _| evidence.qualifier = true);
        }
        for sense in &query.senses {
            for field in [Field::NameSense, Field::TextSense] {
                each(field, sense, &mut |evidence, rarity| evidence.score += field.weight() * rarity);
            }
        }
        for tool in &query.tools {
            each(Field::Whole, tool, &mut |evidence, _| evidence.score += 12.0);
        }
        for verb in &query.verbs {
            each(Field::Verb, verb, &mut |evidence, _| evidence.verb = true);
        }
        for verb in &query.works {
            each(Field::Verb, verb, &mut |evidence, _| evidence.works = true);
        }
        for object in &query.objects {
            each(Field::Object, object, &mut |evidence, _| evidence.object = true);
        }
        for qualifier in &query.qualifiers {
            each(Field::Qualifier, qualifier, &mut |evidence, _| evidence.qualifier = true);
        }
        for role in &query.roles {
            each(Field::Argument, role, &mut |evidence, _| evidence.score += 0.5);
        }
        touched.sort_unstable();
        touched.dedup();
        // Companion producers: what acts on a list needs the executor that finds one.
        let acted: BTreeSet<&str> = touched
            .iter()
            .map(|row| *row as usize)
            .filter(|at| found[*at].verb && found[*at].object && !self.finds[*at])
            .map(|at| self.object[at].as_str())
            .collect();
        let mut scored: Vec<(f32, u32)> = touched
            .iter()
            .map(|row| {
                let at = *row as usize;
                let object = self.object[at].as_str();
                let on_lists = LISTS.contains(&object);
                let mut score = found[at].sum(self.qualified[at], on_lists);
                if self.finds[at] && acted.contains(object) {
                    score += COMPANION;
                }
                // It is about something else than what was named.
                if !query.objects.is_empty() && self.closed[at] && !found[at].object && !on_lists {
                    score -= ELSEWHERE;
                }
                (score, *row)
            })
            .filter(|(score, _)| *score > 0.0)
            .collect();
        let better = |a: &(f32, u32), b: &(f32, u32)| {
            b.0.total_cmp(&a.0).then_with(|| self.place[a.1 as usize].cmp(&self.place[b.1 as usize]))
        };
        if most < scored.len() {
            scored.select_nth_unstable_by(most, better);
            scored.truncate(most);
        }
        scored.sort_unstable_by(better);
        scored.into_iter().map(|(score, row)| (score, self.names[row as usize].as_str())).collect()
    }
}

impl Evidence {
    fn sum(&self, qualified: bool, on_lists: bool) -> f32 {
        let is = |so: bool, weight: f32| if so { weight } else { 0.0 };
        let qualifier = match (qualified, self.qualifier) {
            (true, true) if self.object || self.verb => 4.0,
            (true, false) => -1.5,
            _ => 0.0,
        };
        self.score
            + is(self.works, if on_lists { 9.0 } else { 2.0 })
            + is(self.verb, 3.0)
            + is(self.object, 4.0)
            + is(self.verb && self.object, 3.0)
            + qualifier
            + self.affinity.min(AFFINITY)
    }
}
