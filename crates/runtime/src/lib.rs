//! The house around the executors: opens what Metnos stands on, and performs one call end to end.
//!
//! Every door (terminal, browser, Telegram, schedule) calls through [`Runtime::call`]; there is no
//! other way to run an executor.

mod aftermath;
mod assist;
pub mod audit_log;
mod birth;
mod builtin;
pub mod call;
mod change;
mod changes;
mod checkup;
mod code;
pub mod config;
mod digest;
pub mod discreet;
pub mod doctor;
mod done;
pub mod guards;
pub mod halt;
mod hand_out;
pub mod hooks;
mod host;
pub mod house;
mod inbox;
pub mod input;
pub mod install;
mod keeping;
#[cfg(feature = "lab")]
mod lab;
mod land;
mod lifecycle;
pub mod minds;
mod news;
pub mod outgoing;
pub mod people;
mod rehearsal;
mod repeat;
mod reserve;
mod runtime;
mod spec;
mod text;
mod tiers;
pub mod undo;
mod vault;

pub use audit_log::audit_verify;
pub use birth::BirthReport;
pub use builtin::{NAMES as BUILTINS, Need, awake};
pub use hand_out::Handed;
pub use lifecycle::{ExecutorCounts, Row as Executor, Signed, Unused};
pub use metnos_undo::Purpose;
pub use metnos_vault::{Form, Listed, Secret};
pub use runtime::{Options, Runtime};
pub use tiers::Waited;
