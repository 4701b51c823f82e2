//! `metnos` without a command: a prompt that runs executors.

use super::command::Command;
use super::complete::Completion;
use super::editor::{Heard, House, Lines};
use super::exec::{self, Terminal};
use super::{forms, sugar};
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_gateway::{Asked, Gateway};
use metnos_runtime::Runtime;
use metnos_runtime::call::{Provenance, Spec};
use metnos_runtime::people::HOST;
use serde_json::{Map, Value};
use std::process::ExitCode;
use std::sync::Arc;

/// What can be typed, in each language.
const HELP: &str = "help.txt";

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

/// Reads a line, runs it, again.
pub(crate) fn converse(printer: Printer, gateway: &Gateway, house: House) -> Result<ExitCode, Failure> {
    let runtime = gateway.runtime();
    let language = runtime.language(super::USER);
    let speech = super::speech(&language)?;
    if Lines::is_terminal() {
        let count = runtime.executor_counts().in_use.to_string();
        let values = [("version", env!("CARGO_PKG_VERSION")), ("n", count.as_str())];
        printer.say(speech.say("cli-welcome", &values));
        printer.say(speech.t("cli-how"));
    }
    super::ask::interrupted(printer, &gateway.cut_off(Some(super::USER))?);
    let history = runtime.home.state_dir().join("history").join(HOST);
    let completion = Completion { runtime: Some(runtime) };
    let mut lines = Lines::new(house, LINE_MAX, completion, Some(history), |line| runtime.told(line) == line);
    loop {
        let text = match lines.next()? {
            Heard::End => return Ok(ExitCode::SUCCESS),
            Heard::GivenUp => {
                printer.say(speech.t("cli-leave"));
                continue;
            }
            Heard::TooLong(failure) => {
                printer.failure(&failure);
                continue;
            }
            Heard::Line(text) => text,
        };
        lines.keep(&text);
        let text = text.trim().to_owned();
        let ran = match Command::of(&text) {
            Command::Nothing => Ok(()),
            Command::Quit => return Ok(ExitCode::SUCCESS),
            Command::Help => {
                let own = metnos_tongue::text(speech.language(), HELP);
                printer.say(own.trim_end());
                Ok(())
            }
            Command::List => {
                list(printer, runtime, &language);
                Ok(())
            }
            Command::Show(name) => show(printer, runtime, name, &language),
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

/// A request, unless the one before lacked a credential and shall go on.
fn ask_or_go_on(printer: Printer, gateway: &Gateway, text: &str) -> Result<(), Failure> {
    if super::command::goes_on(text)
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

/// What an executor says of itself, in this language or in English.
pub(super) fn told<'a>(card: &'a Value, language: &str, part: &str) -> &'a str {
    let text = |language: &str| card.pointer(&format!("/description/{language}/{part}"))?.as_str();
    text(language).or_else(|| text(metnos_tongue::FALLBACK)).unwrap_or_default()
}

fn list(printer: Printer, runtime: &Runtime, language: &str) {
    for listed in runtime.executors().iter().filter(|l| l.state == "active") {
        let card = runtime.card(&listed.name).unwrap_or_default();
        printer.say(format!("  {:<22} {}", listed.name, told(&card, language, "scope")));
    }
}

fn show(printer: Printer, runtime: &Runtime, name: &str, language: &str) -> Result<(), Failure> {
    let card = runtime.card(name)?;
    printer.say(format!("  {}", told(&card, language, "scope")));
    printer.say(format!("  {}", told(&card, language, "pattern")));
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
        lang: runtime.language(super::USER),
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
