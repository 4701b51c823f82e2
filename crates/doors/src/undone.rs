//! What taking a change back came to, and what can be taken back: the same value with a daemon, without one and over
//! `--server`.

use metnos_executor::{Failure, shown};
use metnos_runtime::undo::{Outcome, Turn, Waits};
use metnos_runtime::{Purpose, Runtime};
use metnos_vocab::said_in;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The most of what was left as it is that is told in words.
const LEFT_TOLD: usize = 10;

/// What was taken back, as programs read it.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
pub struct UndoOutcome {
    /// The change; nothing when there was none to take back.
    pub undone: Option<String>,
    /// What had made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// True when it was only tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Operations reversed.
    pub reversed: u64,
    /// What was left as it is, and why.
    pub conflicts: Vec<Left>,
    /// Questions of the same turn that are void now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voided: Option<u64>,
}

/// Something that was left as it is.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Left {
    /// Where.
    pub path: String,
    /// Why.
    pub why: String,
}

/// The same with the words for a person.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct UndoTold {
    /// What came of it.
    pub outcome: UndoOutcome,
    /// What is said of it, in the person's language.
    pub text: String,
}

/// Takes a change of `caller` back, or tries it; `go_on` is told while something at work is in the way.
pub fn undo(
    runtime: &Runtime,
    caller: &str,
    which: Option<&str>,
    dry_run: bool,
    go_on: &mut dyn FnMut(&Waits) -> bool,
) -> Result<UndoTold, Failure> {
    let language = runtime.language(caller);
    let purpose = if dry_run { Purpose::Try } else { Purpose::Undo };
    Ok(match runtime.undo(caller, which, purpose, go_on)? {
        Some(outcome) => told(runtime, &language, &outcome, dry_run),
        None => {
            UndoTold { outcome: UndoOutcome::default(), text: runtime.say(&language, "nothing_to_undo", &[]) }
        }
    })
}

fn told(runtime: &Runtime, language: &str, outcome: &Outcome, dry_run: bool) -> UndoTold {
    let Outcome { turn, reversed, conflicts, voided } = outcome;
    let left: Vec<Left> = conflicts
        .iter()
        .map(|conflict| Left { path: conflict.path.clone(), why: said_in(language, &conflict.why) })
        .collect();
    let total = reversed + left.len() as u64;
    let word = if dry_run { "would be taken back" } else { "taken back" };
    let mut lines = vec![said_in(language, &format!("{}: {reversed} of {total} {word}", turn.executor))];
    lines.extend(
        left.iter().take(LEFT_TOLD).map(|left| format!("  ✗ {}: {}", shown::part(&left.path), left.why)),
    );
    if left.len() > LEFT_TOLD {
        lines.push(said_in(language, &format!("  … and {} more", left.len() - LEFT_TOLD)));
    }
    if *voided > 0 {
        lines.push(runtime.say(language, "voided", &[("count", &voided.to_string())]));
    }
    if !left.is_empty() && !dry_run {
        let keep_days = runtime.config.undo.keep_days.get();
        lines.push(said_in(language, &format!(
            "once nothing is in the way, `metnos undo` tries these again; what was kept of them stays for {keep_days} days or until `metnos undo --forget {}`",
            turn.id
        )));
    }
    let outcome = UndoOutcome {
        undone: Some(turn.id.clone()),
        executor: Some(turn.executor.clone()),
        dry_run: Some(dry_run),
        reversed: *reversed,
        conflicts: left,
        voided: Some(*voided),
    };
    UndoTold { outcome, text: lines.join("\n") }
}

/// What `caller` changed, the newest first: what was asked, what was done, and whether it can be taken back.
pub fn changes(runtime: &Runtime, caller: &str) -> Result<Vec<Map<String, Value>>, Failure> {
    let mine = runtime.turns_of(caller)?;
    mine.iter().map(|turn| Ok(record(turn, runtime.request_of(&turn.id)?))).collect()
}

fn record(turn: &Turn, request: Option<String>) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("at".into(), turn.at.map(|at| at.to_string()).into());
    record.insert("request".into(), request.into());
    record.insert("turn".into(), turn.id.clone().into());
    record.insert("executor".into(), turn.executor.clone().into());
    record.insert("state".into(), turn.state.into());
    record.insert("operations".into(), turn.operations.into());
    record.insert("kept_bytes".into(), turn.kept_bytes.into());
    if let Some(freed) = turn.freed {
        record.insert("freed".into(), freed.to_string().into());
    }
    if let Some(damage) = &turn.damage {
        record.insert("damage".into(), damage.clone().into());
    }
    record
}
