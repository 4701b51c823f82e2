//! Whether anything has a field at all: to sort or group by one that no entry has is a mistake.

use super::field::{self, Cell};
use metnos_executor::Failure;

/// What is known of one field after a pass over a list.
#[derive(Default)]
pub(super) struct Seen {
    entries: u64,
    with_field: u64,
    example: Vec<u8>,
}

impl Seen {
    /// Takes note of one entry's value.
    pub(super) fn note(&mut self, cell: &Cell<'_>, line: &[u8]) {
        if self.entries == 0 {
            self.example = line.to_vec();
        }
        self.entries += 1;
        self.with_field += u64::from(*cell != Cell::Missing);
    }

    /// How many entries came.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Fails when there are entries and none has the field.
    pub(super) fn refuse_unknown(&self, argument: &str, name: &str) -> Result<(), Failure> {
        if self.entries > 0 && self.with_field == 0 {
            return Err(Failure::wrong_args(format!("{argument}: no entry has a field `{name}`"))
                .with_hint(field::names(&self.example)));
        }
        Ok(())
    }
}
