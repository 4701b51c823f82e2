//! Fits weights that say which shape a request has, from the rows that people wrote, and measures them.
//!
//! `metnos-fit [SET …] [--verbose]` leaves one set out at a time (each voice, unless sets are named), fits the others
//! and prints how often the right shape comes first, and among the first three. One thread, a fixed order, only
//! + − × ÷: the same figures on every machine.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is what this program is for")]

mod rows;
mod svm;

use metnos_engine::Catalog;
use metnos_engine::shape::Shape;
use rows::Row;
use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("metnos-fit: {why}");
            ExitCode::FAILURE
        }
    }
}

/// What a row teaches.
struct Example {
    set: String,
    id: String,
    query: String,
    features: Vec<(u32, f32)>,
    pieces: Vec<Vec<(u32, f32)>>,
    shape: Shape,
}

fn run(words: &[String]) -> Result<(), String> {
    let catalog = Catalog::shipped().map_err(|e| e.to_string())?;
    let mut names: HashMap<String, u32> = HashMap::new();
    let mut examples = Vec::new();
    for row in rows::all()? {
        if let Some(example) = example(row, &catalog, &mut names)? {
            examples.push(example);
        }
    }
    println!("{} examples, {} features", examples.len(), names.len());
    let mut sets: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    if sets.is_empty() {
        sets = examples.iter().map(|example| example.set.as_str()).filter(|set| !set.contains(':')).collect();
        sets.dedup();
    }
    let verbose = words.iter().any(|word| word == "--verbose");
    let mut sum = (0.0, 0.0, 0.0);
    for set in sets {
        let (first, three, n) = left_out(set, &examples, names.len(), &catalog, verbose);
        println!("{set}: {first:.3} first, {three:.3} in three, n={n}");
        sum = (sum.0 + first, sum.1 + three, sum.2 + 1.0);
    }
    if sum.2 > 0.0 {
        println!("mean {:.3} {:.3}", sum.0 / sum.2, sum.1 / sum.2);
    }
    Ok(())
}

fn example(row: Row, catalog: &Catalog, names: &mut HashMap<String, u32>) -> Result<Option<Example>, String> {
    let Some(shape) = row.shape(catalog) else { return Ok(None) };
    let mut numbered = |row: &Row| -> Result<Vec<(u32, f32)>, String> {
        let named = row.features()?.into_iter().map(|(name, strength)| {
            let next = names.len() as u32;
            (*names.entry(name).or_insert(next), strength)
        });
        Ok(named.collect())
    };
    let features = numbered(&row)?;
    let pieces = row.sentences().iter().map(numbered).collect::<Result<_, _>>()?;
    Ok(Some(Example { set: row.set, id: row.id, query: row.query, features, pieces, shape }))
}

/// What a set gets that nothing was learned from.
fn left_out(
    set: &str,
    examples: &[Example],
    size: usize,
    catalog: &Catalog,
    verbose: bool,
) -> (f64, f64, usize) {
    let (test, train): (Vec<&Example>, Vec<&Example>) =
        examples.iter().partition(|example| example.set == set);
    let mut classes: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for (i, example) in train.iter().enumerate() {
        for factor in example.shape.factors(catalog) {
            classes.entry(factor).or_insert_with(|| vec![false; train.len()])[i] = true;
        }
    }
    let inputs: Vec<&[(u32, f32)]> = train.iter().map(|example| example.features.as_slice()).collect();
    let mut scores: HashMap<String, Vec<Vec<f64>>> = HashMap::new();
    for (name, of) in &classes {
        let weights = svm::fit(&inputs, of, size);
        let one = |features: &Vec<(u32, f32)>| {
            features.iter().map(|(i, x)| weights[*i as usize] * f64::from(*x)).sum::<f64>() + weights[size]
        };
        let score = |example: &&Example| -> Vec<f64> {
            std::iter::once(&example.features).chain(&example.pieces).map(one).collect()
        };
        scores.insert(name.clone(), test.iter().map(score).collect());
    }
    let mut known: Vec<&Shape> = train.iter().map(|example| &example.shape).collect();
    known.sort();
    known.dedup();
    let factors: Vec<(String, Vec<String>)> =
        known.iter().map(|shape| (shape.to_string(), shape.factors(catalog))).collect();
    let (mut first, mut three) = (0, 0);
    for (i, example) in test.iter().enumerate() {
        let mut ranked: Vec<(f64, &String)> = factors
            .iter()
            .map(|(name, factors)| {
                let pieces = 0..=example.pieces.len();
                let of = |piece: usize| factors.iter().map(|factor| scores[factor][i][piece]).sum::<f64>();
                let idle = name == "say" || name == "gap";
                let best = if idle { of(0) } else { pieces.map(of).fold(f64::MIN, f64::max) };
                (best, name)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let wanted = example.shape.to_string();
        let at = ranked.iter().position(|(_, name)| **name == wanted);
        first += usize::from(at == Some(0));
        three += usize::from(at.is_some_and(|at| at < 3));
        if verbose && at != Some(0) {
            println!("  {} {:?}: {wanted} not {}", example.id, example.query, ranked[0].1);
        }
    }
    let n = test.len().max(1) as f64;
    (first as f64 / n, three as f64 / n, test.len())
}
