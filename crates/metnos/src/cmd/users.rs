//! `metnos users`: the people of the house.

use super::USER;
use crate::cli_people::Users;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::Runtime;
use metnos_runtime::guards::{Level, NotALevel};
use metnos_runtime::people::{NotARole, Person, PersonChange, Role};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Lists, adds, changes or revokes.
pub(crate) fn run(printer: Printer, command: Users) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    match command {
        Users::List => {
            let people = runtime.people()?;
            let rows: Vec<Map<String, Value>> =
                people.iter().map(|person| row(&runtime, person)).collect::<Result<_, _>>()?;
            printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
            printer.table(&rows);
        }
        Users::Add { name, role: word } => {
            let person = runtime.add_person(&name, role(&word)?, USER)?;
            printer.value(&json!(person));
            printer.tell(format!("{} is here as {}, a {}", person.name, person.id, person.role));
        }
        Users::Set { id, name, language, zone, level: levels } => {
            // What is wrong is said before anything changes.
            let levels = levels.iter().map(|text| on_channel(text)).collect::<Result<Vec<_>, _>>()?;
            let change = PersonChange { name, language: language.map(given), zone: zone.map(given) };
            let person = runtime.change_person(&id, change, USER)?;
            for (channel, level) in levels {
                runtime.set_level(&format!("{}/{channel}", person.id), level, USER)?;
            }
            printer.value(&Value::Object(row(&runtime, &person)?));
            printer.tell(format!("{} ({}): changed", person.id, person.name));
        }
        Users::Revoke { id } => {
            runtime.revoke_person(&id, USER)?;
            printer.value(&json!({ "revoked": id }));
            printer.tell(format!("{id} is nobody here any more"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(runtime: &Runtime, person: &Person) -> Result<Map<String, Value>, Failure> {
    let level = match person.revoked_at {
        Some(_) => Value::Null,
        None => runtime.level(&format!("{}/cli", person.id))?.as_str().into(),
    };
    let mut row = Map::new();
    row.insert("id".into(), person.id.clone().into());
    row.insert("name".into(), person.name.clone().into());
    row.insert("role".into(), person.role.as_str().into());
    row.insert("level".into(), level);
    row.insert("language".into(), person.language.clone().into());
    row.insert("zone".into(), person.zone.clone().into());
    row.insert("since".into(), person.made_at.clone().into());
    row.insert("revoked".into(), person.revoked_at.clone().into());
    Ok(row)
}

/// `none` forgets.
fn given(text: String) -> Option<String> {
    Some(text).filter(|text| text != "none")
}

fn on_channel(text: &str) -> Result<(String, Level), Failure> {
    let (channel, word) =
        text.split_once('=').filter(|(channel, _)| is_channel(channel)).ok_or_else(|| {
            Failure::wrong_args(format!("{text:?}: expected CHANNEL=LEVEL"))
                .with_hint("--level telegram=read-only")
        })?;
    Ok((channel.to_owned(), level(word)?))
}

fn is_channel(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// A level from its word.
pub(super) fn level(word: &str) -> Result<Level, Failure> {
    word.parse()
        .map_err(|e: NotALevel| Failure::wrong_args(e.to_string()).with_hint("read-only, supervised or full"))
}

/// A role from its word.
pub(super) fn role(word: &str) -> Result<Role, Failure> {
    word.parse().map_err(|e: NotARole| Failure::wrong_args(e.to_string()).with_hint("member or guest"))
}
