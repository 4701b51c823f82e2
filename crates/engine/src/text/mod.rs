//! Text into tokens: literals (quotes, paths, addresses, numbers, clock times) and words.

mod classify;
mod token;

pub use token::{Lit, Token, tokens};
