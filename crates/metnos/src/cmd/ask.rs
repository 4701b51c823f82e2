//! `metnos ask`: a request in plain words.

use super::answer;
use super::approvals::Tell;
use super::dry_run;
use super::exec::{self, Terminal};
use crate::cli::Ask;
use crate::print::{self, Printer};
use crate::remote::Remote;
use metnos_doors::{ANSWER_EACH, TurnRequest, Words};
use metnos_executor::wire::Progress;
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::{
    Asked, AtWork, Cut, Gateway, Maker, Messages, Plan, Reply, Told, Turn, TurnDoor, numbered,
};
use metnos_runtime::Form;
use metnos_runtime::call::{Done, Door, turn_of};
use metnos_runtime::guards::{Answer as Decision, Question};
use metnos_runtime::people::HOST;
use std::io::{IsTerminal, Read};
use std::process::ExitCode;

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
    /// What they asked for in place of choosing from what was offered.
    pub(super) instead: Option<String>,
}

impl Chat {
    pub(super) fn new(printer: Printer) -> Result<Self, Failure> {
        Ok(Self { terminal: Terminal::new(printer)?, printer, given_up: false, instead: None })
    }
}

impl Door for Chat {
    fn progress(&mut self, progress: &Progress) {
        self.terminal.progress(progress);
    }

    fn says(&mut self, text: &str) {
        self.terminal.says(text);
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

    fn offer(&mut self, text: &str, choices: &[String]) -> Option<String> {
        if self.printer.json || !std::io::stdin().is_terminal() {
            return None;
        }
        print::prompt(&format!("{}\n> ", numbered(text, choices)));
        let line = self.terminal.hear().filter(|line| !line.is_empty())?;
        if is_choice(&line, choices) {
            return Some(line);
        }
        (self.given_up, self.instead) = (true, Some(line));
        None
    }

    fn as_door(&mut self) -> &mut dyn Door {
        self
    }
}

/// Whether what was typed below an offer answers it; anything else is a request of its own.
pub(crate) fn is_choice(line: &str, choices: &[String]) -> bool {
    Messages::shipped().is_ok_and(|messages| messages.reply(line, choices) != Reply::Else)
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
        .with_hint(ANSWER_EACH)),
    }
}

/// The newest turn of this conversation, where it offers something and this is a choice from it.
fn offers(gateway: &Gateway, asked: &Asked) -> Result<Option<Turn>, Failure> {
    let newest = gateway.turns_in(&asked.conversation, 1)?.pop().filter(|turn| turn.caller == asked.caller);
    let Some(newest) = newest else { return Ok(None) };
    let offer = gateway.open_offer(&newest.id)?;
    Ok(offer.filter(|offer| gateway.reply_to(offer, &asked.text) != Reply::Else).map(|_| newest))
}

/// Carries out one request.
pub(crate) fn ask(printer: Printer, args: &Ask) -> Result<ExitCode, Failure> {
    let request = request(args, Some(exec::here()?.to_string_lossy().into_owned()))?;
    // A moment or a person that is given is for trying things out, and stays in this process.
    let daemon = match args.now.is_none() && args.by.is_none() && !args.dry_run {
        true => Remote::local(&super::home()?),
        false => None,
    };
    if let Some(daemon) = daemon {
        return crate::remote::ask(printer, &daemon, request);
    }
    metnos_engine::Lexicons::prepare();
    let gateway = Gateway::new(super::runtime(false)?)?;
    // Their own zone, unless the command line says otherwise. The language is read from the words.
    let person = gateway.runtime().person(args.by.as_deref().unwrap_or(HOST))?;
    let zone = person.and_then(|person| person.zone);
    let asked = Asked {
        text: request.text,
        language: request.language,
        now: moment(args.now.as_deref(), request.zone.as_deref().or(zone.as_deref()))?,
        caller: super::caller(args.by.as_deref()),
        conversation: request.conversation.unwrap_or_else(super::session),
        session: super::session(),
        base: exec::here()?,
    };
    if args.dry_run {
        let dry = gateway.rehearse(&asked, &mut Chat::new(printer)?)?;
        return Ok(dry_run::show(printer, &gateway, &dry));
    }
    one(printer, &gateway, &asked)
}

/// A request as a door takes it, looked at before anybody is asked.
pub(crate) fn request(args: &Ask, base: Option<String>) -> Result<TurnRequest, Failure> {
    let request = TurnRequest {
        text: words(args)?,
        conversation: Some(args.conversation.clone().unwrap_or_else(super::session)),
        language: args.lang.clone(),
        zone: args.zone.clone(),
        base,
        ..TurnRequest::default()
    };
    request.check()?;
    Ok(request)
}

/// The words of a request, from the command line or from standard input.
fn words(args: &Ask) -> Result<String, Failure> {
    if args.request != ["-"] {
        return Ok(args.request.join(" "));
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
    if let Some(offering) = offers(gateway, asked)? {
        return super::forms::go_on(printer, gateway, offering, Some(&asked.text));
    }
    let told = gateway.ask(asked, &mut door)?;
    printer.progress_end();
    if let Some(text) = door.instead {
        return one(printer, gateway, &Asked { text, ..asked.clone() });
    }
    let turn = told.turn.clone();
    let shown = show(printer, gateway, &turn, &cut);
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
    gateway.resume(at_work, done, &asked, &mut door)?;
    printer.progress_end();
    if let Some(text) = door.instead {
        return one(printer, gateway, &Asked { text, ..asked });
    }
    let shown = show(printer, gateway, &turn, &[]);
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
        printer.tell(format!("interrupted: “{}” of {}", turn.request, turn.at));
        turn.done.iter().for_each(|step| printer.tell(format!("  done: {step}")));
        if let Some(step) = &turn.cut {
            printer.tell(format!("  cut off: {step}"));
        }
        printer.say(format!("→ {}", crate::print::own(&turn.next)));
    }
}

/// The answer of a turn that ended, or waits, here.
pub(super) fn show(
    printer: Printer,
    gateway: &Gateway,
    turn: &str,
    cut: &[Cut],
) -> Result<ExitCode, Failure> {
    answer::show(printer, &answer::of(printer, gateway, turn)?, cut)
}

/// Why an executor cannot run, by the key of the reason.
fn asleep(why: &str) -> String {
    let messages = Messages::shipped().ok();
    messages.map_or_else(
        || why.to_owned(),
        |messages| messages.asleep(crate::print::language(), why, "metnos executors list"),
    )
}

/// The steps of a plan, one a line.
pub(super) fn steps(printer: Printer, plan: &Plan) {
    for (n, step) in plan.steps.iter().enumerate() {
        let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let asleep = step.dormant.as_deref().map(|why| format!("   (cannot run: {})", asleep(why)));
        let asleep = asleep.unwrap_or_default();
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
