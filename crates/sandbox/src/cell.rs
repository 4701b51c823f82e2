//! One cell: started, waiting, used for a single call, thrown away.

use crate::group::{Group, Hit, Version};
use crate::mounts::Mounts;
use crate::watch;
use metnos_executor::lab::{self, Layer};
use metnos_executor::schema::Schema;
use metnos_executor::wire::{self, Answer, Body, Frame, Go, Kind, Limits, Progress, Request};
use metnos_executor::{ErrorClass, Failure, Permit};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a running call is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long a cell may take to come up.
const START: Duration = Duration::from_secs(10);
/// How long a cell that was told to stop may take to come to a safe point.
const STOP: Duration = Duration::from_secs(5);
/// How much of the standard error is kept.
const STDERR_KEPT: usize = 16 << 10;
/// Room for the host's own pages when memory is compared with the limit.
const HOST_ROOM: u64 = 32 << 20;
/// What the host runs besides itself where code works under a layer: one process that reaps, one that runs it.
const LAYER_TASKS: u32 = 2;
/// What bubblewrap itself runs in the group of a cell: one process outside, one as init inside.
pub(crate) const BWRAP_TASKS: u32 = 2;

/// A started sandbox.
pub struct Cell {
    child: Child,
    socket: UnixStream,
    stderr: OwnedFd,
    /// What it can see.
    pub mounts: Arc<Mounts>,
    /// The identity of core paths when it was built.
    pub core: [u8; 32],
    /// Last, so that it is removed after the socket is closed.
    group: Option<Group>,
}

/// The daemon's side of a call: what to do when the cell speaks.
pub struct Dialogue<'a> {
    /// Makes an intent durable and says how to act, with what the cell holds as long as it lives. An
    /// error here means the cell must not act.
    pub intent: &'a mut dyn FnMut(IntentLines) -> Result<(Permit, Vec<File>), Failure>,
    /// Shows progress.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// True once the person asked to stop.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Said once the cell has its call: what need not happen before can happen now.
    pub at_work: &'a mut dyn FnMut(),
}

/// The operations of an intent, one JSON object a line.
pub enum IntentLines {
    /// A short one.
    Inline(Vec<u8>),
    /// A long one, sealed.
    File(File),
}

/// The list of an answer, checked.
#[derive(Debug)]
pub enum Items {
    /// Newline JSON.
    Inline(Vec<u8>),
    /// Newline JSON in a sealed memory file.
    File(File),
}

impl Items {
    /// The lines, from the first.
    pub fn reader(&mut self) -> std::io::Result<Box<dyn BufRead + '_>> {
        Ok(match self {
            Self::Inline(bytes) => Box::new(&bytes[..]),
            Self::File(file) => {
                file.rewind()?;
                Box::new(BufReader::with_capacity(256 << 10, file))
            }
        })
    }
}

/// What a cell answered, after the daemon checked it.
#[derive(Debug)]
pub struct Reply {
    /// Everything but the list.
    pub answer: Answer,
    /// The list.
    pub items: Items,
    /// What it wrote to its standard error, bounded.
    pub stderr: String,
}

impl Cell {
    pub(crate) fn new(
        child: Child,
        socket: UnixStream,
        stderr: OwnedFd,
        mounts: Arc<Mounts>,
        core: [u8; 32],
        mut group: Option<Group>,
    ) -> Self {
        let group = group.take_if(|group| group.admitted(child.id()));
        Self { child, socket, stderr, mounts, core, group }
    }

    /// Waits until the host inside says it is ready.
    pub(crate) fn wait_ready(&mut self) -> Result<(), Failure> {
        let until = Instant::now() + START;
        if self.wait(until) {
            match wire::receive(&self.socket) {
                Ok(Some(frame)) if frame.kind == Kind::Ready => return Ok(()),
                _ => {}
            }
        }
        let said = self.stderr_text();
        Err(Failure::new(ErrorClass::SandboxUnavailable, format!("a cell did not start: {}", said.trim()))
            .with_hint("metnos doctor names the missing layer and the command that fixes it"))
    }

    /// True while the process is there.
    pub fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The process bubblewrap runs as.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What holds the limits on memory and processes.
    pub fn limits(&self) -> &'static str {
        match self.group.as_ref().map(Group::version) {
            Some(Version::Two) => "cgroup2+rlimit+watchdog",
            Some(Version::One) => "cgroup1+rlimit+watchdog",
            None => "rlimit+watchdog",
        }
    }

    /// Performs one call. The cell is spent afterwards, whatever happened.
    pub fn call(
        &mut self,
        request: &Request,
        fds: &[BorrowedFd<'_>],
        output: &Schema,
        dialogue: &mut Dialogue<'_>,
    ) -> Result<Reply, Failure> {
        let limits = request.limits;
        let deadline = Instant::now() + Duration::from_millis(limits.wall_ms);
        self.bound(&limits);
        wire::send(&self.socket, Kind::Request, request, Body::Inline(&[]), fds)
            .map_err(|e| Failure::internal(format!("the cell did not take the call: {e}")))?;
        (dialogue.at_work)();
        let mut told_to_stop: Option<Instant> = None;
        let mut looked = Instant::now();
        loop {
            let slice = (Instant::now() + LOOK).min(deadline);
            if self.wait(slice) {
                match wire::receive(&self.socket) {
                    Ok(Some(frame)) => {
                        if let Some(reply) = self.hear(frame, request, output, dialogue)? {
                            return Ok(reply);
                        }
                    }
                    Ok(None) => return Err(self.autopsy(&limits)),
                    Err(e) => {
                        return Err(self.overrun(&limits).unwrap_or_else(|| {
                            Failure::internal(format!("the cell spoke out of turn: {e}"))
                        }));
                    }
                }
                // A cell that speaks all the time is looked at all the same.
                if looked.elapsed() < LOOK {
                    continue;
                }
            }
            looked = Instant::now();
            if looked >= deadline && !lab::without(Layer::Wall) {
                return Err(Failure::new(
                    ErrorClass::Timeout,
                    format!("no answer within {} ms", limits.wall_ms),
                ));
            }
            if told_to_stop.is_some_and(|at| at.elapsed() > STOP) {
                let why = format!("it did not stop by itself within {} s and was ended", STOP.as_secs());
                return Err(Failure::new(ErrorClass::Cancelled, why));
            }
            if told_to_stop.is_none() && (dialogue.cancelled)() {
                told_to_stop = Some(Instant::now());
                // A cell that is gone shows up as end of stream above.
                let _ =
                    wire::send(&self.socket, Kind::Cancel, &serde_json::json!({}), Body::Inline(&[]), &[]);
            }
            self.within(&limits)?;
        }
    }

    /// Sets the bounds of the group. The same as `within` allows, and what the group counts besides:
    /// bubblewrap, and files in the private folder, which have a size of their own.
    fn bound(&mut self, limits: &Limits) {
        let files = self.mounts.tmp_mb.saturating_add(self.mounts.layer_mb) << 20;
        let memory = (limits.memory_mb << 20) + self.host_room() + files;
        let tasks = limits.processes.saturating_add(1 + BWRAP_TASKS + self.layer_tasks());
        // A group that does not hold must not be named as one that does.
        let _ = self.group.take_if(|group| !group.limit(memory, tasks));
    }

    /// The processes of the host beside the one that every cell has.
    fn layer_tasks(&self) -> u32 {
        if self.mounts.calls.layer { LAYER_TASKS } else { 0 }
    }

    fn host_room(&self) -> u64 {
        HOST_ROOM * u64::from(1 + self.layer_tasks())
    }

    /// What the kernel did about a limit, if anything.
    fn overrun(&self, limits: &Limits) -> Option<Failure> {
        self.group.as_ref()?.killed().map(|hit| over(hit, limits))
    }

    fn within(&self, limits: &Limits) -> Result<(), Failure> {
        if lab::without(Layer::Watchdog) {
            return Ok(());
        }
        let usage = watch::usage(self.child.id());
        if usage.bytes > (limits.memory_mb << 20) + self.host_room() {
            return Err(over(Hit::Memory, limits));
        }
        if usage.tasks > limits.processes.saturating_add(1 + self.layer_tasks()) {
            return Err(over(Hit::Tasks, limits));
        }
        self.overrun(limits).map_or(Ok(()), Err)
    }

    fn hear(
        &mut self,
        frame: Frame,
        request: &Request,
        output: &Schema,
        dialogue: &mut Dialogue<'_>,
    ) -> Result<Option<Reply>, Failure> {
        let broken =
            |what: String| Failure::internal(format!("{} broke the protocol: {what}", request.executor));
        let max = request.limits.output_kb << 10;
        match frame.kind {
            Kind::Progress => {
                let progress: Progress = frame.header().map_err(|e| broken(e.to_string()))?;
                (dialogue.progress)(&progress);
                Ok(None)
            }
            Kind::Intent if request.side_effects => {
                let lines = match body(frame, INTENT_MAX).map_err(|e| broken(e.to_string()))? {
                    Items::Inline(bytes) => IntentLines::Inline(bytes),
                    Items::File(file) => IntentLines::File(file),
                };
                let (go, held, stop) = match (dialogue.intent)(lines) {
                    Ok((permit, held)) => (Go { refused: None, permit }, held, None),
                    Err(why) => {
                        (Go { refused: Some(why.clone()), permit: Permit::default() }, Vec::new(), Some(why))
                    }
                };
                let held: Vec<BorrowedFd<'_>> = held.iter().map(AsFd::as_fd).collect();
                wire::send(&self.socket, Kind::Go, &go, Body::Inline(&[]), &held)
                    .map_err(|e| broken(e.to_string()))?;
                stop.map_or(Ok(None), Err)
            }
            Kind::Result => {
                let mut answer: Answer = frame.header().map_err(|e| broken(e.to_string()))?;
                // Code that is refused memory or a process often fails in words of its own.
                if let Some(error) = &mut answer.outcome.error
                    && let Some(cause) = self.overrun(&request.limits)
                {
                    *error = cause;
                }
                let mut items = body(frame, max).map_err(|e| broken(e.to_string()))?;
                check(&answer, &mut items, output).map_err(|what| {
                    Failure::internal(format!(
                        "the answer of {} breaks its own schema: {what}",
                        request.executor
                    ))
                })?;
                Ok(Some(Reply { answer, items, stderr: self.stderr_text() }))
            }
            other => Err(broken(format!("unexpected frame {other:?}"))),
        }
    }

    /// Waits for something to read until `until`.
    fn wait(&self, until: Instant) -> bool {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            let mut fds = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut fds, Some(&timeout)) {
                // Ctrl-C is a signal too; whoever asks for it looks at the flag it sets.
                Err(rustix::io::Errno::INTR) => {}
                other => return matches!(other, Ok(n) if n > 0),
            }
        }
    }

    /// Why a cell ended without an answer.
    fn autopsy(&mut self, limits: &Limits) -> Failure {
        let status = self.ended();
        let said = self.stderr_text();
        // bubblewrap reports a signal of its child as 128 plus the number.
        let signal = status.and_then(|s| s.signal().or(s.code().filter(|c| *c > 128).map(|c| c - 128)));
        let last = said.lines().last().unwrap_or("").trim().to_owned();
        match (signal, self.overrun(limits)) {
            (Some(libc::SIGXCPU), _) => {
                Failure::limit("cpu_ms", format!("more than {} ms of processor time", limits.cpu_ms))
            }
            (Some(libc::SIGABRT), _) if said.contains("memory allocation of") => over(Hit::Memory, limits),
            (_, Some(overrun)) => overrun,
            (Some(signal), None) => Failure::internal(format!("the cell died of signal {signal}. {last}")),
            (None, None) => Failure::internal(format!("the cell ended without an answer. {last}")),
        }
    }

    fn ended(&mut self) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + Duration::from_millis(500);
        while Instant::now() < until {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }

    fn stderr_text(&mut self) -> String {
        let mut kept = vec![0; STDERR_KEPT];
        // The pipe never blocks: what does not fit was dropped when it was written.
        let n = rustix::io::read(&self.stderr, &mut kept).unwrap_or(0);
        kept.truncate(n);
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// Ends every process of the cell and forgets it.
    pub fn discard(mut self) {
        // Killing bubblewrap takes the namespace's init with it, and init everything else.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The failure of a call that wanted more than it may have.
fn over(hit: Hit, limits: &Limits) -> Failure {
    match hit {
        Hit::Memory => Failure::limit("memory_mb", format!("more than {} MiB of memory", limits.memory_mb)),
        Hit::Tasks => Failure::limit("processes", format!("more than {} processes", limits.processes)),
    }
}

/// The longest intent: a hundred thousand operations with long names.
const INTENT_MAX: u64 = 256 << 20;

fn body(mut frame: Frame, max: u64) -> std::io::Result<Items> {
    if !frame.body_in_file {
        return Ok(Items::Inline(frame.body));
    }
    match frame.fds.pop() {
        Some(fd) => wire::accept_sealed(fd, max).map(Items::File),
        None => Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "no file came along")),
    }
}

/// A cell is never trusted: every scalar and every line is checked again against the schema, and
/// the lines are counted.
fn check(answer: &Answer, items: &mut Items, output: &Schema) -> Result<(), String> {
    if lab::without(Layer::Schema) {
        return Ok(());
    }
    for (key, value) in &answer.outcome.fields {
        if let Some(schema) = output.property(key) {
            schema.check(value).map_err(|e| format!("{key}: {e}"))?;
        }
    }
    let schema = output.property(answer.list.as_str()).and_then(Schema::items);
    let mut reader = items.reader().map_err(|e| e.to_string())?;
    let mut line = Vec::new();
    let mut count = 0u64;
    loop {
        line.clear();
        let n = (&mut reader).take(LINE_MAX).read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
        if n == 0 {
            break;
        }
        if line.pop() != Some(b'\n') {
            return Err(format!("item {count} has no end"));
        }
        match schema {
            Some(schema) => schema.check_slice(&line).map_err(|e| format!("item {count}: {e}"))?,
            None => serde_json::from_slice::<serde::de::IgnoredAny>(&line)
                .map(|_| ())
                .map_err(|e| format!("item {count}: {e}"))?,
        }
        count += 1;
    }
    if count != answer.items {
        return Err(format!("{} items announced, {count} came", answer.items));
    }
    Ok(())
}

/// The longest single item.
const LINE_MAX: u64 = 64 << 20;
