//! The audit: JSON lines in day files, each line bound to the one before by its blake3.
//!
//! - A line is on the disk before [`Audit::append`] returns. Threads that append together share
//!   one sync; processes take turns by a lock in the state folder.
//! - `state/audit.head` names the last line (number, hash, file, length), signed. It is written
//!   after the line is durable and is not synced itself: after a crash it may lag, never lead.
//!   So lines after the head that chain correctly are sound, and fewer lines than the head says
//!   means that somebody removed some.
//! - Every thousandth line, and the last before a clean close, is a signed checkpoint. A copy of
//!   one kept elsewhere ([`Anchor`]) also shows a rollback of files and head together.
//! - Nothing is ever rewritten. A line torn by a crash is moved aside and noted; damage found at
//!   open is noted by a `damage` line, which [`Audit::verify`] reports from then on.

mod chain;
mod extent;
mod files;
mod head;
mod line;
mod queue;
mod read;
mod recent;
mod recover;
mod tail;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use extent::Extent;
pub use line::{Cell, Counts, Exit, Kind, Line, ListIn, ModelUsed, Net, Sealed, Verdict};
pub use read::{Filter, Key};
pub use recent::{Called, Recent};
pub use verify::{Anchor, Fault, Finding, Report};

use crate::{Result, Signer};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of a line, from one.
pub type Seq = u64;

/// Every line whose number is a multiple of this is a checkpoint.
pub const CHECKPOINT_EVERY: u64 = 1000;

/// The audit of one instance, open for appending.
pub struct Audit {
    dir: PathBuf,
    state: PathBuf,
    signer: Arc<dyn Signer>,
    queue: queue::Queue,
}

impl Audit {
    /// Opens the chain in `dir` with its head in `state`, creating both. What a crash left
    /// behind is put right and noted.
    pub fn open(dir: &Path, state: &Path, signer: Arc<dyn Signer>, clock: fn() -> Timestamp) -> Result<Self> {
        let writer = writer::Writer::open(dir, state, Arc::clone(&signer), clock)?;
        Ok(Self { dir: dir.to_owned(), state: state.to_owned(), signer, queue: queue::Queue::new(writer) })
    }

    /// Appends `line`; when this returns, it is on the disk.
    pub fn append(&self, line: Line) -> Result<Seq> {
        self.queue.append(line)
    }

    /// Appends a signed checkpoint, as a clean close does.
    pub fn checkpoint(&self) -> Result<Seq> {
        self.queue.append(Line::new(Kind::Checkpoint))
    }

    /// Closes cleanly: the last line is a checkpoint and the head is on the disk too.
    pub fn close(self) -> Result<Seq> {
        let seq = self.checkpoint()?;
        self.queue.into_writer().sync_head()?;
        Ok(seq)
    }

    /// Reads the whole chain and reports everything that is wrong with it.
    pub fn verify(&self, anchors: &[Anchor]) -> Result<Report> {
        verify::verify(&self.dir, &self.state, self.signer.as_ref(), anchors)
    }

    /// The same for a chain that is not open for appending: nothing is put right first.
    pub fn verify_at(dir: &Path, state: &Path, signer: &dyn Signer, anchors: &[Anchor]) -> Result<Report> {
        verify::verify(dir, state, signer, anchors)
    }

    /// The last `n` lines that `filter` keeps, oldest first.
    pub fn tail(&self, n: usize, filter: &Filter) -> Result<Vec<Sealed>> {
        read::tail(&self.dir, n, filter)
    }

    /// The last lines of the chain in `dir`, without opening it for writing.
    pub fn lines_in(dir: &Path, n: usize, filter: &Filter) -> Result<Vec<Sealed>> {
        read::tail(dir, n, filter)
    }

    /// The lines a number or a call id names, oldest first.
    pub fn show(&self, key: &Key) -> Result<Vec<Sealed>> {
        read::show(&self.dir, key)
    }

    /// Closes every `open` that a dead process left with an `interrupted` line; gives the calls.
    pub fn recover(&self) -> Result<Vec<String>> {
        recover::recover(&self.dir, self.queue.open_calls()?, |line| self.append(line))
    }

    /// Where the day files lie.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}
