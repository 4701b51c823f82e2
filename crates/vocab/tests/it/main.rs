//! The grammar of names.

mod grammar;
