//! The same call id gives the same outcome: what was performed once is told again, not done again.

use crate::call::{Done, unrecorded};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure, ListName, Outcome};
use metnos_memory::db::{Begun, Stored};
use metnos_sandbox::cell::Items;
use metnos_vocab::ExecutorName;

/// The largest answer kept for a repeated call id.
const KEPT_MAX: u64 = 4 << 20;

impl Runtime {
    /// Claims the call id; `Some` when this very call was performed before.
    pub(crate) fn begin(
        &self,
        call_id: &str,
        hash: &str,
        name: &ExecutorName,
    ) -> Result<Option<Done>, Failure> {
        let begun = self
            .db
            .begin_call(call_id, hash, name.as_str(), jiff::Timestamp::now())
            .map_err(|e| Failure::new(ErrorClass::Conflict, e.to_string()))?;
        let Begun::Known(call) = begun else { return Ok(None) };
        let known = match call.outcome {
            Some(Stored::Json(text)) => serde_json::from_str::<Kept>(&text).ok(),
            _ => None,
        };
        match known {
            Some(kept) => Ok(Some(Done {
                call_id: call_id.to_owned(),
                outcome: kept.outcome,
                list: kept.list,
                items: Items::Inline(kept.items.into_bytes()),
                replayed: true,
                spent: None,
            })),
            None => Err(Failure::new(
                ErrorClass::Interrupted,
                format!("call {call_id} was begun before and its answer is not kept; nothing ran now"),
            )
            .with_hint("metnos audit show <call id> tells how far it came")),
        }
    }

    pub(crate) fn remember(&self, call_id: &str, done: &Result<Done, Failure>) -> Result<(), Failure> {
        let kept = match done {
            Ok(Done { outcome, list, items: Items::Inline(bytes), .. }) if bytes.len() as u64 <= KEPT_MAX => {
                Kept {
                    outcome: outcome.clone(),
                    list: *list,
                    items: String::from_utf8_lossy(bytes).into_owned(),
                }
            }
            Ok(Done { outcome, list, .. }) => {
                Kept { outcome: outcome.clone(), list: *list, items: String::new() }
            }
            Err(failure) => Kept {
                outcome: Outcome::failure(failure.clone()),
                list: ListName::Entries,
                items: String::new(),
            },
        };
        let text = serde_json::to_string(&kept).map_err(|e| Failure::internal(e.to_string()))?;
        self.db.finish_call(call_id, &Stored::Json(text), jiff::Timestamp::now()).map_err(|e| unrecorded(&e))
    }
}

/// What is kept of a finished call so that the same id gives the same outcome.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept {
    outcome: Outcome,
    list: ListName,
    items: String,
}
