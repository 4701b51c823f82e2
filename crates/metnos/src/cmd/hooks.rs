//! `metnos hooks`: requests that other programs may fire.

use super::USER;
use crate::cli_people::Hooks;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::people::HOST;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Lists, adds or removes.
pub(crate) fn run(printer: Printer, command: Hooks) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Hooks::List => {
            let mut rows: Vec<Map<String, Value>> = Vec::new();
            for hook in runtime.hooks()? {
                let mut row = Map::new();
                row.insert("name".into(), hook.name.into());
                row.insert("person".into(), hook.person.into());
                row.insert("request".into(), hook.request.into());
                row.insert("since".into(), hook.made_at.into());
                rows.push(row);
            }
            printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
            if rows.is_empty() {
                printer.say("no program may fire a request");
            }
            printer.table(&rows);
        }
        Hooks::Add { name, request, person } => {
            let person = person.unwrap_or_else(|| HOST.to_owned());
            let secret = runtime.add_hook(&name, &person, &request, USER)?;
            printer.value(&json!({ "hook": name, "person": person, "secret": secret }));
            printer.say(secret);
            printer.say(format!(
                "it is shown this once; POST /hooks/{name} with X-Metnos-Signature fires the request"
            ));
        }
        Hooks::Remove { name } => {
            runtime.remove_hook(&name, USER)?;
            printer.value(&json!({ "removed": name }));
            printer.say("nothing fires it any more");
        }
    }
    Ok(ExitCode::SUCCESS)
}
