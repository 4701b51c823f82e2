//! Ways to a plan that are shorter than planning, and never to another plan.
//!
//! A [`literal`](Literals) is a phrase of a closed table; a request whose [`normal`] form is known has the plan it had;
//! a request with the [`Skeleton`] of another has its [`Shape`], with its own values in it. Whoever keeps plans keeps
//! with them the digest of what made them ([`crate::Planner::digest`]): under another digest they are not plans.

mod literal;
mod normal;
mod shape;
mod skeleton;
mod value;

pub use literal::{LiteralError, Literals};
pub(crate) use normal::beginnings;
pub use normal::normal;
pub use shape::Shape;
pub use skeleton::Skeleton;

use crate::plan::{Answer, Planner, Reading};

impl Planner {
    /// The plan of a phrase that needs no reading, and its language.
    pub fn literal(&self, text: &str, language: Option<&str>) -> Option<(crate::Plan, &str)> {
        self.lexicons.literals.plan(text, language, &self.catalog)
    }

    /// What this request has in common with others, and its own values; nothing when the words alone are the answer.
    pub fn skeleton(&self, reading: &Reading) -> Option<Skeleton> {
        Skeleton::of(self, reading)
    }

    /// The plan of a request with holes for its values, if filling them again gives the plan.
    pub fn shape(&self, reading: &Reading) -> Option<Shape> {
        let skeleton = Skeleton::of(self, reading)?;
        let (Answer::Plan(plan), _, _) = self.compose(reading) else { return None };
        let (Answer::Plan(marked), _, explain) = self.compose(&skeleton.marked(self, reading)) else {
            return None;
        };
        let key = if explain.leans.list { skeleton.within.clone() } else { skeleton.alone.clone() };
        let shape = Shape::of(key, &marked, skeleton.values.len())?;
        (shape.fill(&skeleton).as_ref() == Some(&plan)).then_some(shape)
    }
}
