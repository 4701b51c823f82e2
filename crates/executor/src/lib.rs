//! What an executor is: its name, manifest, schema, profile, signature and place in the catalog,
//! and the words (outcomes, operations, frames) it speaks with the daemon.
//!
//! This crate decides and describes; it never runs anything.

mod document;
pub mod failure;
pub mod manifest;
pub mod op;
pub mod origin;
pub mod outcome;
pub mod path;
pub mod profile;
pub mod schema;
pub mod wire;

pub use failure::{ErrorClass, Failure};
pub use op::{Intent, Op, WriteMode};
pub use origin::Origin;
pub use outcome::{Failed, ListName, Outcome, Truncation};
pub use path::BytePath;
