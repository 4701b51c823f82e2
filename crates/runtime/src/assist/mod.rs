//! The model halves of executors whose deterministic half is a seed.
//!
//! The seed runs first, in its cell. What it refuses for want of a model, or can only say by counting,
//! is then asked of a model, one entry a question, so that no entry can speak about another. Answers are
//! data: held against the shape that was asked for and against the text they are about, never less
//! tainted than it, and nothing in them is a step.

mod classify;
mod describe;
mod extract;
pub(crate) mod frame;

use crate::input::List;
use crate::minds::{Minds, Prompt, Role, Used, how_to_bind};
use crate::runtime::Runtime;
use metnos_executor::signature::Verified;
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome, Truncation};
use metnos_memory::audit::{Line, ModelUsed};
use metnos_sandbox::cell::Items;
use serde_json::{Map, Value, json};

/// The longest list that is looked at for a model.
const LIST_MAX: u64 = 64 << 20;
/// Questions of one call.
const QUESTIONS: usize = 50;
/// After so many failures in a row nobody is asked any more.
const IN_A_ROW: usize = 3;

/// What a call has to work with.
pub(crate) struct Given<'a> {
    pub(crate) executor: &'a str,
    pub(crate) args: &'a Map<String, Value>,
    pub(crate) lang: &'a str,
    /// The list that came in, as JSON lines.
    pub(crate) entries: &'a str,
}

/// What came of it so far.
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) list: ListName,
    pub(crate) items: Items,
}

/// How often a model was asked, how often in vain, and what that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) asked: u64,
    pub(crate) failed: u64,
    pub(crate) used: Used,
}

impl Asked {
    /// One more question.
    pub(crate) fn note(&mut self, used: Used, failed: bool) {
        self.asked += 1;
        self.failed += u64::from(failed);
        self.used.tokens_in += used.tokens_in;
        self.used.tokens_out += used.tokens_out;
        self.used.cost += used.cost;
    }

    /// Writes it into the line of the call, if a model was asked at all.
    pub(crate) fn tell(self, line: &mut Line) {
        if self.asked == 0 {
            return;
        }
        let Used { tokens_in, tokens_out, cost } = self.used;
        let Self { asked, failed, .. } = self;
        line.model = Some(ModelUsed { asked, failed, tokens_in, tokens_out, cost });
        line.cost = Some(cost as f64 / 1e6);
    }
}

/// The half of one executor that needs a model.
trait Half {
    /// What an answer about one entry must look like.
    fn shape(&self) -> Value;
    /// What the model is to do.
    fn task(&self, lang: &str) -> String;
    /// The entry with the answer in it, once the answer is found to be about `text`.
    fn fit(&self, entry: &mut Map<String, Value>, answer: &Value, text: &str) -> Result<(), Failure>;
}

/// Whether an executor has such a half at all.
fn concerns(executor: &str) -> bool {
    matches!(executor, "classify_entries" | "extract_entries" | "describe_entries")
}

impl Runtime {
    /// The answer of a cell, completed by a model where the executor has such a half; the line tells of it.
    pub(crate) fn assisted(
        &self,
        (executor, args, lang): (&str, &Map<String, Value>, &str),
        entries: Option<&List>,
        answer: Answer,
        stopped: &dyn Fn() -> bool,
        line: &mut Line,
    ) -> Result<Answer, Failure> {
        if !concerns(executor) {
            return Ok(answer);
        }
        let entries = entries.map(|list| list.text(LIST_MAX)).transpose()?.flatten().unwrap_or_default();
        let given = Given { executor, args, lang, entries: &entries };
        let (answer, asked) = complete(self.minds(), &given, answer, stopped);
        asked.tell(line);
        Ok(answer)
    }
}

impl Runtime {
    /// What the half of this executor that needs a model may cost for a list, in millionths.
    pub(crate) fn half_costs(&self, found: &Verified, list: Option<&List>) -> Option<u64> {
        let (executor, list) = (found.manifest.executor.name.as_str(), list?);
        let tiers = self.tiers();
        let tier = tiers.of(metnos_llm::Role::Fast).filter(|_| concerns(executor))?;
        let text = list.text(LIST_MAX).ok().flatten()?;
        let entries = text.lines().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
        let bytes = entries.take(QUESTIONS).map(|entry| frame::text_of(&entry).len());
        let (questions, bytes) = match executor {
            "describe_entries" => (1, bytes.sum::<usize>().min(describe::BYTES)),
            _ => (list.count.min(QUESTIONS as u64), bytes.sum()),
        };
        Some(crate::tiers::costs(tier, bytes, questions)).filter(|cost| *cost > 0)
    }
}

/// Completes the answer of a seed. Without a model it stays as it is, and a refusal says how to bind one.
fn complete(
    minds: Option<&dyn Minds>,
    given: &Given<'_>,
    mut answer: Answer,
    stopped: &dyn Fn() -> bool,
) -> (Answer, Asked) {
    let refused = answer.outcome.error.as_ref().is_some_and(|e| e.class == ErrorClass::DependencyMissing);
    let Some(minds) = minds.filter(|minds| minds.has(Role::Fast)) else {
        if let Some(error) = answer.outcome.error.as_mut().filter(|_| refused) {
            error.hint = Some(how_to_bind(Role::Fast));
        }
        return (answer, Asked::default());
    };
    let half: Box<dyn Half> = match given.executor {
        "classify_entries" if refused => Box::new(classify::Classify::new(given.args)),
        "extract_entries" if refused => Box::new(extract::Extract::new(given.args)),
        "describe_entries" if answer.outcome.error.is_none() => {
            return describe::summed_up(minds, given, answer, stopped);
        }
        _ => return (answer, Asked::default()),
    };
    each(minds, given, half.as_ref(), stopped)
}

fn each(
    minds: &dyn Minds,
    given: &Given<'_>,
    half: &dyn Half,
    stopped: &dyn Fn() -> bool,
) -> (Answer, Asked) {
    let (mut outcome, mut asked, mut lines) = (Outcome::default(), Asked::default(), Vec::new());
    let (system, shape) = (half.task(given.lang), half.shape());
    let mut in_a_row = 0;
    let mut total = 0u64;
    for (index, line) in (0u64..).zip(given.entries.lines()) {
        total += 1;
        if index >= QUESTIONS as u64 || in_a_row >= IN_A_ROW {
            continue;
        }
        let Ok(Value::Object(mut entry)) = serde_json::from_str::<Value>(line) else { continue };
        let origin = Origin::of(&Value::Object(entry.clone())).join(Origin::Content);
        let what = ["path", "name", "id"].into_iter().find_map(|key| entry.get(key)?.as_str());
        let what = what.unwrap_or("entry").to_owned();
        let text = frame::text_of(&entry);
        let told = if stopped() {
            Err(Failure::new(ErrorClass::Cancelled, "stopped"))
        } else if text.trim().is_empty() {
            Err(Failure::new(ErrorClass::UnsupportedFormat, "the entry has no text"))
        } else {
            let user = frame::framed(&text, given.lang);
            let told = minds.ask(Role::Fast, &Prompt { system: &system, user: &user }, &shape, stopped);
            let fitted = told.answer.and_then(|answer| half.fit(&mut entry, &answer, &text));
            asked.note(told.used, fitted.is_err());
            in_a_row = if fitted.is_err() { in_a_row + 1 } else { 0 };
            fitted
        };
        match told {
            Ok(()) => {
                entry.insert("_origin".into(), origin.as_str().into());
                lines.extend_from_slice(Value::Object(entry).to_string().as_bytes());
                lines.push(b'\n');
                outcome.ok_count += 1;
            }
            Err(e) => outcome.fail(index, what, e.class, e.message),
        }
    }
    if stopped() {
        outcome = Outcome::failure(Failure::new(ErrorClass::Cancelled, "stopped"));
        lines.clear();
    }
    let used = outcome.ok_count + outcome.fail_count;
    if used < total && outcome.error.is_none() {
        outcome.truncation = Some(Truncation {
            truncated: true,
            truncated_what: "entries".into(),
            used,
            available_total: Some(total),
            cap_field: "questions".into(),
            cap_value: QUESTIONS as u64,
        });
    }
    (Answer { outcome: outcome.settle(), list: ListName::Entries, items: Items::Inline(lines) }, asked)
}

/// An answer that is not what was asked for.
fn unfit(why: impl Into<String>) -> Failure {
    Failure::new(ErrorClass::UnsupportedFormat, format!("the model's answer does not fit: {}", why.into()))
}

/// The only keys an answer may have.
fn only<'a>(answer: &'a Value, keys: &[&str]) -> Result<&'a Map<String, Value>, Failure> {
    let Value::Object(map) = answer else { return Err(unfit("it is no record")) };
    match map.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(_) => Err(unfit("it says more than was asked")),
        None => Ok(map),
    }
}

/// A record with these properties and no other.
fn record(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties, "required": required})
}

#[cfg(test)]
mod tests;
