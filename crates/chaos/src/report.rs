//! What came of it: one JSON line a group, and the sum.

use crate::check::{Class, Wrong};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts of one group or of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) points: u64,
    pub(crate) lost: u64,
    pub(crate) half: u64,
    pub(crate) broken: u64,
    /// Time spent in its points, over all workers.
    spent: Duration,
    /// The first few that went wrong.
    wrong: Vec<String>,
}

/// All groups of one part.
pub(crate) struct Report {
    part: &'static str,
    groups: Mutex<BTreeMap<String, Counts>>,
    began: Instant,
    total: u64,
}

impl Report {
    pub(crate) fn new(part: &'static str, total: usize) -> Self {
        Self { part, groups: Mutex::default(), began: Instant::now(), total: total as u64 }
    }

    /// One point of a group. A point counts once in each class it fell into.
    pub(crate) fn point(&self, group: &str, spot: &str, wrong: &[Wrong], spent: Duration) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = groups.entry(group.to_owned()).or_default();
        counts.points += 1;
        counts.spent += spent;
        let has = |class| u64::from(wrong.iter().any(|(is, _)| *is == class));
        counts.lost += has(Class::Lost);
        counts.half += has(Class::Half);
        counts.broken += has(Class::Broken);
        for (class, why) in wrong {
            eprintln!("chaos: {class:?} {group} at {spot}: {why}");
            if counts.wrong.len() < 5 {
                counts.wrong.push(format!("{class:?} at {spot}: {why}"));
            }
        }
        let done: u64 = groups.values().map(|counts| counts.points).sum();
        if done.is_multiple_of(100) || done == self.total {
            eprintln!("chaos: {} {done} of {}, {:.0?}", self.part, self.total, self.began.elapsed());
        }
    }

    /// Prints the groups; gives the sum.
    pub(crate) fn print(&self) -> Counts {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Counts::default();
        for (name, counts) in groups.iter() {
            let mut line = json!({
                "part": self.part, "group": name, "points": counts.points, "lost": counts.lost,
                "half": counts.half, "broken": counts.broken,
                "ms_a_point": counts.spent.as_millis() as u64 / counts.points.max(1),
            });
            if !counts.wrong.is_empty() {
                line["wrong"] = json!(counts.wrong);
            }
            println!("{line}");
            sum.add(counts);
        }
        sum
    }
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.points += other.points;
        self.lost += other.lost;
        self.half += other.half;
        self.broken += other.broken;
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.points > 0 && self.lost + self.half + self.broken == 0
    }
}
