//! The daemon as the running executor sees it: frames over one socket.

use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{self, Answer, Body, Frame, Go, Kind, Limits, Progress};
use metnos_executor::{ErrorClass, Failure, Intent, ListName, Outcome, Permit};
use metnos_seeds::Port;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How often progress is sent and a cancel is looked for.
const PULSE: Duration = Duration::from_millis(50);
/// How much of the answer is kept before it goes to the memory file.
const SPILL: usize = 256 << 10;

/// The memory files of a call. A closed cell can make no new ones.
pub(crate) struct Memory {
    output: File,
    intent: File,
}

impl Memory {
    /// Both, empty.
    pub(crate) fn prepare() -> std::io::Result<Self> {
        Ok(Self { output: wire::memory_file("metnos-output")?, intent: wire::memory_file("metnos-intent")? })
    }
}

/// The wire, the growing answer, and what may be said only once.
pub(crate) struct WirePort {
    socket: UnixStream,
    output_max: u64,
    output: File,
    intent_file: Option<File>,
    pending: Vec<u8>,
    spilled: u64,
    items: u64,
    list: ListName,
    side_effects: bool,
    /// Locks of this call: it is not over as long as this process lives.
    held: Vec<OwnedFd>,
    pulse: Option<Instant>,
    cancelled: bool,
    /// A list that another process wrote, as it came.
    adopted: Option<File>,
}

impl WirePort {
    /// A port that answers on `socket`. What it sends is checked by whoever receives it.
    pub(crate) fn new(
        socket: UnixStream,
        Memory { output, intent }: Memory,
        list: ListName,
        limits: &Limits,
        side_effects: bool,
    ) -> Self {
        Self {
            socket,
            output_max: limits.output_kb << 10,
            output,
            intent_file: Some(intent),
            pending: Vec::new(),
            spilled: 0,
            items: 0,
            list,
            side_effects,
            held: Vec::new(),
            pulse: None,
            cancelled: false,
            adopted: None,
        }
    }

    /// Sends the outcome with everything that was answered. The last thing a cell says.
    pub(crate) fn finish(mut self, outcome: Outcome) -> Result<(), Failure> {
        let gone = |e: std::io::Error| Failure::io("the answer", &e);
        let answer = Answer { outcome, list: self.list, items: self.items };
        if let Some(list) = &self.adopted {
            return wire::send(&self.socket, Kind::Result, &answer, Body::File(list.as_fd()), &[])
                .map_err(gone);
        }
        if self.spilled == 0 && self.pending.len() <= wire::INLINE_MAX {
            return wire::send(&self.socket, Kind::Result, &answer, Body::Inline(&self.pending), &[])
                .map_err(gone);
        }
        self.spill()?;
        wire::seal(&self.output).map_err(gone)?;
        wire::send(&self.socket, Kind::Result, &answer, Body::File(self.output.as_fd()), &[]).map_err(gone)
    }

    fn spill(&mut self) -> Result<(), Failure> {
        self.output.write_all(&self.pending).map_err(|e| Failure::io("the answer", &e))?;
        self.spilled += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Carries progress from the process under the layer to the daemon, and a cancel back, until its result
    /// comes; `None` when it ended without one.
    pub(crate) fn relay(&mut self, under: &UnixStream) -> Result<Option<Frame>, Failure> {
        use rustix::event::{PollFd, PollFlags, poll};
        let lost = |e: std::io::Error| Failure::io("the process under the layer", &e);
        let stopped = || Failure::new(ErrorClass::Cancelled, "stopped before anything was changed");
        loop {
            let mut fds = [PollFd::new(&self.socket, PollFlags::IN), PollFd::new(under, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(e) => return Err(lost(e.into())),
            }
            let [above, below] = fds.map(|fd| !fd.revents().is_empty());
            if below {
                match wire::receive(under).map_err(lost)? {
                    Some(frame) if frame.kind == Kind::Result => return Ok(Some(frame)),
                    Some(frame) if frame.kind == Kind::Progress => {
                        let progress: Progress = frame.header().map_err(lost)?;
                        let _ = wire::send(&self.socket, Kind::Progress, &progress, Body::Inline(&[]), &[]);
                    }
                    Some(_) => {
                        return Err(Failure::internal("the process under the layer broke the protocol"));
                    }
                    None => return Ok(None),
                }
            }
            if above {
                match wire::receive(&self.socket) {
                    Ok(Some(frame)) if frame.kind == Kind::Cancel => {
                        self.cancelled = true;
                        let none = serde_json::json!({});
                        // One that is gone shows up as the end of its stream.
                        let _ = wire::send(under, Kind::Cancel, &none, Body::Inline(&[]), &[]);
                    }
                    Ok(Some(_)) => {}
                    // Nobody wants the rest.
                    _ => return Err(stopped()),
                }
            }
        }
    }

    /// Takes over the list that came with a result.
    pub(crate) fn adopt(&mut self, mut frame: Frame, items: u64) -> Result<(), Failure> {
        if frame.body_in_file {
            let file = frame.fds.pop().ok_or_else(|| Failure::internal("no list came along"))?;
            let file = wire::accept_sealed(file, self.output_max.saturating_mul(2));
            self.adopted = Some(file.map_err(|e| Failure::io("the list", &e))?);
        } else {
            self.pending = frame.body;
        }
        self.items = items;
        Ok(())
    }

    /// Looks for a cancel without waiting.
    fn look(&mut self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        while !self.cancelled {
            let mut fds = [PollFd::new(&self.socket, PollFlags::IN)];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            match poll(&mut fds, Some(&now)) {
                Ok(n) if n > 0 => match wire::receive(&self.socket) {
                    Ok(Some(frame)) if frame.kind != Kind::Cancel => {}
                    // A cancel, or a daemon that is gone: either way nobody wants the rest.
                    _ => self.cancelled = true,
                },
                _ => break,
            }
        }
        self.cancelled
    }
}

impl Port for WirePort {
    fn intent(&mut self, intent: &Intent) -> Result<Permit, Failure> {
        let lost = |e: std::io::Error| Failure::io("the intent", &e);
        if !self.side_effects {
            return Err(Failure::internal("an executor without side effects asked to act"));
        }
        let mut lines = Vec::new();
        for op in &intent.ops {
            serde_json::to_writer(&mut lines, op).map_err(|e| Failure::internal(e.to_string()))?;
            lines.push(b'\n');
        }
        let count = serde_json::json!({ "ops": intent.ops.len() });
        if lines.len() <= wire::INLINE_MAX {
            wire::send(&self.socket, Kind::Intent, &count, Body::Inline(&lines), &[]).map_err(lost)?;
        } else {
            let Some(mut file) = self.intent_file.take() else {
                return Err(Failure::internal("a second long intent in one call"));
            };
            file.rewind().and_then(|()| file.write_all(&lines)).map_err(lost)?;
            wire::seal(&file).map_err(lost)?;
            wire::send(&self.socket, Kind::Intent, &count, Body::File(file.as_fd()), &[]).map_err(lost)?;
        }
        let stopped = || Failure::new(ErrorClass::Cancelled, "stopped before anything was changed");
        let frame = wire::receive(&self.socket).map_err(lost)?.ok_or_else(stopped)?;
        match frame.kind {
            Kind::Go => {
                let go: Go = frame.header().map_err(lost)?;
                self.held.extend(frame.fds);
                go.refused.map_or(Ok(go.permit), Err)
            }
            Kind::Cancel => Err(stopped()),
            _ => Err(Failure::internal("the daemon answered an intent with something else")),
        }
    }

    fn progress(&mut self, done: u64, total: Option<u64>, unit: &str) {
        if self.pulse.is_some_and(|at| at.elapsed() < PULSE) {
            return;
        }
        let first = self.pulse.replace(Instant::now()).is_none();
        // The first pulse only starts the clock: a call that ends at once says nothing.
        if !first {
            let progress = Progress { done, total, unit: unit.to_owned() };
            // A daemon that is gone shows up as a cancel at the next look.
            let _ = wire::send(&self.socket, Kind::Progress, &progress, Body::Inline(&[]), &[]);
            self.look();
        }
    }

    fn cancelled(&mut self) -> bool {
        self.cancelled
    }

    fn item(&mut self, line: &[u8]) -> Result<(), Failure> {
        let total = self.spilled + self.pending.len() as u64 + line.len() as u64 + 1;
        if total > self.output_max && !lab::without(Layer::OutputBound) {
            return Err(Failure::limit(
                "output_kb",
                format!("the answer is over {} KiB", self.output_max >> 10),
            ));
        }
        self.pending.extend_from_slice(line);
        self.pending.push(b'\n');
        self.items += 1;
        if self.pending.len() >= SPILL { self.spill() } else { Ok(()) }
    }
}
