//! Languages are folders: complete where they come along, laid over English where they do not, and named nowhere else.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod packs;
mod shipped;
mod sources;
