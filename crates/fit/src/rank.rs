//! How much each trait and each mark of a reading counts, from readings by weights that did not see the row.

use crate::learn::{Library, Teacher, split};
use crate::measure::answer;
use crate::rows::DANGEROUS;
use crate::rows::Row;
use crate::score::judge;
use crate::softmax::Problem;
use metnos_engine::Step;
use metnos_engine::evidence::{Candidate, Packed, Reader, TRAITS, Traits};
use metnos_vocab::Class;
use serde_json::Value;
use std::collections::HashMap;

/// So many parts the sets are split into; each is read with what the others teach.
const PARTS: usize = 4;
/// A mark that fewer rows have is left out.
const COMMON: u32 = 3;
/// So many marks are kept, those that count most.
const MOST: usize = 40_000;
/// What the weight of a trait costs, and that of a mark.
const TRAIT: f64 = 0.3;
const MARK: f64 = 0.35;
/// What the weight of no reading being right costs.
const NOTHING: f64 = 0.01;
/// Its number, after the traits; marks come after it.
const NONE: usize = TRAITS.len();
/// How strongly a mark shows.
const STRENGTH: f32 = 0.5;

/// The readings of rows.
pub(crate) struct Ranks<'r>(Vec<Ranked<'r>>);

/// The readings of one row.
struct Ranked<'r> {
    set: &'r str,
    readings: Vec<Known>,
}

/// What is known of a reading.
struct Known {
    traits: Traits,
    /// Each mark with how often it is found.
    marks: Vec<(u32, f32)>,
    right: bool,
}

impl<'r> Ranks<'r> {
    /// Reads rows, each with weights from other sets than its own.
    pub(crate) fn new(teacher: &Teacher<'_>, library: &Library<'_>, rows: &'r [Row]) -> Result<Self, String> {
        let mut sets: Vec<&str> = rows.iter().map(|row| row.set.as_str()).collect();
        sets.dedup();
        let parts: HashMap<&str, usize> = sets.iter().enumerate().map(|(n, set)| (*set, n % PARTS)).collect();
        let part_of = |row: &Row| parts.get(row.set.as_str()).copied().unwrap_or_default();
        let mut all = Vec::new();
        for part in 0..PARTS {
            let model = teacher.fit(library, |row| part_of(row) != part)?;
            let own: Vec<&Row> = rows.iter().filter(|row| part_of(row) == part).collect();
            let read = |rows: &[&'r Row]| -> Vec<Ranked<'r>> {
                let reader = Reader::new(&model, teacher.catalog);
                rows.iter().filter_map(|row| ranked(teacher, &reader, row)).collect()
            };
            all.extend(split(&own, read));
        }
        Ok(Self(all))
    }

    /// The weights with what readings of these sets teach about readings.
    pub(crate) fn fit(&self, weights: &Packed, of: impl Fn(&str) -> bool) -> Result<Packed, String> {
        let rows: Vec<&Ranked<'_>> = self.0.iter().filter(|row| of(row.set)).collect();
        let mut counts: HashMap<u32, u32> = HashMap::new();
        let mut most = [1e-6f32; TRAITS.len()];
        for row in &rows {
            let mut marks: Vec<u32> =
                row.readings.iter().flat_map(|known| &known.marks).map(|(mark, _)| *mark).collect();
            marks.sort_unstable();
            marks.dedup();
            marks.into_iter().for_each(|mark| *counts.entry(mark).or_default() += 1);
            for known in &row.readings {
                most.iter_mut().zip(&known.traits).for_each(|(most, x)| *most = most.max(x.abs()));
            }
        }
        let mut names: Vec<u32> =
            counts.into_iter().filter(|(_, rows)| *rows >= COMMON).map(|(mark, _)| mark).collect();
        names.sort_unstable();
        let numbers: HashMap<u32, u32> =
            names.iter().enumerate().map(|(n, mark)| (*mark, (NONE + 1 + n) as u32)).collect();
        let mut problem = Problem::default();
        problem.costs = vec![TRAIT; TRAITS.len()];
        problem.costs.push(NOTHING);
        problem.costs.resize(NONE + 1 + names.len(), MARK);
        // A request that must not be done counts twice.
        let twice = |row: &&&Ranked<'_>| if row.set.starts_with(DANGEROUS) { 2 } else { 1 };
        for row in rows.iter().flat_map(|row| std::iter::repeat_n(row, twice(&row))) {
            for Known { traits, marks, right } in &row.readings {
                for (n, (x, most)) in traits.iter().zip(&most).enumerate().filter(|(_, (x, _))| **x != 0.0) {
                    problem.feature(n as u32, x / most);
                }
                for (mark, times) in marks {
                    if let Some(number) = numbers.get(mark) {
                        problem.feature(*number, times * STRENGTH);
                    }
                }
                problem.reading(*right);
            }
            problem.feature(NONE as u32, 1.0);
            problem.reading(!row.readings.iter().any(|known| known.right));
            problem.row();
        }
        let fitted = problem.weights();
        let traits = fitted.iter().zip(&most).map(|(weight, most)| (*weight / f64::from(*most)) as f32);
        let marks = names.iter().zip(&fitted[NONE + 1..]);
        let mut marks: Vec<(u32, f32)> =
            marks.map(|(mark, weight)| (*mark, *weight as f32 * STRENGTH)).collect();
        marks.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        marks.truncate(MOST);
        weights.ranking(traits.collect(), fitted[NONE] as f32, &marks).map_err(|e| e.to_string())
    }
}

/// Whether a reading is what is expected; of a dangerous request one that carries everything that narrows it.
pub(crate) fn is_right(teacher: &Teacher<'_>, row: &Row, candidate: &Candidate) -> bool {
    if !row.set.starts_with(DANGEROUS) {
        return judge(&row.expect, &answer(candidate)).is_none();
    }
    let narrow = row.expect["narrow"].as_array().map(Vec::as_slice).unwrap_or_default();
    let steps = &candidate.built.steps;
    let has = |pair: &Value| {
        steps.iter().any(|step| pair[0].as_str().is_some_and(|name| step.args.get(name) == Some(&pair[1])))
    };
    let changes =
        |step: &Step| teacher.catalog.get(&step.tool).is_none_or(|tool| tool.class == Class::Changer);
    !narrow.is_empty() && candidate.built.ask.is_none() && narrow.iter().all(has) && steps.iter().any(changes)
}

fn ranked<'r>(teacher: &Teacher<'_>, reader: &Reader<'_>, row: &'r Row) -> Option<Ranked<'r>> {
    let last = teacher.last(row, reader);
    let said = teacher.said(row, last.as_ref())?;
    let readings = reader.all(&said, last.as_ref(), &teacher.clock()).into_iter().map(|candidate| {
        let right = is_right(teacher, row, &candidate);
        let mut marks: Vec<(u32, f32)> = Vec::new();
        let mut found = candidate.marks;
        found.sort_unstable();
        for mark in found {
            match marks.last_mut() {
                Some((known, times)) if *known == mark => *times += 1.0,
                _ => marks.push((mark, 1.0)),
            }
        }
        Known { traits: candidate.traits, marks, right }
    });
    Some(Ranked { set: &row.set, readings: readings.collect() })
}
