//! The allocator that lets the embedded interpreter keep to its memory limit.

/// Counts what the interpreter holds; everything else passes through.
#[global_allocator]
static HEAP: metnos_python::Allocator = metnos_python::Allocator;
