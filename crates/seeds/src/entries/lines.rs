//! An input list, line by line, with progress and the person's *stop* on the way.

use crate::call::{Call, next_line};
use metnos_executor::{ErrorClass, Failure};
use std::io::BufRead;

/// How many lines pass between two reports.
const REPORT_EVERY: u64 = 8192;

/// One of the two input lists of a call. A list that was not given is empty.
pub(super) struct Lines<'a> {
    source: Option<Box<dyn BufRead + 'a>>,
    buffer: Vec<u8>,
    read: u64,
}

impl<'a> Lines<'a> {
    /// The list `entries`.
    pub(super) fn entries(call: &mut Call<'a>) -> Self {
        Self { source: call.take_entries(), buffer: Vec::new(), read: 0 }
    }

    /// The list `with`.
    pub(super) fn with(call: &mut Call<'a>) -> Self {
        Self { source: call.take_with(), buffer: Vec::new(), read: 0 }
    }

    /// True when the caller gave this list, even an empty one.
    pub(super) fn given(&self) -> bool {
        self.source.is_some()
    }

    /// The next line and its place in the list.
    pub(super) fn advance(&mut self, call: &mut Call<'_>) -> Result<Option<(u64, &[u8])>, Failure> {
        let Some(source) = self.source.as_mut() else { return Ok(None) };
        let Some(line) = next_line(source, &mut self.buffer)? else { return Ok(None) };
        let index = self.read;
        self.read += 1;
        if self.read.is_multiple_of(REPORT_EVERY) {
            call.progress(self.read, None, "entries")?;
        }
        Ok(Some((index, line)))
    }

    /// How many lines came so far.
    pub(super) fn count(&self) -> u64 {
        self.read
    }
}

/// Notes an entry that could not be used, and why.
pub(super) fn reject(call: &mut Call<'_>, index: u64, why: impl Into<String>) {
    call.outcome.fail(index, format!("entry {index}"), ErrorClass::WrongArgs, why);
}

/// Whole lines kept in one block of memory, so that a million of them cost little more than
/// their bytes.
#[derive(Default)]
pub(super) struct Arena {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Arena {
    /// Keeps a line; its number is the count of lines before it.
    pub(super) fn push(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.ends.push(self.bytes.len());
    }

    /// The line with this number; empty when there is none.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        let start = match number.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or(&[])
    }

    /// How many lines it holds.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}
