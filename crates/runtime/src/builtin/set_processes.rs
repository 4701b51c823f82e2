//! `set_processes`: ends processes, each held by a descriptor from before the question was read until the
//! signal is sent, so that a number that meanwhile belongs to somebody else is never hit.

use super::{Builtin, Plan, Report, Wish};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_guard::card::{Effect, Warning};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::{Value, json};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

/// How long a process may take to end once it was asked to.
const PATIENCE: Duration = Duration::from_secs(5);
/// The kernel's mark on its own threads, among the flags of a process.
const KERNEL_THREAD: u64 = 0x0020_0000;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "set_processes",
    schema: include_str!("set_processes.json"),
    pattern: "set_processes(pids=[4711], action=\"stop\")",
    out: "results=[{pid,name,action,ended}]",
    changes: true,
    needs: None,
    list: false,
    plan,
};

/// One process, held.
struct Held {
    index: u64,
    pid: u32,
    name: String,
    /// When it began, in ticks since the machine did: with the number, who it is.
    began: u64,
    handle: OwnedFd,
}

/// What `/proc` says of a process.
struct Stat {
    name: String,
    parent: u32,
    flags: u64,
    began: u64,
}

type Refusal = (u64, u32, ErrorClass, String);

fn plan(_runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let kill = wish.text("action") == "kill";
    let mut numbers: Vec<u32> = Vec::new();
    for pid in wish.args.get("pids").and_then(Value::as_array).into_iter().flatten() {
        let pid = pid.as_u64().and_then(|pid| u32::try_from(pid).ok());
        let pid = pid.ok_or_else(|| Failure::wrong_args("pids: expected numbers of processes"))?;
        if !numbers.contains(&pid) {
            numbers.push(pid);
        }
    }
    let (mut held, mut refused) = (Vec::new(), Vec::new());
    for (index, pid) in numbers.into_iter().enumerate() {
        match hold(index as u64, pid) {
            Ok(process) => held.push(process),
            Err((class, why)) => refused.push((index as u64, pid, class, why)),
        }
    }
    if held.is_empty() {
        // Nobody has to be asked about nothing.
        return Ok(Plan::look("system:read", move |_| report(&[], &refused, Vec::new(), kill)));
    }
    let names: Vec<String> =
        held.iter().map(|p| format!("{} {} ({})", p.name, p.pid, since(p.began, wish.now))).collect();
    let bound: Vec<String> = held.iter().map(|p| format!("{}@{}", p.pid, p.began)).collect();
    let count = held.len() as u64;
    Ok(Plan {
        effect: Effect::Irreversible,
        idempotent: false,
        object: Some(names.join(", ")),
        count: Some(count),
        warnings: kill.then_some(Warning::Forced).into_iter().collect(),
        bound: bound.join(" "),
        ..Plan::look("system:admin", move |_| {
            let ended = end(&held, kill);
            report(&held, &refused, ended, kill)
        })
    })
}

/// Takes hold of a process that may be ended.
fn hold(index: u64, pid: u32) -> Result<Held, (ErrorClass, String)> {
    let gone = || (ErrorClass::NotFound, format!("no process has the number {pid}"));
    if pid == 1 {
        return Err((ErrorClass::Forbidden, "the first process keeps the machine running".into()));
    }
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    let handle = pidfd_open(number, PidfdFlags::empty()).map_err(|_| gone())?;
    // Read while it is held: if it is still there afterwards, all of this was about it.
    let stat = stat(pid).ok_or_else(gone)?;
    let owner = fs::metadata(format!("/proc/{pid}")).map_err(|_| gone())?.uid();
    let ours = belongs_to_metnos(pid);
    if is_over(&handle, Duration::ZERO) {
        return Err(gone());
    }
    if pid == 2 || stat.parent == 2 || stat.flags & KERNEL_THREAD != 0 {
        return Err((ErrorClass::Forbidden, format!("{} is part of the kernel", stat.name)));
    }
    if ours {
        let why = format!("{} is Metnos itself or works for it; metnos stop halts all its work", stat.name);
        return Err((ErrorClass::Forbidden, why));
    }
    let me = rustix::process::geteuid();
    if !me.is_root() && owner != me.as_raw() {
        return Err((ErrorClass::PermissionDenied, format!("{} belongs to somebody else", stat.name)));
    }
    Ok(Held { index, pid, name: stat.name, began: stat.began, handle })
}

fn stat(pid: u32) -> Option<Stat> {
    let text = String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?).into_owned();
    // The name stands between the first and the last parenthesis and may hold anything.
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let fields: Vec<&str> = text.get(close + 1..)?.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Stat {
        name: text.get(open + 1..close)?.to_owned(),
        parent: u32::try_from(number(1)?).ok()?,
        flags: number(6)?,
        began: number(19)?,
    })
}

/// Metnos, and everything it started: cells, commands, their children.
fn belongs_to_metnos(pid: u32) -> bool {
    let mut at = pid;
    for _ in 0..64 {
        if at == std::process::id() || is_metnos(at) {
            return true;
        }
        match stat(at).map(|stat| stat.parent) {
            Some(parent) if parent > 1 => at = parent,
            _ => return false,
        }
    }
    // Too deep to tell.
    true
}

fn is_metnos(pid: u32) -> bool {
    let file = |path: String| fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
    let same = file(format!("/proc/{pid}/exe")).is_some_and(|exe| Some(exe) == file("/proc/self/exe".into()));
    // After an upgrade the file of a running one is another.
    same || stat(pid).is_some_and(|stat| stat.name == "metnos" || stat.name == "metnos-host")
}

/// Whether it has ended, or does within a time.
fn is_over(handle: &OwnedFd, within: Duration) -> bool {
    let time = Timespec { tv_sec: within.as_secs() as i64, tv_nsec: i64::from(within.subsec_nanos()) };
    matches!(poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&time)), Ok(n) if n > 0)
}

/// Signals all, then waits for all: what came of each.
fn end(held: &[Held], kill: bool) -> Vec<Result<(), (ErrorClass, String)>> {
    let signal = if kill { Signal::KILL } else { Signal::TERM };
    let sent: Vec<_> = held.iter().map(|process| pidfd_send_signal(&process.handle, signal)).collect();
    let until = Instant::now() + PATIENCE;
    let came = |(process, sent): (&Held, Result<(), rustix::io::Errno>)| match sent {
        // Gone already is what was wanted.
        Ok(()) | Err(rustix::io::Errno::SRCH) => loop {
            let left = until.saturating_duration_since(Instant::now());
            if is_over(&process.handle, left.min(Duration::from_millis(100))) {
                return Ok(());
            }
            if left.is_zero() {
                let why = if kill {
                    "it has not ended yet"
                } else {
                    "it was asked to end and has not; kill ends it"
                };
                return Err((ErrorClass::Timeout, why.to_owned()));
            }
        },
        Err(e) => Err((ErrorClass::PermissionDenied, e.to_string())),
    };
    held.iter().zip(sent).map(came).collect()
}

fn report(
    held: &[Held],
    refused: &[Refusal],
    ended: Vec<Result<(), (ErrorClass, String)>>,
    kill: bool,
) -> Result<Report, Failure> {
    let mut outcome = Outcome::default();
    let action = if kill { "kill" } else { "stop" };
    for (index, pid, class, why) in refused {
        outcome.fail(*index, pid.to_string(), *class, why.clone());
    }
    let mut results = Vec::new();
    for (process, came) in held.iter().zip(ended) {
        let over = came.is_ok();
        match came {
            Ok(()) => outcome.ok_count += 1,
            Err((class, why)) => outcome.fail(process.index, process.pid.to_string(), class, why),
        }
        results.push(json!({ "pid": process.pid, "name": process.name, "action": action, "ended": over,
            "_origin": Origin::Local.as_str() }));
    }
    outcome.failed.sort_by_key(|failed| failed.index);
    Report::of(outcome, ListName::Results, &results)
}

/// When it began, on the person's clock.
fn since(began: u64, now: &jiff::Zoned) -> String {
    let up = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let up: f64 = up.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or_default();
    let age = up - began as f64 / rustix::param::clock_ticks_per_second() as f64;
    let age = jiff::SignedDuration::try_from_secs_f64(age.max(0.0)).unwrap_or_default();
    let at = now.timestamp().saturating_sub(age).unwrap_or(now.timestamp()).to_zoned(now.time_zone().clone());
    let format = if at.date() == now.date() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    format!("since {}", at.strftime(format))
}
