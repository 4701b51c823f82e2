//! `metnos ask`: a request in plain words.

use super::approvals::Tell;
use super::exec::{self, Terminal};
use super::forms;
use crate::cli::Ask;
use crate::print::{self, Printer};
use crate::remote::Remote;
use metnos_doors::Words;
use metnos_executor::wire::Progress;
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::{Asked, AtWork, Cut, Gateway, Maker, Plan, Status, Told, Turn, TurnDoor};
use metnos_runtime::Form;
use metnos_runtime::call::{Done, Door, turn_of};
use metnos_runtime::guards::{Answer as Decision, Question};
use metnos_runtime::people::HOST;
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::ExitCode;

/// How many rows of a list are shown.
const ROWS: usize = 60;
/// How far back a card of a conversation is looked for.
const LATELY: u32 = 20;
/// The longest request that is read from standard input.
const REQUEST_MAX: u64 = 64 << 10;

/// The terminal, for a whole turn.
pub(super) struct Chat {
    terminal: Terminal,
    printer: Printer,
    /// The person said no to a question: nothing more of the turn is wanted.
    given_up: bool,
}

impl Chat {
    pub(super) fn new(printer: Printer) -> Result<Self, Failure> {
        Ok(Self { terminal: Terminal::new(printer)?, printer, given_up: false })
    }
}

impl Door for Chat {
    fn progress(&mut self, progress: &Progress) {
        self.terminal.progress(progress);
    }

    fn cancelled(&self) -> bool {
        self.given_up || self.terminal.cancelled()
    }

    fn fill(&mut self, form: &Form) -> Option<Vec<(String, String)>> {
        self.terminal.fill(form)
    }

    fn ask(&mut self, question: &Question) -> Decision {
        self.terminal.ask(question)
    }
}

impl TurnDoor for Chat {
    fn plan(&mut self, plan: &Plan) {
        self.printer.progress_end();
        // One step explains itself; several are shown before they run, and so is what a model made.
        if !self.printer.json && (plan.steps.len() > 1 || plan.source == Maker::Model) {
            steps(self.printer, plan);
        }
    }

    fn consults(&mut self, model: &str) {
        self.printer.progress(&format!("asking {model}"));
    }

    fn question(&mut self, text: &str) -> Option<String> {
        if self.printer.json || !std::io::stdin().is_terminal() {
            return None;
        }
        print::prompt(&format!("{text} "));
        let line = self.terminal.hear().filter(|line| !line.is_empty())?;
        self.given_up = is_no(&line);
        (!self.given_up).then_some(line)
    }

    fn as_door(&mut self) -> &mut dyn Door {
        self
    }
}

/// Whether what was typed at a question means that it is not wanted any more.
pub(crate) fn is_no(line: &str) -> bool {
    Words::shipped().is_ok_and(|words| words.yes_or_no(line) == Some(false))
}

/// A plain yes or no, said where a card of this conversation waits: the card and the answer. Where several wait, only
/// the newest turn's is meant by a word that names none.
fn answers(gateway: &Gateway, asked: &Asked) -> Result<Option<(String, bool)>, Failure> {
    let Some(yes) = Words::shipped().ok().and_then(|words| words.yes_or_no(&asked.text)) else {
        return Ok(None);
    };
    let turns = gateway.turns_in(&asked.conversation, LATELY)?;
    if turns.first().is_some_and(|newest| newest.status.as_deref() == Some("asks")) {
        return Ok(None);
    }
    let waits = |id: &str| {
        turns.iter().position(|turn| {
            turn.id == id && turn.caller == asked.caller && turn.status.as_deref() == Some("waits")
        })
    };
    let open = gateway.runtime().open_questions()?.into_iter();
    let mut cards: Vec<(usize, String)> =
        open.filter_map(|card| Some((waits(turn_of(card.call_id.as_deref()?)?)?, card.id))).collect();
    cards.sort();
    match &cards[..] {
        [] => Ok(None),
        [(_, card)] | [(0, card), ..] => Ok(Some((card.clone(), yes))),
        several => Err(Failure::new(
            ErrorClass::Conflict,
            format!("{} questions wait; which one is meant?", several.len()),
        )
        .with_hint("metnos approvals lists them; metnos approve ID, metnos reject ID")),
    }
}

/// Carries out one request.
pub(crate) fn ask(printer: Printer, args: &Ask) -> Result<ExitCode, Failure> {
    // A moment or a person that is given is for trying things out, and stays in this process.
    let daemon = match args.now.is_none() && args.by.is_none() {
        true => Remote::local(&super::home()?),
        false => None,
    };
    if let Some(daemon) = daemon {
        let mut body = json!({ "text": words(args)?, "base": exec::here()?.to_string_lossy() });
        let name = args.conversation.clone().unwrap_or_else(super::session);
        for (key, value) in [("language", &args.lang), ("zone", &args.zone), ("conversation", &Some(name))] {
            if let Some(value) = value {
                body[key] = value.clone().into();
            }
        }
        return crate::remote::ask(printer, &daemon, &body);
    }
    metnos_engine::Lexicons::prepare();
    let gateway = Gateway::new(super::runtime(false)?)?;
    // Their own zone, unless the command line says otherwise. The language is read from the words.
    let person = gateway.runtime().person(args.by.as_deref().unwrap_or(HOST))?;
    let zone = person.and_then(|person| person.zone);
    let asked = Asked {
        text: words(args)?,
        language: args.lang.clone(),
        now: moment(args.now.as_deref(), args.zone.as_deref().or(zone.as_deref()))?,
        caller: super::caller(args.by.as_deref()),
        conversation: args.conversation.clone().unwrap_or_else(super::session),
        session: super::session(),
        base: exec::here()?,
    };
    one(printer, &gateway, &asked)
}

/// The words of a request, from the command line or from standard input.
pub(crate) fn words(args: &Ask) -> Result<String, Failure> {
    if args.request != ["-"] {
        let words = args.request.join(" ");
        return match words.trim().is_empty() {
            true => {
                Err(Failure::wrong_args("nothing was said")
                    .with_hint("for example: metnos ask what time is it"))
            }
            false => Ok(words),
        };
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().take(REQUEST_MAX + 1).read_to_string(&mut text);
    let read = read.map_err(|e| Failure::io("standard input", &e))?;
    match text.trim() {
        _ if read as u64 > REQUEST_MAX => Err(Failure::new(
            ErrorClass::TooLarge,
            format!("a request is longer than {} KiB", REQUEST_MAX >> 10),
        )),
        "" => Err(Failure::wrong_args("standard input holds no request")),
        words => Ok(words.to_owned()),
    }
}

/// One request and its answer.
pub(crate) fn one(printer: Printer, gateway: &Gateway, asked: &Asked) -> Result<ExitCode, Failure> {
    let mut door = Chat::new(printer)?;
    let cut = gateway.cut_off(Some(&asked.caller))?;
    interrupted(printer, &cut);
    if let Some((card, yes)) = answers(gateway, asked)? {
        let answer = if yes { Decision::Once } else { Decision::No };
        return super::approvals::decide(printer, gateway, &card, answer, &asked.caller, Tell::Turn);
    }
    let told = gateway.ask(asked, &mut door)?;
    printer.progress_end();
    let turn = told.turn.clone();
    let shown = show(printer, told, &cut);
    afterwards(gateway, &turn);
    exec::tidy(gateway.runtime());
    shown
}

/// A request that was made before, as it is taken up now.
pub(super) fn again(gateway: &Gateway, known: &Turn) -> Result<Asked, Failure> {
    Ok(Asked {
        text: known.request.clone(),
        language: None,
        now: exec::now(super::zone(gateway.runtime(), &known.caller, None))?,
        caller: known.caller.clone(),
        conversation: known.conversation.clone(),
        session: super::session(),
        base: exec::here()?,
    })
}

/// Goes on with the turn of a step that has just been let through.
pub(crate) fn go_on(
    printer: Printer,
    gateway: &Gateway,
    done: Done,
    at_work: AtWork,
) -> Result<ExitCode, Failure> {
    let turn = turn_of(&done.call_id).unwrap_or_default().to_owned();
    let Some(known) = gateway.turn(&turn)? else {
        let mut done = done;
        return exec::show(printer, &mut done, None);
    };
    let asked = again(gateway, &known)?;
    let mut door = Chat::new(printer)?;
    let told = gateway.resume(at_work, done, &asked, &mut door)?;
    printer.progress_end();
    let shown = show(printer, told, &[]);
    afterwards(gateway, &turn);
    shown
}

/// Ends the turn of a step to which somebody said no.
pub(super) fn refused(gateway: &Gateway, turn: &str, at_work: AtWork) -> Result<Option<Told>, Failure> {
    let Some(known) = gateway.turn(turn)? else { return gateway.leave(at_work).map(|()| None) };
    let asked = again(gateway, &known)?;
    gateway.refused(at_work, &asked, &mut Chat::new(Printer { json: true })?).map(Some)
}

/// After the answer: what fails here loses a lesson or a little room, and nothing else.
pub(super) fn afterwards(gateway: &Gateway, turn: &str) {
    let _ = gateway.learn(turn);
    let _ = gateway.tidy();
}

/// What was cut off before is said first, once.
pub(super) fn interrupted(printer: Printer, cut: &[Cut]) {
    for turn in cut {
        printer.say(format!("interrupted: “{}” of {}", turn.request, turn.at));
        turn.done.iter().for_each(|step| printer.say(format!("  done: {step}")));
        if let Some(step) = &turn.cut {
            printer.say(format!("  cut off: {step}"));
        }
        printer.say(format!("→ {}", turn.next));
    }
}

pub(super) fn show(printer: Printer, told: Told, cut: &[Cut]) -> Result<ExitCode, Failure> {
    let Told { turn, ending, list, stage } = told;
    let (asks, lacks) = (ending.status == Status::Asks, !ending.credentials.is_empty());
    let next = forms::next(&turn, asks, lacks, ending.next.as_deref());
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    for line in list.into_iter().flat_map(|list| BufReader::new(list).split(b'\n')) {
        let line = line.map_err(|e| Failure::io("the answer", &e))?;
        if printer.json || rows.len() <= ROWS {
            rows.extend(serde_json::from_slice::<Map<String, Value>>(&line).ok());
        }
    }
    if printer.json {
        let mut value = json!({ "turn": turn, "status": ending.status, "stage": stage, "text": ending.text, "entries": rows });
        if let Some(picture) = &ending.picture {
            value["picture"] = picture.as_str().into();
        }
        if ending.by_model {
            value["by_model"] = true.into();
        }
        if !cut.is_empty() {
            value["interrupted"] = json!(cut);
        }
        if !ending.credentials.is_empty() {
            value["credentials"] = json!(ending.credentials);
        }
        for (key, field) in [("next", &next), ("approval", &ending.approval)] {
            if let Some(field) = field {
                value[key] = field.clone().into();
            }
        }
        printer.value(&value);
    } else {
        printer.table(&rows);
        printer.say(&ending.text);
        if let Some(next) = &next {
            printer.say(format!("→ {next}"));
        }
    }
    Ok(ExitCode::from(match ending.status {
        Status::Done => 0,
        Status::Waits | Status::Asks => 4,
        Status::Cancelled => 130,
        _ => 1,
    }))
}

/// The steps of a plan, one a line.
pub(super) fn steps(printer: Printer, plan: &Plan) {
    for (n, step) in plan.steps.iter().enumerate() {
        let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let asleep =
            step.dormant.as_ref().map(|why| format!("   (cannot run yet: {why})")).unwrap_or_default();
        printer.say(format!("{}. {} {}{asleep}", n + 1, step.tool, args.join(" ")));
    }
}

/// The moment a request is asked at.
pub(super) fn moment(now: Option<&str>, zone: Option<&str>) -> Result<jiff::Zoned, Failure> {
    let Some(now) = now else { return exec::now(zone) };
    let wrong = |e: jiff::Error| Failure::wrong_args(format!("--now: {e}"));
    let at: jiff::Timestamp = now.parse().map_err(wrong)?;
    match zone {
        Some(zone) => at.in_tz(zone).map_err(|e| Failure::wrong_args(format!("--zone: {e}"))),
        None => Ok(at.to_zoned(jiff::tz::TimeZone::system())),
    }
}
