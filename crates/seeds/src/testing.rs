#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test support")]
//! Runs a seed in memory, for unit tests of this crate. The real path, through the sandbox, is
//! driven by the tests of the `metnos` binary.

use crate::call::{Call, Port};
use metnos_executor::{BytePath, Failure, Intent, Keep, Outcome, Permit};
use serde_json::Value;
use std::io::Cursor;

/// What came back.
#[derive(Debug)]
pub struct Ran {
    /// Counts, failures, scalars; settled.
    pub outcome: Outcome,
    /// The list.
    pub items: Vec<Value>,
    /// Every intent, in order.
    pub intents: Vec<Intent>,
}

struct Memory {
    items: Vec<Value>,
    intents: Vec<Intent>,
    kept: tempfile::TempDir,
}

impl Port for Memory {
    fn intent(&mut self, intent: &Intent) -> Result<Permit, Failure> {
        self.intents.push(intent.clone());
        let keep = Keep { root: BytePath("/".into()), dir: BytePath(self.kept.path().into()) };
        Ok(Permit { number: self.intents.len() as u32, keeps: vec![keep] })
    }
    fn progress(&mut self, _: u64, _: Option<u64>, _: &str) {}
    fn cancelled(&mut self) -> bool {
        false
    }
    fn item(&mut self, line: &[u8]) -> Result<(), Failure> {
        let item = serde_json::from_slice(line).map_err(|e| Failure::internal(e.to_string()))?;
        self.items.push(item);
        Ok(())
    }
}

/// Runs `name` with `args`; the keys `entries` and `with` become the input lists.
pub fn run(name: &str, args: Value) -> Ran {
    let Value::Object(mut args) = args else { panic!("arguments are an object") };
    let mut list = |key: &str| -> Option<Box<dyn std::io::BufRead>> {
        let Value::Array(items) = args.remove(key)? else { panic!("{key} is a list") };
        let text: String = items.iter().map(|v| format!("{v}\n")).collect();
        Some(Box::new(Cursor::new(text.into_bytes())))
    };
    let (entries, with) = (list("entries"), list("with"));
    let now = "2026-11-15T10:00:00+01:00[Europe/Rome]".parse().expect("a fixed moment");
    let kept = tempfile::tempdir().unwrap();
    let mut port = Memory { items: Vec::new(), intents: Vec::new(), kept };
    let seed = crate::find(name).unwrap_or_else(|| panic!("no seed called {name}"));
    let outcome = {
        let mut call = Call::new(args, now, "en", entries, with, &mut port);
        match seed(&mut call) {
            Ok(()) => call.outcome.settle(),
            Err(error) => {
                call.outcome.error = Some(error);
                call.outcome.settle()
            }
        }
    };
    Ran { outcome, items: port.items, intents: port.intents }
}
