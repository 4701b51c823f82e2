#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod appending;
mod crashes;
mod tampering;

use super::*;
use ed25519_dalek::SigningKey;
use std::cell::Cell as Slot;
use tempfile::TempDir;

const NOON: i64 = 1_794_744_000; // 2026-11-15T12:00:00Z
const DAY: i64 = 86_400;

thread_local! {
    static NOW: Slot<i64> = const { Slot::new(NOON) };
}

fn clock() -> Timestamp {
    Timestamp::from_second(NOW.get()).unwrap()
}

fn signer() -> Arc<dyn Signer> {
    Arc::new(SigningKey::from_bytes(&[7; 32]))
}

/// A scratch audit: day files below `day`, head below `state`.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        NOW.set(NOON);
        Self(tempfile::tempdir().unwrap())
    }
    fn dir(&self) -> PathBuf {
        self.0.path().join("workspace/.audit/executors")
    }
    fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }
    fn head(&self) -> PathBuf {
        self.state().join("audit.head")
    }
    fn open(&self) -> Audit {
        Audit::open(&self.dir(), &self.state(), signer(), clock).unwrap()
    }
    fn verify(&self) -> Report {
        Audit::verify_at(&self.dir(), &self.state(), signer().as_ref(), &[]).unwrap()
    }
    fn day(&self, name: &str) -> PathBuf {
        self.dir().join(format!("{name}.jsonl"))
    }
}

fn call(id: &str) -> Line {
    Line {
        call_id: Some(id.into()),
        executor: Some("find_files".into()),
        version: Some("1.0.0".into()),
        caller: Some("host".into()),
        input: serde_json::json!({"base_path": "/data", "patterns": ["*.txt"]}),
        counts: Some(Counts { input: 0, ok: 3, failed: 0 }),
        exit: Some(Exit::Ok),
        ..Line::new(Kind::Call)
    }
}

fn changer(kind: Kind, id: &str) -> Line {
    Line { kind, executor: Some("move_files".into()), ..call(id) }
}
