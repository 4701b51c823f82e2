//! One turn: its plan, its steps, how long it took, what the guards said, and whether it would be decided so again.

use super::{AdminPage, Done, For, broken};
use crate::api::{Refusal, blocking};
use crate::house::House;
use crate::pages::Shell;
use crate::who::{Admin, Who};
use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, State};
use metnos_executor::Failure;
use metnos_gateway::Beat;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// How many entries of the log are shown, and how much of each.
const ENTRIES: usize = 200;
const ENTRY: usize = 20_000;

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// `1`: with what the guards said, which is looked for in the audit.
    verdicts: Option<String>,
}

#[derive(Clone, Default, Serialize)]
struct Step {
    step: u64,
    tool: String,
    args: String,
    call_id: Option<String>,
    state: &'static str,
    ok: u64,
    failed: u64,
    why: String,
    verdicts: Vec<Verdict>,
}

#[derive(Clone, Default, Serialize)]
struct Verdict {
    guard: String,
    decision: String,
    reason: String,
}

#[derive(Serialize)]
pub(super) struct View {
    turn: String,
    caller: String,
    request: String,
    began_at: String,
    ended_at: Option<String>,
    status: String,
    stage: Option<String>,
    text: String,
    steps: Vec<Step>,
    /// Name and milliseconds.
    phases: Vec<(String, f64)>,
    log: Vec<String>,
    log_count: usize,
    with_verdicts: bool,
    undoable: bool,
}

#[derive(Template)]
#[template(path = "admin/turn.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "turn";
    const FOR: For = For::Everybody;
    type Asked = (Path<String>, Query<Wanted>);
    type View = View;

    fn look(house: &House, who: &Who, (Path(id), Query(wanted)): Self::Asked) -> Result<View, Failure> {
        look(house, who, &id, wanted.verdicts.as_deref() == Some("1"))
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House, who: &Who, id: &str, with_verdicts: bool) -> Result<View, Failure> {
    let known = house.own_turn(who, id)?;
    let answer = house.answer_of(known.clone())?;
    let mut steps = steps(house, id)?;
    if with_verdicts {
        for step in &mut steps {
            let said = step.call_id.as_deref().map(|call| house.runtime().why(call).unwrap_or_default());
            step.verdicts = said.unwrap_or_default().iter().map(verdict).collect();
        }
    }
    // The log holds what models were told and what was understood: for the host.
    let log = if who.is_host() { house.runtime().db().turn_entries(id).map_err(broken)? } else { Vec::new() };
    let phases = known.phases.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let phases = phases.as_ref().and_then(Value::as_object).into_iter().flatten().map(|(name, value)| {
        let value = value.as_f64().unwrap_or(0.0);
        let short = name.trim_end_matches("_ms").trim_end_matches("_us").to_owned();
        (short, if name.ends_with("_ms") { value } else { value / 1000.0 })
    });
    Ok(View {
        turn: known.id,
        caller: known.caller,
        request: known.request,
        began_at: known.began_at,
        ended_at: known.ended_at,
        status: answer.status,
        stage: known.stage,
        text: answer.text,
        steps,
        phases: phases.collect(),
        log_count: log.len(),
        log: log.iter().take(ENTRIES).map(|entry| pretty(entry)).collect(),
        with_verdicts,
        undoable: answer.undoable,
    })
}

fn steps(house: &House, id: &str) -> Result<Vec<Step>, Failure> {
    let mut steps: Vec<Step> = Vec::new();
    for beat in house.gateway.story(id, 0)?.into_iter().flat_map(|moment| moment.beats) {
        match beat {
            // A plan that was made again replaces what has not begun.
            Beat::Plan { steps: planned, .. } => {
                steps.retain(|step| step.state != "planned");
                let before = steps.len() as u64;
                steps.extend(planned.into_iter().zip(before + 1..).map(|(planned, step)| Step {
                    step,
                    tool: planned.tool,
                    args: Value::Object(planned.args).to_string(),
                    state: "planned",
                    ..Step::default()
                }));
            }
            Beat::Begins { step, tool } => {
                if let Some(known) = steps.iter_mut().find(|known| known.step == step && known.tool == tool) {
                    known.state = "begins";
                }
            }
            Beat::Did { step, call_id, ok, failed, failures, error, .. } => {
                let found =
                    steps.iter_mut().rev().find(|known| known.step == step || known.state == "begins");
                if let Some(known) = found {
                    known.call_id = Some(call_id);
                    (known.ok, known.failed) = (ok, failed);
                    known.state = match (&error, failed) {
                        (Some(error), _) if error.class == "needs_approval" => "waits",
                        (Some(_), _) => "failed",
                        (None, 0) => "done",
                        _ => "partly",
                    };
                    let waits = known.state == "waits";
                    known.why = error.map_or_else(|| failures.join("; "), |error| error.message);
                    if waits {
                        known.why.clear();
                    }
                }
            }
            _ => {}
        }
    }
    Ok(steps)
}

fn verdict(value: &Value) -> Verdict {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Verdict { guard: text("guard"), decision: text("decision"), reason: text("reason") }
}

fn pretty(entry: &str) -> String {
    let value = serde_json::from_str::<Value>(entry).ok();
    let text =
        value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| entry.into());
    match text.char_indices().nth(ENTRY) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Decides a turn again from its log, and says whether the same comes of it.
pub(super) async fn replay(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Path(id): Path<String>,
) -> Result<Json<Done>, Refusal> {
    let speech = house.words.speak(who.person.language.as_deref());
    let replayed = blocking(move || house.gateway.replay(&id)).await?;
    let (events, apart) = (replayed.events.to_string(), replayed.differences.len().to_string());
    let text = match replayed.differences.first() {
        None => speech.say("replay-same", &[("n", &events)]),
        Some((line, ..)) => {
            speech.say("replay-differs", &[("n", &events), ("m", &apart), ("line", &line.to_string())])
        }
    };
    Ok(Json(Done { text, stay: true }))
}
