//! What survives a restart: the one opener of SQLite, files that are whole or absent, the audit chain.

pub mod audit;
pub mod db;
pub mod durable;
mod error;
mod signer;

pub use audit::{Audit, Line};
pub use db::Db;
pub use error::Error;
pub use signer::Signer;

/// The answer of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
