//! A first run: the offer to set up, and its three questions, each with its answer filled in. The language is the first
//! of them and holds from there on. Only on a terminal; elsewhere one line says what to do.

use crate::cli::Command;
use crate::print::{self, Printer};
use metnos_doors::{Speech, Words};
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::config::{self, Config};
use std::io::{BufRead, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// What a person answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wishes {
    language: String,
    zone: Option<String>,
    folders: Vec<PathBuf>,
}

/// Asks; `None` when nobody is there or a configuration already says it.
pub(crate) fn ask(printer: Printer, home: &Home) -> Result<Option<Wishes>, Failure> {
    let there = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if printer.json || !there || Config::path(home).exists() {
        return Ok(None);
    }
    let locale = language();
    let ours = super::speech(&locale)?;
    printer.say(ours.t("setup-questions"));
    let codes = metnos_tongue::codes().join(", ");
    let values = [("codes", codes.as_str())];
    let which = ours.say("setup-languages", &values);
    let language = until(&ours, &ours.say("setup-language", &values), &locale, |text| {
        metnos_tongue::called(text).map(|tongue| tongue.code.to_owned()).ok_or_else(|| which.clone())
    })?;
    let speech = super::speech(&language)?;
    let zone = jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned();
    let zone = until(&speech, &speech.t("setup-zone"), &zone, |text| {
        match config::check(&format!("[person]\nzone = {text:?}\n")).first() {
            None => Ok(text.to_owned()),
            Some(_) => Err(speech.say("setup-no-zone", &[("text", text)])),
        }
    })?;
    printer.say(speech.t("setup-home"));
    let usual: Vec<String> = ["Documents", "Downloads"]
        .iter()
        .map(|name| home.user_home().join(name))
        .filter(|path| path.is_dir())
        .map(|path| path.display().to_string())
        .collect();
    let folders = until(&speech, &speech.t("setup-folders"), &usual.join(", "), |text| {
        let list = text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "-");
        list.map(|part| folder(home, part, &speech)).collect::<Result<Vec<PathBuf>, String>>()
    })?;
    Ok(Some(Wishes { language, zone: Some(zone), folders }))
}

fn folder(home: &Home, text: &str, speech: &Speech) -> Result<PathBuf, String> {
    let path = match text.strip_prefix("~/") {
        Some(rest) => home.user_home().join(rest),
        None => home.user_home().join(text),
    };
    match path.is_dir() {
        true => Ok(path),
        false => Err(speech.say("setup-no-folder", &[("path", &path.display().to_string())])),
    }
}

/// The language of this terminal.
pub(crate) fn language() -> String {
    print::terminal_language().to_owned()
}

/// Asks until the answer is one. At the end of the input the default is taken.
fn until<T>(
    speech: &Speech,
    question: &str,
    default: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    loop {
        print::prompt(&format!("{question} [{default}]: "));
        let mut line = String::new();
        let got =
            std::io::stdin().lock().read_line(&mut line).map_err(|e| Failure::io("the terminal", &e))?;
        let answer = if line.trim().is_empty() { default } else { line.trim() };
        match read(answer) {
            Ok(value) => return Ok(value),
            Err(why) if got == 0 => {
                return Err(Failure::wrong_args(why).with_hint(speech.t("setup-no-questions")));
            }
            Err(why) => print::prompt(&format!("  {why}\n")),
        }
    }
}

/// Whether a command finds the house it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum House {
    /// It is there, or the command needs none.
    Ready,
    /// It is not set up, and that was said.
    Missing,
}

/// Before the first command: offers to set up to whoever sits there, and says the one command to others.
pub(crate) fn first_run(printer: Printer, command: Option<&Command>) -> Result<House, Failure> {
    let home = super::home()?;
    // A home that was left half restored or has lost a part says so itself.
    let fresh = !home.keys_dir().exists() && !home.executors_dir().exists() && !home.state_dir().exists();
    if !needs_house(command) || !fresh {
        return Ok(House::Ready);
    }
    let speech = super::speech(&language())?;
    let missing = Failure::new(ErrorClass::DependencyMissing, speech.t("setup-missing"));
    let there = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let offered = matches!(command, None | Some(Command::Ask(_) | Command::Exec(_) | Command::Serve { .. }));
    if printer.json || !there || !offered {
        printer.notice(&missing.with_hint("metnos init"));
        return Ok(House::Missing);
    }
    print::prompt(&speech.t("setup-offer"));
    let mut line = String::new();
    let got = std::io::stdin().lock().read_line(&mut line).map_err(|e| Failure::io("the terminal", &e))?;
    let yes = line.trim().is_empty() || Words::shipped()?.answer(&line) == Some(true);
    if got == 0 || !yes {
        printer.notice(&missing);
        return Ok(House::Missing);
    }
    super::init::run(printer, false, false)?;
    Ok(House::Ready)
}

/// Whether a command works with what a set-up makes.
fn needs_house(command: Option<&Command>) -> bool {
    !matches!(
        command,
        Some(
            Command::Init { .. }
                | Command::Doctor
                | Command::Ops(_)
                | Command::Lang { .. }
                | Command::Plan(_)
                | Command::Prefilter { .. }
                | Command::Stop { .. }
                | Command::Resume
                | Command::Upgrade { .. }
                | Command::Completions { .. }
                | Command::Man
        )
    )
}

/// What nobody was asked: the language of this terminal, where that is not the first one.
pub(crate) fn unasked(home: &Home) -> Option<Wishes> {
    let language = language();
    let said = language != metnos_tongue::FALLBACK && !Config::path(home).exists();
    said.then(|| Wishes { language, zone: None, folders: Vec::new() })
}

/// Writes down what was answered: language and zone in the configuration, folders in the territory.
pub(crate) fn keep(printer: Printer, home: &Home, wishes: &Wishes) -> Result<(), Failure> {
    let path = Config::path(home);
    let io = |e: std::io::Error| Failure::io(path.display(), &e);
    let mut text = format!("[person]\nlanguage = {:?}\n", wishes.language);
    if let Some(zone) = &wishes.zone {
        text.push_str(&format!("zone = {zone:?}\n"));
    }
    // Never over one that somebody wrote meanwhile.
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    match opened {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        opened => opened.and_then(|mut file| file.write_all(text.as_bytes())).map_err(io)?,
    }
    let runtime = super::runtime(false)?;
    for folder in &wishes.folders {
        if let Err(failure) = runtime.open_root(folder) {
            let why = failure.in_language(&wishes.language).message;
            let values = [("path", &*folder.display().to_string()), ("why", &why)];
            printer.say(super::speech(&wishes.language)?.say("setup-closed", &values));
        }
    }
    Ok(())
}
