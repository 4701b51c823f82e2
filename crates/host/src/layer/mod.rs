//! A Python executor that may change folders works under a private layer: what it writes, removes and renames
//! goes into memory, over its folders, which it only reads. When its code has ended, what differs is told as
//! an intent like that of any changer, and the same hands perform it.
//!
//! Two processes of the host share the work. The one of the cell keeps the dialogue with the daemon and, once
//! the code is gone, changes files. The other is started before any layer closes, in a mount and a process
//! namespace of its own: it lays the private layer, gives up every capability, closes the same layers as any
//! cell and runs the code. Its end ends all that the code started, by the kernel's doing.

mod apply;
mod difference;
mod mount;
mod under;

use crate::fence::Fence;
use crate::port::{Memory, WirePort};
use crate::{bounds, cell, sys};
use metnos_executor::wire::{self, Answer, Body, Calls, FenceWire, Kind, LAYER_DIR, Request, Runtime, SPACE};
use metnos_executor::{BytePath, ErrorClass, Failure, ListName, Outcome};
use rustix::process::{Pid, WaitOptions, WaitStatus};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// What the process that changes files asks of the kernel: it waits for the other, and runs nothing.
pub(crate) const CHANGING: Calls = Calls { threads: true, exec: false, net: false, layer: false };

/// The other process, as the one that changes files holds it.
pub(crate) struct Under {
    socket: UnixStream,
    init: Pid,
}

/// Starts the process that will run the code. The dialogue with the daemon stays on this side.
pub(crate) fn start(socket: UnixStream, calls: Calls) -> Result<(UnixStream, Under), Failure> {
    let apart = |e: std::io::Error| unavailable("a process of its own", &e);
    let (ours, theirs) = UnixStream::pair().map_err(apart)?;
    match sys::clone_apart().map_err(apart)? {
        None => {
            drop((socket, ours));
            std::process::exit(under::init(theirs, calls))
        }
        Some(init) => {
            drop(theirs);
            sys::drop_capabilities().map_err(|e| unavailable("capabilities", &e))?;
            Ok((socket, Under { socket: ours, init }))
        }
    }
}

/// Lets the code of a call run under its layer, then performs what differs. Everything is answered to the
/// daemon before this returns.
pub(crate) fn call(
    socket: UnixStream,
    request: &Request,
    fds: &[OwnedFd],
    under: Under,
    fence: Fence,
    memory: Memory,
) -> Result<(), Failure> {
    let list = if request.side_effects { ListName::Results } else { ListName::Entries };
    let mut port = WirePort::new(socket, memory, list, &request.limits, request.side_effects);
    let lost = |e: std::io::Error| Failure::io("the process under the layer", &e);
    let fds: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
    wire::send(&under.socket, Kind::Request, request, Body::Inline(&[]), &fds).map_err(lost)?;
    let Some(mut frame) = wire::receive(&under.socket).map_err(lost)? else { under.died() };
    let (layer, places) = match (frame.kind, frame.fds.pop()) {
        (Kind::Ready, Some(layer)) => (layer, frame.header::<Vec<BytePath>>().map_err(lost)?),
        (Kind::Result, _) => {
            let answer: Answer = frame.header().map_err(lost)?;
            return port.finish(answer.outcome.settle());
        }
        _ => return Err(Failure::internal("the process under the layer broke the protocol")),
    };
    // Whatever changes from now on, the code may have seen as it was before.
    let began = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    bounds::apply(&request.limits, Runtime::Native)
        .map_err(|e| Failure::new(ErrorClass::SandboxUnavailable, format!("limits: {e}")))?;
    fence.close(&own(&request.fence), Runtime::Native, Some(layer.as_fd()))?;
    wire::send(&under.socket, Kind::Go, &serde_json::json!({}), Body::Inline(&[]), &[]).map_err(lost)?;

    let Some(frame) = port.relay(&under.socket)? else { under.died() };
    let Answer { mut outcome, items, .. } = frame.header().map_err(lost)?;
    // Nothing of it may still write when the layer is looked at.
    under.wait().map_err(lost)?;
    if let Some(error) = &mut outcome.error {
        cell::declared(error, &request.error_classes);
    }
    if let Some(full) = full(&layer, &outcome, request) {
        outcome.error = Some(full);
    }
    let claimed = outcome.ok_count;
    outcome.ok_count = 0;
    if outcome.error.is_none() {
        let differs = difference::of(&layer, &places, &request.limits, (began.tv_sec, began.tv_nsec));
        let done = differs.and_then(|differs| match differs.is_empty() {
            true => Ok(()),
            false => apply::perform(differs, &layer, &mut port, &mut outcome),
        });
        match done {
            Ok(()) => port.adopt(frame, items)?,
            Err(failure) => outcome.error = Some(failure),
        }
    }
    outcome.claimed = (claimed != outcome.ok_count).then_some(claimed);
    port.finish(outcome.settle())
}

/// What the process that changes files may touch: the real folders, and where it keeps what it takes away.
fn own(fence: &FenceWire) -> FenceWire {
    let write = fence.write.iter().chain(&fence.keep).cloned().collect();
    FenceWire { write, ..FenceWire::default() }
}

/// The bound that the code ran into, if it did: what failed for want of space, and what was left full.
fn full(layer: &OwnedFd, outcome: &Outcome, request: &Request) -> Option<Failure> {
    let limits = &request.limits;
    let wanted = outcome.error.as_ref().is_some_and(|error| error.limit.as_deref() == Some(SPACE));
    let layer = rustix::fs::fstatfs(layer).ok()?;
    if layer.f_ffree == 0 {
        return Some(over_files(limits.layer_files));
    }
    if layer.f_bavail == 0 {
        return Some(over_bytes(limits.layer_mb));
    }
    let tmp = rustix::fs::statfs(wire::PRIVATE_TMP).is_ok_and(|tmp| tmp.f_bavail == 0 || tmp.f_ffree == 0);
    wanted.then(|| if tmp { over_tmp(limits.tmp_mb) } else { over_bytes(limits.layer_mb) })
}

pub(crate) fn over_tmp(most: u64) -> Failure {
    Failure::limit("tmp_mb", format!("more than {most} MB in the private folder"))
}

fn over_bytes(most: u64) -> Failure {
    Failure::limit("layer_mb", format!("more than {most} MB written; nothing was changed"))
}

fn over_files(most: u64) -> Failure {
    Failure::limit("layer_files", format!("more than {most} files and folders changed; nothing was changed"))
}

impl Under {
    /// Waits until it is gone, and with it everything that the code started. Gives its exit status.
    fn wait(&self) -> std::io::Result<i32> {
        loop {
            match rustix::process::waitpid(Some(self.init), WaitOptions::empty()) {
                Ok(Some((_, status))) => return Ok(code(status)),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// It ended without an answer: this process ends as it did, so that the daemon reads why.
    fn died(&self) -> ! {
        std::process::exit(self.wait().ok().filter(|code| *code != 0).unwrap_or(70))
    }
}

/// An end as a shell would tell it.
fn code(status: WaitStatus) -> i32 {
    status.exit_status().or(status.terminating_signal().map(|signal| 128 + signal)).unwrap_or(70)
}

fn unavailable(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(ErrorClass::SandboxUnavailable, format!("a private layer cannot be laid: {what}: {error}"))
        .with_hint(format!("it needs overlayfs in user namespaces (Linux 5.11 or newer) and {LAYER_DIR} in the cell; metnos doctor names what is missing"))
}
