//! Ctrl-C asks a running call to stop at the next safe point; a second one ends the process.

use metnos_executor::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the person pressed Ctrl-C.
pub(crate) struct Stop {
    asked: Arc<AtomicBool>,
}

impl Stop {
    /// Starts listening.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // The second signal finds the flag set and ends the process the ordinary way.
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&asked))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
                .map_err(|e| Failure::io("signals", &e))?;
        }
        Ok(Self { asked })
    }

    /// True once it happened.
    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
