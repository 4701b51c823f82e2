//! `metnos devices`: what may speak for somebody without being asked who they are.

use super::USER;
use crate::cli_people::Devices;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::people::{HOST, TokenKind};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Lists, adds or revokes.
pub(crate) fn run(printer: Printer, command: Devices) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Devices::List => {
            let mut rows: Vec<Map<String, Value>> = Vec::new();
            for token in runtime.tokens(None)?.into_iter().filter(|token| token.kind != TokenKind::Login) {
                let mut row = Map::new();
                row.insert("id".into(), token.id.chars().take(12).collect::<String>().into());
                row.insert("person".into(), token.person.into());
                row.insert("kind".into(), token.kind.as_str().into());
                row.insert("label".into(), token.label.into());
                row.insert("since".into(), token.made_at.into());
                row.insert("until".into(), token.expires_at.into());
                row.insert("revoked".into(), token.revoked_at.into());
                rows.push(row);
            }
            printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
            if rows.is_empty() {
                printer.say("no device has a token");
            }
            printer.table(&rows);
        }
        Devices::Add { label, person } => {
            let person = person.unwrap_or_else(|| HOST.to_owned());
            let secret = runtime.issue_token(TokenKind::Device, &person, &label, USER)?;
            printer.value(&json!({ "person": person, "label": label, "token": secret }));
            printer.say(secret);
            printer.say("it is shown this once; keep it on the device");
        }
        Devices::Revoke { id } => {
            runtime.revoke_token(&id, USER)?;
            printer.value(&json!({ "revoked": id }));
            printer.say("it no longer opens anything");
        }
    }
    Ok(ExitCode::SUCCESS)
}
