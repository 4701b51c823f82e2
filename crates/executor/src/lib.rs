//! What an executor is: its name, manifest, schema, profile, signature and place in the catalog,
//! and the words (outcomes, operations, frames) it speaks with the daemon.
//!
//! This crate decides and describes; it never runs anything.

pub mod birth;
pub mod catalog;
mod document;
pub mod failure;
mod files;
pub mod formats;
pub mod home;
pub mod keys;
pub mod kinds;
pub mod lab;
pub mod lifecycle;
pub mod manifest;
pub mod naming;
pub mod op;
pub mod origin;
pub mod outcome;
pub mod path;
pub mod profile;
pub mod program;
pub mod record;
mod refusal;
pub mod schema;
pub mod shown;
pub mod signature;
#[cfg(test)]
mod testing;
pub mod ulid;
pub mod versions;
pub mod wire;

pub use catalog::Catalog;
pub use failure::{ErrorClass, Failure, Lacked};
pub use home::{Home, Root};
pub use keys::{InstanceKey, PublicKey};
pub use manifest::{Manifest, ManifestError, Version};
pub use metnos_vocab::ExecutorName;
pub use op::{Intent, Keep, Op, Permit, WriteMode};
pub use origin::Origin;
pub use outcome::{Failed, ListName, Outcome, Truncation};
pub use path::BytePath;
pub use profile::{NetPattern, Profile, Scope, TableVersions};
pub use record::Counters;
pub use refusal::{Part, Refusal};
pub use schema::{Schema, SchemaError, Schemas, Violation};
pub use signature::{Verified, sign_folder, verify_folder};
pub use ulid::Ulid;
