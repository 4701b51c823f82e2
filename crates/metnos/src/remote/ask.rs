//! One request to a daemon: watched as it happens, its questions answered here.

use super::Remote;
use super::events::Events;
use crate::cmd::ask::{is_choice, is_no};
use crate::cmd::{answer, approvals, stop::Stop};
use crate::print::{self, Printer};
use metnos_doors::{Card, Rows, Stands, TurnAnswer, TurnRequest};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::guards::{Answer, Question};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Rows that are asked for at once.
const PAGE: usize = 1000;

/// Asks, shows what happens, and says how the process should end.
pub(crate) fn ask(printer: Printer, remote: &Remote, request: TurnRequest) -> Result<ExitCode, Failure> {
    let turn = metnos_executor::Ulid::new().to_string();
    let again = TurnRequest { turn: None, ..request.clone() };
    let request = TurnRequest { turn: Some(turn.clone()), ..request };
    // From before it is sent: it can be stopped while it is being read.
    let over = Arc::new(AtomicBool::new(false));
    let stop = Arc::new(Stop::listen()?);
    let id = Arc::new(Mutex::new(turn.clone()));
    let listening = cancel_on_stop(remote, &id, &over, &stop);
    let ended = remote.stream("/agent/turn", &json!(request)).and_then(|(named, stream)| {
        // A house whose clock says otherwise gives the turn another id.
        let turn = named.unwrap_or(turn);
        turn.clone_into(&mut id.lock().unwrap_or_else(PoisonError::into_inner));
        watch(printer, remote, &turn, Events::new(stream), &stop)
    });
    over.store(true, Ordering::Relaxed);
    let _ = listening.join();
    match ended? {
        Ended::Over(code) => Ok(code),
        Ended::Instead(text) => ask(printer, remote, TurnRequest { text, ..again }),
    }
}

/// How watching a turn ended.
enum Ended {
    /// With what the process says at its end.
    Over(ExitCode),
    /// Something else is wanted than what was offered.
    Instead(String),
}

/// Says yes to a card of a turn, and shows how the turn goes on.
pub(crate) fn approve(
    printer: Printer,
    remote: &Remote,
    id: &str,
    turn: &str,
    answer: Answer,
) -> Result<ExitCode, Failure> {
    let (over, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(Stop::listen()?));
    let body = json!({ "answer": word(answer).unwrap_or("once"), "wait": false });
    let (_, stream) = remote.stream(&format!("/agent/approvals/{id}"), &body)?;
    let listening = cancel_on_stop(remote, &Arc::new(Mutex::new(turn.to_owned())), &over, &stop);
    let ended = watch(printer, remote, turn, Events::new(stream), &stop);
    over.store(true, Ordering::Relaxed);
    let _ = listening.join();
    match ended? {
        Ended::Over(code) => Ok(code),
        Ended::Instead(text) => {
            let conversation = Some(crate::cmd::session());
            ask(printer, remote, TurnRequest { text, conversation, ..TurnRequest::default() })
        }
    }
}

/// Carries Ctrl-C to where the turn runs.
fn cancel_on_stop(
    remote: &Remote,
    turn: &Arc<Mutex<String>>,
    over: &Arc<AtomicBool>,
    stop: &Arc<Stop>,
) -> std::thread::JoinHandle<()> {
    let (remote, turn, over, stop) = (remote.clone(), Arc::clone(turn), Arc::clone(over), Arc::clone(stop));
    std::thread::spawn(move || {
        while !over.load(Ordering::Relaxed) {
            if stop.asked() {
                let turn = turn.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // One that has not even arrived yet is told again.
                if remote.post(&format!("/agent/turns/{turn}/cancel"), &json!({})).is_ok() {
                    return;
                }
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
) -> Result<Ended, Failure> {
    for event in events {
        let event = event?;
        let data = &event.data;
        match event.name.as_str() {
            "phase" => phase(printer, data),
            "approval" | "form" | "offer" => {
                printer.progress_end();
                // What was answered meanwhile is no longer asked: it goes on in this stream.
                let stands: TurnAnswer = read(remote.get(&format!("/agent/turns/{turn}"))?)?;
                match stands.status.as_str() {
                    "waits" => {
                        let Some(card) =
                            stands.approval.clone().filter(|card| card.standing == Stands::Pending)
                        else {
                            continue;
                        };
                        let Card { id, text, details, can_last, lang, .. } = card;
                        let question = Question { id, text, details, can_last, lang };
                        let Some(answer) = word(approvals::ask_here(&question, stop)) else {
                            return finished(printer, remote, json!(stands)).map(Ended::Over);
                        };
                        let decided = json!({ "answer": answer, "wait": false });
                        remote.post(&format!("/agent/approvals/{}", question.id), &decided)?;
                    }
                    "asks" => {
                        // A credential is not typed into a request.
                        let below = if stands.offer.is_some() { "\n>" } else { "" };
                        let question = stands.question.as_ref().map(|text| format!("{text}{below}"));
                        let heard = question.and_then(|text| reply(printer, &text, stop));
                        let Some(answer) = heard else {
                            return finished(printer, remote, json!(stands)).map(Ended::Over);
                        };
                        let offer = stands.offer.as_ref();
                        let choices: Vec<String> = offer.map_or_else(Vec::new, |offer| {
                            offer.choices.iter().map(|choice| choice.says.clone()).collect()
                        });
                        if offer.is_some() && !is_choice(&answer, &choices) {
                            return Ok(Ended::Instead(answer));
                        }
                        if offer.is_none() && is_no(&answer) {
                            remote.post(&format!("/agent/turns/{turn}/cancel"), &json!({}))?;
                            return finished(printer, remote, remote.get(&format!("/agent/turns/{turn}"))?)
                                .map(Ended::Over);
                        }
                        // The answer comes over this stream too; waiting for it twice is one time too many.
                        let told =
                            remote.post(&format!("/agent/forms/{turn}"), &json!({ "text": answer }))?;
                        // What is offered next comes over this stream.
                        if told.get("approval").is_none() && told.get("offer").is_none() {
                            return finished(printer, remote, told).map(Ended::Over);
                        }
                    }
                    _ => {}
                }
            }
            "final" => return finished(printer, remote, event.data).map(Ended::Over),
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

/// An answer as the address of a question takes it; none when nobody is there to give one.
fn word(answer: Answer) -> Option<&'static str> {
    Some(match answer {
        Answer::Later => return None,
        Answer::Once => "once",
        Answer::Session => "session",
        Answer::Always => "always",
        Answer::No => "no",
        Answer::Never => "never",
    })
}

fn phase(printer: Printer, data: &Value) {
    match data.get("phase").and_then(Value::as_str) {
        Some("plan") => {
            let steps = data.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
            let by_model = data.get("stage").and_then(Value::as_str) == Some("model");
            if (steps.len() > 1 || by_model) && !printer.json {
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
        Some("says") => printer.progress(data.get("text").and_then(Value::as_str).unwrap_or_default()),
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

/// The answer, as `metnos ask` shows it without a daemon: with all of its rows where a program reads them.
pub(super) fn finished(printer: Printer, remote: &Remote, answer: Value) -> Result<ExitCode, Failure> {
    let mut answer: TurnAnswer = read(answer)?;
    while printer.json && answer.count > answer.entries.len() as u64 {
        let from = answer.entries.len();
        let part = remote.get(&format!("/agent/turns/{}/entries?from={from}&most={PAGE}", answer.turn))?;
        let mut part: Rows = read(part)?;
        if part.entries.is_empty() {
            break;
        }
        answer.entries.append(&mut part.entries);
    }
    answer::show(printer, &answer, &[])
}

/// What a house said, as what it is.
pub(super) fn read<T: DeserializeOwned>(said: Value) -> Result<T, Failure> {
    serde_json::from_value(said).map_err(|e| {
        Failure::new(ErrorClass::Network, format!("the house there speaks otherwise: {e}"))
            .with_hint("use the same version of Metnos on both machines")
    })
}
