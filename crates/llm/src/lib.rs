//! Model tiers: who is asked for a role, over which wire, within which grammar and budget.
//!
//! Callers name a [`Role`]; configuration says which server and model stand behind it, and no caller
//! names a model. A [`Shape`] says what an answer may look like; it is sent along as a grammar, and
//! every answer is held against it again, because a server may ignore what it was sent.

mod anthropic;
mod budget;
mod client;
mod config;
mod error;
mod http;
mod look;
mod openai;

pub use budget::{Budget, Spent};
pub use client::{Answer, Client, Key, Question, Usage};
pub use config::{Grammar, Kind, Price, Tier, Tiers, Url};
pub use error::LlmError;
pub use look::{Answers, Found, Listed, MOST_PORTS, USUAL_PORTS, context, look_around, look_at_url};
pub use metnos_shape::{Constraint, Field, Misfit, Role, Shape};
