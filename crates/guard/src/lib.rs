//! What stands between a plan and its effect: core paths, path resolution, territory, redaction.

pub mod core;
pub mod redact;
pub mod resolve;
pub mod territory;

pub use crate::core::{Act, CoreError, CorePaths, CoreVars, Expansion, Identity, Look, Verdict};
pub use redact::Redactor;
pub use resolve::{ResolveError, Resolved, resolve, resolve_in};
pub use territory::Territory;
