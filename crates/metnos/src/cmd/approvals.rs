//! `metnos approvals`, `approve`, `reject`: questions and answers.

use super::exec::{Terminal, now, show, tidy};
use super::stop::Stop;
use super::{USER, caller};
use crate::print::Printer;
use crate::remote::Remote;
use metnos_doors::{Card, Stands, Words};
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::Gateway;
use metnos_runtime::call::turn_of;
use metnos_runtime::guards::{Answer, Approval, Choices, Question};
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
    writeln!(out, "{}", crate::print::safe(&question.text))?;
    loop {
        write!(out, "{}", choices.line())?;
        out.flush()?;
        let mut line = String::new();
        if !stop.until_readable(&*out) || input.read_line(&mut line)? == 0 {
            return Ok(Answer::Later);
        }
        if choices.wants_details(&line) {
            for detail in &question.details {
                writeln!(out, "  {}", crate::print::safe(detail))?;
            }
            continue;
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

/// Shows the questions that wait, all of them, or one with its details.
pub(crate) fn list(printer: Printer, all: bool, id: Option<&str>) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    let questions = match id {
        Some(id) => vec![runtime.approval(id)?.ok_or_else(|| {
            Failure::new(ErrorClass::NotFound, format!("no question is called {id}"))
                .with_hint("metnos approvals")
        })?],
        None if all => runtime.questions()?,
        None => runtime.open_questions()?,
    };
    let cards: Vec<Card> = questions.iter().map(|question| Card::of(&runtime, question)).collect();
    listed(printer, &cards, id.is_some())
}

/// The questions of this house or of another; with their details where one was asked for.
pub(crate) fn listed(printer: Printer, cards: &[Card], details: bool) -> Result<ExitCode, Failure> {
    let row = |card: &Card| {
        let state = match card.standing {
            Stands::Pending => "waits",
            Stands::Approved => "yes",
            Stands::Rejected => "no",
            Stands::Consumed => "yes, used",
            Stands::Expired => "too old",
        };
        let mut row = Map::new();
        row.insert("id".into(), card.id.clone().into());
        row.insert("asked_by".into(), card.asked_by.clone().into());
        row.insert("executor".into(), card.executor.clone().into());
        row.insert("count".into(), card.count.into());
        row.insert("state".into(), state.into());
        row.insert("until".into(), card.expires_at.clone().into());
        if printer.json {
            row.insert("text".into(), card.text.clone().into());
            row.insert("details".into(), card.details.clone().into());
        }
        row
    };
    for card in cards.iter().filter(|_| details) {
        printer.say(&card.text);
        card.details.iter().for_each(|detail| printer.say(format!("  {detail}")));
    }
    let rows: Vec<_> = cards.iter().map(row).collect();
    printer.value(&Value::Array(rows.iter().cloned().map(Value::Object).collect()));
    if rows.is_empty() {
        printer.tell("no question waits");
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
    let runtime = super::runtime(false)?;
    // Where the turn runs everybody who watches it sees how far it is.
    let asked = runtime.approval(id)?.and_then(|question| question.call_id);
    let of_turn = asked.as_deref().and_then(turn_of);
    if let Some((turn, daemon)) = of_turn.filter(|_| by.is_none()).zip(Remote::local(&runtime.home)) {
        return crate::remote::approve(printer, &daemon, id, turn, answer);
    }
    decide(printer, &Gateway::new(runtime)?, id, answer, &caller(by), Tell::Answer)
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
    let (done, at_work) = gateway.at_work(&turn, answer, decide)?;
    let shown = match (done, answer) {
        // A step of a turn: the turn goes on.
        (Some(done), _) => super::ask::go_on(printer, gateway, done, at_work),
        (None, Answer::No | Answer::Never) => match super::ask::refused(gateway, &turn, at_work)? {
            Some(told) if tell == Tell::Turn => super::ask::show(printer, gateway, &told.turn, &[]),
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
            printer.tell("yes; run the same command again to use it");
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
