//! Text into tokens: literals (quotes, paths, addresses, numbers, clock times) and words.

mod classify;
mod token;

pub(crate) use token::{Lit, Token, tokens};
