//! The identity card of an executor: what it is called, says, promises and needs.

mod coherence;
mod plan;
mod read;
mod words;

pub use crate::document::{ManifestError, Problem};
pub use coherence::{Incoherence, coherent};
pub use plan::Plan;
pub use words::{CAPABILITIES, CreatedBy, ReversePattern, Version};

use crate::failure::ErrorClass;
use crate::profile::Profile;
use crate::wire::Runtime;
use metnos_vocab::ExecutorName;
use std::collections::BTreeMap;

/// The longest manifest.
pub const MANIFEST_MAX: usize = 256 << 10;
/// What stands in place of a digest until the folder is signed.
pub const UNSIGNED: &str = "unsigned";

/// A manifest that parsed and does not contradict itself.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Identity.
    pub executor: Identity,
    /// The tool's prompt, by language; `en` is always there.
    pub description: BTreeMap<String, Description>,
    /// How requests find it.
    pub routing: Routing,
    /// What the planner is told about it.
    pub plan: Plan,
    /// What it promises.
    pub contract: Contract,
    /// What runs.
    pub code: Code,
    /// What it may touch.
    pub sandbox: Profile,
    /// The digest of `sandbox`, or [`UNSIGNED`].
    pub hash: String,
    /// What policy is asked about.
    pub capability: Vec<Capability>,
    /// How it is traced.
    pub audit: Audit,
}

/// `[executor]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub name: ExecutorName,
    /// Its version.
    pub version: Version,
    /// When it was made.
    pub created_at: jiff::Timestamp,
    /// By whom.
    pub created_by: CreatedBy,
}

/// `[description.<language>]`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Description {
    /// What it is for.
    pub scope: String,
    /// An example call.
    pub pattern: String,
    /// What it is not for, and what is.
    pub not: String,
    /// What it gives.
    pub out: String,
}

/// `[routing]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// Words that lead here, by language.
    pub affinity: BTreeMap<String, Vec<String>>,
    /// Executors it is often used with.
    pub companions: Vec<ExecutorName>,
}

/// `[contract]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The classes it may fail with.
    pub error_classes: Vec<ErrorClass>,
    /// True when doing it twice is doing it once.
    pub idempotent: bool,
    /// True when it changes the world.
    pub side_effects: bool,
    /// How it is undone; empty means it cannot be.
    pub reverse: Vec<ReversePattern>,
    /// The digest of the birth tests, or [`UNSIGNED`].
    pub tests: String,
}

/// `[code]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// How it runs.
    pub runtime: Runtime,
    /// `host` for native code, else the digest of `main.py` or [`UNSIGNED`].
    pub digest: String,
}

/// One `[[capability]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// From the closed list of the policy.
    pub name: String,
    /// On what: `arg:<name>`, `entries:<field>`, or a literal.
    pub target: Option<String>,
}

/// `[audit]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The topic of its trace lines.
    pub trace_topic: String,
}

impl Manifest {
    /// Reads the text of `file` and checks that it does not contradict itself.
    pub fn parse(text: &str, file: &str) -> Result<Self, ManifestError> {
        read::manifest(text.as_bytes(), file).map(|(manifest, _)| manifest)
    }

    /// The same for bytes that may not even be text.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, ManifestError> {
        read::manifest(bytes, file).map(|(manifest, _)| manifest)
    }

    /// True when its tests, code and profile digests are filled in.
    pub fn is_sealed(&self) -> bool {
        [&self.hash, &self.contract.tests, &self.code.digest].iter().all(|d| *d != UNSIGNED)
    }
}

/// Writes the digests into the text of a manifest and leaves every other byte as it is.
pub(crate) fn fill_digests(
    text: &str,
    file: &str,
    hash: &str,
    tests: &str,
    code: Option<&str>,
) -> Result<String, ManifestError> {
    let (_, places) = read::manifest(text.as_bytes(), file)?;
    let mut edits = vec![(places.hash, hash), (places.tests, tests)];
    edits.extend(code.map(|digest| (places.digest, digest)));
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut filled = text.to_owned();
    for (span, digest) in edits {
        filled.replace_range(span, &format!("\"{digest}\""));
    }
    Ok(filled)
}

#[cfg(test)]
mod tests;
