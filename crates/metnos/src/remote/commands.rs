//! The everyday commands, spoken to a Metnos elsewhere. What administers a machine is typed on that machine.

use super::Remote;
use super::ask::{ask, finished, read};
use crate::cli::{Command, Questions, Undo};
use crate::cmd::complete::Completion;
use crate::cmd::editor::{Heard, House, Lines};
use crate::cmd::{approvals, forms, session, turns, undo};
use crate::print::Printer;
use metnos_doors::{Card, TurnRequest};
use metnos_executor::{ErrorClass, Failure};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// The longest line of the prompt.
const LINE_MAX: u64 = 1 << 20;

/// Carries a command out there.
pub(crate) fn run(printer: Printer, remote: &Remote, command: Option<Command>) -> Result<ExitCode, Failure> {
    match command {
        None => prompt(printer, remote),
        Some(Command::Ask(args)) if !args.dry_run => {
            ask(printer, remote, crate::cmd::ask::request(&args, None)?)
        }
        Some(Command::Turns { turn: Some(turn), .. }) => {
            plain(&turn).ok_or_else(|| turns::unknown(&turn))?;
            turns::shown(printer, &read(remote.get(&format!("/agent/turns/{turn}/steps"))?)?)
        }
        Some(Command::Turns { turn: None, most }) => {
            turns::listed(printer, read(remote.get(&format!("/agent/turns?most={most}"))?)?)
        }
        Some(Command::Questions(command)) => questions(printer, remote, command),
        Some(Command::Undo(Undo { list: true, forget: false, .. })) => {
            let changes: Vec<Map<String, Value>> = read(remote.get("/agent/undo")?)?;
            Ok(undo::listed(printer, &changes))
        }
        Some(Command::Undo(Undo { turn, list: false, dry_run, forget: false })) => {
            let wish = json!({ "turn": turn, "dry_run": dry_run });
            Ok(undo::shown(printer, &read(remote.post("/agent/undo", &wish)?)?))
        }
        Some(_) => Err(elsewhere()),
    }
}

/// What is not done from afar.
fn elsewhere() -> Failure {
    Failure::wrong_args("this is done on the machine where Metnos runs").with_hint(
        "over --server: ask, turns, approvals, approve, reject, forms, answer, undo, or a prompt without a command",
    )
}

/// What waits for a person there. A token speaks for one person, so nobody answers as another.
fn questions(printer: Printer, remote: &Remote, command: Questions) -> Result<ExitCode, Failure> {
    match command {
        Questions::Approvals { all: false, id: None } => {
            approvals::listed(printer, &read::<Vec<Card>>(remote.get("/agent/approvals")?)?, false)
        }
        Questions::Approve { id, session, always, by: None } => {
            let answer = match (session, always) {
                (_, true) => "always",
                (true, _) => "session",
                _ => "once",
            };
            decided(printer, remote, &id, answer)
        }
        Questions::Reject { id, never, by: None } => {
            let answer = if never { "never" } else { "no" };
            decided(printer, remote, &id, answer)
        }
        Questions::Forms { by: None } => {
            forms::listed(printer, &read::<Vec<_>>(remote.get("/agent/forms")?)?)
        }
        Questions::Answer { id, words, by: None } => {
            plain(&id).ok_or_else(|| forms::unknown(&id))?;
            let body = forms::said(&words)?.map_or_else(|| json!({}), |text| json!({ "text": text }));
            let told =
                remote.post(&format!("/agent/forms/{id}"), &body).map_err(|failure| match failure.class {
                    ErrorClass::NotFound => forms::unknown(&id),
                    _ => failure,
                })?;
            finished(printer, remote, told)
        }
        _ => Err(elsewhere()),
    }
}

fn prompt(printer: Printer, remote: &Remote) -> Result<ExitCode, Failure> {
    let me = remote.get("/agent/me")?;
    if Lines::is_terminal() {
        printer.say(format!("Metnos, as {}. quit ends it.", me["name"].as_str().unwrap_or_default()));
    }
    // Nothing of what is said elsewhere is kept here.
    let mut lines = Lines::new(House::Ours, LINE_MAX, Completion { runtime: None }, None, |_| true);
    loop {
        let text = match lines.next()? {
            Heard::End => return Ok(ExitCode::SUCCESS),
            Heard::GivenUp => continue,
            Heard::TooLong(failure) => {
                printer.failure(&failure);
                continue;
            }
            Heard::Line(text) => text,
        };
        lines.keep(&text);
        let text = text.trim().to_owned();
        match text.as_str() {
            "" => {}
            line if crate::cmd::command::quits(line) => return Ok(ExitCode::SUCCESS),
            _ => {
                if let Err(failure) = ask(printer, remote, said(&text)) {
                    printer.failure(&failure);
                }
            }
        }
    }
}

/// An id that can stand in an address.
fn plain(id: &str) -> Option<()> {
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(())
}

/// A request of this terminal in these words.
fn said(text: &str) -> TurnRequest {
    TurnRequest { text: text.to_owned(), conversation: Some(session()), ..TurnRequest::default() }
}

/// Answers a question there; what waited runs or ends, and its turn is told.
fn decided(printer: Printer, remote: &Remote, id: &str, answer: &str) -> Result<ExitCode, Failure> {
    plain(id).ok_or_else(|| Failure::new(ErrorClass::NotFound, "no question has this id"))?;
    let told = remote.post(&format!("/agent/approvals/{id}"), &json!({ "answer": answer }))?;
    match told.get("turn") {
        Some(_) if matches!(answer, "no" | "never") => {
            printer.value(&json!({ "rejected": id, "never": answer == "never" }));
            printer.say(told["text"].as_str().unwrap_or_default());
            Ok(ExitCode::SUCCESS)
        }
        Some(_) => finished(printer, remote, told),
        None => shown(printer, &told),
    }
}

fn shown(printer: Printer, answer: &Value) -> Result<ExitCode, Failure> {
    printer.value(answer);
    let entries = answer.get("entries").cloned().unwrap_or_default();
    printer.table(&serde_json::from_value::<Vec<Map<String, Value>>>(entries).unwrap_or_default());
    for key in ["text", "reversed", "next"] {
        match answer.get(key) {
            Some(Value::String(text)) if !text.is_empty() => printer.say(text),
            Some(Value::Number(count)) => printer.say(format!("{count} {key}")),
            _ => {}
        }
    }
    Ok(ExitCode::SUCCESS)
}
