//! The house around the executors: opens what Metnos stands on, and performs one call end to end.
//!
//! Every door (terminal, browser, Telegram, schedule) calls through [`Runtime::call`]; there is no
//! other way to run an executor.

pub mod audit_log;
mod birth;
mod builtin;
pub mod call;
mod code;
pub mod doctor;
mod host;
pub mod input;
pub mod install;
mod lifecycle;
mod runtime;
mod text;

pub use audit_log::audit_verify;
pub use birth::BirthReport;
pub use builtin::NAMES as BUILTINS;
pub use runtime::{Options, Runtime};

/// The versions of the tables that a signed profile is applied with.
pub fn tables() -> metnos_executor::profile::TableVersions {
    metnos_executor::profile::TableVersions { seccomp: metnos_executor::wire::SECCOMP_TABLE, core: metnos_guard::core::TABLE }
}
