//! What one audit line says.

use metnos_executor::ErrorClass;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Free parts above this are replaced by their digest.
const FREE_MAX: usize = 32 << 10;
/// No line is longer; a reader need not hold more.
pub(super) const LINE_MAX: usize = 256 << 10;

/// What a line records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A read-only call, from beginning to end.
    Call,
    /// A changer is about to act.
    Open,
    /// A changer ended.
    Close,
    /// An `open` that a crash left without its `close`.
    Interrupted,
    /// A signature over the chain so far.
    Checkpoint,
    /// An executor changed its state, version or place.
    Lifecycle,
    /// The territory changed.
    Territory,
    /// The configuration changed.
    Config,
    /// A grant was given or revoked.
    Grant,
    /// A person decided a card.
    Approval,
    /// A guard refused before anything ran.
    Refused,
    /// What the egress proxy allowed and refused.
    Egress,
    /// A line torn by a crash was moved aside, or lines newer than the head were found.
    Recovery,
    /// The chain was found damaged at open.
    Damage,
    /// What somebody says about an earlier line. That line stays as it is.
    Note,
    /// A kind that a newer Metnos wrote.
    #[serde(other)]
    Other,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Without failure.
    Ok,
    /// With a failure of this class.
    Failed(ErrorClass),
}

impl Serialize for Exit {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ok => s.serialize_str("ok"),
            Self::Failed(class) => class.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Exit {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        if text == "ok" {
            return Ok(Self::Ok);
        }
        let class = ErrorClass::ALL.into_iter().find(|c| c.as_str() == text);
        class.map(Self::Failed).ok_or_else(|| serde::de::Error::custom("neither ok nor an error class"))
    }
}

/// Items handled and not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Items taken in.
    pub input: u64,
    /// Items that really were handled.
    pub ok: u64,
    /// Items that were not.
    pub failed: u64,
}

/// In which cell a call ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Whether it was waiting for the call.
    pub warm: bool,
    /// Its mount class.
    pub mounts: String,
}

/// What the egress proxy did for a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    /// `host:port` that was reached.
    pub allowed: Vec<String>,
    /// `host:port` that was not.
    pub refused: Vec<String>,
    /// Bytes that went out.
    #[serde(default)]
    pub sent: u64,
    /// Bytes that came in.
    #[serde(default)]
    pub received: u64,
}

/// A list that came into a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListIn {
    /// The argument it stands for.
    pub name: String,
    /// Where it lies: a path, below the state folder for what a step of a turn gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How many items.
    pub count: u64,
    /// blake3 of its bytes.
    pub digest: String,
}

/// What models were asked for a call, and what that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUsed {
    /// Questions.
    pub asked: u64,
    /// Those that were asked in vain.
    pub failed: u64,
    /// Tokens of the questions.
    pub tokens_in: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
    /// Estimated cost, in millionths of the currency of the configuration.
    pub cost: u64,
}

/// What one guard said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Which guard.
    pub guard: String,
    /// `allow`, `ask`, `deny`, or a score.
    pub decision: String,
    /// By which rule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What a score is made of: each part, its own score, and what it saw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Verdict {
    /// What a guard decided, by which rule.
    pub fn new(guard: &str, decision: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { guard: guard.to_owned(), decision: decision.into(), reason: reason.into(), parts: Vec::new() }
    }
}

/// What the caller of [`super::Audit::append`] knows. Everything in it is already redacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What is recorded.
    pub kind: Kind,
    /// The trace (topic) of the executor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The turn this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The call this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Who was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// In which version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Digest of its signed parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// On whose behalf, over which channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The arguments, redacted and bounded.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// The lists that came in: which items it worked on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ListIn>,
    /// The models that were asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUsed>,
    /// Digest of the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_digest: Option<String>,
    /// Items handled and not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// How much of it the guards took: core paths and fence, policy, judge, and the wait for an
    /// answer if somebody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_us: Option<u64>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Estimated cost, in the currency of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Sandbox layers in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<String>,
    /// What enforced the limits (`cgroup2+rlimit+watchdog`, `rlimit+watchdog`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<String>,
    /// In which cell it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// What it reached, and did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<Net>,
    /// What the guards said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Verdict>,
    /// Anything else worth keeping, redacted.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
    /// The process that wrote an `open`, so that a later start knows whether it still lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) writer: Option<String>,
}

impl Line {
    /// An empty line of this kind.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            trace: None,
            turn: None,
            call_id: None,
            executor: None,
            version: None,
            digest: None,
            caller: None,
            input: Value::Null,
            lists: Vec::new(),
            model: None,
            output_digest: None,
            counts: None,
            duration_us: None,
            guard_us: None,
            exit: None,
            cost: None,
            layers: Vec::new(),
            limits: None,
            cell: None,
            net: None,
            verdicts: Vec::new(),
            detail: Value::Null,
            writer: None,
        }
    }

    /// Replaces free parts that are too long by their digest: an act must stay recordable.
    pub(super) fn bound(&mut self) {
        for part in [&mut self.input, &mut self.detail] {
            let text = part.to_string();
            if text.len() > FREE_MAX {
                let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
                *part = serde_json::json!({"cut_bytes": text.len(), "blake3": digest});
            }
        }
    }
}

/// A line as it stands in a day file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// Its number, from one, without gaps.
    pub seq: u64,
    /// blake3 of the bytes of the line before, in hexadecimal; zeros before the first.
    pub prev: String,
    /// When it was written, UTC.
    pub time: String,
    /// What it says.
    #[serde(flatten)]
    pub line: Line,
}
