//! The everyday commands, spoken to a Metnos elsewhere. What administers a machine is typed on that machine.

use super::Remote;
use super::ask::{ask, finished};
use crate::cli::{Command, Questions, Undo};
use crate::cmd::stop::Stop;
use crate::cmd::{forms, line, session};
use crate::print::{self, Printer};
use metnos_executor::{ErrorClass, Failure};
use serde_json::{Map, Value, json};
use std::io::IsTerminal;
use std::process::ExitCode;

/// The longest line of the prompt.
const LINE_MAX: u64 = 1 << 20;

/// Carries a command out there.
pub(crate) fn run(printer: Printer, remote: &Remote, command: Option<Command>) -> Result<ExitCode, Failure> {
    match command {
        None => prompt(printer, remote),
        Some(Command::Ask(args)) => {
            let mut body = json!({ "text": crate::cmd::ask::words(&args)? });
            let name = args.conversation.clone().unwrap_or_else(session);
            for (key, value) in
                [("language", &args.lang), ("zone", &args.zone), ("conversation", &Some(name))]
            {
                if let Some(value) = value {
                    body[key] = value.clone().into();
                }
            }
            ask(printer, remote, &body)
        }
        Some(Command::Turns { turn: Some(turn), .. }) => {
            shown(printer, &remote.get(&format!("/agent/turns/{turn}"))?)
        }
        Some(Command::Turns { turn: None, most }) => {
            rows(printer, &remote.get(&format!("/agent/turns?most={most}"))?)
        }
        Some(Command::Questions(command)) => questions(printer, remote, command),
        Some(Command::Undo(Undo { turn: Some(turn), list: false, dry_run: false, forget: false })) => {
            shown(printer, &remote.post(&format!("/agent/turns/{turn}/undo"), &json!({}))?)
        }
        Some(Command::Undo(Undo { turn: None, list: false, dry_run: false, forget: false })) => {
            ask(printer, remote, &json!({ "text": "undo", "conversation": session() }))
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
        Questions::Approvals { .. } => rows(printer, &remote.get("/agent/approvals")?),
        Questions::Approve { id, session, always, by: None } => {
            let answer = match (session, always) {
                (_, true) => "always",
                (true, _) => "session",
                _ => "once",
            };
            shown(printer, &remote.post(&format!("/agent/approvals/{id}"), &json!({ "answer": answer }))?)
        }
        Questions::Reject { id, never, by: None } => {
            let answer = if never { "never" } else { "no" };
            shown(printer, &remote.post(&format!("/agent/approvals/{id}"), &json!({ "answer": answer }))?)
        }
        Questions::Forms { by: None } => rows(printer, &remote.get("/agent/forms")?),
        Questions::Answer { id, words, by: None } => {
            if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Err(Failure::new(ErrorClass::NotFound, format!("no request is called {id}"))
                    .with_hint("metnos forms"));
            }
            let body = forms::said(&words)?.map_or_else(|| json!({}), |text| json!({ "text": text }));
            finished(printer, &remote.post(&format!("/agent/forms/{id}"), &body)?)
        }
        _ => Err(elsewhere()),
    }
}

fn prompt(printer: Printer, remote: &Remote) -> Result<ExitCode, Failure> {
    let me = remote.get("/agent/me")?;
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        printer.say(format!("Metnos, as {}. quit ends it.", me["name"].as_str().unwrap_or_default()));
    }
    let mut read = Vec::new();
    loop {
        let heard = {
            // Before anybody is invited to press it.
            let _ends = Stop::at_once()?;
            if interactive {
                print::prompt("metnos> ");
            }
            // Held for one line: a question in the middle of a turn reads the next one.
            line::next(&mut std::io::stdin().lock(), LINE_MAX, &mut read)
        };
        match heard.map_err(|e| Failure::io("standard input", &e))? {
            Ok(false) => return Ok(ExitCode::SUCCESS),
            Ok(true) => {}
            Err(too_long) => {
                printer.failure(&too_long);
                continue;
            }
        }
        let text = String::from_utf8_lossy(&read).trim().to_owned();
        match text.as_str() {
            "" => {}
            "quit" | "exit" | "esci" => return Ok(ExitCode::SUCCESS),
            _ => {
                if let Err(failure) =
                    ask(printer, remote, &json!({ "text": text, "conversation": session() }))
                {
                    printer.failure(&failure);
                }
            }
        }
    }
}

fn rows(printer: Printer, list: &Value) -> Result<ExitCode, Failure> {
    printer.value(list);
    let rows: Vec<Map<String, Value>> = serde_json::from_value(list.clone()).unwrap_or_default();
    if rows.is_empty() {
        printer.say("nothing");
    }
    printer.table(&rows);
    Ok(ExitCode::SUCCESS)
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
