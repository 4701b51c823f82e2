//! An undo that survives anything: the journal says what a call is about to do and what stood there,
//! the call's own folders keep what it took away, and the way back is worked out from both, after an
//! ordinary end as after a crash.

mod error;
mod file;
mod given;
mod holder;
mod journal;
mod key;
mod locks;
mod note;
mod observe;
mod open;
mod overlay;
mod past;
mod plan;
mod record;
mod reverse;
mod shelf;
mod steps;
mod trail;

pub use error::Error;
pub use given::Given;
pub use journal::{Act, Journal, State};
pub use locks::{Locks, Turn};
pub use open::Open;
pub use record::{Closed, Head, Seen, Step, Undone};
pub use reverse::{Conflict, Purpose, Report, reverse, reverse_left};

/// The answer of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
