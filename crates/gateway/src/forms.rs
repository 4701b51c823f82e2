//! What turns ask for: a word that is missing, or a credential that nobody kept.

use crate::conduct::Gateway;
use metnos_executor::Failure;
use metnos_turn::{Credential, Status};
use serde::Serialize;
use serde_json::Value;

/// How many open forms are looked at, the newest first.
const MOST: u32 = 200;

/// What one turn asks for.
#[derive(Clone, Debug, Serialize)]
pub struct Form {
    /// The turn, by which it is answered.
    pub turn: String,
    /// Who asked for the turn.
    #[serde(rename = "asked_by")]
    pub caller: String,
    /// What was asked for.
    pub request: String,
    /// When, in UTC.
    pub began_at: String,
    /// The question, in the person's language.
    pub text: String,
    /// The credentials that are missing; without any, the question is answered in words.
    pub credentials: Vec<Credential>,
    /// What can be chosen, in sentences; the answer is the number of one, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

impl Gateway {
    /// What the turns of this person, or of all, ask for, the newest first.
    pub fn forms(&self, person: Option<&str>) -> Result<Vec<Form>, Failure> {
        let turns = self.db(|db| db.turns_like(person, None, Some(Status::Asks.word()), MOST))?;
        let mut forms = Vec::new();
        for turn in turns {
            let last =
                self.told_entries(&turn.id)?.pop().and_then(|entry| entry.effects.into_iter().next_back());
            // One that was answered a moment ago asks no more.
            let Some(effect) = last else { continue };
            let choices = effect.get("choices").cloned().unwrap_or(Value::Array(Vec::new()));
            let text = effect.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
            let credentials = effect.get("credentials").cloned().unwrap_or(Value::Array(Vec::new()));
            forms.push(Form {
                turn: turn.id,
                caller: turn.caller,
                request: turn.request,
                began_at: turn.began_at,
                text,
                credentials: serde_json::from_value(credentials).unwrap_or_default(),
                choices: serde_json::from_value(choices).unwrap_or_default(),
            });
        }
        Ok(forms)
    }
}
