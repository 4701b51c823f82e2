//! The native executors. Each file is one executor; each gives one function
//! `fn(&mut Call) -> Result<(), Failure>`. Linked only into `metnos-host`.

pub mod call;
pub use metnos_executor::kinds;
pub mod registry;
#[cfg(test)]
pub mod testing;

pub mod changes;
pub mod documents;
pub mod entries;
pub mod files;
#[cfg(feature = "lab")]
pub mod lab;
pub mod meaning;
pub mod numbers;
pub mod system;
mod tables;
pub mod texts;

pub use call::{Call, Port};
pub use registry::{Seed, find};
