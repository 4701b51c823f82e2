//! `find_credentials`, `set_credentials`, `delete_credentials`: names, never values. A value is given by the form of a
//! missing credential, at the terminal or on the page, and goes from there to the vault alone.

use super::{Builtin, Plan, Report, Wish};
use crate::call::turn_of;
use crate::guards::Principal;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure, Lacked, ListName, Origin, Outcome, Ulid};
use metnos_guard::card::Effect;
use metnos_vault::{Form, Listed, Name};
use serde_json::{Value, json};

pub(super) const FIND: Builtin = Builtin {
    name: "find_credentials",
    schema: include_str!("find_credentials.json"),
    pattern: "find_credentials()",
    out: "entries=[{name,kind,updated_at}]",
    changes: false,
    needs: None,
    list: false,
    plan: find,
};

pub(super) const SET: Builtin = Builtin {
    name: "set_credentials",
    schema: include_str!("set_credentials.json"),
    pattern: "set_credentials(names=[\"imap\"])",
    out: "results=[{name,ok}]",
    changes: true,
    needs: None,
    list: false,
    plan: set,
};

pub(super) const DELETE: Builtin = Builtin {
    name: "delete_credentials",
    schema: include_str!("set_credentials.json"),
    pattern: "delete_credentials(names=[\"imap\"])",
    out: "results=[{name,ok}]",
    changes: true,
    needs: None,
    list: false,
    plan: delete,
};

/// The names that were given, as the vault writes them.
fn names(wish: &Wish<'_>) -> Result<Vec<Name>, Failure> {
    let given = wish.args.get("names").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut names: Vec<Name> = Vec::new();
    for name in given.iter().filter_map(Value::as_str) {
        let name = name.trim().to_lowercase().replace(' ', "-");
        let name = Name::parse(&name).map_err(|e| crate::vault::failed(&e))?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

fn record(kept: &Listed) -> Value {
    let fields: Vec<&str> = kept.fields.iter().map(|field| field.as_str()).collect();
    json!({ "name": kept.name.as_str(), "kind": fields.join(", "), "updated_at": kept.updated_at.to_string(),
        "_origin": Origin::Local.as_str() })
}

fn find(_runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let wanted = names(wish)?;
    // They are the host's, who decides whether anybody else hears of them.
    let host = Principal::parse(wish.caller).is_host();
    Ok(Plan::look(if host { "metnos:read" } else { "system:read" }, move |work| {
        let kept = work.runtime.credentials()?;
        // "github" is also "github-work".
        let meant = |name: &Name| {
            let part = |wanted: &Name| name.as_str().contains(wanted.as_str());
            wanted.is_empty() || wanted.iter().any(part)
        };
        let entries: Vec<Value> = kept.iter().filter(|kept| meant(&kept.name)).map(record).collect();
        let outcome = Outcome { ok_count: entries.len() as u64, ..Outcome::default() };
        Report::of(outcome, ListName::Entries, &entries)
    }))
}

/// Since when a value must have been given to be the one that this call asks for.
fn since(wish: &Wish<'_>) -> jiff::Timestamp {
    let turn = wish.call_id.and_then(turn_of).and_then(|turn| Ulid::from_string(turn).ok());
    let began = turn.and_then(|turn| i64::try_from(turn.timestamp_ms()).ok());
    began.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or_else(|| wish.now.timestamp())
}

/// Credentials are the host's to keep and to forget.
fn only_host(runtime: &Runtime, wish: &Wish<'_>) -> Result<(), Failure> {
    match Principal::parse(wish.caller).is_host() {
        true => Ok(()),
        false => {
            let text = runtime.say(wish.lang, "credentials_host", &[]);
            Err(Failure::new(ErrorClass::PolicyViolation, text))
        }
    }
}

fn set(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    only_host(runtime, wish)?;
    let (names, since) = (names(wish)?, since(wish));
    let kept = runtime.credentials()?;
    let given = |name: &&Name| kept.iter().any(|kept| kept.name == **name && kept.updated_at >= since);
    let mut lacks = Vec::new();
    for name in names.iter().filter(|name| !given(name)) {
        let form = Form::of(name.clone()).map_err(|e| crate::vault::failed(&e))?;
        let fields = form.fields.iter().map(|field| field.as_str().to_owned()).collect();
        lacks.push(Lacked { name: name.as_str().to_owned(), fields });
    }
    if let Some(first) = lacks.first() {
        let hint = format!("metnos credentials set {} {}", first.name, first.fields.join(" "));
        let failure =
            Failure::new(ErrorClass::Unauthorized, format!("no value for {} was given yet", first.name));
        return Err(Failure { lacks: lacks.into_boxed_slice(), ..failure.with_hint(hint) });
    }
    let lang = wish.lang.to_owned();
    // The form was the question: whoever filled it in said yes.
    Ok(Plan::look("dialog:user", move |work| done(work.runtime, &names, "credentials_kept", &lang)))
}

fn delete(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    only_host(runtime, wish)?;
    let names = names(wish)?;
    let kept = runtime.credentials()?;
    if let Some(unknown) = names.iter().find(|name| !kept.iter().any(|kept| kept.name == **name)) {
        let text = runtime.say(wish.lang, "credential_unknown", &[("name", unknown.as_str())]);
        return Err(Failure::new(ErrorClass::NotFound, text).with_hint("metnos credentials list"));
    }
    let (lang, by) = (wish.lang.to_owned(), wish.caller.to_owned());
    let shown: Vec<String> = names.iter().map(|name| name.as_str().to_owned()).collect();
    Ok(Plan {
        effect: Effect::Irreversible,
        idempotent: false,
        object: if shown.len() == 1 { shown.first().cloned() } else { None },
        count: Some(shown.len() as u64),
        bound: kept.iter().map(|kept| format!("{} {}\n", kept.name.as_str(), kept.updated_at)).collect(),
        names: shown,
        ..Plan::look("metnos:write", move |work| {
            for name in &names {
                work.runtime.remove_credential(name.as_str(), &by)?;
            }
            done(work.runtime, &names, "credentials_forgotten", &lang)
        })
    })
}

/// What was done to these.
fn done(runtime: &Runtime, names: &[Name], key: &str, lang: &str) -> Result<Report, Failure> {
    let all: Vec<&str> = names.iter().map(Name::as_str).collect();
    let results: Vec<Value> = all
        .iter()
        .map(|name| json!({ "name": name, "ok": true, "_origin": Origin::Local.as_str() }))
        .collect();
    let mut outcome = Outcome { ok_count: results.len() as u64, ..Outcome::default() };
    outcome.fields.insert("summary".into(), runtime.say(lang, key, &[("names", &all.join(", "))]).into());
    Report::of(outcome, ListName::Results, &results)
}
