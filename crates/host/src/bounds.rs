//! Resource limits the kernel enforces on this process. Memory of the whole cell and the number
//! of processes are watched from outside as well, because these bind only one process at a time.

use crate::sys;
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{Limits, Runtime};
use std::io;

/// Room for the binary itself, its stack and the allocator's bookkeeping.
const OWN_ROOM: u64 = 96 << 20;
/// What CPython maps before it runs a line.
const CPYTHON_ROOM: u64 = 256 << 20;

/// Applies every limit that a process can set on itself.
pub(crate) fn apply(limits: &Limits, runtime: Runtime) -> io::Result<()> {
    if lab::without(Layer::Rlimits) {
        return Ok(());
    }
    let memory = limits.memory_mb << 20;
    let room = if runtime == Runtime::Cpython { CPYTHON_ROOM } else { OWN_ROOM };
    sys::limit(libc::RLIMIT_CORE, 0)?;
    // At the hard limit the kernel kills without saying why; the soft one, a second earlier, says it.
    let seconds = limits.cpu_ms.div_ceil(1000).max(1);
    sys::limit_with(libc::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
    sys::limit(libc::RLIMIT_NOFILE, u64::from(limits.files))?;
    sys::limit(libc::RLIMIT_AS, memory.saturating_add(room))?;
    sys::limit(libc::RLIMIT_MEMLOCK, 0)?;
    sys::limit(libc::RLIMIT_MSGQUEUE, 0)
}
