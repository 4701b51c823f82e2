//! What persons decided, read from signed rows. A row that does not verify gives nothing to anybody;
//! one that would have taken something away stops everything until a person has looked.

use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::policy::{Grant, Level, Rule};
use metnos_memory::db::Decision;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::Arc;

/// The kinds of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Level,
    Grant,
    Rule,
    Approval,
    Habit,
    Signature,
    Person,
    Sender,
    Token,
    Code,
    Hook,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::Grant => "grant",
            Self::Rule => "rule",
            Self::Approval => "approval",
            Self::Habit => "habit",
            Self::Signature => "signature",
            Self::Person => "person",
            Self::Sender => "sender",
            Self::Token => "token",
            Self::Code => "code",
            Self::Hook => "hook",
        }
    }
}

/// Decisions in force, as of one state of the database.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) version: (i64, u64),
    pub(crate) levels: HashMap<String, Level>,
    pub(crate) grants: Vec<Grant>,
    pub(crate) rules: Vec<Rule>,
    /// Rows that do not verify and would have taken something away.
    pub(crate) damaged: Vec<String>,
}

/// What one row is worth.
#[derive(Debug)]
pub(crate) enum One<T> {
    /// There is none.
    None,
    /// The instance did not sign it: it gives nothing.
    Damaged,
    /// The row and what it says.
    Good(Decision, T),
}

impl<T> One<T> {
    /// What it says, if it says anything.
    pub(crate) fn good(self) -> Option<(Decision, T)> {
        match self {
            Self::Good(row, value) => Some((row, value)),
            Self::None | Self::Damaged => None,
        }
    }
}

fn message(kind: Kind, id: &str, body: &str) -> Vec<u8> {
    format!("metnos decision 1\n{}\n{id}\n{body}", kind.as_str()).into_bytes()
}

fn unreadable(error: metnos_memory::Error) -> Failure {
    // A guard that cannot look denies.
    Failure::new(ErrorClass::PolicyViolation, format!("decisions cannot be read: {error}"))
}

impl Runtime {
    /// What is in force now. Cheap while nothing changes, and another process's change shows at once.
    pub(crate) fn known(&self) -> Result<Arc<Known>, Failure> {
        let version = self.db.version().map_err(unreadable)?;
        let mut kept = crate::guards::lock(&self.guards.known);
        if let Some(known) = &*kept
            && known.version == version
        {
            return Ok(Arc::clone(known));
        }
        let mut known = Known { version, ..Known::default() };
        for (id, level) in self.read::<Level>(Kind::Level, &mut known.damaged)? {
            known.levels.insert(id, level);
        }
        known.rules = self.read(Kind::Rule, &mut known.damaged)?.into_iter().map(|(_, rule)| rule).collect();
        // A grant that does not verify is no grant; nothing more follows from it.
        known.grants = self.read(Kind::Grant, &mut Vec::new())?.into_iter().map(|(_, grant)| grant).collect();
        let known = Arc::new(known);
        *kept = Some(Arc::clone(&known));
        Ok(known)
    }

    /// Every decision of a kind that verifies; the ids of the others go to `damaged`.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        kind: Kind,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<(String, T)>, Failure> {
        let mut good = Vec::new();
        for row in self.db.decisions(kind.as_str()).map_err(unreadable)? {
            match self.verified::<T>(kind, &row) {
                Some(value) => good.push((row.id, value)),
                None => damaged.push(format!("{} {}", kind.as_str(), row.id)),
            }
        }
        Ok(good)
    }

    /// The one decision with this id.
    pub(crate) fn one<T: DeserializeOwned>(&self, kind: Kind, id: &str) -> Result<One<T>, Failure> {
        let Some(row) = self.db.decision(kind.as_str(), id).map_err(unreadable)? else {
            return Ok(One::None);
        };
        Ok(match self.verified(kind, &row) {
            Some(value) => One::Good(row, value),
            None => One::Damaged,
        })
    }

    /// The meaning of a row, if the instance signed it.
    pub(crate) fn verified<T: DeserializeOwned>(&self, kind: Kind, row: &Decision) -> Option<T> {
        let signature: &[u8; 64] = row.signature.as_slice().try_into().ok()?;
        let signed = self.key.public().verify(&message(kind, &row.id, &row.body), signature);
        signed.then(|| serde_json::from_str(&row.body).ok()).flatten()
    }

    /// A signed row.
    pub(crate) fn signed<T: Serialize>(&self, kind: Kind, id: &str, value: &T) -> Result<Decision, Failure> {
        let body = serde_json::to_string(value).map_err(|e| Failure::internal(e.to_string()))?;
        let signature = self.key.sign(&message(kind, id, &body)).to_vec();
        Ok(Decision { id: id.to_owned(), body, signature })
    }

    /// Records a decision.
    pub(crate) fn decide<T: Serialize>(&self, kind: Kind, id: &str, value: &T) -> Result<(), Failure> {
        let row = self.signed(kind, id, value)?;
        self.db
            .decide(kind.as_str(), &row, jiff::Timestamp::now())
            .map_err(|e| Failure::internal(format!("the decision could not be recorded: {e}")))
    }
}
