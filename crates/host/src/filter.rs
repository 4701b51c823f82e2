//! Layer three: seccomp, applied last. What is not named in `data/seccomp.toml` answers EPERM;
//! `clone3` answers ENOSYS so that libraries fall back to `clone`, which can be inspected.

use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{FenceWire, Limits, Runtime};
use metnos_executor::{ErrorClass, Failure};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
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

/// The programs for a call, in the order they must be applied.
pub(crate) fn programs(
    fence: &FenceWire,
    limits: &Limits,
    runtime: Runtime,
) -> Result<[BpfProgram; 2], Failure> {
    let table = table()?;
    let mut names: Vec<&String> = table.base.iter().chain(&table.write).collect();
    let execs = runtime == Runtime::Cpython || !fence.exec.is_empty();
    if limits.processes > 1 {
        names.extend(&table.threads);
    }
    if execs {
        names.extend(&table.exec);
    }
    if runtime == Runtime::Cpython && fence.net {
        names.extend(&table.net);
    }
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for name in names {
        // A name this architecture does not have needs no rule.
        if let Some(number) = crate::syscalls::number(name) {
            rules.insert(number, Vec::new());
        }
    }
    // `abort` raises its signal with tgkill: allowed on oneself only.
    let me = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        rustix::process::getpid().as_raw_nonzero().get() as u64,
    )
    .map_err(unavailable)?;
    rules.entry(libc::SYS_tgkill).or_insert(vec![SeccompRule::new(vec![me]).map_err(unavailable)?]);
    rules.insert(libc::SYS_clone3, Vec::new());
    let deny = SeccompAction::Errno(libc::EPERM as u32);
    let main = SeccompFilter::new(rules, deny, SeccompAction::Allow, arch()?).map_err(unavailable)?;
    let clone3 = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS as u32),
        arch()?,
    )
    .map_err(unavailable)?;
    Ok([clone3.try_into().map_err(unavailable)?, main.try_into().map_err(unavailable)?])
}

fn arch() -> Result<TargetArch, Failure> {
    std::env::consts::ARCH.try_into().map_err(unavailable)
}

/// Applies the programs. Irreversible, inherited by every child.
pub(crate) fn close(programs: &[BpfProgram; 2]) -> Result<(), Failure> {
    if lab::without(Layer::Seccomp) {
        return Ok(());
    }
    programs.iter().try_for_each(|program| seccompiler::apply_filter(program).map_err(unavailable))
}
