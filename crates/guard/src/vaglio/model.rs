//! An independent model's opinion, which can only add doubt.

use super::{Judge, Part, Verdict, conclude, thousandths, usable};

impl Judge {
    /// `verdict` with what a model answered: its score, that it failed, or nothing when none is bound.
    /// A lower score replaces the rules' score; a higher one and an absence change nothing. One that was
    /// bound and failed asks, and so does a number that is no score.
    pub fn combine_with_model<E>(&self, verdict: Verdict, model: Option<Result<f64, E>>) -> Verdict {
        let texts = self.texts();
        let (score, part, why) = match model {
            None => return verdict,
            Some(Err(_)) => (verdict.score, 0.0, &texts.model_failed),
            Some(Ok(score)) if !usable(score) => (0.0, 0.0, &texts.broken),
            Some(Ok(score)) if score < verdict.score => (score, score, &texts.model),
            Some(Ok(score)) => (verdict.score, score, &texts.model_fine),
        };
        let mut parts = verdict.parts;
        parts.push(Part { name: "model".to_owned(), score: thousandths(part), why: why.clone() });
        // A question once raised stays, whatever the numbers say afterwards.
        let asked = verdict.ask.then_some(verdict.why);
        let mut combined = conclude(score.min(verdict.score), verdict.threshold, parts, texts);
        if let Some(why) = asked.filter(|_| !combined.ask) {
            (combined.ask, combined.why) = (true, why);
        }
        combined
    }
}
