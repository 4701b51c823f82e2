//! What the unit tests of this crate share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::record::Counters;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Counters in memory.
#[derive(Default)]
pub(crate) struct Memory(Mutex<BTreeMap<String, u64>>);

impl Counters for Memory {
    fn get(&self, key: &str) -> Result<Option<u64>, String> {
        Ok(self.0.lock().unwrap().get(key).copied())
    }
    fn set(&self, key: &str, value: u64) -> Result<(), String> {
        self.0.lock().unwrap().insert(key.to_owned(), value);
        Ok(())
    }
}
