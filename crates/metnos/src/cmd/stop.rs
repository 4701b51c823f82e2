//! Ctrl-C asks a running call to stop at the next safe point; a second one ends the process.

use metnos_executor::Failure;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::SigId;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often somebody who is waited for is asked whether they want to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Whether the person pressed Ctrl-C. It listens as long as it lives.
pub(crate) struct Stop {
    asked: Arc<AtomicBool>,
    listening: Vec<SigId>,
}

impl Stop {
    /// Starts listening.
    pub(crate) fn listen() -> Result<Self, Failure> {
        Self::from(false)
    }

    /// The first Ctrl-C ends the process: for a while in which nothing runs.
    pub(crate) fn at_once() -> Result<Self, Failure> {
        Self::from(true)
    }

    fn from(asked: bool) -> Result<Self, Failure> {
        let mut stop = Self { asked: Arc::new(AtomicBool::new(asked)), listening: Vec::new() };
        let failed = |e: std::io::Error| Failure::io("signals", &e);
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // A signal that finds the flag set ends the process the ordinary way.
            let flag = || Arc::clone(&stop.asked);
            let ids = [
                signal_hook::flag::register_conditional_shutdown(signal, 130, flag()).map_err(failed)?,
                signal_hook::flag::register(signal, flag()).map_err(failed)?,
            ];
            stop.listening.extend(ids);
        }
        Ok(stop)
    }

    /// True once it happened.
    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Waits until there is something to read; false when the person wants to stop first.
    pub(crate) fn until_readable(&self, input: impl AsFd) -> bool {
        while !self.asked() {
            let mut waited = [PollFd::new(&input, PollFlags::IN)];
            match poll(&mut waited, Some(&LOOK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // What cannot be waited for says so when it is read.
                _ => return true,
            }
        }
        false
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        // What this one heard is not for the next: a Ctrl-C of an earlier turn must not end a later one.
        for id in self.listening.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}
