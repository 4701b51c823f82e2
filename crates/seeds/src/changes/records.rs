//! The records of an input list, streamed, with the columns a table of them has.
//!
//! A table needs its columns before its first row, and a million records do not fit in memory:
//! the columns are those of the first [`SAMPLE`] records, and a field that first appears later is
//! left out and declared.

use crate::call::{next_line, parse};
use metnos_executor::{Failure, Origin};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::io::BufRead;

/// How many records decide the columns.
pub(super) const SAMPLE: usize = 1000;
/// The most left-out fields that are named.
const NAMED: usize = 50;

/// A stream of records.
pub(super) struct Records<'s> {
    source: Box<dyn BufRead + 's>,
    line: Vec<u8>,
    read: u64,
    ahead: VecDeque<Map<String, Value>>,
    known: HashSet<String>,
    /// The columns, in the order they first appear.
    pub(super) columns: Vec<String>,
    /// Fields of later records that have no column.
    pub(super) left_out: BTreeSet<String>,
    /// The least trusted origin so far.
    pub(super) origin: Origin,
    /// How many records were handed out.
    pub(super) count: u64,
}

impl<'s> Records<'s> {
    /// Reads ahead far enough to know the columns.
    pub(super) fn new(source: Box<dyn BufRead + 's>) -> Result<Self, Failure> {
        let mut records = Self {
            source,
            line: Vec::new(),
            read: 0,
            ahead: VecDeque::new(),
            known: HashSet::new(),
            columns: Vec::new(),
            left_out: BTreeSet::new(),
            origin: Origin::User,
            count: 0,
        };
        while records.ahead.len() < SAMPLE {
            let Some(record) = records.pull()? else { break };
            for key in record.keys() {
                if is_column(key) && records.known.insert(key.clone()) {
                    records.columns.push(key.clone());
                }
            }
            records.ahead.push_back(record);
        }
        Ok(records)
    }

    /// The next record, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Map<String, Value>>, Failure> {
        let record = match self.ahead.pop_front() {
            Some(record) => Some(record),
            None => {
                let record = self.pull()?;
                for key in record.iter().flat_map(Map::keys) {
                    if is_column(key) && !self.known.contains(key) && self.left_out.len() < NAMED {
                        self.left_out.insert(key.clone());
                    }
                }
                record
            }
        };
        if record.is_some() {
            self.count = self.count.saturating_add(1);
        }
        Ok(record)
    }

    fn pull(&mut self) -> Result<Option<Map<String, Value>>, Failure> {
        let index = self.read;
        let Some(line) = next_line(&mut self.source, &mut self.line)? else { return Ok(None) };
        let value = parse(line, index)?;
        self.read = self.read.saturating_add(1);
        self.origin = self.origin.join(Origin::of(&value));
        match value {
            Value::Object(record) => Ok(Some(record)),
            _ => Err(Failure::wrong_args(format!("entry {index}: not an object"))),
        }
    }
}

/// The taint and the bytes of odd names are for machines, not for tables.
fn is_column(key: &str) -> bool {
    key != "_origin" && key != "path_b64" && !key.ends_with("_b64")
}
