//! `metnos pairing`: which sender is who, and who waits at the door.

use super::USER;
use super::users::{level, role};
use crate::cli_people::Pairing;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::Runtime;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Lists, lets in, pairs or removes.
pub(crate) fn run(printer: Printer, command: Pairing) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Pairing::List => list(printer, &runtime)?,
        Pairing::Approve { channel, code, role: word, name, level: wanted } => {
            let wanted = wanted.as_deref().map(level).transpose()?;
            let person =
                runtime.admit_sender(&channel, &code, role(&word)?, name.as_deref(), wanted, USER)?;
            printer.value(&json!(person));
            printer
                .tell(format!("{} may write on {channel}, as {}, a {}", person.name, person.id, person.role));
        }
        Pairing::Pair { channel, sender, person } => {
            runtime.pair_sender(&channel, &sender, &person, USER)?;
            printer.value(&json!({ "channel": channel, "sender": sender, "person": person }));
            printer.tell(format!("{sender} on {channel} is {person}"));
        }
        Pairing::Remove { channel, sender } => {
            runtime.unpair_sender(&channel, &sender, USER)?;
            printer.value(&json!({ "channel": channel, "sender": sender, "removed": true }));
            printer.tell(format!("{sender} on {channel} is a stranger"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(printer: Printer, runtime: &Runtime) -> Result<(), Failure> {
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    for (channel, sender, name, until) in runtime.knocks()? {
        rows.push(row(&channel, &sender, &format!("{name}?"), "waits", &until));
    }
    for paired in runtime.pairings()? {
        let (state, at) = match &paired.revoked_at {
            Some(at) => ("removed", at),
            None => ("paired", &paired.at),
        };
        rows.push(row(&paired.channel, &paired.sender, &paired.person, state, at));
    }
    printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
    if rows.is_empty() {
        printer.tell("nobody is paired and nobody waits");
    }
    printer.table(&rows);
    Ok(())
}

fn row(channel: &str, sender: &str, who: &str, state: &str, at: &str) -> Map<String, Value> {
    let fields = [("channel", channel), ("sender", sender), ("who", who), ("state", state), ("at", at)];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}
