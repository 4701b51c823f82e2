//! What a set gets that nothing was learned from.

use crate::chances::Chances;
use crate::learn::Teacher;
use crate::rows::Row;
use crate::score::judge;
use metnos_engine::evidence::{Around, Candidate, Layout, Packed, Reader, Readings, Said, unheld};
use metnos_engine::shape::Shape;
use metnos_engine::{Answer, Plan, Planner, Request, Step};
use metnos_vocab::Class;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

#[derive(Default)]
pub(crate) struct Figures {
    rows: usize,
    shape: usize,
    shape_in_three: usize,
    plan: usize,
    plan_in_three: usize,
    filled: usize,
    decided: Decided,
    /// How likely the first reading was said to be.
    pub(crate) chances: Chances,
}

/// What becomes of requests when it is decided what to do.
#[derive(Default)]
struct Decided {
    /// The right answer at once.
    at_once: usize,
    /// Or among what is offered.
    tapped: usize,
    offered: usize,
    /// Another plan than the right one, which changes something; of these, plans that delete or send.
    wrong: usize,
    grave: usize,
    /// Requests for something that changes, and those of them whose right plan is held.
    changing: usize,
    held: usize,
}

impl Figures {
    pub(crate) fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.shape += other.shape;
        self.shape_in_three += other.shape_in_three;
        self.plan += other.plan;
        self.plan_in_three += other.plan_in_three;
        self.filled += other.filled;
        self.chances.add(&other.chances);
        let (sum, more) = (&mut self.decided, &other.decided);
        sum.at_once += more.at_once;
        sum.tapped += more.tapped;
        sum.offered += more.offered;
        sum.wrong += more.wrong;
        sum.grave += more.grave;
        sum.changing += more.changing;
        sum.held += more.held;
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
        )?;
        let decided = &self.decided;
        write!(
            f,
            "\n    at once {:.3}, one tap {:.3}, offered {:.3}; {} wrong changes ({} delete or send); {} of {} right changes held",
            share(decided.at_once),
            share(decided.tapped),
            share(decided.offered),
            decided.wrong,
            decided.grave,
            decided.held,
            decided.changing
        )
    }
}

pub(crate) fn measure(
    teacher: &Teacher<'_>,
    model: &Packed,
    rows: &[&Row],
    verbose: bool,
) -> Result<Figures, String> {
    let lexicons = metnos_engine::Lexicons::shipped().map_err(|e| e.to_string())?;
    let planner = Planner::new(teacher.catalog.clone(), lexicons).weighing(Some(Arc::new(model.clone())));
    let reader = Reader::new(model, teacher.catalog);
    let mut figures = Figures::default();
    for row in rows {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        let candidates = reader.read(&said, last.as_ref(), &teacher.clock());
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
        figures.chances.say(candidates.first().map_or(0.0, |best| best.chance), first);
        figures.filled += usize::from(first && first_shape);
        figures.plan_in_three += usize::from(verdicts.iter().any(Option::is_none));
        decided(&mut figures.decided, row, &planner, teacher, first, verbose);
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
    Ok(figures)
}

/// What becomes of a request: `first` is whether its best reading is right.
fn decided(
    figures: &mut Decided,
    row: &Row,
    planner: &Planner,
    teacher: &Teacher<'_>,
    first: bool,
    verbose: bool,
) {
    let catalog = teacher.catalog;
    let is_changer = |step: &Step| catalog.get(&step.tool).is_none_or(|tool| tool.class == Class::Changer);
    let plan_of = |plan: &Plan| json!({"kind": "plan", "plan": {"steps": plan.steps}});
    let right = |answer: &Value| judge(&row.expect, answer).is_none();
    let request = Request { text: &row.query, language: Some(&row.lang), context: &row.context };
    let (answer, _) = planner.plan(&request, &teacher.clock());
    let asked = row.steps().iter().any(is_changer);
    figures.changing += usize::from(asked && first);
    let kind = row.expect["kind"].as_str().unwrap_or_default();
    let (at_once, tapped) = match &answer {
        Answer::Plan(plan) => {
            let ok = right(&plan_of(plan));
            if !ok && plan.steps.iter().any(is_changer) {
                figures.wrong += 1;
                let grave = |step: &Step| step.tool.starts_with("delete_") || step.tool.starts_with("send_");
                figures.grave += usize::from(plan.steps.iter().any(grave));
                if verbose {
                    println!("  WRONG CHANGE {} {:?} {}", row.id, row.query, json!(plan.steps));
                }
            }
            figures.held += usize::from(asked && first && ok);
            (ok, ok)
        }
        Answer::Offer(offer) => {
            figures.offered += 1;
            let ok = offer.offers.iter().take(3).any(|choice| right(&plan_of(&choice.plan)));
            figures.held += usize::from(asked && first && ok);
            (kind == "ask", ok || matches!(kind, "ask" | "gap" | "say"))
        }
        Answer::Ask(ask) => {
            let ok = right(&json!({"kind": "ask", "missing": ask.missing}));
            (ok, ok)
        }
        Answer::Help => (kind == "say", kind == "say"),
        other => {
            let ok = right(&json!({"kind": other.kind()}));
            (ok, ok)
        }
    };
    figures.at_once += usize::from(at_once);
    figures.tapped += usize::from(tapped);
    if verbose && !at_once {
        println!(
            "  MISSED {} {:?} {:?} {} tap={tapped} first={first} unused={:?}",
            row.id,
            row.query,
            row.context,
            answer.kind(),
            match &answer {
                Answer::Offer(offer) => offer.offers[0].plan.unused.as_slice(),
                _ => &[],
            }
        );
    }
}

/// What could fill the slots of a reading, the likeliest first.
pub(crate) fn show_pairs(candidate: &Candidate, said: &Said, model: &Packed, teacher: &Teacher<'_>) {
    let Some(layout) = Layout::new(&candidate.shape, teacher.catalog) else { return };
    let mut pairs: Vec<(f32, String)> = said
        .pairs(&layout, &teacher.clock())
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
pub(crate) fn answer(candidate: &Candidate) -> Value {
    match candidate.shape {
        Shape::Say => json!({"kind": "say"}),
        Shape::Gap => json!({"kind": "gap"}),
        _ => match &candidate.built.ask {
            Some(ask) => json!({"kind": "ask", "missing": ask.missing}),
            None => json!({"kind": "plan", "plan": {"steps": candidate.built.steps}}),
        },
    }
}

/// Everything that is read in one request, for people who tune the weights.
pub(crate) fn show(teacher: &Teacher<'_>, weights: &Packed, text: &str, lang: &str) -> Result<(), String> {
    let lexicon = teacher.lexicons.get(lang).ok_or("no such language")?;
    let said = Said::new(text, None, None, lexicon, &teacher.clock());
    for mention in &said.mentions {
        println!(
            "{}..{} {:?} {:?} c{}",
            mention.from, mention.to, mention.what, mention.relation, mention.cost
        );
    }
    let candidates = Reader::new(weights, teacher.catalog).read(&said, None, &teacher.clock());
    for candidate in candidates.iter().take(3) {
        println!("{:.2} {:.3} {} {}", candidate.score, candidate.chance, candidate.shape, answer(candidate));
        show_pairs(candidate, &said, weights, teacher);
        let changes = |tool: &str| teacher.catalog.get(tool).is_none_or(|tool| tool.class == Class::Changer);
        for word in unheld(&said, candidate, &Around::of(candidate, weights, changes)) {
            println!("      not used: {word:?}");
        }
        for filled in &candidate.filled {
            println!("      {} {:?} {:.2}", filled.slot.key(), filled.values, filled.score);
        }
    }
    Ok(())
}

/// How long the rows of the voices take to read: the shortest of a few times, for others may use the machine too.
pub(crate) fn time(teacher: &Teacher<'_>, weights: &Packed, rows: &[Row]) {
    let reader = Reader::new(weights, teacher.catalog);
    let clock = teacher.clock();
    let (mut words, mut readings, mut readers) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| !row.set.contains(':')) {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        words.push(shortest(|| drop(teacher.said(row, last.as_ref()))));
        readers.push(shortest(|| drop(Reader::new(weights, teacher.catalog))));
        readings.push(shortest(|| drop(reader.read(&said, last.as_ref(), &clock))));
    }
    for (what, mut times) in [("words", words), ("reader", readers), ("readings", readings)] {
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
        println!("{what}: {} µs median, {} µs for 95 of 100", at(50), at(95));
    }
}

/// The shortest of a few times, in µs.
fn shortest(work: impl Fn()) -> u128 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_micros()
    };
    (0..3).map(time).min().unwrap_or_default()
}

/// Cover alone: of requests that must not be done as they stand, how many have a reading among the first three that
/// would act; of rows that change something, how many right plans pass. Weights and what words decide are not asked.
pub(crate) fn cover(
    teacher: &Teacher<'_>,
    weights: &Packed,
    rows: &[&Row],
    verbose: bool,
) -> Result<(), String> {
    let reader = Reader::new(weights, teacher.catalog);
    let lexicons = metnos_engine::Lexicons::shipped().map_err(|e| e.to_string())?;
    let planner = Planner::new(teacher.catalog.clone(), lexicons).weighing(Some(Arc::new(weights.clone())));
    let (mut acts, mut total, mut done, mut offered) = (0, 0, 0, 0);
    for row in &crate::rows::dangerous()? {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        let candidates = reader.read(&said, last.as_ref(), &teacher.clock());
        let readings = readings(&said, last.as_ref(), &candidates, weights, teacher);
        let narrow = row.expect["narrow"].as_array().cloned().unwrap_or_default();
        let wide = |plan: &Plan| {
            let has = |pair: &Value| {
                let has =
                    |step: &Step| pair[0].as_str().is_some_and(|name| step.args.get(name) == Some(&pair[1]));
                plan.steps.iter().any(has)
            };
            let changes = plan.steps.iter().any(|step| readings.is_changer(&step.tool));
            changes && (narrow.is_empty() || !narrow.iter().all(has))
        };
        total += 1;
        let request = Request { text: &row.query, language: Some(&row.lang), context: &row.context };
        match planner.plan(&request, &teacher.clock()).0 {
            Answer::Plan(plan) if wide(&plan) => {
                done += 1;
                println!("  DONE {:?} {:?} {}", row.query, row.context, json!(plan.steps));
            }
            Answer::Offer(offer) if offer.offers.iter().any(|choice| wide(&choice.plan)) => {
                offered += 1;
                let wide = offer.offers.iter().map(|choice| &choice.plan).find(|plan| wide(plan));
                println!(
                    "  OFFERED {:?} {:?} {}",
                    row.query,
                    row.context,
                    json!(wide.map(|plan| &plan.steps))
                );
            }
            _ => {}
        }
        let passed = candidates.iter().take(3).filter_map(|candidate| readings.plan(candidate));
        if let Some((plan, _)) = passed.into_iter().find(|(plan, _)| wide(plan)) {
            acts += 1;
            if verbose {
                println!("  ACT {:?} {:?} {}", row.query, row.context, json!(plan.steps));
            }
        }
    }
    let (mut good, mut passed) = (0, 0);
    for row in rows {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        let candidates = reader.read(&said, last.as_ref(), &teacher.clock());
        let readings = readings(&said, last.as_ref(), &candidates, weights, teacher);
        if !row.steps().iter().any(|step| readings.is_changer(&step.tool)) {
            continue;
        }
        let right = candidates.iter().find(|candidate| judge(&row.expect, &answer(candidate)).is_none());
        let Some(right) = right else { continue };
        good += 1;
        if readings.plan(right).is_some() {
            passed += 1;
        } else if verbose {
            println!(
                "  LOST {:?} {:?} {}",
                row.query,
                row.context,
                readings.doubts(right).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            );
        }
    }
    println!("as answered: {done} done, {offered} offered");
    println!("cover: {acts} of {total} dangerous requests would act, {passed} of {good} right plans pass");
    Ok(())
}

fn readings<'r>(
    said: &'r Said,
    last: Option<&'r metnos_engine::evidence::Last>,
    candidates: &'r [Candidate],
    weights: &'r Packed,
    teacher: &'r Teacher<'_>,
) -> Readings<'r> {
    Readings { said, last, candidates, weights, catalog: teacher.catalog }
}

/// How many rows of each set have the right reading first, with the weights as they are written.
pub(crate) fn golden(
    teacher: &Teacher<'_>,
    weights: &Packed,
    rows: &[Row],
    verbose: bool,
) -> Result<(), String> {
    let reader = Reader::new(weights, teacher.catalog);
    let mut sets: std::collections::BTreeMap<&str, (usize, usize, usize)> = Default::default();
    for row in rows {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        let candidates = reader.read(&said, last.as_ref(), &teacher.clock());
        let right = |c: &Candidate| judge(&row.expect, &answer(c)).is_none();
        let first = candidates.first().is_some_and(right);
        let of = sets.entry(&row.set).or_default();
        of.0 += 1;
        of.1 += usize::from(first);
        of.2 += usize::from(candidates.iter().take(3).any(right));
        if verbose && !first {
            let best = candidates.first();
            println!(
                "  {} {} {:?} {:?} want {} got {} {:.2}",
                row.set,
                row.id,
                row.query,
                row.context,
                json!(row.steps()),
                best.map_or(Value::Null, answer),
                best.map_or(0.0, |b| b.chance)
            );
        }
    }
    for (set, (n, first, three)) in sets {
        println!(
            "{set}: {:.3} first, {:.3} in three of {n}",
            first as f64 / n as f64,
            three as f64 / n as f64
        );
    }
    Ok(())
}
