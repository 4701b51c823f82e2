//! The closed vocabulary: verbs, objects and qualifiers, and the executor names they can form.
//!
//! The terms are data (`data/vocabulary.txt`, compiled in). Nothing here does I/O; a name that the
//! grammar does not produce cannot be held by [`ExecutorName`].

mod handle;
mod name;
mod near;
mod phrases;
mod role;
mod table;

pub use handle::{handle, handles};
pub use name::{ExecutorName, NameError};
pub use near::{how_far, nearest};
pub use phrases::{failed_in, phrase, reads_as_english, reads_as_english_in, said_in};
pub use role::Role;
pub use table::{Class, Family, Object, Qualifier, Verb};
