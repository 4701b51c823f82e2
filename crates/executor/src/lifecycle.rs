//! The life of an executor: a pure machine of states and moves, and the signed history of both.

use crate::files::{self, Stamp};
use crate::keys::{InstanceKey, PublicKey, hex, unhex};
use crate::record::Counters;
use crate::refusal::{Part, Refusal};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "LIFECYCLE";
const FILE_MAX: usize = 1 << 20;
const PURPOSE: &str = "metnos lifecycle v1";

/// Where an executor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Somebody wants it.
    Proposed,
    /// It is written and waits for a person.
    Synthesised,
    /// In use.
    Active,
    /// In use, but hardly.
    BelowThreshold,
    /// Its work is done by another one now.
    Fused,
    /// Put away.
    Archived,
    /// Refused by a check; waits for a person.
    Quarantined,
    /// A builtin that was switched off.
    Disabled,
}

impl State {
    /// All states.
    pub const ALL: [Self; 8] = [
        Self::Proposed,
        Self::Synthesised,
        Self::Active,
        Self::BelowThreshold,
        Self::Fused,
        Self::Archived,
        Self::Quarantined,
        Self::Disabled,
    ];

    /// The word used in records and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Synthesised => "synthesised",
            Self::Active => "active",
            Self::BelowThreshold => "below_threshold",
            Self::Fused => "fused",
            Self::Archived => "archived",
            Self::Quarantined => "quarantined",
            Self::Disabled => "disabled",
        }
    }

    /// True when the planner may use it and a call may run it.
    pub fn is_usable(self) -> bool {
        matches!(self, Self::Active | Self::BelowThreshold)
    }

    /// The state after `step`, or why that cannot be.
    pub fn after(self, step: Move) -> Result<Self, IllegalMove> {
        use Move as M;
        use State as S;
        let next = match (self, step) {
            (S::Proposed, M::Synthesise) => S::Synthesised,
            (S::Synthesised, M::Withdraw) => S::Proposed,
            (S::Synthesised, M::Admit) => S::Active,
            (S::Active, M::Retract) => S::Synthesised,
            (S::Active, M::Demote) => S::BelowThreshold,
            (S::BelowThreshold, M::Recover) => S::Active,
            (S::Active, M::Fuse) => S::Fused,
            (S::Fused, M::Defuse) => S::Active,
            (S::Active | S::BelowThreshold | S::Fused, M::Quarantine) => S::Quarantined,
            (S::Quarantined, M::Reapprove) => S::Active,
            (S::BelowThreshold | S::Fused | S::Quarantined, M::Archive) => S::Archived,
            (S::Archived, M::Restore) => S::Active,
            (S::Active, M::Disable) => S::Disabled,
            (S::Disabled, M::Enable) => S::Active,
            (from, step) => return Err(IllegalMove { from, step }),
        };
        Ok(next)
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A step from one state to another. Each has an opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Write what was proposed.
    Synthesise,
    /// Back to a proposal.
    Withdraw,
    /// A person approved it.
    Admit,
    /// A person took the approval back.
    Retract,
    /// It is hardly used.
    Demote,
    /// It is used again.
    Recover,
    /// Another one does its work.
    Fuse,
    /// It does its own work again.
    Defuse,
    /// A check refused it.
    Quarantine,
    /// A person looked and approved it again.
    Reapprove,
    /// Put it away.
    Archive,
    /// Bring it back.
    Restore,
    /// Switch a builtin off.
    Disable,
    /// Switch it on.
    Enable,
}

impl Move {
    /// All moves, each beside its opposite.
    pub const ALL: [Self; 14] = [
        Self::Synthesise,
        Self::Withdraw,
        Self::Admit,
        Self::Retract,
        Self::Demote,
        Self::Recover,
        Self::Fuse,
        Self::Defuse,
        Self::Quarantine,
        Self::Reapprove,
        Self::Archive,
        Self::Restore,
        Self::Disable,
        Self::Enable,
    ];

    /// The move that takes it back.
    pub fn opposite(self) -> Self {
        let at = self as usize;
        Self::ALL[at ^ 1]
    }
}

/// A move that the machine does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an executor that is {from} cannot take the step {step:?}")]
pub struct IllegalMove {
    /// The state it is in.
    pub from: State,
    /// The step that was asked for.
    pub step: Move,
}

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifecycleRecord {
    /// `<root>/<name>`, so that a history cannot be moved to another executor.
    pub subject: String,
    /// Its number; also kept in the database, so that the last lines cannot be cut off.
    pub seq: u64,
    /// The state from here on.
    pub state: State,
    /// Why, in words.
    pub reason: String,
    /// When, RFC 3339.
    pub at: String,
    /// By whom.
    pub by: String,
    /// The hash of the line before; empty for the first.
    pub prev: String,
    /// Over everything above.
    pub signature: String,
}

/// Who does something, when and why.
#[derive(Clone, Copy, Debug)]
pub struct Why<'a> {
    /// In words.
    pub reason: &'a str,
    /// The principal.
    pub by: &'a str,
    /// Now, by the caller's clock.
    pub at: jiff::Timestamp,
}

impl LifecycleRecord {
    fn message(&self) -> Result<Vec<u8>, Refusal> {
        let bare = Self { signature: String::new(), ..self.clone() };
        Ok([PURPOSE.as_bytes(), b"\n", &line(&bare)?].concat())
    }
}

fn line(record: &LifecycleRecord) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(record).map_err(|e| refuse(e.to_string()))
}

fn refuse(reason: impl Into<String>) -> Refusal {
    Refusal::new(Part::Lifecycle, reason)
}

fn counter_key(subject: &str) -> String {
    format!("lifecycle/{subject}")
}

/// The whole history in `dir`, checked line by line; empty when there never was one.
pub fn history(
    dir: &Path,
    subject: &str,
    public: &PublicKey,
    counters: &dyn Counters,
) -> Result<Vec<LifecycleRecord>, Refusal> {
    let bytes = match files::read(&dir.join(FILE), FILE_MAX) {
        Ok((bytes, _)) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Refusal::io(Part::Lifecycle, FILE, &error)),
    };
    let records = parse(&bytes, subject, public)?;
    let last = records.last().map_or(0, |record| record.seq);
    let key = counter_key(subject);
    let stored = counters.get(&key).map_err(|e| Refusal::new(Part::Counter, e))?.unwrap_or(0);
    if last < stored {
        let reason = format!("{FILE}: an older history was put back ({last} < {stored})");
        return Err(Refusal::new(Part::Counter, reason));
    }
    if last > stored {
        counters.set(&key, last).map_err(|e| Refusal::new(Part::Counter, e))?;
    }
    Ok(records)
}

fn parse(bytes: &[u8], subject: &str, public: &PublicKey) -> Result<Vec<LifecycleRecord>, Refusal> {
    let mut records: Vec<LifecycleRecord> = Vec::new();
    let mut prev = String::new();
    if bytes.is_empty() {
        return Ok(records);
    }
    let body = bytes.strip_suffix(b"\n");
    let body = body.ok_or_else(|| refuse(format!("{FILE} is cut off in the middle of a line")))?;
    for (i, text) in body.split(|b| *b == b'\n').enumerate() {
        let at = |why: &str| refuse(format!("{FILE} line {}: {why}", i + 1));
        let record: LifecycleRecord =
            serde_json::from_slice(text).map_err(|e| at(&crate::versions::unread(&e)))?;
        let signature = unhex::<64>(&record.signature).ok_or_else(|| at("damaged signature"))?;
        if line(&record)? != text || !public.verify(&record.message()?, &signature) {
            return Err(at("was changed after it was signed"));
        }
        let follows = records.last().is_none_or(|last| last.seq.checked_add(1) == Some(record.seq));
        if record.prev != prev || !follows || record.subject != subject {
            return Err(at("does not follow the line before"));
        }
        prev = blake3::hash(text).to_hex().to_string();
        records.push(record);
    }
    Ok(records)
}

/// The state that the history in `dir` ends with. One that never had a history is active: it was
/// installed and signed, and nothing else happened.
pub fn state(
    dir: &Path,
    subject: &str,
    public: &PublicKey,
    counters: &dyn Counters,
) -> Result<State, Refusal> {
    let records = history(dir, subject, public, counters)?;
    Ok(records.last().map_or(State::Active, |record| record.state))
}

/// Adds one signed line. The move must be legal from the state the history ends with.
pub fn step(
    dir: &Path,
    subject: &str,
    step: Move,
    why: &Why<'_>,
    key: &InstanceKey,
    counters: &dyn Counters,
) -> Result<LifecycleRecord, Refusal> {
    let from = state(dir, subject, &key.public(), counters)?;
    let next = from.after(step).map_err(|e| refuse(e.to_string()))?;
    append(dir, subject, next, why, key, counters)
}

/// Adds one signed line with this state, whatever the state before: the first of a history.
pub(crate) fn append(
    dir: &Path,
    subject: &str,
    state: State,
    why: &Why<'_>,
    key: &InstanceKey,
    counters: &dyn Counters,
) -> Result<LifecycleRecord, Refusal> {
    let records = match Stamp::at(&dir.join(FILE)) {
        Some(_) => history(dir, subject, &key.public(), counters)?,
        None => Vec::new(),
    };
    let counter_key = counter_key(subject);
    let stored = counters.get(&counter_key).map_err(|e| Refusal::new(Part::Counter, e))?.unwrap_or(0);
    let lines = records.iter().map(line).collect::<Result<Vec<_>, _>>()?;
    let newest = records.last().map_or(stored, |last| last.seq.max(stored));
    let mut record = LifecycleRecord {
        subject: subject.to_owned(),
        seq: newest.checked_add(1).ok_or_else(|| refuse("the history is full"))?,
        state,
        reason: why.reason.to_owned(),
        at: why.at.to_string(),
        by: why.by.to_owned(),
        prev: lines.last().map_or_else(String::new, |l| blake3::hash(l).to_hex().to_string()),
        signature: String::new(),
    };
    record.signature = hex(&key.sign(&record.message()?));
    let mut text = Vec::new();
    for line in lines.into_iter().chain([line(&record)?]) {
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    files::make_dirs(dir)
        .and_then(|()| files::write_atomic(&dir.join(FILE), &text, 0o644))
        .map_err(|e| Refusal::io(Part::Lifecycle, FILE, &e))?;
    counters.set(&counter_key, record.seq).map_err(|e| Refusal::new(Part::Counter, e))?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::Memory;

    const WHY: Why<'_> = Why { reason: "a test", by: "user:1", at: jiff::Timestamp::UNIX_EPOCH };

    #[test]
    fn every_move_has_an_opposite_that_can_be_taken_after_it() {
        for step in Move::ALL {
            assert_eq!(step.opposite().opposite(), step);
            assert_ne!(step.opposite(), step);
            for from in State::ALL {
                if let Ok(to) = from.after(step) {
                    assert_ne!(from, to);
                    let back = to.after(step.opposite());
                    // What is in use is archived by way of `below_threshold`.
                    let back = back.or_else(|_| to.after(Move::Demote)?.after(step.opposite()));
                    assert!(back.is_ok(), "{from} {step:?} {to}");
                }
            }
            assert!(State::ALL.iter().any(|from| from.after(step).is_ok()), "{step:?}");
        }
    }

    #[test]
    fn a_move_that_is_not_in_the_machine_is_a_typed_error() {
        let error = State::Active.after(Move::Archive).unwrap_err();
        assert_eq!(error, IllegalMove { from: State::Active, step: Move::Archive });
        assert!(State::Quarantined.after(Move::Demote).is_err());
        assert!(!State::Quarantined.is_usable() && State::BelowThreshold.is_usable());
    }

    #[test]
    fn the_history_is_chained_signed_and_cannot_be_cut_moved_or_edited() {
        let dir = tempfile::tempdir().unwrap();
        let (key, counters) = (InstanceKey::generate().unwrap(), Memory::default());
        let read = || state(dir.path(), "synt/x", &key.public(), &counters);
        assert_eq!(read().unwrap(), State::Active);
        let go = |m| step(dir.path(), "synt/x", m, &WHY, &key, &counters);
        go(Move::Demote).unwrap();
        go(Move::Archive).unwrap();
        assert!(go(Move::Demote).is_err());
        assert_eq!(read().unwrap(), State::Archived);

        let path = dir.path().join(FILE);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert_eq!(read().unwrap_err().part, Part::Lifecycle, "byte {at}");
        }
        let first = good.iter().position(|b| *b == b'\n').unwrap() + 1;
        std::fs::write(&path, &good[..first]).unwrap();
        assert_eq!(read().unwrap_err().part, Part::Counter);
        std::fs::write(&path, &good[first..]).unwrap();
        assert_eq!(read().unwrap_err().part, Part::Lifecycle);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read().unwrap_err().part, Part::Counter);
        std::fs::write(&path, &good).unwrap();
        assert!(read().is_ok());
        assert!(state(dir.path(), "synt/y", &key.public(), &counters).is_err());
    }
}
