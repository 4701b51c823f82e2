//! What the readers of values find in requests as people type them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod amounts;
mod places;
#[allow(dead_code, reason = "each file uses some of it")]
mod rows;
mod times;
mod words;
