//! The audit chain as the commands see it.

use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_executor::home::Home;
use metnos_executor::keys::InstanceKey;
use metnos_memory::Signer;
use metnos_memory::audit::{Anchor, Audit, Filter, Key, Kind, Line};
use metnos_memory::db::Db;
use serde_json::{Value, json};
use std::sync::Arc;

/// The instance key as the audit's signer.
pub(crate) struct KeySigner(pub(crate) Arc<InstanceKey>);

impl Signer for KeySigner {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message)
    }

    fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.public().verify(message, signature)
    }
}

/// The counter that remembers how far the chain came, apart from the chain and its head: with both
/// of them gone, what is left must not look like a fresh start.
const REACHED: &str = "audit";
/// It is raised in steps, so that an ordinary start writes nothing.
const REACHED_STEP: u64 = 100;

/// Compares the chain with how far it is known to have come, and remembers how far it is now.
pub(crate) fn remember(audit: &Audit, db: &Db) -> metnos_memory::Result<()> {
    let last = audit.tail(1, &Filter::default())?.last().map_or(0, |l| l.seq);
    let known = db.counter(REACHED)?;
    if last < known {
        let damage = Filter { kind: Some(Kind::Damage), ..Filter::default() };
        if audit.tail(1, &damage)?.is_empty() {
            let mut line = Line::new(Kind::Damage);
            line.detail = json!({ "what": format!("the chain had at least {known} lines, {last} are left") });
            audit.append(line)?;
        }
    } else if last > 0 && (known == 0 || last >= known + REACHED_STEP) {
        db.raise(REACHED, last)?;
    }
    Ok(())
}

/// What `audit verify` found.
#[derive(Debug)]
pub struct AuditReport {
    /// Lines read.
    pub lines: u64,
    /// Each damage with its place; empty when the chain holds.
    pub damage: Vec<String>,
}

/// Checks the chain without opening it for writing, so that looking repairs nothing.
pub fn audit_verify(home: &Home) -> Result<AuditReport, Failure> {
    let key = InstanceKey::load(&home.keys_dir())
        .map_err(|e| Failure::wrong_args(e.to_string()).with_hint("metnos init"))?;
    let broken = |e: metnos_memory::Error| Failure::internal(e.to_string());
    let database = home.state_dir().join("metnos.sqlite");
    // Setting up writes the first line, so a house with a key has at least that one.
    let reached =
        if database.exists() { Db::open(&database).and_then(|db| db.counter(REACHED)) } else { Ok(0) };
    let anchor = Anchor { seq: reached.map_err(broken)?.max(1), hash: None };
    let signer = KeySigner(Arc::new(key));
    let report =
        Audit::verify_at(&home.audit_dir(), &home.state_dir(), &signer, &[anchor]).map_err(broken)?;
    Ok(AuditReport { lines: report.lines, damage: report.findings.iter().map(ToString::to_string).collect() })
}

impl Runtime {
    /// The last lines, oldest first.
    pub fn audit_tail(&self, n: usize, executor: Option<&str>) -> Result<Vec<Value>, Failure> {
        let filter = Filter { executor: executor.map(str::to_owned), ..Filter::default() };
        let lines = self.audit.tail(n, &filter).map_err(|e| Failure::internal(e.to_string()))?;
        lines.iter().map(|l| serde_json::to_value(l).map_err(|e| Failure::internal(e.to_string()))).collect()
    }

    /// How many lines the chain has.
    pub fn audit_lines(&self) -> Result<u64, Failure> {
        let last = self.audit.tail(1, &Filter::default()).map_err(|e| Failure::internal(e.to_string()))?;
        Ok(last.last().map_or(0, |l| l.seq))
    }

    /// One line by number, or all lines of a call.
    pub fn audit_show(&self, key: &str) -> Result<Vec<Value>, Failure> {
        let key = key.parse().map_or_else(|_| Key::Call(key.to_owned()), Key::Seq);
        let lines = self.audit.show(&key).map_err(|e| Failure::internal(e.to_string()))?;
        lines.iter().map(|l| serde_json::to_value(l).map_err(|e| Failure::internal(e.to_string()))).collect()
    }
}
