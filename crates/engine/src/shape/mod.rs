//! What is asked, apart from the values: which executors one after the other, and the arguments that a word decides.
//! Steps that only fetch what a later one works on are left out: where things come from follows from what was said.

mod label;

pub(crate) use label::{COLUMN, LABEL, MANNER, TURN};
pub use label::{Part, Shape};
