//! The two Python runtimes of executors and the static rule both obey.
//!
//! An executor written in Python defines `def run(args: dict, ctx) -> dict`. [`embedded`] runs it in an
//! interpreter inside the host; [`cpython`] runs it in the system's `python3`, a child of the host, over
//! two pipes. In both, the outside world is a [`Ctx`]: the host decides what each call may do.
//! [`check()`] reads the syntax tree of the code and says what it may not contain.

mod bounds;
pub mod check;
pub mod cpython;
mod ctx;
pub mod embedded;

pub use bounds::Bounds;
pub use check::{Finding, check};
pub use ctx::{Ctx, Fetched, Kind, Named, Stat};
pub use metnos_executor::wire::Runtime;

/// The allocator that counts what the embedded interpreter uses. The memory limit needs it, so the
/// program that links this crate declares it as its `#[global_allocator]`; [`embedded::run`] refuses
/// to start without it.
pub use monty_alloc::LimitedAllocator as Allocator;
/// The exit status of a program that uses [`Allocator`] when the kernel refused it more memory.
pub use monty_types::OOM_EXIT_CODE;

#[cfg(test)]
mod testing;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;
