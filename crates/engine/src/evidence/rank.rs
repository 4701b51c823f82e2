//! What speaks for or against a reading as a whole: how well its shape fits the words, how well values fit its slots, and
//! what of the request it leaves out. Each is a number; how much it counts is fitted.

use super::assign::Scene;
use super::cover::unheld;
use super::doubt::Doubts;
use super::marks::Marked;
use super::{Around, Candidate, Filled, Last, Packed, Said, Unheld};
use crate::catalog::{Catalog, Tool};
use crate::shape::Shape;
use metnos_language::{Mention, Operator, Pronoun, What};
use metnos_vocab::Class;

macro_rules! traits {
    ($($(#[$what:meta])* $variant:ident = $start:literal,)*) => {
        /// One thing that speaks for or against a reading.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        #[allow(dead_code, reason = "factors are set by their place")]
        pub(super) enum Trait { $($(#[$what])* $variant,)* }

        /// How much each counts where nothing was fitted.
        pub const START: &[f32] = &[$($start,)*];

        /// The name of each, in order.
        pub const TRAITS: &[&str] = &[$(stringify!($variant),)*];
    };
}

traits! {
    /// What speaks for the shape, one for each of its factors.
    Whole = 1.0,
    /// What it changes.
    Deed = 1.0,
    /// Its main step.
    Main = 1.0,
    /// What its main step is about.
    Object = 1.0,
    /// Its first step.
    First = 1.0,
    /// Its last step.
    Final = 1.0,
    /// What it does with lists.
    Then = 1.0,
    /// How long it is.
    Steps = 1.0,
    /// Whether it points back.
    Back = 1.0,
    /// What another choice of values costs.
    Cost = -1.0,
    /// How well the values fit.
    Fits = 0.0,
    /// How well the worst of them fits.
    Worst = 0.0,
    /// How many there are.
    Values = 0.0,
    /// Words that it makes no use of.
    Unheld = 0.0,
    /// Of these, words that narrow.
    Narrows = 0.0,
    /// Of these, words that are not common.
    Open = 0.0,
    /// Words in remarks.
    Beside = 0.0,
    /// Words it makes no use of where it changes something.
    ChangeUnheld = 0.0,
    /// Values that were said and are not in it.
    Dropped = -0.3,
    /// Places that were said and are not in it.
    DroppedPlace = 0.0,
    /// Names that were said and are not in it.
    DroppedName = 0.0,
    /// Kinds that were said and are not in it.
    DroppedKind = 0.0,
    /// Times that were said and are not in it.
    DroppedTime = 0.0,
    /// Corrected words among its values.
    Corrected = 0.0,
    /// It asks for something, and only looks.
    AsksLook = -0.5,
    /// It asks for something, and would change something.
    AsksChange = -0.5,
    /// An order was said that it does not have.
    Unordered = -0.4,
    /// It has an order that was not said.
    Ordered = 0.0,
    /// It points back, and there is nothing behind.
    Lost = -3.0,
    /// It points back, and something in the request does.
    BackSaid = 0.0,
    /// It points back, and nothing in the request does.
    BackUnsaid = 0.0,
    /// It does not point back, and something in the request does.
    BackMissed = 0.0,
    /// It is about what the last answer was about.
    SameObject = 0.0,
    /// It points back to things that it does not work on.
    OtherObject = 0.0,
    /// A word people use for each of its steps was said.
    Spoken = 0.0,
    /// Steps for which no such word was said.
    Unspoken = 0.0,
    /// Changing steps for which no such word was said.
    ChangeUnspoken = 0.0,
    /// Words for something to do that nobody uses for its steps.
    ActUnused = 0.0,
    /// Words for things that nobody uses for its steps.
    ThingUnused = 0.0,
    /// It is a sentence.
    Say = 0.0,
    /// It is nothing.
    Gap = 0.0,
    /// It is nothing, and words for something to do were said.
    GapActs = 0.0,
    /// It is nothing, and words for things were said.
    GapThings = 0.0,
    /// It is the request before, with other values.
    Again = 0.0,
    /// It is that, and words for something to do were said.
    AgainActs = 0.0,
    /// It changes something.
    Changes = 0.0,
}

/// How many there are.
const COUNT: usize = TRAITS.len();

/// The traits of one reading.
pub type Traits = [f32; COUNT];

/// What is known when a reading is weighed.
pub(crate) struct Weighed<'w> {
    pub(crate) said: &'w Said,
    pub(crate) scene: &'w Scene<'w>,
    pub(crate) candidate: &'w Candidate,
    /// For each factor of its shape how much speaks for it.
    pub(crate) factors: &'w [f32],
    /// What another choice of values costs.
    pub(crate) cost: f32,
    pub(crate) last: Option<&'w Last>,
    pub(crate) catalog: &'w Catalog,
    pub(crate) weights: &'w Packed,
}

impl Weighed<'_> {
    /// The traits and the marks of a reading.
    pub(crate) fn weighed(&self) -> (Traits, Vec<u32>) {
        let Candidate { filled, shape, .. } = self.candidate;
        let at = |f: &Filled| (self.said.mentions[f.mention].from, self.said.mentions[f.mention].to);
        let spans: Vec<(usize, usize)> = filled.iter().map(at).collect();
        let uses = |m: &Mention| spans.iter().any(|(from, to)| *from < m.to && m.from < *to);
        let used: Vec<bool> = self.said.mentions.iter().map(uses).collect();
        let changes = |tool: &str| self.catalog.get(tool).is_some_and(|tool| tool.class == Class::Changer);
        let idle = matches!(shape, Shape::Say | Shape::Gap);
        let words = Around::of(self.candidate, self.weights, changes);
        let lost = if idle { Vec::new() } else { unheld(self.said, self.candidate, &words) };
        let Self { said, scene, candidate, catalog, weights, last, .. } = *self;
        let doubts = match words.changers.is_empty() {
            true => Vec::new(),
            false => Doubts { said, candidate, last, catalog, weights, words: &words }.built(),
        };
        let marks =
            Marked { said, scene, candidate, lost: &lost, used: &used, catalog, weights, doubts: &doubts };
        let marks = marks.marks();
        (self.traits(&lost, &used), marks)
    }

    fn traits(&self, lost: &[Unheld], used: &[bool]) -> Traits {
        let mut out = [0.0; COUNT];
        let Candidate { shape, filled, built, .. } = self.candidate;
        for (at, score) in self.factors.iter().enumerate().take(Trait::Back as usize + 1) {
            out[at] = *score;
        }
        let mut set = |which: Trait, value: f32| out[which as usize] = value;
        let mentions = || self.said.mentions.iter().enumerate().filter(|(_, m)| m.cost < 4);
        let acts = mentions().filter(|(_, m)| matches!(m.what, What::Act(_)));
        let things = mentions().filter(|(_, m)| matches!(m.what, What::Thing(_) | What::Kind(_)));
        let acts: Vec<usize> = acts.map(|(at, _)| at).collect();
        let things: Vec<usize> = things.map(|(at, _)| at).collect();
        match shape {
            Shape::Say => {
                set(Trait::Say, 1.0);
                return out;
            }
            Shape::Gap => {
                set(Trait::Gap, 1.0);
                set(Trait::GapActs, f32::from(!acts.is_empty()));
                set(Trait::GapThings, f32::from(!things.is_empty()));
                return out;
            }
            Shape::Again => {
                set(Trait::Again, 1.0);
                set(Trait::AgainActs, f32::from(!acts.is_empty()));
            }
            Shape::Steps { .. } => {}
        }
        let tools: Vec<&Tool> = built.steps.iter().filter_map(|step| self.catalog.get(&step.tool)).collect();
        let changes = tools.iter().any(|tool| tool.class == Class::Changer);
        set(Trait::Changes, f32::from(changes));
        set(Trait::Cost, self.cost);
        set(Trait::Fits, filled.iter().map(|f| f.score.clamp(-2.0, 2.0)).sum());
        set(Trait::Worst, filled.iter().map(|f| f.score.clamp(-2.0, 2.0)).fold(0.0, f32::min));
        set(Trait::Values, filled.len() as f32);
        let count =
            |wanted: &dyn Fn(&Unheld) -> bool| lost.iter().filter(|u| wanted(u)).count().min(6) as f32;
        set(Trait::Unheld, count(&|u| !u.beside));
        set(Trait::Narrows, count(&|u| !u.beside && u.narrows));
        set(Trait::Open, count(&|u| !u.beside && u.open));
        set(Trait::Beside, count(&|u| u.beside));
        set(Trait::ChangeUnheld, if changes { count(&|u| !u.beside) } else { 0.0 });
        let dropped = |wanted: &dyn Fn(&Mention) -> bool| {
            let left = self.said.mentions.iter().zip(used).filter(|(m, used)| !**used && wanted(m));
            let mut at: Vec<usize> = left.map(|(m, _)| m.from).collect();
            at.dedup();
            at.len().min(4) as f32
        };
        set(
            Trait::Dropped,
            dropped(&|m| {
                m.cost == 0
                    && matches!(
                        m.what,
                        What::Path(_)
                            | What::Size(..)
                            | What::Url(_)
                            | What::Email(_)
                            | What::Quoted(_)
                            | What::Window(..)
                            | What::Command(_)
                            | What::Schedule(_)
                    )
            }),
        );
        set(Trait::DroppedPlace, dropped(&|m| m.cost < 4 && matches!(m.what, What::Place(_))));
        set(
            Trait::DroppedName,
            dropped(&|m| m.cost < 3 && matches!(m.what, What::Name(_) | What::Person(_))),
        );
        set(
            Trait::DroppedKind,
            dropped(&|m| m.cost < 4 && matches!(m.what, What::Kind(_) | What::Extension(_))),
        );
        set(
            Trait::DroppedTime,
            dropped(&|m| {
                m.cost < 4
                    && matches!(
                        m.what,
                        What::Window(..) | What::Moment(..) | What::Schedule(_) | What::UnclearTime
                    )
            }),
        );
        let at = |f: &Filled| self.said.mentions[f.mention].from..self.said.mentions[f.mention].to;
        let corrected = filled.iter().flat_map(at).filter(|at| self.said.lattice.corrected(*at).is_some());
        set(Trait::Corrected, corrected.count().min(4) as f32);
        if built.ask.is_some() {
            set(if changes { Trait::AsksChange } else { Trait::AsksLook }, 1.0);
        }
        let ordered = shape
            .parts()
            .iter()
            .any(|part| part.fixed.iter().any(|(name, _)| name == "by" || name == "order"));
        let orders = self.said.mentions.iter().any(|m| matches!(m.what, What::Order(_)) && m.cost < 4);
        set(Trait::Unordered, f32::from(orders && !ordered));
        set(Trait::Ordered, f32::from(ordered && !orders));
        let points = self.said.mentions.iter().any(|m| {
            m.cost < 4
                && matches!(
                    m.what,
                    What::Pronoun(
                        Pronoun::Them | Pronoun::It | Pronoun::Ones | Pronoun::These | Pronoun::Same
                    ) | What::Ordinal(_)
                        | What::Operator(Operator::Only)
                )
        });
        let back = shape.is_back();
        match (back, self.last) {
            (true, None) => set(Trait::Lost, 1.0),
            (true, Some(_)) => set(if points { Trait::BackSaid } else { Trait::BackUnsaid }, 1.0),
            (false, Some(_)) if *shape != Shape::Again => set(Trait::BackMissed, f32::from(points)),
            _ => {}
        }
        if let Some(last) = self.last.filter(|_| back) {
            let of = |tool: &&Tool| !matches!(tool.object(), "entries" | "lists" | "");
            let same = tools.iter().filter(|tool| of(tool)).all(|tool| tool.object() == last.object);
            set(if same { Trait::SameObject } else { Trait::OtherObject }, 1.0);
        }
        let spoken = |tool: &&Tool| self.scene.spoken(tool.name.as_str(), self.weights);
        let main = tools.iter().filter(|tool| shape.parts().iter().any(|p| p.tool == tool.name.as_str()));
        let (mut said, mut unsaid, mut silent) = (0, 0, 0);
        for tool in main {
            let spoken = spoken(tool);
            let speaks = acts.iter().chain(&things).any(|at| spoken[*at]);
            said += usize::from(speaks);
            unsaid += usize::from(!speaks);
            silent += usize::from(tool.class == Class::Changer && !acts.iter().any(|at| spoken[*at]));
        }
        set(Trait::Spoken, said as f32);
        set(Trait::Unspoken, unsaid as f32);
        set(Trait::ChangeUnspoken, silent as f32);
        let idle = |at: &&usize| !used[**at] && !tools.iter().any(|tool| spoken(tool)[**at]);
        set(Trait::ActUnused, acts.iter().filter(idle).count().min(3) as f32);
        set(Trait::ThingUnused, things.iter().filter(idle).count().min(3) as f32);
        out
    }
}

/// How much speaks for a reading with these traits.
pub(crate) fn weigh(traits: &Traits, weights: &[f32]) -> f32 {
    traits.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// Readings with how likely each is, the likeliest first; `nothing` speaks for none of them. Of those with the same steps
/// only the best stays, as likely as all of them.
pub(super) fn merged(mut all: Vec<Candidate>, nothing: Option<f32>) -> Vec<Candidate> {
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    let most = all.iter().map(|candidate| candidate.score).chain(nothing).fold(f32::MIN, f32::max);
    let weight = |score: f32| exp(f64::from(score - most));
    let sum: f64 = all.iter().map(|candidate| candidate.score).chain(nothing).map(weight).sum();
    let mut kept: Vec<Candidate> = Vec::with_capacity(all.len());
    for mut candidate in all {
        candidate.chance = (weight(candidate.score) / sum) as f32;
        let steps = &candidate.built.steps;
        match kept.iter_mut().find(|known| !steps.is_empty() && known.built.steps == *steps) {
            Some(known) => known.chance += candidate.chance,
            None => kept.push(candidate),
        }
    }
    kept.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    kept
}

/// e to the power of a number up to zero, made of + × ÷ alone: the same on every machine.
pub fn exp(x: f64) -> f64 {
    if x < -690.0 {
        return 0.0;
    }
    // The number over 1024 as a power series, then squared ten times.
    let small = x / 1024.0;
    let series = (1..=9).rev().fold(1.0, |sum, n| 1.0 + small / f64::from(n) * sum);
    (0..10).fold(series, |power, _| power * power)
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn powers_are_those_of_the_library() {
        for n in 0..400 {
            let x = -f64::from(n) * 0.37;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-9, "{x}");
        }
    }
}
