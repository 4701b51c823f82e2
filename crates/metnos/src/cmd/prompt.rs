//! `metnos` without a command: a prompt that runs executors.

use super::command::Command;
use super::exec::{self, Terminal};
use super::stop::Stop;
use super::{forms, line, sugar};
use crate::print::{self, Printer};
use metnos_executor::Failure;
use metnos_gateway::{Asked, Gateway};
use metnos_runtime::Runtime;
use metnos_runtime::call::{Provenance, Spec};
use serde_json::{Map, Value};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

const HELP: &str = "\
  find the PDFs from last month in Documents           plain words, English or Italian
  undo                                                 takes the last change back
  go on                                                when what was lacking is kept
  find_files patterns=*.pdf base_path=~/Documents      name=value, lists with commas
  compute_numbers {\"expression\": \"5 km in miles\"}      or JSON
  star, ★         keeps the plan of the last answer for this request
  list            every executor
  show NAME       what one does and takes
  stop everything halts all work, here and elsewhere; metnos resume
  help, quit";

/// The longest line of the prompt.
const LINE_MAX: u64 = 4 << 20;

/// A prompt of its own.
pub(crate) fn run(printer: Printer) -> Result<ExitCode, Failure> {
    let gateway = Arc::new(Gateway::new(super::runtime(true)?)?);
    let watched = Arc::clone(&gateway);
    // Birth promises are tried again at every start; a broken one shows in the list and in status.
    std::thread::spawn(move || watched.runtime().rebirth());
    converse(printer, &gateway, House::Ours)
}

/// Whose process the prompt runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum House {
    /// Its own: Ctrl-C while nothing runs ends it.
    Ours,
    /// That of a daemon, which Ctrl-C does not end.
    Shared,
}

/// Reads a line, runs it, again.
pub(crate) fn converse(printer: Printer, gateway: &Gateway, house: House) -> Result<ExitCode, Failure> {
    let runtime = gateway.runtime();
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        let active = runtime.executors().iter().filter(|l| l.state == "active").count();
        printer.say(format!(
            "Metnos {}. {active} executors, every call behind three kernel layers.",
            env!("CARGO_PKG_VERSION")
        ));
        printer.say("Say what you want, in English or Italian; help shows more.");
    }
    super::ask::interrupted(printer, &gateway.cut_off(Some(super::USER))?);
    let mut line = Vec::new();
    loop {
        let read = {
            // Before anybody is invited to press it.
            let _ends = (house == House::Ours).then(Stop::at_once).transpose()?;
            if interactive {
                print::prompt("metnos> ");
            }
            // Held for one line: a question in the middle of a turn reads the next one.
            line::next(&mut std::io::stdin().lock(), LINE_MAX, &mut line)
        };
        match read.map_err(|e| Failure::io("standard input", &e))? {
            Ok(false) => return Ok(ExitCode::SUCCESS),
            Ok(true) => {}
            Err(too_long) => {
                printer.failure(&too_long);
                continue;
            }
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        let ran = match Command::of(&text) {
            Command::Nothing => Ok(()),
            Command::Quit => return Ok(ExitCode::SUCCESS),
            Command::Help => {
                printer.say(HELP);
                Ok(())
            }
            Command::List => {
                list(printer, runtime);
                Ok(())
            }
            Command::Show(name) => show(printer, runtime, name),
            Command::Stop => super::halt::stop(printer, None).map(|_| ()),
            Command::Star => super::memory::star_last(printer, gateway),
            Command::Call(name, rest) => call(printer, runtime, name, rest),
            Command::Request(text) => ask_or_go_on(printer, gateway, text),
        };
        if let Err(failure) = ran {
            printer.failure(&failure);
        }
    }
}

/// What says that a request which lacked a credential shall go on.
const GO_ON: [&str; 6] = ["go on", "continue", "resume", "continua", "vai avanti", "prosegui"];

/// A request, unless the one before lacked a credential and shall go on.
fn ask_or_go_on(printer: Printer, gateway: &Gateway, text: &str) -> Result<(), Failure> {
    if GO_ON.contains(&text.to_lowercase().as_str())
        && let Some(last) = forms::lacking_here(gateway)?
    {
        return forms::go_on(printer, gateway, last, None).map(|_| ());
    }
    ask(printer, gateway, text)
}

fn ask(printer: Printer, gateway: &Gateway, text: &str) -> Result<(), Failure> {
    let asked = Asked {
        text: text.to_owned(),
        language: None,
        now: exec::now(super::zone(gateway.runtime(), super::USER, None))?,
        caller: super::USER.into(),
        conversation: super::session(),
        session: super::session(),
        base: exec::here()?,
    };
    super::ask::one(printer, gateway, &asked).map(|_| ())
}

fn list(printer: Printer, runtime: &Runtime) {
    for listed in runtime.executors().iter().filter(|l| l.state == "active") {
        let scope = runtime.card(&listed.name).ok();
        let scope = scope.as_ref().and_then(|c| c.pointer("/description/en/scope")).and_then(Value::as_str);
        printer.say(format!("  {:<22} {}", listed.name, scope.unwrap_or("")));
    }
}

fn show(printer: Printer, runtime: &Runtime, name: &str) -> Result<(), Failure> {
    let card = runtime.card(name)?;
    let text = |path: &str| card.pointer(path).and_then(Value::as_str).unwrap_or("").to_owned();
    printer.say(format!("  {}", text("/description/en/scope")));
    printer.say(format!("  {}", text("/description/en/pattern")));
    for (argument, schema) in properties(&card) {
        let about = schema.get("description").and_then(Value::as_str).unwrap_or("");
        printer.say(format!("    {argument:<16} {about}"));
    }
    Ok(())
}

fn properties(card: &Value) -> Map<String, Value> {
    match card.pointer("/input/properties") {
        Some(Value::Object(map)) => map.clone(),
        _ => Map::new(),
    }
}

fn call(printer: Printer, runtime: &Runtime, name: &str, rest: &str) -> Result<(), Failure> {
    let card = runtime.card(name)?;
    let spec = Spec {
        executor: name.to_owned(),
        version: None,
        args: sugar::arguments(rest, &properties(&card))?,
        base: exec::here()?,
        entries: None,
        with: None,
        caller: super::USER.into(),
        session: super::session(),
        call_id: None,
        lang: "en".into(),
        now: exec::now(super::zone(runtime, super::USER, None))?,
        provenance: Provenance::default(),
        bound: None,
    };
    let mut done = runtime.call(spec, &mut Terminal::new(printer)?);
    printer.progress_end();
    let shown = exec::show(printer, &mut done, None).map(|_| ());
    exec::tidy(runtime);
    shown
}
