//! One person's data: how much there is, and all of it handed out as a tar that anybody can read.

use crate::call::unrecorded;
use crate::runtime::Runtime;
use metnos_archive::Packer;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{Kind, Line};
use metnos_memory::db::{Ruled, StoredMessage, Turn};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

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
    /// Messages of Telegram that came or go out.
    pub messages: usize,
    /// The bytes of lists and files.
    pub bytes: u64,
    /// The person's folder, if there is one.
    pub folder: Option<PathBuf>,
}

impl Holdings {
    /// True when there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.turns + self.plans + self.decisions + self.changes + self.messages == 0 && self.folder.is_none()
    }
}

/// A name that is one part of a path and one part of a caller.
fn checked(person: &str) -> Result<&str, Failure> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
    if person.is_empty() || person.len() > 128 || person.starts_with('.') || !person.chars().all(plain) {
        return Err(Failure::wrong_args(format!("{person:?} is not the name of a person")));
    }
    Ok(person)
}

pub(super) fn broken(error: metnos_memory::Error) -> Failure {
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
            messages: self.messages_of(person)?.len(),
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
        let messages = self.messages_of(person)?;
        let messages = messages.iter().map(|one| {
            json!({ "id": one.id, "chat": one.chat, "kind": one.kind, "state": one.state, "at": one.at,
                "body": parsed(&one.body) })
        });
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
            ("telegram.jsonl", messages.collect()),
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
            self.pack_lists(&turn.id, &mut walk.out)?;
        }
        walk.tree(&self.folder_of(person), Path::new("files"))?;
        walk.out.into_inner()?.flush().map_err(|e| Failure::io("the export", &e))
    }

    /// The lists of a turn, with what was sealed in them.
    fn pack_lists<W: Write>(&self, turn: &str, out: &mut Packer<W>) -> Result<(), Failure> {
        let dir = self.lists_of(turn);
        let mut names: Vec<_> =
            std::fs::read_dir(&dir).into_iter().flatten().flatten().map(|item| item.file_name()).collect();
        names.sort();
        for name in names {
            let path = dir.join(&name);
            let io = |e: std::io::Error| Failure::io(path.display(), &e);
            let file = std::fs::File::open(&path).map_err(io)?;
            let meta = file.metadata().map_err(io)?;
            let mut bytes = Vec::new();
            self.discretion.read_lines(file).read_to_end(&mut bytes).map_err(io)?;
            out.bytes(&Path::new("lists").join(turn).join(&name), &bytes, &meta)?;
        }
        Ok(())
    }

    pub(super) fn folder_of(&self, person: &str) -> PathBuf {
        self.home.workspace().join("people").join(person)
    }

    pub(super) fn lists_of(&self, turn: &str) -> PathBuf {
        self.home.state_dir().join("turns").join(turn)
    }

    /// The decisions about a person, of whatever kind: by their id, by whom their text names, or by a sender that
    /// is theirs.
    pub(super) fn decisions_of(&self, person: &str) -> Result<Vec<Ruled>, Failure> {
        let rows = self.db.all_decisions().map_err(broken)?;
        let senders = senders(&rows, person);
        let code = |row: &Ruled| row.kind == "code" && senders.contains(&row.id);
        Ok(rows.into_iter().filter(|row| is_about(row, person) || code(row)).collect())
    }

    /// The numbers a person writes from on Telegram, or wrote from.
    pub(super) fn numbers_of(&self, person: &str) -> Result<Vec<i64>, Failure> {
        let rows = self.db.all_decisions().map_err(broken)?;
        let number = |id: &String| id.strip_prefix("telegram/")?.parse().ok();
        Ok(senders(&rows, person).iter().filter_map(number).collect())
    }

    pub(super) fn messages_of(&self, person: &str) -> Result<Vec<StoredMessage>, Failure> {
        self.db.messages_of(person, &self.numbers_of(person)?).map_err(broken)
    }

    pub(super) fn changes_of(&self, person: &str) -> Result<Vec<metnos_undo::Act>, Failure> {
        let acts = self.journal.held().map_err(|e| crate::undo::failed(&e))?;
        Ok(acts.into_iter().filter(|act| is_by(act, person)).collect())
    }

    pub(super) fn note_person(
        &self,
        what: &str,
        person: &str,
        by: &str,
        holdings: &Holdings,
    ) -> Result<(), Failure> {
        let mut line = Line::new(Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail = json!({ "what": what, "person": person, "turns": holdings.turns, "plans": holdings.plans,
            "decisions": holdings.decisions, "messages": holdings.messages, "bytes": holdings.bytes });
        self.audit.append(line).map(|_| ()).map_err(|e| unrecorded(&e))
    }
}

fn is_caller(caller: &str, person: &str) -> bool {
    caller.split_once('/').map_or(caller, |(person, _)| person) == person
}

/// Whose change it was.
pub(super) fn is_by(act: &metnos_undo::Act, person: &str) -> bool {
    act.head.as_ref().is_some_and(|head| is_caller(&head.user, person))
}

fn is_about(row: &Ruled, person: &str) -> bool {
    let body: Value = serde_json::from_str(&row.body).unwrap_or_default();
    let named = |key: &str| body.get(key).and_then(Value::as_str).is_some_and(|text| is_caller(text, person));
    // The ids of the others are of channels, hooks and questions, and may be spelled like somebody.
    let by_id = ["level", "habit", "person"].contains(&row.kind.as_str()) && is_caller(&row.id, person);
    // What somebody else decided about commands holds for the house.
    row.kind != "signature" && (by_id || ["user", "person", "caller"].iter().any(|key| named(key)))
}

/// The ids of the senders that are or were this person: `channel/sender`.
fn senders(rows: &[Ruled], person: &str) -> Vec<String> {
    let theirs = |row: &&Ruled| row.kind == "sender" && is_about(row, person);
    rows.iter().filter(theirs).map(|row| row.id.clone()).collect()
}

fn row(turn: &Turn) -> Value {
    json!({ "id": turn.id, "caller": turn.caller, "conversation": turn.conversation, "request": turn.request,
        "began_at": turn.began_at, "ended_at": turn.ended_at, "status": turn.status })
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
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
        assert!(!is_about(&row("hook", "ada", r#"{"person":"bruno"}"#), "ada"), "only called like her");
        let paired = row("sender", "telegram/7", r#"{"person":"ada"}"#);
        assert!(!is_about(&paired, "telegram"), "a channel is nobody");
        assert_eq!(senders(&[paired], "ada"), ["telegram/7"]);
        for wrong in ["", "..", "a/b", ".hidden", "a\0"] {
            assert!(checked(wrong).is_err(), "{wrong:?}");
        }
    }
}
