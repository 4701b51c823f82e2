//! A summary in words from a model, beside what was counted.

use super::{Answer, Asked, Given, frame, only, record, unfit};
use crate::minds::{Minds, Prompt, Role};
use metnos_executor::{ErrorClass, Failure, Origin, Outcome};
use metnos_sandbox::cell::Items;
use serde_json::{Map, Value, json};

/// Bytes of all texts that are sent.
pub(super) const BYTES: usize = 24 << 10;
/// Letters of a summary.
const LETTERS: usize = 2000;

const TASK: &str = "prompts/describe.txt";

/// The answer of the seed with a summary for its text. Where there is no prose, or no answer, what was
/// counted stays the answer.
pub(super) fn summed_up(
    minds: &dyn Minds,
    given: &Given<'_>,
    answer: Answer,
    stopped: &dyn Fn() -> bool,
) -> (Answer, Asked) {
    let entries =
        given.entries.lines().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let (mut text, mut origin) = (String::new(), Origin::Content);
    for entry in entries {
        origin = origin.join(Origin::of(&Value::Object(entry.clone())));
        let part = frame::text_of(&entry);
        let room = BYTES.saturating_sub(text.len());
        if has_prose(&entry) && room > 0 {
            text.push_str(part.get(..part.floor_char_boundary(room)).unwrap_or_default());
            text.push_str("\n\n");
        }
    }
    if text.trim().is_empty() {
        return (answer, Asked::default());
    }
    let shape = record(json!({"text": {"type": "string", "minLength": 1, "maxLength": LETTERS}}), &["text"]);
    let style = given.args.get("style").and_then(Value::as_str).unwrap_or("short");
    let system = metnos_tongue::text(given.lang, TASK).replace("{style}", style);
    let user = frame::framed(&text, given.lang);
    let told = minds.ask(Role::Fast, &Prompt { system: &system, user: &user }, &shape, stopped);
    let (summed, mut asked) = (told.answer.and_then(|a| summary(&a)), Asked::default());
    asked.note(told.used, summed.is_err());
    match summed {
        Ok(summary) => (with(answer, &summary, origin), asked),
        Err(failure) if failure.class == ErrorClass::Cancelled => {
            let outcome = Outcome::failure(failure);
            (Answer { outcome, items: Items::Inline(Vec::new()), ..answer }, asked)
        }
        Err(_) => (answer, asked),
    }
}

fn has_prose(entry: &Map<String, Value>) -> bool {
    ["body", "content", "text", "snippet", "description"].iter().any(|field| entry.contains_key(*field))
}

fn summary(answer: &Value) -> Result<String, Failure> {
    let text = only(answer, &["text"])?.get("text").and_then(Value::as_str);
    let text: String = text.unwrap_or_default().chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    match text.trim() {
        "" => Err(unfit("there is no text")),
        text if text.chars().count() > LETTERS => Err(unfit("it is too long")),
        text => Ok(text.to_owned()),
    }
}

/// What was counted stays as `digest`.
fn with(mut answer: Answer, summary: &str, origin: Origin) -> Answer {
    let counted = answer.outcome.fields.insert("text".into(), summary.into()).unwrap_or_default();
    let Items::Inline(lines) = &answer.items else { return answer };
    let Ok(mut entry) = serde_json::from_slice::<Map<String, Value>>(lines) else { return answer };
    let origin = origin.join(Origin::of(&Value::Object(entry.clone())));
    entry.insert("text".into(), summary.into());
    entry.insert("digest".into(), counted);
    entry.insert("_origin".into(), origin.as_str().into());
    let mut lines = Value::Object(entry).to_string().into_bytes();
    lines.push(b'\n');
    answer.items = Items::Inline(lines);
    answer
}
