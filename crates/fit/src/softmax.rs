//! A softmax over the readings of each row: the weights that make right readings likely. One fixed order and only
//! + − × ÷, so that the same rows give the same weights on every machine.

use metnos_engine::evidence::exp;
use std::collections::VecDeque;

/// Rounds, at most.
const ROUNDS: usize = 150;
/// Less gain than this share of what is left ends it.
const STILL: f64 = 2e-5;
/// So many earlier steps tell how the ground bends.
const PAST: usize = 8;

/// Rows with their readings.
#[derive(Default)]
pub(crate) struct Problem {
    /// Where the readings of each row end.
    rows: Vec<usize>,
    /// Where the features of each reading end.
    ends: Vec<usize>,
    /// Whether each reading is right.
    right: Vec<bool>,
    /// The features of all readings.
    features: Vec<(u32, f32)>,
    /// For each feature how much its weight costs.
    pub(crate) costs: Vec<f64>,
}

impl Problem {
    /// Adds a feature to the reading that is made.
    pub(crate) fn feature(&mut self, number: u32, strength: f32) {
        self.features.push((number, strength));
    }

    /// Ends a reading.
    pub(crate) fn reading(&mut self, right: bool) {
        self.ends.push(self.features.len());
        self.right.push(right);
    }

    /// Ends a row.
    pub(crate) fn row(&mut self) {
        self.rows.push(self.ends.len());
    }

    /// The weights that cost least: downhill, as the last steps tell the bends of the ground (L-BFGS).
    pub(crate) fn weights(&self) -> Vec<f64> {
        let mut at = vec![0.0; self.costs.len()];
        let (mut cost, mut slope) = self.cost(&at);
        let mut past: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
        for _ in 0..ROUNDS {
            let way = way(&slope, &past);
            let down = dot(&slope, &way);
            let steepest = slope.iter().fold(1.0f64, |most, x| most.max(x.abs()));
            let mut length = if past.is_empty() { 1.0 / steepest } else { 1.0 };
            let next = loop {
                let next: Vec<f64> = at.iter().zip(&way).map(|(x, way)| x - length * way).collect();
                let (lower, turned) = self.cost(&next);
                if lower <= cost - 1e-4 * length * down {
                    break Some((next, lower, turned));
                }
                length *= 0.5;
                if length < 1e-6 {
                    break None;
                }
            };
            let Some((next, lower, turned)) = next else { break };
            let moved: Vec<f64> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
            let bend: Vec<f64> = turned.iter().zip(&slope).map(|(a, b)| a - b).collect();
            let product = dot(&moved, &bend);
            let gain = cost - lower;
            (at, cost, slope) = (next, lower, turned);
            if gain < STILL * cost {
                break;
            }
            if product > 1e-12 {
                past.push_back((moved, bend, 1.0 / product));
                if past.len() > PAST {
                    past.pop_front();
                }
            }
        }
        at
    }

    /// What weights cost, and how that changes with each of them.
    fn cost(&self, weights: &[f64]) -> (f64, Vec<f64>) {
        let half = self.rows.len() / 2;
        let (first, second) = std::thread::scope(|scope| {
            let first = scope.spawn(|| self.part(0..half, weights));
            let second = self.part(half..self.rows.len(), weights);
            (first.join().unwrap_or_default(), second)
        });
        let mut cost = first.0 + second.0;
        let mut slope = first.1;
        for (((slope, more), weight), price) in slope.iter_mut().zip(second.1).zip(weights).zip(&self.costs) {
            *slope += more + price * weight;
            cost += 0.5 * price * weight * weight;
        }
        (cost, slope)
    }

    /// The same of some rows.
    fn part(&self, rows: std::ops::Range<usize>, weights: &[f64]) -> (f64, Vec<f64>) {
        let mut cost = 0.0;
        let mut slope = vec![0.0; weights.len()];
        let start = |ends: &[usize], n: usize| n.checked_sub(1).map_or(0, |before| ends[before]);
        let mut chances: Vec<f64> = Vec::new();
        for row in rows {
            let readings = start(&self.rows, row)..self.rows[row];
            let of = |n: usize| &self.features[start(&self.ends, n)..self.ends[n]];
            let score = |n: usize| -> f64 {
                of(n).iter().map(|(f, strength)| weights[*f as usize] * f64::from(*strength)).sum()
            };
            chances.clear();
            chances.extend(readings.clone().map(score));
            let most = chances.iter().copied().fold(f64::MIN, f64::max);
            let (mut all, mut right) = (0.0, 1e-300);
            for (chance, n) in chances.iter_mut().zip(readings.clone()) {
                *chance = exp(*chance - most);
                all += *chance;
                right += if self.right[n] { *chance } else { 0.0 };
            }
            cost -= ln(right / all);
            for (chance, n) in chances.iter().zip(readings) {
                let pull = chance / all - if self.right[n] { chance / right } else { 0.0 };
                for (f, strength) in of(n) {
                    slope[*f as usize] += pull * f64::from(*strength);
                }
            }
        }
        (cost, slope)
    }
}

/// The way down from a slope.
fn way(slope: &[f64], past: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut way = slope.to_vec();
    let mut shares = Vec::with_capacity(past.len());
    for (moved, bend, scale) in past.iter().rev() {
        let share = dot(moved, &way) * scale;
        add(&mut way, bend, -share);
        shares.push(share);
    }
    if let Some((_, bend, scale)) = past.back() {
        let length = 1.0 / (scale * dot(bend, bend));
        way.iter_mut().for_each(|x| *x *= length);
    }
    for ((moved, bend, scale), share) in past.iter().zip(shares.iter().rev()) {
        let back = dot(bend, &way) * scale;
        add(&mut way, moved, share - back);
    }
    way
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], what: &[f64], times: f64) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

/// The natural logarithm of a number above zero.
fn ln(x: f64) -> f64 {
    let (mut x, mut twos) = (x, 0.0);
    while x < 0.7 {
        x *= 2.0;
        twos -= 1.0;
    }
    while x > 1.4 {
        x *= 0.5;
        twos += 1.0;
    }
    let ratio = (x - 1.0) / (x + 1.0);
    let square = ratio * ratio;
    let series = (0..14).rev().fold(0.0, |sum, n| 1.0 / f64::from(2 * n + 1) + square * sum);
    2.0 * ratio * series + twos * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_library() {
        for n in 0..400 {
            let y = 1e-9 + f64::from(n * n) * 0.13;
            assert!((ln(y) - y.ln()).abs() < 1e-9, "{y}");
        }
    }

    #[test]
    fn what_right_readings_have_gets_weight() {
        let mut problem = Problem { costs: vec![0.1; 2], ..Problem::default() };
        for _ in 0..20 {
            problem.feature(0, 1.0);
            problem.reading(true);
            problem.feature(1, 1.0);
            problem.reading(false);
            problem.row();
        }
        let weights = problem.weights();
        assert!(weights[0] > 1.0 && weights[1] < -1.0, "{weights:?}");
    }
}
