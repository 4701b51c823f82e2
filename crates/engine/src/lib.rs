//! The half of the Mētis engine that needs no model.
//!
//! A request becomes frames (`parse`) by the words of a lexicon, frames become a plan (`plan`) by the signatures of
//! the catalog. Pure: the clock comes in, an [`Answer`] goes out; nothing is read, run or remembered here.

pub mod batch;
pub mod catalog;
mod clock;
pub mod lexicon;
mod parse;
mod plan;
pub mod prefilter;
pub mod shortcut;
mod text;

pub use catalog::Catalog;
pub use clock::{Clock, ClockError};
pub use lexicon::Lexicons;
pub use plan::{Answer, Ask, Explain, Gap, Leans, Plan, Planner, Reading, Request, Step};
