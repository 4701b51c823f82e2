//! From readings to an answer: one that is clear and only looks is the plan, what is doubtful or changes something is
//! offered, and what leaves a word out that narrows is neither.

use super::cover::{Spoken, unheld};
use super::doubt::{Doubt, Doubts};
use super::packed::{CHANGES, LOOKS};
use super::{Candidate, Index, Last, Packed, Reader, Said, Unheld};
use crate::catalog::{Catalog, Role};
use crate::clock::Clock;
use crate::plan::{Answer, Ask, Choice, Correction, Explain, Leans, Offer, Plan, Step};
use crate::shape::Shape;
use metnos_language::{Lexicon, Mention, What};
use metnos_vocab::Class;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// Longest request that is read this way.
const LONGEST: usize = 1_000;
/// Most readings that are offered.
const OFFERED: usize = 3;
/// A reading with a smaller chance is not offered; one that changes something, and one that takes something away, has to
/// be likelier.
const FAINT: f32 = 0.05;
const FAINT_CHANGE: f32 = 0.65;
const FAINT_GRAVE: f32 = 0.7;
const FAINT_UNUSUAL: f32 = 0.75;
/// Where the best reading has a smaller chance, nothing is offered.
const LEAST: f32 = 0.1;
/// One that only looks may be the answer with this chance; where unknown words are left out, with the second.
const LIKELY: f32 = 0.4;
const EVEN: f32 = 0.6;
/// One that changes something may be the answer with this chance; where a word has no part in it, or something about
/// how it is built is unusual, with the second; where it takes something away, with the third.
const CHANGES_SURE: f32 = 0.7;
const UNUSUAL_SURE: f32 = 0.8;
const GRAVE_SURE: f32 = 0.88;
/// What the words alone gave and explains every word stands against a reading with a smaller chance.
const AGAINST: f32 = 0.9;
/// A sentence, nothing and a question are the answer with this chance.
const SAID: f32 = 0.5;
/// How words for things are known.
const THING: &str = "thing ";
/// How words are known that limit what is meant.
const LIMITS: [&str; 5] =
    ["operator only", "operator except", "operator without", "operator spare", "operator other"];
/// So many unknown words may be left out of a request that only looks.
const OPEN: usize = 1;
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
}

/// What becomes of a request that the words of the lexicon gave an answer to already.
#[derive(Debug)]
pub enum Decision {
    /// This plan is clear.
    Clear(Plan),
    /// One of these is meant, the likeliest first.
    Offer(Vec<Plan>),
    /// Something is missing.
    Ask(Ask),
    /// A sentence is the answer.
    Say,
    /// What the words gave stays.
    Stays,
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
}

/// What the words of the lexicon gave.
#[derive(Clone, Copy, Debug)]
pub struct Words<'w> {
    /// The answer.
    pub answer: &'w Answer,
    /// Whether it explains every word as it was written.
    pub whole: bool,
}

/// The answer that evidence gives; none where what the words gave stays.
pub(crate) fn answer(
    talk: &Talk<'_>,
    words: Words<'_>,
    weights: &Packed,
    catalog: &Catalog,
    index: &Index,
    lexicon: &Lexicon,
    clock: &Clock,
) -> Option<(Answer, Explain)> {
    let asks = talk.text.chars().any(char::is_alphanumeric);
    if talk.text.len() > LONGEST || !asks {
        return None;
    }
    let said = Said::new(talk.text, talk.last, talk.earlier, lexicon, clock);
    let candidates = Reader::over(weights, catalog, index).read(&said, talk.last, clock);
    let explain = explain(&said, &candidates);
    let readings = Readings { said: &said, last: talk.last, candidates: &candidates, weights, catalog };
    let choice = |plan: Plan| Choice { plan, says: String::new() };
    match readings.decide(words) {
        Decision::Clear(plan) => Some((Answer::Plan(plan), explain)),
        Decision::Offer(plans) => {
            let offers = plans.into_iter().map(choice).collect();
            Some((Answer::Offer(Offer { offers }), explain))
        }
        Decision::Ask(ask) => Some((Answer::Ask(ask), explain)),
        Decision::Say => Some((Answer::Say(talk_of(&said).to_owned()), explain)),
        Decision::Stays => None,
    }
}

/// What a reading makes no use of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Nothing that counts.
    Nothing,
    /// Words that nobody knows.
    Words,
    /// A word that narrows.
    Narrows,
    /// A value that was said of what is asked.
    Value,
}

/// A reading that may be done or offered.
struct Possible<'c> {
    candidate: &'c Candidate,
    plan: Plan,
    left_out: LeftOut,
    changes: bool,
}

impl Readings<'_> {
    /// What becomes of the request, given what the words alone made of it.
    pub fn decide(&self, words: Words<'_>) -> Decision {
        let Some(best) = self.candidates.first() else { return Decision::Stays };
        let said = match words.answer {
            Answer::Plan(plan) if words.whole || !self.changes(plan) => Some(plan),
            _ => None,
        };
        match best.shape {
            Shape::Say if best.chance >= SAID && said.is_none() => {
                return if matches!(words.answer, Answer::Gap(_)) { Decision::Say } else { Decision::Stays };
            }
            Shape::Gap if best.chance >= SAID && said.is_none() => return Decision::Stays,
            _ => {}
        }
        if said.is_some_and(|said| self.stands(said, best)) {
            return Decision::Stays;
        }
        if let Some(ask) = best.built.ask.as_ref().filter(|_| best.chance >= SAID) {
            return Decision::Ask(ask.clone());
        }
        let possible = self.possible();
        let first = possible.first().filter(|first| std::ptr::eq(first.candidate, best));
        if let Some(first) = first.filter(|first| self.is_clear(first)) {
            // A question that the words alone ask is answered before anything is changed.
            return match (words.answer, first.changes) {
                (Answer::Ask(_), true) => Decision::Stays,
                // Two ways to read what is to be done are told apart by who asked.
                (Answer::Plan(said), true) if words.whole && !self.is_task(said) => {
                    Decision::Offer(vec![first.plan.clone(), said.clone()])
                }
                _ => Decision::Clear(first.plan.clone()),
            };
        }
        if !matches!(words.answer, Answer::Gap(_) | Answer::Plan(_)) && best.chance < EVEN {
            return Decision::Stays;
        }
        let mut offers: Vec<Plan> = possible
            .into_iter()
            .filter(|possible| self.is_offered(possible))
            .map(|possible| possible.plan)
            .take(OFFERED)
            .collect();
        if let Some(said) = said.filter(|said| !self.changes(said))
            && !offers.iter().any(|plan| plan.steps == said.steps)
        {
            offers.truncate(OFFERED - 1);
            offers.push(said.clone());
        }
        match best.chance >= LEAST && !offers.is_empty() {
            true => Decision::Offer(offers),
            false => Decision::Stays,
        }
    }

    /// Whether what the words alone gave stands against the likeliest reading.
    fn stands(&self, said: &Plan, best: &Candidate) -> bool {
        let steps = &best.built.steps;
        // A plan that explains every word leaves nothing to ask, and is not merely looked at.
        if *steps == said.steps || best.built.ask.is_some() {
            return true;
        }
        let deeds = |steps: &[Step]| -> BTreeSet<String> {
            steps.iter().map(|step| step.tool.clone()).filter(|tool| self.is_changer(tool)).collect()
        };
        let (own, other) = (deeds(&said.steps), deeds(steps));
        if own.is_empty() {
            // A question for somebody else is passed on as it was put.
            let passed =
                |step: &Step| self.catalog.get(&step.tool).is_some_and(|tool| tool.takes(Role::Question));
            return best.chance < AGAINST && !self.leaves_out(said, best) || said.steps.iter().any(passed);
        }
        if other.is_empty() {
            return !steps.is_empty();
        }
        // Of what is to be done later the words alone take any words.
        let known = || self.candidates.iter().any(|candidate| candidate.built.steps == said.steps);
        own == other && !self.is_task(said) || best.chance < AGAINST && !self.is_grave(said) && known()
    }

    /// Whether a plan of the words alone leaves out a place that a likely reading has.
    fn leaves_out(&self, said: &Plan, best: &Candidate) -> bool {
        let missed = |candidate: &Candidate| {
            let words = self.words(candidate);
            let lost = unheld(self.said, candidate, &words);
            let place = |at: usize| {
                let own = |m: &&Mention| m.from <= at && at < m.to && m.cost < 2 && m.known;
                self.said.mentions.iter().filter(own).any(|m| matches!(m.what, What::Place(_)))
            };
            lost.iter().any(|unheld| !unheld.beside && place(unheld.at))
        };
        let own = self.candidates.iter().find(|candidate| candidate.built.steps == said.steps);
        best.chance >= EVEN && own.is_some_and(missed) && !missed(best)
    }

    /// Whether a plan is for another time.
    fn is_task(&self, plan: &Plan) -> bool {
        plan.steps.iter().any(|step| self.catalog.get(&step.tool).is_some_and(|tool| tool.takes(Role::Task)))
    }

    /// Whether a plan changes something.
    fn changes(&self, plan: &Plan) -> bool {
        plan.steps.iter().any(|step| self.is_changer(&step.tool))
    }

    /// Whether a reading may be offered.
    fn is_offered(&self, possible: &Possible<'_>) -> bool {
        let unusual = || {
            let doubts = self.doubts(possible.candidate);
            doubts.iter().any(|doubt| !matches!(doubt, Doubt::Word(_) | Doubt::Unheard(_)))
        };
        let least = match possible.changes {
            false => FAINT,
            true if unusual() => FAINT_UNUSUAL,
            true if self.is_grave(&possible.plan) => FAINT_GRAVE,
            true => FAINT_CHANGE,
        };
        possible.candidate.chance >= least
    }

    /// Whether a plan takes something away, or lets it out of the house.
    fn is_grave(&self, plan: &Plan) -> bool {
        let grave = |step: &Step| {
            self.catalog.get(&step.tool).is_none_or(|tool| matches!(tool.verb(), "delete" | "send"))
                || step.args.get("dst_folder").is_some_and(|folder| folder == "Trash")
        };
        plan.steps.iter().any(grave)
    }

    /// Whether a reading may be the answer. One that only looks may leave words out, which are named; the likelier it has
    /// to be.
    fn is_clear(&self, first: &Possible<'_>) -> bool {
        let enough = match (first.changes, first.left_out) {
            (false, LeftOut::Value) => return false,
            (false, LeftOut::Narrows | LeftOut::Words) => EVEN,
            (false, LeftOut::Nothing) => LIKELY,
            (true, _) if self.is_grave(&first.plan) => GRAVE_SURE,
            (true, _) if self.doubts(first.candidate).is_empty() => CHANGES_SURE,
            (true, _) => UNUSUAL_SURE,
        };
        first.candidate.chance >= enough
    }

    /// The readings that may be done or offered, the likeliest first.
    fn possible(&self) -> Vec<Possible<'_>> {
        let mut out: Vec<Possible<'_>> = Vec::new();
        for candidate in self.candidates.iter().filter(|candidate| candidate.chance >= FAINT) {
            let Some((plan, left_out)) = self.plan(candidate) else { continue };
            if !out.iter().any(|known| known.plan.steps == plan.steps) {
                let changes = plan.steps.iter().any(|step| self.is_changer(&step.tool));
                out.push(Possible { candidate, plan, left_out, changes });
            }
        }
        out
    }

    /// The plan of a reading that may be done or offered, and what it leaves out. One that changes
    /// something and leaves out any word at all, or has nothing that bounds it, is none.
    pub fn plan(&self, candidate: &Candidate) -> Option<(Plan, LeftOut)> {
        let steps = &candidate.built.steps;
        let bound = !candidate.shape.is_back() && candidate.shape != Shape::Again || self.last.is_some();
        if steps.is_empty() || candidate.built.ask.is_some() || !bound {
            return None;
        }
        let words = self.words(candidate);
        let changes = words.changes();
        if changes && self.doubts(candidate).iter().any(Doubt::is_hard) {
            return None;
        }
        let lost = unheld(self.said, candidate, &words);
        let mut plan = Plan::of(steps.clone());
        if changes {
            self.pick_one(&mut plan.steps);
        }
        let deed = || lost.iter().filter(|unheld| !unheld.beside);
        let doubts = self.doubter(candidate, &words);
        let open = deed().filter(|unheld| unheld.open).count();
        let limits = |unheld: &Unheld| unheld.narrows && !unheld.beside;
        let left_out = match (lost.iter().any(limits), open > OPEN) {
            _ if deed().any(|unheld| self.is_missed(unheld) || doubts.limits(unheld)) => LeftOut::Value,
            (true, _) => LeftOut::Narrows,
            (false, true) => LeftOut::Words,
            (false, false) => LeftOut::Nothing,
        };
        plan.unused = lost.into_iter().map(|unheld| unheld.word).collect();
        plan.corrected = corrected(candidate, self.said);
        Some((plan, left_out))
    }

    /// Whether a word that is left out of an answer would have to be in it.
    fn is_missed(&self, unheld: &Unheld) -> bool {
        unheld.of && unheld.narrows && !unheld.open
            || self.is_value(unheld.at)
            || LIMITS.contains(&unheld.key.as_str())
    }

    /// Whether a word is part of a value as it was written: a place, a kind, a size, a time, a name with an ending.
    fn is_value(&self, at: usize) -> bool {
        let own = |m: &&Mention| m.from <= at && at < m.to && m.cost < 2;
        let thing = || self.said.mentions.iter().filter(own).any(|m| matches!(m.what, What::Thing(_)));
        self.said.mentions.iter().filter(own).any(|m| match &m.what {
            What::Place(_) => m.known && m.cost == 0,
            What::Kind(_) => !thing(),
            What::Size(..) | What::Window(..) | What::UnclearTime | What::Quoted(_) => true,
            What::Path(_) | What::Email(_) | What::Url(_) | What::Extension(_) => m.cost == 0,
            _ => false,
        })
    }

    /// What makes a reading doubtful that changes something.
    pub fn doubts(&self, candidate: &Candidate) -> Vec<Doubt> {
        self.doubter(candidate, &self.words(candidate)).all()
    }

    fn doubter<'d>(&'d self, candidate: &'d Candidate, words: &'d Around<'d>) -> Doubts<'d> {
        let Self { said, last, weights, catalog, .. } = *self;
        Doubts { said, candidate, last, catalog, weights, words }
    }

    /// The words that rows know around what a reading does.
    fn words(&self, candidate: &Candidate) -> Around<'_> {
        Around::of(candidate, self.weights, |tool| self.is_changer(tool))
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
}

/// The words that rows know around what these executors do.
#[derive(Debug)]
pub struct Around<'w> {
    /// What was learned from rows.
    pub weights: &'w Packed,
    /// The executors that change something.
    pub changers: Vec<String>,
    /// All executors.
    pub tools: Vec<String>,
}

impl<'w> Around<'w> {
    /// The words around the steps of a reading.
    pub fn of(candidate: &Candidate, weights: &'w Packed, changes: impl Fn(&str) -> bool) -> Self {
        let tools: Vec<String> = candidate.built.steps.iter().map(|step| step.tool.clone()).collect();
        Around { weights, changers: tools.iter().filter(|tool| changes(tool)).cloned().collect(), tools }
    }
}

impl Spoken for Around<'_> {
    fn asks(&self, word: &str) -> bool {
        // Where something is only looked at, a thing is one that people say for it, and any act may be polite.
        let free = self.changers.is_empty() && !word.starts_with(THING);
        let tools = if self.changers.is_empty() { &self.tools } else { &self.changers };
        free || tools.iter().any(|tool| self.weights.is_spoken(tool, word))
    }

    fn idles(&self, word: &str) -> bool {
        self.weights.is_spoken(if self.changers.is_empty() { LOOKS } else { CHANGES }, word)
    }

    fn changes(&self) -> bool {
        !self.changers.is_empty()
    }
}

/// Talk that has an answer of its own; all other talk is answered like a greeting, with what can be asked.
const THANKS: &str = "thanks";
const GREETING: &str = "greet";

/// What is said to talk that asks for nothing.
fn talk_of(said: &Said) -> &'static str {
    let thanks = |mention: &Mention| {
        mention.cost < 2 && matches!(mention.what, What::Talk(talk) if talk.name() == THANKS)
    };
    if said.mentions.iter().any(thanks) { THANKS } else { GREETING }
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
