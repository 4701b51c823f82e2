//! The promises of the vault, kept through its public interface and the files it leaves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
mod crash;
mod house;
mod key;
mod many;
mod silence;
mod tamper;
mod usage;
