//! `metnos approvals`, `approve`, `reject`: questions and answers.

use super::exec::{Terminal, now, show, tidy};
use super::stop::Stop;
use super::{USER, caller};
use crate::print::Printer;
use metnos_doors::Words;
use metnos_executor::Failure;
use metnos_gateway::Gateway;
use metnos_runtime::call::turn_of;
use metnos_runtime::guards::{Answer, Approval, Choices, Question, Standing};
use serde_json::{Map, Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::ExitCode;

/// Asks whoever sits at this terminal; without one the question waits.
pub(crate) fn ask_here(question: &Question, stop: &Stop) -> Answer {
    // Whoever pipes something in does not sit there to answer.
    if !std::io::stdin().is_terminal() {
        return Answer::Later;
    }
    let Ok(mut terminal) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return Answer::Later;
    };
    // Two handles: one is read through a buffer.
    let Ok(copy) = terminal.try_clone() else { return Answer::Later };
    converse(&mut terminal, &mut BufReader::new(copy), question, stop).unwrap_or(Answer::Later)
}

fn converse(
    out: &mut File,
    input: &mut dyn BufRead,
    question: &Question,
    stop: &Stop,
) -> std::io::Result<Answer> {
    let Some(choices) = Choices::of(&question.lang, question.can_last) else { return Ok(Answer::Later) };
    writeln!(out, "{}", question.text)?;
    loop {
        write!(out, "{}", choices.line())?;
        out.flush()?;
        let mut line = String::new();
        if !stop.until_readable(&*out) || input.read_line(&mut line)? == 0 {
            return Ok(Answer::Later);
        }
        if let Some(answer) = heard(&choices, &line) {
            return Ok(answer);
        }
        // A line that was left empty asks for nothing to be explained.
        if !line.trim().is_empty() {
            writeln!(out, "{}", choices.unclear(&line))?;
        }
    }
}

/// The answer that was typed: a letter or a word of this question, or a yes or no of any language. What stands for
/// another answer here is never taken for a yes.
fn heard(choices: &Choices, line: &str) -> Option<Answer> {
    choices.heard(line).or_else(|| match Words::shipped().ok()?.answer(line)? {
        false => Some(Answer::No),
        true => (!choices.knows(line)).then_some(Answer::Once),
    })
}

/// Shows the questions that wait, or all of them.
pub(crate) fn list(printer: Printer, all: bool) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    let now = jiff::Timestamp::now();
    let mut rows = Vec::new();
    let questions = if all { runtime.questions()? } else { runtime.open_questions()? };
    for question in questions {
        let live = question.is_live(now);
        let state = match question.standing {
            Standing::Pending if !live => "too old",
            Standing::Pending => "waits",
            Standing::Approved if !live => "yes, too old",
            Standing::Approved => "yes",
            Standing::Rejected => "no",
            Standing::Consumed => "yes, used",
        };
        let mut row = Map::new();
        row.insert("id".into(), question.id.into());
        row.insert("asked_by".into(), question.caller.into());
        row.insert("executor".into(), question.executor.into());
        row.insert("count".into(), question.card.count.into());
        row.insert("state".into(), state.into());
        row.insert("until".into(), question.expires_at.into());
        rows.push(row);
    }
    printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
    if rows.is_empty() {
        printer.say("no question waits");
    }
    printer.table(&rows);
    Ok(ExitCode::SUCCESS)
}

/// Says yes, and runs what waited.
pub(crate) fn approve(
    printer: Printer,
    id: &str,
    session: bool,
    always: bool,
    by: Option<&str>,
) -> Result<ExitCode, Failure> {
    let answer = match (session, always) {
        (true, _) => Answer::Session,
        (_, true) => Answer::Always,
        _ => Answer::Once,
    };
    decide(printer, &Gateway::new(super::runtime(false)?)?, id, answer, &caller(by), Tell::Answer)
}

/// What is told of a no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tell {
    /// That it was taken.
    Answer,
    /// How the turn ended.
    Turn,
}

/// Answers a question. What waited runs, or ends; a turn goes on either way.
pub(crate) fn decide(
    printer: Printer,
    gateway: &Gateway,
    id: &str,
    answer: Answer,
    by: &str,
    tell: Tell,
) -> Result<ExitCode, Failure> {
    let runtime = gateway.runtime();
    let mut door = Terminal::new(printer)?;
    let now = now(None)?;
    let question = runtime.approval(id)?;
    let of = |question: &Approval| turn_of(question.call_id.as_deref()?).map(str::to_owned);
    let Some(turn) = question.as_ref().and_then(of) else {
        let done = runtime.decide_question(id, answer, by, now, || Ok(None), &mut door)?;
        let shown = match done {
            Some(mut done) => {
                printer.progress_end();
                show(printer, &mut done, None)
            }
            None => Ok(said(printer, gateway, question.as_ref(), id, answer, by)),
        };
        tidy(runtime);
        return shown;
    };
    let lists = || gateway.waiting_lists(&turn);
    let decide = || runtime.decide_question(id, answer, by, now, lists, &mut door);
    let (done, at_work) = gateway.at_work(&turn, decide)?;
    let shown = match (done, answer) {
        // A step of a turn: the turn goes on.
        (Some(done), _) => super::ask::go_on(printer, gateway, done, at_work),
        (None, Answer::No | Answer::Never) => match super::ask::refused(gateway, &turn, at_work)? {
            Some(told) if tell == Tell::Turn => super::ask::show(printer, told, &[]),
            _ => Ok(said(printer, gateway, question.as_ref(), id, answer, by)),
        },
        (None, _) => {
            gateway.leave(at_work)?;
            Ok(said(printer, gateway, question.as_ref(), id, answer, by))
        }
    };
    tidy(runtime);
    shown
}

/// What an answer came to that let nothing run.
fn said(
    printer: Printer,
    gateway: &Gateway,
    question: Option<&Approval>,
    id: &str,
    answer: Answer,
    by: &str,
) -> ExitCode {
    let never = answer == Answer::Never;
    match (answer, question) {
        (Answer::No | Answer::Never, Some(question)) => {
            printer.value(&json!({ "rejected": id, "never": never }));
            printer.say(gateway.runtime().refusal(question, never, &gateway.runtime().language(by)));
        }
        _ => {
            printer.value(&json!({ "approved": id }));
            printer.say("yes; run the same command again to use it");
        }
    }
    ExitCode::SUCCESS
}

/// Says no; a turn that waited for it ends.
pub(crate) fn reject(printer: Printer, id: &str, never: bool, by: Option<&str>) -> Result<ExitCode, Failure> {
    let answer = if never { Answer::Never } else { Answer::No };
    let by = by.map_or_else(|| USER.to_owned(), |name| caller(Some(name)));
    decide(printer, &Gateway::new(super::runtime(false)?)?, id, answer, &by, Tell::Answer)
}
