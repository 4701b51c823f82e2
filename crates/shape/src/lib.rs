//! Roles and shapes: which kind of model a caller wants, and what its answer may look like.
//!
//! The planner needs these and no server, so that it is compiled without an HTTP client.

mod from_schema;
mod gbnf;
mod role;
mod schema;
mod shape;

pub use role::Role;
pub use shape::{Constraint, Field, Misfit, Shape};
