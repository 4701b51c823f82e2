//! Vaglio, the judge: how much doubt there is about a step that the Laws and the policy let through.
//!
//! Rules always, a model on top when one is bound. Each part looks at one thing and scores 0..=1.
//! The rule score is the **product** of the parts: doubts are independent, so small ones add up, one
//! grave doubt is enough, and no part can make up for another. A model's score is not multiplied,
//! because it has looked at the same things: the lower of the two counts. A part at zero asks
//! whatever the threshold.

mod facts;
mod model;
mod parts;
mod weights;

#[cfg(test)]
mod tests;

pub use facts::{Arg, Facts};
pub use weights::{Judge, JudgeError, Judges};

use crate::text::fill;
use serde::{Deserialize, Serialize};
use weights::Texts;

/// What one part of the judge found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Which part.
    pub name: String,
    /// 1 is no doubt, 0 always asks.
    pub score: f64,
    /// What it saw, in words.
    pub why: String,
}

impl Part {
    /// As it is written down: `mass_effect 0.20: 25 items at once`.
    pub fn told(&self) -> String {
        let Self { name, score, why } = self;
        if why.is_empty() { format!("{name} {score:.2}") } else { format!("{name} {score:.2}: {why}") }
    }
}

/// What the judge makes of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// How little doubt there is, 0..=1.
    pub score: f64,
    /// Below it the person is asked.
    pub threshold: f64,
    /// Every part, also those that saw nothing.
    pub parts: Vec<Part>,
    /// Whether the person is asked.
    pub ask: bool,
    /// Why, in one sentence.
    pub why: String,
}

impl Judge {
    /// Judges a step by the rules. A schedule's grant may carry a cap on items that is higher than
    /// the usual one; a lower one changes nothing.
    pub fn verdict(&self, facts: &Facts, granted_cap: Option<usize>) -> Verdict {
        let cap = granted_cap.unwrap_or_default().max(self.items());
        let parts = vec![
            parts::path_shape(self, facts),
            parts::mass_effect(self, facts, cap),
            parts::tainted(self, facts),
            parts::unusual_hour(self, facts),
            parts::never_used(self, facts),
            parts::untraceable(self, facts),
            parts::reversibility(self, facts),
            parts::recency(self, facts),
        ];
        let score = parts.iter().map(|part| part.score).product();
        conclude(score, self.threshold(), parts, self.texts())
    }
}

/// Whether a score can be used at all.
fn usable(score: f64) -> bool {
    (0.0..=1.0).contains(&score)
}

/// A score to the thousandth, never higher than it was, so that what is written down reads back the
/// same. The small addend undoes the last digit that binary fractions lose.
fn thousandths(score: f64) -> f64 {
    (score * 1000.0 + 1e-6).floor() / 1000.0
}

/// The verdict of these parts. A number that is none, or out of range, counts as all doubt.
fn conclude(score: f64, threshold: f64, parts: Vec<Part>, texts: &Texts) -> Verdict {
    let sound = usable(score) && usable(threshold) && parts.iter().all(|part| usable(part.score));
    let score = if sound { score } else { 0.0 };
    let shown = thousandths(score);
    let ask = !sound || score.min(shown) < threshold || parts.iter().any(|part| part.score <= 0.0);
    let why = match ask {
        true => fill(&texts.ask, &[("reasons", &reasons(&parts, sound, texts))]),
        false => texts.pass.clone(),
    };
    Verdict { score: shown, threshold, parts, ask, why }
}

/// The doubts, gravest first.
fn reasons(parts: &[Part], sound: bool, texts: &Texts) -> String {
    let mut doubts: Vec<&Part> = parts.iter().filter(|part| part.score < 1.0).collect();
    doubts.sort_by(|a, b| a.score.total_cmp(&b.score));
    let words = doubts.iter().map(|part| part.why.as_str());
    let broken = (!sound).then_some(texts.broken.as_str());
    broken.into_iter().chain(words).collect::<Vec<_>>().join("; ")
}
