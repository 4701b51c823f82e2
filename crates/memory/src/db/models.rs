//! Questions to models and what they used.

use super::{Db, sql};
use crate::Result;
use jiff::Timestamp;
use rusqlite::Row;

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCall {
    /// The turn it was asked for, if there was one.
    pub turn: Option<String>,
    /// The role that was named.
    pub role: String,
    /// The model behind it.
    pub model: String,
    /// Tokens of the prompt.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
    /// How long it took.
    pub ms: u64,
    /// In millionths.
    pub cost: u64,
    /// `answered`, or the word for why not.
    pub outcome: String,
}

/// What questions used together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelUse {
    /// Tokens, prompts and answers.
    pub tokens: u64,
    /// Milliseconds.
    pub ms: u64,
    /// In millionths.
    pub cost: u64,
}

impl Db {
    /// Writes down a question to a model.
    pub fn note_model(&self, call: &ModelCall, now: Timestamp) -> Result<()> {
        self.write("note a model call", |tx| {
            tx.execute(
                sql::MODEL_NOTE,
                (
                    &call.turn,
                    &call.role,
                    &call.model,
                    stored(call.tokens_in),
                    stored(call.tokens_out),
                    stored(call.ms),
                    stored(call.cost),
                    &call.outcome,
                    now.as_millisecond(),
                ),
            )
            .map(|_| ())
        })
    }

    /// The questions of a turn, in order.
    pub fn model_calls(&self, turn: &str) -> Result<Vec<ModelCall>> {
        self.with("read model calls", |c| {
            c.prepare_cached(sql::MODEL_CALLS)?.query_map([turn], call)?.collect()
        })
    }

    /// What was used since a moment, by one turn or by all.
    pub fn model_use(&self, turn: Option<&str>, since: Timestamp) -> Result<ModelUse> {
        self.with("sum model calls", |c| {
            c.prepare_cached(sql::MODEL_USE)?.query_row((turn, since.as_millisecond()), |row| {
                Ok(ModelUse { tokens: count(row, 0)?, ms: count(row, 1)?, cost: count(row, 2)? })
            })
        })
    }
}

fn stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at).map(|n| u64::try_from(n).unwrap_or(0))
}

pub(super) fn call(row: &Row<'_>) -> rusqlite::Result<ModelCall> {
    Ok(ModelCall {
        turn: row.get(0)?,
        role: row.get(1)?,
        model: row.get(2)?,
        tokens_in: count(row, 3)?,
        tokens_out: count(row, 4)?,
        ms: count(row, 5)?,
        cost: count(row, 6)?,
        outcome: row.get(7)?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_is_summed_by_turn_and_since_a_moment() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let call = |turn: &str, tokens_in| ModelCall {
            turn: Some(turn.to_owned()),
            role: "wise".into(),
            model: "m".into(),
            tokens_in,
            tokens_out: 1,
            ms: 5,
            cost: 2,
            outcome: "answered".into(),
        };
        assert_eq!(db.model_use(None, at(0)).unwrap(), ModelUse::default());
        db.note_model(&call("A", 10), at(100)).unwrap();
        db.note_model(&call("B", 20), at(200)).unwrap();
        db.note_model(&call("A", 30), at(300)).unwrap();
        assert_eq!(db.model_use(None, at(200)).unwrap(), ModelUse { tokens: 52, ms: 10, cost: 4 });
        assert_eq!(db.model_use(Some("A"), at(0)).unwrap().tokens, 42);
        assert_eq!(db.model_calls("A").unwrap(), [call("A", 10), call("A", 30)]);
    }
}
