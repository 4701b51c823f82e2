//! What was said last in each conversation, and the turn it led to: a program that got no answer says the same again,
//! and means it once. A "yes" that is repeated must not answer the next question.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a repetition is the same message.
const LATELY: Duration = Duration::from_secs(600);
/// Conversations that are remembered before old ones are let go of.
const MOST: usize = 1024;

struct One {
    words: blake3::Hash,
    turn: String,
    at: Instant,
}

/// The last message of each conversation.
#[derive(Default)]
pub(crate) struct LastSaid(Mutex<HashMap<String, One>>);

impl LastSaid {
    /// These words led to this turn.
    pub(crate) fn note(&self, conversation: &str, text: &str, turn: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.retain(|_, one| one.at.elapsed() < LATELY);
        }
        let one = One { words: blake3::hash(text.as_bytes()), turn: turn.to_owned(), at: Instant::now() };
        all.insert(conversation.to_owned(), one);
    }

    /// The turn these words led to, if they were the last and it was lately.
    pub(crate) fn turn_of(&self, conversation: &str, text: &str) -> Option<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = all.get(conversation)?;
        let same = one.at.elapsed() < LATELY && one.words == blake3::hash(text.as_bytes());
        same.then(|| one.turn.clone())
    }
}
