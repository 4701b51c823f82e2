//! Text into tokens: literals (quotes, paths, addresses, numbers, clock times) and words.

pub(crate) use metnos_language::{Lit, Token, tokens};
