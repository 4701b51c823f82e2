//! The Mētis engine: the planner that needs no model, and the Proposer for what it leaves.
//!
//! A request becomes frames (`parse`) by the words of a lexicon, frames become a plan (`plan`) by the signatures of
//! the catalog. What that leaves becomes a question to a model, and its answer a plan or none (`propose`). Pure: the clock comes in, an [`Answer`] goes out; nothing is read, run or remembered here.

pub mod batch;
pub mod catalog;
mod clock;
pub mod evidence;
pub mod lexicon;
mod parse;
mod plan;
pub mod prefilter;
pub mod propose;
pub mod shape;
pub mod shortcut;
mod text;

pub use catalog::Catalog;
pub use clock::{Clock, ClockError};
pub use lexicon::Lexicons;
pub use plan::{
    Answer, Ask, Choice, Correction, Explain, Gap, Leans, Maker, Offer, Plan, Planner, Reading, Request, Step,
};
