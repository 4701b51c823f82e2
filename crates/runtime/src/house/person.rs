//! One person's data: handed out as a tar that anybody can read, or let go of. The audit keeps its lines, which hold
//! digests and no content, and gains one that says what happened.

use crate::call::unrecorded;
use crate::runtime::Runtime;
use metnos_archive::Packer;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{Filter, Kind, Line};
use metnos_memory::db::{Ruled, Turn};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How much of a person there is.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Holdings {
    /// Turns, with their logs.
    pub turns: usize,
    /// Kept plans.
    pub plans: usize,
    /// Levels, grants, rules, questions and habits.
    pub decisions: usize,
    /// Changes for which something is kept for undo.
    pub changes: usize,
    /// The bytes of lists and files.
    pub bytes: u64,
    /// The person's folder, if there is one.
    pub folder: Option<PathBuf>,
}

/// A name that is one part of a path and one part of a caller.
fn checked(person: &str) -> Result<&str, Failure> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
    if person.is_empty() || person.len() > 128 || person.starts_with('.') || !person.chars().all(plain) {
        return Err(Failure::wrong_args(format!("{person:?} is not the name of a person")));
    }
    Ok(person)
}

fn broken(error: metnos_memory::Error) -> Failure {
    Failure::internal(error.to_string())
}

impl Runtime {
    /// How much of a person there is.
    pub fn holdings(&self, person: &str) -> Result<Holdings, Failure> {
        let person = checked(person)?;
        let turns = self.db.whole_turns(person).map_err(broken)?;
        let folder = Some(self.folder_of(person)).filter(|dir| dir.symlink_metadata().is_ok());
        let lists: u64 = turns.iter().map(|turn| super::sizes::bytes(&self.lists_of(&turn.id))).sum();
        Ok(Holdings {
            turns: turns.len(),
            plans: self.db.plans(person).map_err(broken)?.len(),
            decisions: self.decisions_of(person)?.len(),
            changes: self.changes_of(person)?.len(),
            bytes: lists + folder.as_deref().map_or(0, super::sizes::bytes),
            folder,
        })
    }

    /// Writes everything of a person into one tar at `target`, which must not be there.
    pub fn export_person(&self, person: &str, target: &Path, by: &str) -> Result<Holdings, Failure> {
        let holdings = self.holdings(person)?;
        let target = super::pack::resolved(target)?;
        let io = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Failure::new(ErrorClass::DstExists, format!("{} is already there", target.display()))
                    .with_hint("name another file")
            }
            _ => Failure::io(target.display(), &e),
        };
        self.note_person("person exported", person, by, &holdings)?;
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&target).map_err(io)?;
        let written = self.write_person(person, &file).and_then(|()| file.sync_all().map_err(io));
        if written.is_err() {
            let _ = std::fs::remove_file(&target);
        }
        written.map(|()| holdings)
    }

    fn write_person(&self, person: &str, file: &std::fs::File) -> Result<(), Failure> {
        let turns = self.db.whole_turns(person).map_err(broken)?;
        let mut out = Packer::new(std::io::BufWriter::new(file));
        let (mut logs, mut calls, mut models) = (Vec::new(), Vec::new(), Vec::new());
        for turn in &turns {
            for entry in self.db.turn_log(&turn.id).unwrap_or_default() {
                logs.push(json!({ "turn": turn.id, "entry": parsed(&entry) }));
            }
            for call in self.db.calls_of(&turn.id).map_err(broken)? {
                calls.push(json!({ "turn": turn.id, "call_id": call.call_id, "executor": call.executor,
                    "started_at": call.started_at, "ended_at": call.ended_at, "state": call.state,
                    "outcome": call.outcome.as_deref().map(parsed) }));
            }
            for call in self.db.model_calls(&turn.id).map_err(broken)? {
                models.push(json!({ "turn": turn.id, "role": call.role, "model": call.model,
                    "tokens_in": call.tokens_in, "tokens_out": call.tokens_out, "ms": call.ms,
                    "cost": call.cost, "outcome": call.outcome }));
            }
        }
        let gaps = self.db.gaps_of(person).map_err(broken)?;
        let gaps = gaps.iter().map(|(turn, request, words, at)| {
            json!({ "turn": turn, "request": request, "words": words, "at": at })
        });
        let plans = self.db.plans(person).map_err(broken)?;
        let plans = plans.iter().map(|plan| {
            json!({ "id": plan.id, "request": plan.request, "language": plan.language,
                "source": plan.source, "plan": parsed(&plan.body), "uses": plan.uses })
        });
        let decisions = self.decisions_of(person)?;
        let decisions =
            decisions.iter().map(|row| json!({ "kind": row.kind, "id": row.id, "body": parsed(&row.body) }));
        let about = json!({ "person": person, "at": jiff::Timestamp::now().to_string(),
            "metnos": env!("CARGO_PKG_VERSION") });
        out.text(Path::new("about.json"), format!("{about}\n").as_bytes())?;
        for (name, rows) in [
            ("turns.jsonl", turns.iter().map(row).collect::<Vec<_>>()),
            ("turn_logs.jsonl", logs),
            ("calls.jsonl", calls),
            ("model_calls.jsonl", models),
            ("gaps.jsonl", gaps.collect()),
            ("plans.jsonl", plans.collect()),
            ("decisions.jsonl", decisions.collect()),
        ] {
            let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
            out.text(Path::new(name), text.as_bytes())?;
        }
        let mut walk = super::pack::Walk {
            out,
            belongs: &|_| true,
            most: &|_| u64::MAX,
            free_links: "files",
            left_out: Vec::new(),
        };
        for turn in &turns {
            walk.tree(&self.lists_of(&turn.id), &Path::new("lists").join(&turn.id))?;
        }
        walk.tree(&self.folder_of(person), Path::new("files"))?;
        walk.out.into_inner()?.flush().map_err(|e| Failure::io("the export", &e))
    }

    /// Lets go of everything of a person. Recorded first; begun again after a cut, it goes on.
    pub fn erase_person(&self, person: &str, by: &str) -> Result<Holdings, Failure> {
        let holdings = self.holdings(person)?;
        if ["host", "metnos"].contains(&person) {
            return Err(Failure::new(ErrorClass::PolicyViolation, format!("{person} is the house itself"))
                .with_hint("metnos uninstall removes all of it"));
        }
        let open = self.db.whole_turns(person).map_err(broken)?;
        let at_work = |turn: &&Turn| turn.ended_at.is_none() && self.is_running(&turn.id);
        if let Some(turn) = open.iter().find(at_work) {
            return Err(Failure::new(ErrorClass::Conflict, format!("turn {} is at work", turn.id))
                .with_hint("wait for its end, or metnos stop"));
        }
        self.note_person("person erased", person, by, &holdings)?;
        for act in self.changes_of(person)? {
            self.free(&act, by, "the person was erased", Duration::from_secs(5))?;
        }
        for turn in &open {
            remove(&self.lists_of(&turn.id))?;
            remove(&self.lists_of(&format!("{}.lock", turn.id)))?;
        }
        remove(&self.folder_of(person))?;
        let decisions: Vec<(String, String)> =
            self.decisions_of(person)?.into_iter().map(|row| (row.kind, row.id)).collect();
        let calls = self.calls_by(person)?;
        // The rows go last: they name what else has to go.
        self.db.forget_person(person, &calls, &decisions).map_err(broken)?;
        Ok(holdings)
    }

    fn folder_of(&self, person: &str) -> PathBuf {
        self.home.workspace().join("people").join(person)
    }

    fn lists_of(&self, turn: &str) -> PathBuf {
        self.home.state_dir().join("turns").join(turn)
    }

    /// Whether the process of a turn still lives: it holds its lock.
    fn is_running(&self, turn: &str) -> bool {
        let lock = std::fs::File::open(self.lists_of(&format!("{turn}.lock")));
        lock.is_ok_and(|file| {
            rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockShared).is_err()
        })
    }

    /// The decisions about a person, of whatever kind: by their id, or by whom their text names.
    fn decisions_of(&self, person: &str) -> Result<Vec<Ruled>, Failure> {
        let rows = self.db.all_decisions().map_err(broken)?;
        Ok(rows.into_iter().filter(|row| is_about(row, person)).collect())
    }

    fn changes_of(&self, person: &str) -> Result<Vec<metnos_undo::Act>, Failure> {
        let acts = self.journal.held().map_err(|e| crate::undo::failed(&e))?;
        let theirs =
            |act: &metnos_undo::Act| act.head.as_ref().is_some_and(|head| is_caller(&head.user, person));
        Ok(acts.into_iter().filter(theirs).collect())
    }

    /// The calls of a person that belong to no turn; only the audit knows whose they were.
    fn calls_by(&self, person: &str) -> Result<Vec<String>, Failure> {
        let filter = Filter { person: Some(person.to_owned()), ..Filter::default() };
        let lines = self.audit.tail(usize::MAX, &filter).map_err(broken)?;
        let ids: BTreeSet<String> = lines.into_iter().filter_map(|sealed| sealed.line.call_id).collect();
        Ok(ids.into_iter().collect())
    }

    fn note_person(&self, what: &str, person: &str, by: &str, holdings: &Holdings) -> Result<(), Failure> {
        let mut line = Line::new(Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail = json!({ "what": what, "person": person, "turns": holdings.turns, "plans": holdings.plans,
            "decisions": holdings.decisions, "bytes": holdings.bytes });
        self.audit.append(line).map(|_| ()).map_err(|e| unrecorded(&e))
    }
}

fn is_caller(caller: &str, person: &str) -> bool {
    caller.split_once('/').map_or(caller, |(person, _)| person) == person
}

fn is_about(row: &Ruled, person: &str) -> bool {
    let body: Value = serde_json::from_str(&row.body).unwrap_or_default();
    let named = |key: &str| body.get(key).and_then(Value::as_str).is_some_and(|text| is_caller(text, person));
    // What somebody else decided about commands holds for the house.
    row.kind != "signature"
        && (is_caller(&row.id, person) || ["user", "person", "caller"].iter().any(|key| named(key)))
}

fn row(turn: &Turn) -> Value {
    json!({ "id": turn.id, "caller": turn.caller, "conversation": turn.conversation, "request": turn.request,
        "began_at": turn.began_at, "ended_at": turn.ended_at, "status": turn.status })
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn remove(path: &Path) -> Result<(), Failure> {
    super::restore::remove(path).map_err(|e| Failure::io(path.display(), &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_a_decision_is_its_id_or_its_text_says() {
        let row =
            |kind: &str, id: &str, body: &str| Ruled { kind: kind.into(), id: id.into(), body: body.into() };
        assert!(is_about(&row("level", "ada/cli", "\"full\""), "ada"));
        assert!(is_about(&row("grant", "01X", r#"{"user":"ada","by":"host/cli"}"#), "ada"));
        assert!(is_about(&row("approval", "01X", r#"{"caller":"ada/telegram"}"#), "ada"));
        assert!(!is_about(&row("level", "adam/cli", "\"full\""), "ada"));
        assert!(!is_about(&row("grant", "01X", r#"{"user":"host","by":"ada/cli"}"#), "ada"));
        assert!(!is_about(&row("signature", "ada", "{}"), "ada"));
        for wrong in ["", "..", "a/b", ".hidden", "a\0"] {
            assert!(checked(wrong).is_err(), "{wrong:?}");
        }
    }
}
