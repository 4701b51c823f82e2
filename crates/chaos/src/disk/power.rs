//! The current that all disks of a house share. It fails at a chosen change.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts the changes of all disks.
#[derive(Debug, Default)]
pub(crate) struct Power {
    changes: AtomicU64,
    /// The change that does not happen any more; zero for none.
    fails_at: AtomicU64,
    is_off: AtomicBool,
}

impl Power {
    /// Current again, which fails at change `n`; never when it is zero.
    pub(crate) fn on(&self, n: u64) {
        self.changes.store(0, Ordering::SeqCst);
        self.fails_at.store(n, Ordering::SeqCst);
        self.is_off.store(false, Ordering::SeqCst);
    }

    /// One more change; `false` when it cannot happen.
    pub(crate) fn change(&self) -> bool {
        let n = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        if n == self.fails_at.load(Ordering::SeqCst) {
            self.is_off.store(true, Ordering::SeqCst);
        }
        !self.is_off()
    }

    pub(crate) fn off(&self) {
        self.is_off.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_off(&self) -> bool {
        self.is_off.load(Ordering::SeqCst)
    }

    /// Changes since it came on.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }
}
