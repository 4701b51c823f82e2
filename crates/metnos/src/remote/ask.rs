//! One request to a daemon: watched as it happens, its questions answered here.

use super::Remote;
use super::events::Events;
use crate::cmd::ask::is_no;
use crate::cmd::{approvals, forms, stop::Stop};
use crate::print::{self, Printer};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::guards::{Answer, Question};
use serde_json::{Map, Value, json};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Asks, shows what happens, and says how the process should end.
pub(crate) fn ask(printer: Printer, remote: &Remote, body: &Value) -> Result<ExitCode, Failure> {
    let turn = metnos_executor::Ulid::new().to_string();
    let mut body = body.clone();
    body["turn"] = turn.clone().into();
    // A house whose clock says otherwise gives the turn another id.
    let (named, stream) = remote.stream("/agent/turn", &body)?;
    let turn = named.unwrap_or(turn);
    let over = Arc::new(AtomicBool::new(false));
    let stop = Arc::new(Stop::listen()?);
    let listening = cancel_on_stop(remote, &turn, &over, &stop);
    let ended = watch(printer, remote, &turn, Events::new(stream), &stop);
    over.store(true, Ordering::Relaxed);
    let _ = listening.join();
    ended
}

/// Carries Ctrl-C to where the turn runs.
fn cancel_on_stop(
    remote: &Remote,
    turn: &str,
    over: &Arc<AtomicBool>,
    stop: &Arc<Stop>,
) -> std::thread::JoinHandle<()> {
    let (remote, turn, over, stop) = (remote.clone(), turn.to_owned(), Arc::clone(over), Arc::clone(stop));
    std::thread::spawn(move || {
        while !over.load(Ordering::Relaxed) {
            if stop.asked() {
                let _ = remote.post(&format!("/agent/turns/{turn}/cancel"), &json!({}));
                return;
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    })
}

fn watch(
    printer: Printer,
    remote: &Remote,
    turn: &str,
    events: Events<impl std::io::Read>,
    stop: &Stop,
) -> Result<ExitCode, Failure> {
    for event in events {
        let event = event?;
        let data = &event.data;
        let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default();
        match event.name.as_str() {
            "phase" => phase(printer, data),
            "approval" => {
                printer.progress_end();
                let question = Question {
                    id: text("id").to_owned(),
                    text: text("text").to_owned(),
                    can_last: data.get("can_last") == Some(&Value::Bool(true)),
                    lang: text("lang").to_owned(),
                };
                let answer = match approvals::ask_here(&question, stop) {
                    Answer::Later => return finished(printer, &remote.get(&format!("/agent/turns/{turn}"))?),
                    Answer::Once => "once",
                    Answer::Session => "session",
                    Answer::Always => "always",
                    Answer::No => "no",
                    Answer::Never => "never",
                };
                let decided = json!({ "answer": answer, "wait": false });
                remote.post(&format!("/agent/approvals/{}", question.id), &decided)?;
            }
            "form" => {
                printer.progress_end();
                // A credential is not typed into a request.
                let lacks = data.get("credentials").is_some();
                let heard = if lacks { None } else { reply(printer, text("text"), stop) };
                if heard.as_deref().is_some_and(is_no) {
                    remote.post(&format!("/agent/turns/{turn}/cancel"), &json!({}))?;
                    return finished(printer, &remote.get(&format!("/agent/turns/{turn}"))?);
                }
                let Some(answer) = heard else {
                    return finished(printer, &remote.get(&format!("/agent/turns/{turn}"))?);
                };
                // The answer comes over this stream too; waiting for it twice is one time too many.
                let told = remote.post(&format!("/agent/forms/{turn}"), &json!({ "text": answer }))?;
                if told.get("approval").is_none() {
                    return finished(printer, &told);
                }
            }
            "final" => return finished(printer, data),
            "error" => {
                let failure = serde_json::from_value::<Failure>(data.clone());
                return Err(failure.unwrap_or_else(|_| Failure::internal(data.to_string())));
            }
            _ => {}
        }
    }
    Err(Failure::new(ErrorClass::Interrupted, "the daemon ended before the turn did")
        .with_hint(format!("metnos turns {turn} shows how far it came")))
}

fn phase(printer: Printer, data: &Value) {
    match data.get("phase").and_then(Value::as_str) {
        Some("plan") => {
            let steps = data.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
            if steps.len() > 1 && !printer.json {
                printer.progress_end();
                for (n, step) in steps.iter().enumerate() {
                    let args = step.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
                    let args: Vec<String> =
                        args.iter().map(|(name, value)| format!("{name}={value}")).collect();
                    let tool = step.get("tool").and_then(Value::as_str).unwrap_or_default();
                    printer.say(format!("{}. {tool} {}", n + 1, args.join(" ")));
                }
            }
        }
        Some("model") => printer.progress("asking a model"),
        Some("progress") => {
            let total =
                data.get("total").filter(|total| !total.is_null()).map(|total| format!(" of {total}"));
            let unit = data.get("unit").and_then(Value::as_str).unwrap_or_default();
            printer.progress(&format!("{}{} {unit}", data["done"], total.unwrap_or_default()));
        }
        _ => {}
    }
}

fn reply(printer: Printer, question: &str, stop: &Stop) -> Option<String> {
    if printer.json || !std::io::stdin().is_terminal() {
        return None;
    }
    print::prompt(&format!("{question} "));
    let mut line = String::new();
    let heard = stop.until_readable(std::io::stdin());
    (heard && std::io::stdin().read_line(&mut line).ok()? > 0).then_some(())?;
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// The answer, as `metnos ask` shows it without a daemon.
pub(super) fn finished(printer: Printer, answer: &Value) -> Result<ExitCode, Failure> {
    printer.progress_end();
    let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default();
    let (asks, lacks) = (text("status") == "asks", answer.get("question").is_none());
    let next = forms::next(text("turn"), asks, lacks, answer.get("next").and_then(Value::as_str));
    if printer.json {
        let mut value = answer.clone();
        if let Some(next) = next {
            value["next"] = next.into();
        }
        // The same form as without a daemon: the id of the question, not the card.
        if let Some(id) = answer.pointer("/approval/id").cloned() {
            value["approval"] = id;
        }
        printer.value(&value);
    } else {
        let rows: Vec<Map<String, Value>> =
            serde_json::from_value(answer.get("entries").cloned().unwrap_or_default()).unwrap_or_default();
        printer.table(&rows);
        printer.say(text("text"));
        if let Some(next) = next {
            printer.say(format!("→ {next}"));
        }
    }
    Ok(ExitCode::from(match text("status") {
        "done" => 0,
        "waits" | "asks" => 4,
        "cancelled" => 130,
        _ => 1,
    }))
}
