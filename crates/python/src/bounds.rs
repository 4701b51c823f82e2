//! What one run may use.

use std::time::Duration;

/// The bounds of one run. Every field binds; zero is a bound like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Memory of the interpreter. The embedded one notices between two steps, so it may overshoot by
    /// one allocation: keep this at half of what the cell has.
    pub memory_bytes: usize,
    /// Time spent executing Python. Waiting for a `ctx` call does not count in the embedded runtime;
    /// in the other one it is processor time.
    pub duration: Duration,
    /// Depth of calls. More than [`Bounds::RECURSION_MAX`] is read as that.
    pub recursion: usize,
    /// The answer, as JSON; also the longest line either side of the `cpython` dialogue accepts.
    pub output_bytes: usize,
    /// How many `ctx` calls are served.
    pub calls: usize,
}

impl Bounds {
    /// The deepest recursion that is safe on the stack of a process started with ordinary limits.
    pub const RECURSION_MAX: usize = 1000;

    /// The recursion bound that applies.
    pub fn depth(&self) -> usize {
        self.recursion.min(Self::RECURSION_MAX)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            memory_bytes: 128 << 20,
            duration: Duration::from_secs(30),
            recursion: 400,
            output_bytes: 4 << 20,
            calls: 100_000,
        }
    }
}
