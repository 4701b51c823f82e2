//! The life of a cell: filter, wait, bound, fence, run, answer.
//!
//! Seccomp and Landlock restrict the calling thread, so there must be only one until both are on;
//! the cell asserts it instead of hoping, and starts none while it waits.

use crate::fence::Fence;
use crate::port::{Memory, WirePort};
use crate::{bounds, filter, layer, pages, python, run, sys};
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{
    self, Answer, Body, Calls, FdRole, FenceWire, Frame, Kind, Limits, Request, Runtime, Start,
};
use metnos_executor::{ErrorClass, Failure, Intent, ListName, Op, Outcome};
use metnos_seeds::Port;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// The largest list a call may bring.
const INPUT_MAX: u64 = 1 << 30;
/// The largest code file a call may bring.
const CODE_MAX: u64 = 4 << 20;

/// Serves exactly one call on the inherited socket.
pub(crate) fn serve(socket: i32, calls: Calls, start: Start) -> ExitCode {
    if !lab::without(Layer::FdClose) && sys::close_from(socket + 1).is_err() {
        return ExitCode::from(70);
    }
    let socket = UnixStream::from(sys::adopt(socket));
    // Whatever this cell runs must not speak to the daemon in the host's name.
    let closes = !lab::without(Layer::FdClose);
    if closes && rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC).is_err() {
        return ExitCode::from(70);
    }
    // What can be done before the call is known is done now: a waiting cell answers sooner.
    let (socket, made) = match Made::prepare(socket, calls, start) {
        Ok(made) => made,
        Err(failure) => {
            crate::complain(&failure.to_string());
            return ExitCode::from(70);
        }
    };
    let ready = serde_json::json!({ "pid": std::process::id() });
    if wire::send(&socket, Kind::Ready, &ready, Body::Inline(&[]), &[]).is_err() {
        return ExitCode::from(70);
    }
    let frame = match wire::receive(&socket) {
        Ok(Some(frame)) if frame.kind == Kind::Request => frame,
        // The daemon went away or never needed this cell.
        _ => return ExitCode::SUCCESS,
    };
    let answer = socket.try_clone();
    match (call(socket, frame, made), answer) {
        (Ok(()), Ok(socket)) => {
            // Taking a process down takes a while, and the daemon may share this processor: it ends
            // the cell once it has used the answer.
            let _ = wire::receive(&socket);
            ExitCode::SUCCESS
        }
        (Ok(()), Err(_)) => ExitCode::SUCCESS,
        (Err(failure), Ok(socket)) => {
            let answer = Answer { outcome: Outcome::failure(failure), list: ListName::Entries, items: 0 };
            let sent = wire::send(&socket, Kind::Result, &answer, Body::Inline(&[]), &[]);
            if sent.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(70) }
        }
        (Err(_), Err(_)) => ExitCode::from(70),
    }
}

/// Everything a cell can make before it knows its call.
struct Made {
    calls: Calls,
    fence: Fence,
    memory: Memory,
    under: Option<layer::Under>,
}

impl Made {
    fn prepare(socket: UnixStream, calls: Calls, start: Start) -> Result<(UnixStream, Self), Failure> {
        // Before anything else: what this process makes from now on is none of the other's business.
        let (socket, under) = match calls.layer {
            true => layer::start(socket, calls).map(|(socket, under)| (socket, Some(under)))?,
            false => (socket, None),
        };
        let memory = Memory::prepare().map_err(|e| Failure::io("a memory file", &e))?;
        let fence = Fence::prepare(calls)?;
        // It costs milliseconds, which only a call that has not come yet does not pay.
        if start == Start::Ahead {
            pages::touch();
            // An answer nobody waits for: what goes wrong here will go wrong again where it is told.
            let _ = rehearse();
        }
        #[cfg(feature = "lab")]
        metnos_seeds::lab::early_thread();
        assert_single_threaded()?;
        filter::close(if calls.layer { layer::CHANGING } else { calls })?;
        Ok((socket, Self { calls, fence, memory, under }))
    }
}

/// One whole call with itself, before the layers close: the code that every call walks through has
/// then been walked through once.
fn rehearse() -> std::io::Result<()> {
    let (ours, theirs) = UnixStream::pair()?;
    let request = Request {
        call_id: "rehearsal".into(),
        executor: "get_now".into(),
        version: "1.0.0".into(),
        runtime: Runtime::Native,
        args: serde_json::Map::new(),
        fence: FenceWire::default(),
        limits: Limits::default(),
        error_classes: Vec::new(),
        side_effects: false,
        now: "2026-01-01T00:00:00+00:00[Etc/UTC]".into(),
        lang: metnos_tongue::FALLBACK.into(),
        fds: Vec::new(),
    };
    wire::send(&ours, Kind::Request, &request, Body::Inline(&[]), &[])?;
    let Some(frame) = wire::receive(&theirs)? else { return Ok(()) };
    let request: Request = frame.header()?;
    let list = ListName::Entries;
    let mut port = WirePort::new(theirs, Memory::prepare()?, list, &request.limits, false);
    let outcome = run::run(&request, Brought::default(), python::Prepared::default(), &mut port, list);
    port.finish(outcome.settle()).map_err(std::io::Error::other)
}

/// Descriptors that came with a request, each accepted only for what it claims to be.
#[derive(Default)]
pub(crate) struct Brought {
    pub(crate) entries: Option<File>,
    pub(crate) with: Option<File>,
    pub(crate) code: Option<File>,
    pub(crate) proxy: Option<OwnedFd>,
    pub(crate) credentials: Option<File>,
}

impl Brought {
    pub(crate) fn accept(roles: &[FdRole], fds: Vec<OwnedFd>) -> Result<Self, Failure> {
        let refused = |e: std::io::Error| Failure::internal(format!("the request brought {e}"));
        if roles.len() != fds.len() {
            return Err(Failure::internal("the request announces other descriptors than it brings"));
        }
        let mut brought = Self::default();
        for (role, fd) in roles.iter().zip(fds) {
            match role {
                FdRole::Entries => {
                    brought.entries = Some(wire::accept_sealed(fd, INPUT_MAX).map_err(refused)?)
                }
                FdRole::With => brought.with = Some(wire::accept_sealed(fd, INPUT_MAX).map_err(refused)?),
                FdRole::Code => brought.code = Some(wire::accept_sealed(fd, CODE_MAX).map_err(refused)?),
                FdRole::Proxy => brought.proxy = Some(fd),
                FdRole::Credentials => {
                    brought.credentials = Some(wire::accept_sealed(fd, CODE_MAX).map_err(refused)?)
                }
            }
        }
        Ok(brought)
    }
}

fn call(socket: UnixStream, frame: Frame, made: Made) -> Result<(), Failure> {
    let request: Request = frame.header().map_err(|e| Failure::internal(e.to_string()))?;
    if request.calls() != made.calls {
        let why = "the call needs another kind of cell than this one";
        return Err(Failure::new(ErrorClass::SandboxUnavailable, why));
    }
    if let Some(under) = made.under {
        return layer::call(socket, &request, &frame.fds, under, made.fence, made.memory);
    }
    let brought = Brought::accept(&request.fds, frame.fds)?;
    let list = if request.side_effects { ListName::Results } else { ListName::Entries };
    let mut port = WirePort::new(socket, made.memory, list, &request.limits, request.side_effects);

    make_dirs(&request, &mut port)?;
    let prepared = python::prepare(&request, &brought)?;
    bounds::apply(&request.limits, request.runtime)
        .map_err(|e| Failure::new(ErrorClass::SandboxUnavailable, format!("limits: {e}")))?;
    made.fence.close(&request.fence, request.runtime, None)?;

    let mut outcome = run::run(&request, brought, prepared, &mut port, list);
    if let Some(error) = &mut outcome.error {
        declared(error, &request.error_classes);
    }
    port.finish(outcome.settle())
}

/// Directories the call needs at its destination are an effect like any other: said, made
/// durable, then done. It must happen before the fence closes, because a fence can only name
/// directories that exist.
fn make_dirs(request: &Request, port: &mut WirePort) -> Result<(), Failure> {
    if request.fence.make_dirs.is_empty() {
        return Ok(());
    }
    let ops = request.fence.make_dirs.iter().map(|path| Op::MakeDir { path: path.clone() }).collect();
    port.intent(&Intent { ops })?;
    for dir in &request.fence.make_dirs {
        match std::fs::create_dir(&dir.0) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(Failure::io(dir.0.display(), &e));
            }
            _ => {}
        }
        // What is put in it later must not be on disk in a folder that is not. A parent that may be
        // changed but not read leaves the moment to the kernel.
        if let Some(Ok(parent)) = dir.0.parent().map(std::fs::File::open) {
            parent.sync_all().map_err(|e| Failure::io(dir.0.display(), &e))?;
        }
    }
    Ok(())
}

/// The kernel counts a process's threads as the links of its task folder.
fn assert_single_threaded() -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt;
    let unknown = |why: String| Failure::new(ErrorClass::SandboxUnavailable, why);
    match std::fs::metadata("/proc/self/task").map(|meta| meta.nlink()) {
        Ok(3) => Ok(()),
        _ if lab::without(Layer::SingleThread) => Ok(()),
        Ok(n) => Err(unknown(format!("{} threads run before the layers", n.saturating_sub(2)))),
        Err(e) => Err(unknown(format!("threads cannot be counted: {e}"))),
    }
}

/// An executor may fail only in the ways its manifest lists, and in the ways any call can.
pub(crate) fn declared(error: &mut Failure, classes: &[ErrorClass]) {
    use ErrorClass as C;
    let any = [C::Internal, C::LimitExceeded, C::Cancelled, C::SandboxUnavailable, C::WrongArgs, C::Conflict];
    if !classes.contains(&error.class) && !any.contains(&error.class) {
        error.message = format!("undeclared {}: {}", error.class, error.message);
        error.class = C::Internal;
    }
}
