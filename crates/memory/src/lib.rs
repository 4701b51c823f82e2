//! What survives a restart: the one opener of SQLite, the journal of intents and the audit chain.

pub mod audit;
pub mod db;
mod durable;
mod error;
pub mod journal;
mod signer;

pub use audit::{Audit, Line};
pub use db::Db;
pub use error::Error;
pub use journal::Journal;
pub use signer::Signer;

/// The answer of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
