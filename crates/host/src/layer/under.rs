//! The process in which the code runs: mounts, then closes every layer, then runs.

use super::{mount, unavailable};
use crate::cell::Brought;
use crate::fence::Fence;
use crate::port::{Memory, WirePort};
use crate::{bounds, filter, python, run, sys};
use metnos_executor::wire::{self, Answer, Body, Calls, FenceWire, Frame, Grant, Kind, Request};
use metnos_executor::{BytePath, ErrorClass, Failure, ListName, Outcome};
use rustix::process::WaitOptions;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

/// The first process of the namespace: it does nothing but wait. When it ends, the kernel ends the others.
pub(super) fn init(socket: UnixStream, calls: Calls) -> i32 {
    let child = match sys::fork() {
        Ok(None) => return serve(socket, calls),
        Ok(Some(child)) => child,
        Err(_) => return 70,
    };
    drop(socket);
    if sys::drop_capabilities().is_err() || filter::close(super::CHANGING).is_err() {
        return 70;
    }
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return super::code(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return 70,
        }
    }
}

fn serve(socket: UnixStream, calls: Calls) -> i32 {
    let frame = match wire::receive(&socket) {
        Ok(Some(frame)) if frame.kind == Kind::Request => frame,
        // Nobody needed this cell.
        _ => return 0,
    };
    let Ok(answer) = socket.try_clone() else { return 70 };
    match work(socket, frame, calls) {
        Ok(()) => 0,
        Err(failure) => {
            let header = Answer { outcome: Outcome::failure(failure), list: ListName::Entries, items: 0 };
            let sent = wire::send(&answer, Kind::Result, &header, Body::Inline(&[]), &[]);
            if sent.is_ok() { 0 } else { 70 }
        }
    }
}

fn work(socket: UnixStream, frame: Frame, calls: Calls) -> Result<(), Failure> {
    let lost = |e: std::io::Error| Failure::io("the process above the layer", &e);
    let request: Request = frame.header().map_err(lost)?;
    let brought = Brought::accept(&request.fds, frame.fds)?;
    let memory = Memory::prepare().map_err(|e| Failure::io("a memory file", &e))?;
    let laid = mount::lay(&request.fence, &request.limits)?;
    sys::drop_capabilities().map_err(|e| unavailable("capabilities", &e))?;
    let prepared = python::prepare(&request, &brought)?;
    let fence = Fence::prepare(calls)?;
    filter::close(calls)?;
    let ready: Vec<BytePath> = laid.places.iter().cloned().map(BytePath).collect();
    wire::send(&socket, Kind::Ready, &ready, Body::Inline(&[]), &[laid.dir.as_fd()]).map_err(lost)?;
    match wire::receive(&socket).map_err(lost)? {
        Some(frame) if frame.kind == Kind::Go => {}
        _ => return Err(Failure::new(ErrorClass::Cancelled, "stopped before it began")),
    }
    bounds::apply(&request.limits, request.runtime)
        .map_err(|e| Failure::new(ErrorClass::SandboxUnavailable, format!("limits: {e}")))?;
    fence.close(&covered(&request.fence, &laid.places), request.runtime, None)?;
    drop(laid);
    let list = if request.side_effects { ListName::Results } else { ListName::Entries };
    // It announces nothing: what it does is read from the layer.
    let mut port = WirePort::new(socket, memory, list, &request.limits, false);
    let outcome = run::run(&request, brought, prepared, &mut port, list);
    port.finish(outcome)
}

/// The fence of the code. What lies under the layer was compared with what the daemon saw before it was
/// covered; by now it has another identity. What is kept is not its business.
fn covered(fence: &FenceWire, places: &[std::path::PathBuf]) -> FenceWire {
    let known = |grant: &Grant| {
        let mut grant = grant.clone();
        if places.iter().any(|place| grant.path.0.starts_with(place)) {
            grant.id = (0, 0);
        }
        grant
    };
    FenceWire {
        read: fence.read.iter().map(known).collect(),
        write: fence.write.iter().map(known).collect(),
        keep: Vec::new(),
        ..fence.clone()
    }
}
