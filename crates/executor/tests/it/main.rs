//! The shipped executors.

mod shipped;
