//! What stands between a plan and its effect: core paths, path resolution, territory, policy,
//! vaglio, approval cards, commands, limits, redaction.

pub mod card;
pub mod command;
pub mod core;
pub mod folders;
mod forms;
pub mod limits;
mod moment;
pub mod policy;
pub mod redact;
pub mod resolve;
pub mod runs;
mod said;
pub mod territory;
mod text;
pub mod vaglio;

pub use crate::core::{Act, CoreError, CorePaths, CoreVars, Expansion, Identity, Look, Verdict};
pub use command::{
    Argv, CommandError, CommandVerdict, Lists, Signature, Standing, judge_command, judge_command_seen,
};
pub use redact::Redactor;
pub use resolve::{ResolveError, Resolved, resolve, resolve_in};
pub use territory::Territory;
