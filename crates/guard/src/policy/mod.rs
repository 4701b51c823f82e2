//! Policy: what a capability needs before it may be used.
//!
//! One registry, one data file. A decision is made from the level of the session, what is asked,
//! the grants and the rules of the person, and the moment; nothing is looked up. What cannot be
//! told is denied.

mod ask;
mod decide;
mod grant;
mod registry;
mod rule;
mod target;
mod words;

#[cfg(test)]
mod tests;

pub use ask::{Ask, Run};
pub use decide::{Ruling, strictest};
pub use grant::{Grant, GrantScope};
pub use registry::{PolicyError, Registry, Row};
pub use rule::{Rule, RuleOn};
pub use target::Target;
pub use words::{Class, Decision, Level, NotALevel, Place, TargetKind};
