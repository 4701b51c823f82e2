//! The audit chain as the commands see it.

use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_executor::home::Home;
use metnos_executor::keys::InstanceKey;
use metnos_memory::Signer;
use metnos_memory::audit::{Audit, Filter, Key};
use serde_json::Value;
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
    let report = Audit::verify_at(&home.audit_dir(), &home.state_dir(), &KeySigner(Arc::new(key)), &[])
        .map_err(|e| Failure::internal(e.to_string()))?;
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
