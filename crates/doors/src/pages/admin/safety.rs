//! What was decided for longer than once, what the guards said lately, and whether the audit holds.

use super::{AdminPage, Done, For, acted};
use crate::api::{Refusal, Said};
use crate::house::{House, Verified};
use crate::pages::Shell;
use crate::who::{Admin, Who};
use askama::Template;
use axum::Json;
use axum::extract::State;
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// How many rows of a kind are shown, the newest.
const MOST: usize = 200;
/// How many lines of the audit are looked at for verdicts.
const LINES: usize = 40;

/// Something that was decided and can be taken back.
#[derive(Clone, Serialize)]
struct Held {
    id: String,
    person: String,
    what: String,
    target: String,
    at: String,
    until: Option<String>,
    text: String,
}

#[derive(Clone, Serialize)]
struct Judged {
    at: String,
    caller: String,
    executor: String,
    guard: String,
    decision: String,
    reason: String,
}

#[derive(Serialize)]
pub(super) struct View {
    levels: Vec<(String, String)>,
    grants: Vec<Held>,
    rules: Vec<Held>,
    commands: Vec<Held>,
    damaged: Vec<(String, String)>,
    verdicts: Vec<Judged>,
    audit_lines: u64,
    verified: Option<Verified>,
}

#[derive(Template)]
#[template(path = "admin/safety.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "safety";
    const FOR: For = For::Host;
    type Asked = ();
    type View = View;

    fn look(house: &House, _: &Who, (): Self::Asked) -> Result<View, Failure> {
        look(house)
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House) -> Result<View, Failure> {
    let runtime = house.runtime();
    let held = runtime.held()?;
    let now = jiff::Timestamp::now();
    let grants = held.grants.into_iter().filter(|grant| grant.is_live(now)).map(|grant| Held {
        what: match &grant.executor {
            Some(executor) => format!("{} · {executor}", grant.capability),
            None => grant.capability.clone(),
        },
        person: format!("{}/{}", grant.user, grant.channel),
        at: grant.created_at.to_string(),
        until: grant.expires_at.map(|at| at.to_string()),
        text: match serde_json::to_value(&grant.scope) {
            Ok(Value::String(word)) => word,
            Ok(Value::Object(scope)) => scope.keys().next().cloned().unwrap_or_default(),
            _ => String::new(),
        },
        id: grant.id,
        target: grant.target,
    });
    let rules = held.rules.into_iter().filter(|rule| rule.is_live(now)).map(|rule| Held {
        what: match serde_json::to_value(&rule.on) {
            Ok(Value::Object(on)) => {
                on.values().next().and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            _ => String::new(),
        },
        id: rule.id,
        person: rule.user,
        target: rule.target.unwrap_or_default(),
        at: rule.created_at.to_string(),
        until: None,
        text: rule.text,
    });
    let commands = held.commands.into_iter().map(|rule| Held {
        id: rule.signature.to_string(),
        person: rule.by,
        what: rule.list.as_str().to_owned(),
        target: String::new(),
        at: String::new(),
        until: None,
        text: String::new(),
    });
    let damaged = held.damaged.into_iter().take(MOST).map(|row| match row.split_once(' ') {
        Some((_, id)) => (id.to_owned(), row.clone()),
        None => (row.clone(), row),
    });
    let levels = runtime.levels()?.into_iter().take(MOST);
    Ok(View {
        levels: levels.map(|(caller, level)| (caller, level.to_string())).collect(),
        grants: newest(grants.collect()),
        rules: newest(rules.collect()),
        commands: commands.take(MOST).collect(),
        damaged: damaged.collect(),
        verdicts: verdicts(&runtime.audit_tail(LINES, None)?),
        audit_lines: runtime.audit_lines()?,
        verified: house.verified(),
    })
}

fn newest(mut held: Vec<Held>) -> Vec<Held> {
    held.sort_by(|a, b| b.at.cmp(&a.at));
    held.truncate(MOST);
    held
}

/// What the guards said in these lines, the newest first.
fn verdicts(lines: &[Value]) -> Vec<Judged> {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let of = |line: &Value| -> Vec<Judged> {
        let said = line.get("verdicts").and_then(Value::as_array).cloned().unwrap_or_default();
        said.iter()
            .map(|verdict| Judged {
                at: text(line, "time"),
                caller: text(line, "caller"),
                executor: text(line, "executor"),
                guard: text(verdict, "guard"),
                decision: text(verdict, "decision"),
                reason: text(verdict, "reason"),
            })
            .collect()
    };
    lines.iter().rev().flat_map(of).collect()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    id: String,
}

pub(super) async fn revoke(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(which): Said<Which>,
) -> Result<Json<Done>, Refusal> {
    acted(move || house.runtime().revoke(&which.id, &who.caller())).await
}

/// Reads the whole chain and says whether it holds.
pub(super) async fn verify(State(house): State<Arc<House>>, Admin(_): Admin) -> Result<Json<Done>, Refusal> {
    acted(move || {
        let report = metnos_runtime::audit_verify(&house.runtime().home, &[])?;
        house.set_verified(Verified {
            at: jiff::Timestamp::now().to_string(),
            lines: report.lines,
            damage: report.damage,
        });
        Ok(())
    })
    .await
}
