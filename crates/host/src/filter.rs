//! Layer three: seccomp. What is not named in `data/seccomp.toml` answers EPERM;
//! `clone3` answers ENOSYS so that libraries fall back to `clone`, which can be inspected.

use crate::bpf::{self, Answer};
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::Calls;
use metnos_executor::{ErrorClass, Failure};
use seccompiler::BpfProgram;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The lists of `data/seccomp.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// Part of every profile lock.
    #[cfg_attr(not(test), allow(dead_code, reason = "compared with the signed table version in a test"))]
    pub(crate) version: u32,
    base: Vec<String>,
    write: Vec<String>,
    threads: Vec<String>,
    exec: Vec<String>,
    net: Vec<String>,
}

fn unavailable(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorClass::SandboxUnavailable, format!("seccomp refused the filter: {error}"))
        .with_hint("metnos doctor shows which layer is missing and how to get it")
}

/// The table this host was built with.
pub(crate) fn table() -> Result<Table, Failure> {
    toml::from_str(include_str!("../data/seccomp.toml")).map_err(unavailable)
}

/// Closes the filter of a cell. Irreversible, inherited by every child. It comes first of the layers
/// that the host closes, so that not even the request is read without it.
pub(crate) fn close(calls: Calls) -> Result<(), Failure> {
    let program = compile(&table()?, calls)?;
    if lab::without(Layer::Seccomp) {
        return Ok(());
    }
    seccompiler::apply_filter(&program).map_err(unavailable)
}

fn compile(table: &Table, calls: Calls) -> Result<BpfProgram, Failure> {
    let chosen = [
        (true, &table.base),
        (true, &table.write),
        (calls.threads, &table.threads),
        (calls.exec, &table.exec),
        (calls.net, &table.net),
    ];
    let number = |n: i64| u32::try_from(n).map_err(unavailable);
    let mut answers = BTreeMap::new();
    // `abort` raises its signal with tgkill: allowed on oneself only, unless a list allows more.
    let me = rustix::process::getpid().as_raw_nonzero().get().unsigned_abs();
    answers.insert(number(libc::SYS_tgkill)?, Answer::AllowIfFirst(me));
    for name in chosen.iter().filter(|(wanted, _)| *wanted).flat_map(|(_, names)| *names) {
        // A name this architecture does not have needs no rule.
        if let Some(n) = crate::syscalls::number(name) {
            answers.insert(number(n)?, Answer::Allow);
        }
    }
    answers.insert(number(libc::SYS_clone3)?, Answer::Errno(libc::ENOSYS as u16));
    bpf::program(&answers).ok_or_else(|| unavailable("the table is too long for one program"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_name_in_the_table_is_a_system_call() {
        let table = table().unwrap();
        for name in [&table.base, &table.write, &table.threads, &table.exec, &table.net].into_iter().flatten()
        {
            assert!(crate::syscalls::number(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_signed_table_version_is_the_one_of_the_table() {
        assert_eq!(table().unwrap().version, metnos_executor::wire::SECCOMP_TABLE);
    }
}
