//! `metnos credentials`: names in sight, values never.

use super::USER;
use super::forms;
use super::stop::Stop;
use crate::cli::Credentials;
use crate::print::{self, Printer};
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::Gateway;
use metnos_runtime::Form;
use serde_json::{Map, Value, json};
use std::io::{BufRead, IsTerminal, Read};
use std::process::ExitCode;

/// The longest input of `set`.
const INPUT_MAX: u64 = 64 << 10;

/// Sets, lists or removes.
pub(crate) fn run(printer: Printer, command: Credentials) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Credentials::Set { name, fields } => {
            let fields = if fields.is_empty() { vec!["token".to_owned()] } else { fields };
            let values = ask(&fields, None)?;
            runtime.set_credential(&name, values, USER)?;
            let waiting = forms::lacked(&Gateway::new(runtime)?, &name)?;
            printer.value(&json!({ "set": name, "fields": fields, "lacked_by": waiting }));
            printer.say(format!("{name} is kept: {}", fields.join(", ")));
            for turn in waiting {
                printer.say(format!("→ metnos answer {turn}   goes on with a request that lacked it"));
            }
        }
        Credentials::Remove { name } => {
            runtime.remove_credential(&name, USER)?;
            printer.value(&json!({ "removed": name }));
            printer.say(format!("{name} is gone"));
        }
        Credentials::List => {
            let rows: Vec<Map<String, Value>> = runtime.credentials()?.iter().map(row).collect();
            printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
            if rows.is_empty() {
                printer.say("no credential is kept");
            }
            printer.table(&rows);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(listed: &metnos_runtime::Listed) -> Map<String, Value> {
    let fields: Vec<&str> = listed.fields.iter().map(|field| field.as_str()).collect();
    let mut row = Map::new();
    row.insert("name".into(), listed.name.as_str().into());
    row.insert("fields".into(), fields.join(", ").into());
    row.insert("updated_at".into(), listed.updated_at.to_string().into());
    row
}

/// Asks whoever sits at this terminal for a credential that a call needs; without one, nobody.
pub(crate) fn fill(form: &Form, stop: &Stop) -> Option<Vec<(String, String)>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    print::prompt(&format!("{} is needed and not kept yet; an empty answer stops.\n", form.name));
    let fields: Vec<String> = form.fields.iter().map(|field| field.as_str().to_owned()).collect();
    let values = ask(&fields, Some(stop)).ok()?;
    values.iter().all(|(_, value)| !value.is_empty()).then_some(values)
}

/// One value a line, from the terminal without an echo or from standard input: never from the command
/// line, which every process can read. A stop that is asked for ends it.
fn ask(fields: &[String], stop: Option<&Stop>) -> Result<Vec<(String, String)>, Failure> {
    let stdin = std::io::stdin();
    let terminal = stdin.is_terminal();
    let failed = |e: std::io::Error| Failure::io("standard input", &e);
    let mut left = INPUT_MAX;
    let mut values = Vec::new();
    for field in fields {
        // First the echo, then the question: whoever is quick sees no letter of it either.
        let _quiet = terminal.then(print::Quiet::begin).flatten();
        if terminal {
            print::prompt(&format!("{field}: "));
        }
        let mut value = String::new();
        if terminal && stop.is_some_and(|stop| !stop.until_readable(&stdin)) {
            return Err(Failure::new(ErrorClass::Cancelled, format!("no value for {field}")));
        }
        // Held for one line, and nothing beyond it is taken away.
        let read = stdin.lock().take(left).read_line(&mut value).map_err(failed)?;
        left = left.saturating_sub(read as u64);
        if read == 0 {
            return Err(Failure::wrong_args(format!("no value for {field}"))
                .with_hint("one value a line on standard input, or answer on the terminal"));
        }
        values.push((field.clone(), value.trim_end_matches(['\n', '\r']).to_owned()));
    }
    Ok(values)
}
