//! From readings to an answer: one that is clear and only looks is the plan, what is doubtful or changes something is
//! offered, and what leaves a word out that narrows is neither.

use super::cover::{Spoken, explained, unheld};
use super::packed::{CHANGES, LOOKS};
use super::{Candidate, Filled, Last, Packed, Reader, Said};
use crate::catalog::{Catalog, Role, Tool};
use crate::clock::Clock;
use crate::plan::{Answer, Choice, Correction, Explain, Leans, Offer, Plan, Step};
use crate::shape::Shape;
use metnos_language::{Edge, Form, Lexicon, Lit, Operator, Sense, What};
use metnos_vocab::Class;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// Longest request that is read this way.
const LONGEST: usize = 1_000;
/// Most readings that are offered.
const OFFERED: usize = 3;
/// A reading that is offered is at least so likely, of what the best one is.
const BEHIND: f32 = 0.15;
/// A reading that is less likely is none.
const LEAST: f32 = 0.2;
/// One that is more likely may be the answer.
const LIKELY: f32 = 0.6;
/// So many unknown words may be left out of a request that only looks.
const OPEN: usize = 1;
/// A reading this far ahead of the next one is clear.
const CLEAR: f32 = 0.1;

/// The weights that are shipped.
static SHIPPED: LazyLock<Option<Arc<Packed>>> = LazyLock::new(|| {
    Packed::read(Cow::Borrowed(include_bytes!("../../data/weights.bin"))).ok().map(Arc::new)
});

/// The weights that are shipped; none where the file of them is broken.
pub(crate) fn shipped() -> Option<Arc<Packed>> {
    SHIPPED.clone()
}

/// One request, inside its conversation.
pub(crate) struct Talk<'t> {
    pub(crate) text: &'t str,
    pub(crate) earlier: Option<&'t str>,
    pub(crate) last: Option<&'t Last>,
    /// Words that the words of the lexicon did not explain.
    pub(crate) doubted: &'t [String],
}

/// What readings come to.
#[derive(Debug)]
pub enum Decision {
    /// One is clear.
    Clear(Plan),
    /// One of these is meant.
    Offer(Vec<Plan>),
    /// Nothing that may be done.
    Nothing,
}

/// The readings of one request.
#[derive(Debug)]
pub struct Readings<'r> {
    /// As it was said.
    pub said: &'r Said,
    /// What the conversation was about.
    pub last: Option<&'r Last>,
    /// The readings, the likeliest first.
    pub candidates: &'r [Candidate],
    /// What they were made with.
    pub weights: &'r Packed,
    /// The executors.
    pub catalog: &'r Catalog,
    /// Words that have to be a value where something is changed, or a misspelled word, or part of a remark. None where
    /// nobody looked: then nothing is changed.
    pub doubted: Option<&'r [String]>,
}

/// The answer that evidence gives; none where it has none.
pub(crate) fn answer(
    talk: &Talk<'_>,
    weights: &Packed,
    catalog: &Catalog,
    lexicon: &Lexicon,
    clock: &Clock,
) -> Option<(Answer, Explain)> {
    if talk.text.len() > LONGEST {
        return None;
    }
    let said = Said::new(talk.text, talk.last, talk.earlier, lexicon, clock);
    let candidates = Reader::new(weights, catalog).read(&said, talk.last, clock);
    let explain = explain(&said, &candidates);
    let doubted = Some(talk.doubted).filter(|words| !words.is_empty());
    let readings =
        Readings { said: &said, last: talk.last, candidates: &candidates, weights, catalog, doubted };
    let choice = |plan: Plan| Choice { plan, says: String::new() };
    match readings.decide() {
        Decision::Clear(plan) => Some((Answer::Plan(plan), explain)),
        Decision::Offer(plans) => {
            let offers = plans.into_iter().map(choice).collect();
            Some((Answer::Offer(Offer { offers }), explain))
        }
        Decision::Nothing => None,
    }
}

impl Readings<'_> {
    /// One that is clear, or those that may be meant.
    pub fn decide(&self) -> Decision {
        let Some(best) = self.candidates.first() else { return Decision::Nothing };
        if matches!(best.shape, Shape::Gap | Shape::Say) || best.chance < LEAST {
            return Decision::Nothing;
        }
        let mut readings: Vec<(&Candidate, Plan, bool)> = Vec::new();
        for candidate in self.candidates.iter().filter(|candidate| candidate.chance > best.chance * BEHIND) {
            let Some((plan, narrower)) = self.plan(candidate) else { continue };
            if !readings.iter().any(|(_, known, _)| known.steps == plan.steps) {
                readings.push((candidate, plan, narrower));
            }
        }
        readings.truncate(OFFERED);
        let Some((first, plan, narrower)) = readings.first() else { return Decision::Nothing };
        let next = self
            .candidates
            .iter()
            .find(|other| other.built.steps != first.built.steps)
            .map_or(0.0, |c| c.chance);
        if std::ptr::eq(*first, best) && first.chance - next > CLEAR && first.chance > LIKELY && !narrower {
            return Decision::Clear(plan.clone());
        }
        Decision::Offer(readings.into_iter().map(|(_, plan, _)| plan).collect())
    }

    /// The plan of a reading that may be done or offered, and whether it leaves out a word that narrows. One that changes
    /// something and leaves out any word at all, or has nothing that bounds it, is none.
    pub fn plan(&self, candidate: &Candidate) -> Option<(Plan, bool)> {
        let steps = &candidate.built.steps;
        let bound = !candidate.shape.is_back() && candidate.shape != Shape::Again || self.last.is_some();
        if steps.is_empty() || candidate.built.ask.is_some() || !bound {
            return None;
        }
        let changers: Vec<String> =
            steps.iter().map(|step| step.tool.clone()).filter(|tool| self.is_changer(tool)).collect();
        let changes = !changers.is_empty();
        let lost = unheld(self.said, candidate, &Words { weights: self.weights, changers });
        if changes && !self.is_explained(candidate) {
            return None;
        }
        if changes
            && !(lost.iter().all(|unheld| unheld.beside) && self.is_ordered() && self.is_bounded(candidate))
        {
            return None;
        }
        let mut plan = Plan::of(steps.clone());
        if changes {
            self.pick_one(&mut plan.steps);
        }
        let deed = || lost.iter().filter(|unheld| !unheld.beside);
        let open = deed().filter(|unheld| unheld.open).count();
        let narrower = deed().any(|unheld| unheld.narrows) || open > OPEN;
        plan.unused = lost.into_iter().map(|unheld| unheld.word).collect();
        plan.corrected = corrected(candidate, self.said);
        Some((plan, narrower))
    }

    /// Whether an executor changes something.
    pub fn is_changer(&self, tool: &str) -> bool {
        self.catalog.get(tool).is_none_or(|tool| tool.class == Class::Changer)
    }

    /// Of files with one name, one is meant: which, is asked where there are several.
    fn pick_one(&self, steps: &mut [Step]) {
        let named = |step: &Step| {
            let patterns = step.args.get("patterns").and_then(|patterns| patterns.as_array());
            patterns.is_some_and(|patterns| {
                patterns.len() == 1
                    && patterns.iter().all(|one| one.as_str().is_some_and(|name| !name.contains('*')))
            })
        };
        let sources: Vec<bool> = steps.iter().map(named).collect();
        for step in steps.iter_mut() {
            let from = step.args.get("from_step").and_then(serde_json::Value::as_u64);
            let from = from.and_then(|from| usize::try_from(from).ok()?.checked_sub(1));
            let one = from.and_then(|from| sources.get(from)).copied().unwrap_or(false);
            if one && self.is_changer(&step.tool) {
                step.args.insert("pick".to_owned(), "one".into());
            }
        }
    }

    /// Whether each doubted word is the name of a file, a misspelled word, or part of a remark.
    fn is_explained(&self, candidate: &Candidate) -> bool {
        let Some(doubted) = self.doubted else { return false };
        let tokens = &self.said.lattice.tokens;
        let sure = explained(self.said, candidate);
        doubted.iter().all(|word| {
            let mut places = (0..tokens.len())
                .filter(|at| tokens[*at].text == *word || tokens[*at].norm == *word)
                .peekable();
            places.peek().is_some() && places.all(|at| sure[at] || self.said.lattice.corrected(at).is_some())
        })
    }

    /// Whether something is ordered, not told or asked.
    fn is_ordered(&self) -> bool {
        let lattice = &self.said.lattice;
        let orders =
            |edge: &Edge| matches!(edge.sense, Sense::Act(_)) && edge.form == Form::Order && edge.cost < 4;
        let asks = |edge: &Edge| {
            matches!(edge.sense, Sense::Operator(Operator::Ask | Operator::Wonder)) && edge.cost == 0
        };
        let ends =
            |at: usize| matches!(lattice.tokens[at].lit, Lit::Symbol('.' | '!' | '?' | ';' | ',' | ':'));
        let mut asked = false;
        for at in 0..lattice.tokens.len() {
            if ends(at) {
                asked = false;
                continue;
            }
            asked |= lattice.at(at).iter().any(asks);
            if !asked && lattice.at(at).iter().any(orders) {
                return true;
            }
        }
        false
    }

    /// Whether what is changed was said: a place, a name, or what was answered before; never all there is.
    fn is_bounded(&self, candidate: &Candidate) -> bool {
        // What was changed, taken or received was so already.
        let today = self.said.now.date().to_string();
        let later = |filled: &Filled| {
            filled.slot.role == Role::After
                && filled.values.iter().any(|(role, value)| {
                    *role == Role::After && value.as_str().is_some_and(|day| day > today.as_str())
                })
        };
        let sources = candidate.built.steps.iter().filter_map(|step| self.catalog.get(&step.tool));
        let mut sources = sources.filter(|tool| tool.class == Class::Producer).peekable();
        if sources.peek().is_none() {
            return true;
        }
        let bounds = |tool: &Tool, filled: &Filled| {
            let role = filled.slot.role;
            let place = matches!(role, Role::Place | Role::Patterns | Role::Paths | Role::Contains);
            !filled.slot.not && tool.takes(role) && (place || !tool.takes(Role::Place))
        };
        sources.all(|tool| candidate.filled.iter().any(|filled| bounds(tool, filled)))
            && !candidate.filled.iter().any(later)
    }
}

/// The words that rows know around what these executors do.
#[derive(Debug)]
pub struct Words<'w> {
    /// What was learned from rows.
    pub weights: &'w Packed,
    /// The executors that change something.
    pub changers: Vec<String>,
}

impl Spoken for Words<'_> {
    fn asks(&self, word: &str) -> bool {
        self.changers.is_empty() || self.changers.iter().any(|tool| self.weights.is_spoken(tool, word))
    }

    fn idles(&self, word: &str) -> bool {
        self.weights.is_spoken(if self.changers.is_empty() { LOOKS } else { CHANGES }, word)
    }

    fn changes(&self) -> bool {
        !self.changers.is_empty()
    }
}

/// The words that were taken for others.
fn corrected(candidate: &Candidate, said: &Said) -> Vec<Correction> {
    let spoken = said.mentions.iter().filter(|m| matches!(m.what, What::Act(_) | What::Thing(_)));
    let filled = candidate.filled.iter().map(|filled| &said.mentions[filled.mention]);
    let mut at: Vec<usize> = filled.chain(spoken).flat_map(|mention| mention.from..mention.to).collect();
    at.sort_unstable();
    at.dedup();
    let read = |at: usize| {
        let read = said.lattice.corrected(at)?.to_owned();
        Some(Correction { wrote: said.lattice.tokens.get(at)?.text.clone(), read })
    };
    at.into_iter().filter_map(read).collect()
}

fn explain(said: &Said, candidates: &[Candidate]) -> Explain {
    let timed = said.mentions.iter().any(|mention| {
        matches!(mention.what, What::Window(..) | What::Moment(..) | What::Schedule(_) | What::DayPart(_))
    });
    let note = |candidate: &Candidate| format!("{:.2} {}", candidate.chance, candidate.shape);
    Explain {
        language: said.language.clone(),
        notes: candidates.iter().take(OFFERED).map(note).collect(),
        // Words around a request weigh in it, so that its plan is one of this conversation.
        leans: Leans { clock: timed, request: true, ..Leans::default() },
        ..Explain::default()
    }
}
