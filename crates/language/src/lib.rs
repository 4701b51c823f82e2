//! Languages as data: a request becomes tokens, every reading of their words, and typed mentions of what was said.
//!
//! Nothing here knows an executor. The words of a language are a file; the arithmetic of numbers and dates is code.

mod classify;
mod features;
mod lattice;
mod lexicon;
mod mention;
mod sense;
mod shipped;
mod spelling;
mod token;

pub use features::{Feature, features};
pub use lattice::{Edge, Lattice};
pub use lexicon::{Form, Grammar, LONGEST, Lexicon, LexiconError, Meaning, fold};
pub use mention::{Mention, Reading, What, mentions};
pub use sense::{
    Compare, Cue, DayPart, Every, Hour, Id, Math, Operator, Period, Pronoun, Quantity, Relation, Sense,
    TimeUnit, TimeWord,
};
pub use shipped::{LANGUAGES, Lexicons, is_common};
pub use spelling::{ONE_ERROR, Speller};
pub use token::{Lit, Token, tokens};
