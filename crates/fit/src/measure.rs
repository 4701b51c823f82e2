//! What a set gets that nothing was learned from.

use crate::learn::Teacher;
use crate::rows::Row;
use crate::score::judge;
use metnos_engine::evidence::{Candidate, Layout, Model, Reader, Said};
use metnos_engine::shape::Shape;
use serde_json::{Value, json};
use std::fmt;

#[derive(Default)]
pub(crate) struct Figures {
    rows: usize,
    shape: usize,
    shape_in_three: usize,
    plan: usize,
    plan_in_three: usize,
    filled: usize,
}

impl Figures {
    pub(crate) fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.shape += other.shape;
        self.shape_in_three += other.shape_in_three;
        self.plan += other.plan;
        self.plan_in_three += other.plan_in_three;
        self.filled += other.filled;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |n: usize| n as f64 / self.rows.max(1) as f64;
        write!(
            f,
            "plan {:.3} first, {:.3} in three; shape {:.3}, {:.3}; filled {:.3} of right shapes; n={}",
            share(self.plan),
            share(self.plan_in_three),
            share(self.shape),
            share(self.shape_in_three),
            self.filled as f64 / self.shape.max(1) as f64,
            self.rows
        )
    }
}

pub(crate) fn measure(teacher: &Teacher<'_>, model: &Model, rows: &[&Row], verbose: bool) -> Figures {
    let reader = Reader::new(model, teacher.catalog);
    let mut figures = Figures::default();
    for row in rows {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        let candidates = reader.read(&said, last.as_ref(), &teacher.clock);
        let acts =
            said.mentions.iter().any(|m| matches!(m.what, metnos_language::What::Act(_)) && m.cost == 0);
        let shape = row.shape(teacher.catalog, acts);
        let right = |candidate: &Candidate| shape.as_ref().is_none_or(|shape| *shape == candidate.shape);
        let verdicts: Vec<Option<String>> =
            candidates.iter().take(3).map(|candidate| judge(&row.expect, &answer(candidate))).collect();
        figures.rows += 1;
        let first_shape = candidates.first().is_some_and(right);
        figures.shape += usize::from(first_shape);
        figures.shape_in_three += usize::from(candidates.iter().take(3).any(right));
        let first = verdicts.first().is_some_and(Option::is_none);
        figures.plan += usize::from(first);
        figures.filled += usize::from(first && first_shape);
        figures.plan_in_three += usize::from(verdicts.iter().any(Option::is_none));
        if verbose && !first {
            let at = verdicts.iter().position(Option::is_none);
            println!("  {} {:?} {:?} tap={at:?}", row.id, row.context, row.query);
            match first_shape {
                true => {
                    println!("      VALUE {}", verdicts[0].as_deref().unwrap_or_default());
                    show_pairs(&candidates[0], &said, model, teacher);
                }
                false => println!(
                    "      SHAPE {} not {}",
                    shape.map_or_else(|| row.expect["kind"].to_string(), |s| s.to_string()),
                    candidates.first().map_or_else(String::new, |c| c.shape.to_string())
                ),
            }
        }
    }
    figures
}

/// What could fill the slots of a reading, the likeliest first.
fn show_pairs(candidate: &Candidate, said: &Said, model: &Model, teacher: &Teacher<'_>) {
    let Some(layout) = Layout::new(&candidate.shape, teacher.catalog) else { return };
    let mut pairs: Vec<(f32, String)> = said
        .pairs(&layout, &teacher.clock)
        .into_iter()
        .map(|(filled, features)| {
            let mention = &said.mentions[filled.mention];
            let values: Vec<String> = filled.values.iter().map(|(_, value)| value.to_string()).collect();
            (model.fit(&features), format!("{} {} c{}", filled.slot.key(), values.join(" "), mention.cost))
        })
        .collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (score, says) in pairs.iter().take(7) {
        println!("            {score:.2} {says}");
    }
}

/// A reading as the answer that a batch prints.
fn answer(candidate: &Candidate) -> Value {
    match candidate.shape {
        Shape::Say => json!({"kind": "say"}),
        Shape::Gap => json!({"kind": "gap"}),
        _ => match &candidate.built.ask {
            Some(ask) => json!({"kind": "ask", "missing": ask.missing}),
            None => json!({"kind": "plan", "plan": {"steps": candidate.built.steps}}),
        },
    }
}
