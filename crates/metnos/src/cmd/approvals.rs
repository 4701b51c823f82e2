//! `metnos approvals`, `approve`, `reject`: questions and answers.

use super::exec::{Terminal, now, show, tidy};
use super::stop::Stop;
use super::{USER, caller};
use crate::print::Printer;
use metnos_doors::Words;
use metnos_executor::Failure;
use metnos_gateway::Gateway;
use metnos_runtime::call::turn_of;
use metnos_runtime::guards::{Answer, Choices, Question, Standing};
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
    let runtime = super::runtime(false)?;
    let mut door = Terminal::new(printer)?;
    let (by, now) = (caller(by), now(None)?);
    let question = runtime.approval(id)?;
    let turn = question.and_then(|question| turn_of(question.call_id.as_deref()?).map(str::to_owned));
    if let Some(turn) = turn {
        let gateway = Gateway::new(runtime)?;
        let lists = || gateway.waiting_lists(&turn);
        let decide = || gateway.runtime().decide_question(id, answer, &by, now, lists, &mut door);
        let (done, at_work) = gateway.at_work(&turn, decide)?;
        let Some(done) = done else {
            gateway.leave(at_work)?;
            return Ok(said_yes(printer, id));
        };
        // A step of a turn: the turn goes on.
        let shown = super::ask::go_on(printer, &gateway, done, at_work);
        tidy(gateway.runtime());
        return shown;
    }
    match runtime.decide_question(id, answer, &by, now, || Ok(None), &mut door)? {
        Some(mut done) => {
            printer.progress_end();
            let shown = show(printer, &mut done, None);
            tidy(&runtime);
            shown
        }
        None => Ok(said_yes(printer, id)),
    }
}

/// A yes that waits to be used.
fn said_yes(printer: Printer, id: &str) -> ExitCode {
    printer.value(&json!({ "approved": id }));
    printer.say("yes; run the same command again to use it");
    ExitCode::SUCCESS
}

/// Says no.
pub(crate) fn reject(printer: Printer, id: &str, never: bool, by: Option<&str>) -> Result<ExitCode, Failure> {
    let answer = if never { Answer::Never } else { Answer::No };
    let by = by.map_or_else(|| USER.to_owned(), |name| caller(Some(name)));
    let runtime = super::runtime(false)?;
    let question = runtime.approval(id)?;
    let mut door = metnos_runtime::call::Silent;
    runtime.decide_question(id, answer, &by, now(None)?, || Ok(None), &mut door)?;
    printer.value(&json!({ "rejected": id, "never": never }));
    if let Some(question) = question {
        printer.say(runtime.refusal(&question, never, &runtime.language(&by)));
    }
    Ok(ExitCode::SUCCESS)
}
