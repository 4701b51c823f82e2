//! The three questions of a first run, each with its answer filled in. Only on a terminal.

use crate::print::{self, Printer};
use metnos_executor::Failure;
use metnos_executor::home::Home;
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
    printer.say("Three questions; Enter takes what stands in brackets.");
    let language = until("language, en or it", &language(), |text| {
        ["en", "it"].contains(&text).then(|| text.to_owned()).ok_or_else(|| "en or it".to_owned())
    })?;
    let zone = jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned();
    let zone = until("time zone", &zone, |text| {
        match config::check(&format!("[person]\nzone = {text:?}\n")).first() {
            None => Ok(text.to_owned()),
            Some(wrong) => Err(wrong.what.clone()),
        }
    })?;
    printer.say("Your home directory is always open to Metnos. Other folders, with commas between them:");
    let usual: Vec<String> = ["Documents", "Downloads"]
        .iter()
        .map(|name| home.user_home().join(name))
        .filter(|path| path.is_dir())
        .map(|path| path.display().to_string())
        .collect();
    let folders = until("folders to open", &usual.join(", "), |text| {
        let list = text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "-");
        list.map(|part| folder(home, part)).collect::<Result<Vec<PathBuf>, String>>()
    })?;
    Ok(Some(Wishes { language, zone: Some(zone), folders }))
}

fn folder(home: &Home, text: &str) -> Result<PathBuf, String> {
    let path = match text.strip_prefix("~/") {
        Some(rest) => home.user_home().join(rest),
        None => home.user_home().join(text),
    };
    if path.is_dir() { Ok(path) } else { Err(format!("{} is not a folder; - for none", path.display())) }
}

/// The language of this terminal.
fn language() -> String {
    let said = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    if said.is_some_and(|said| said.to_lowercase().starts_with("it")) { "it" } else { "en" }.into()
}

/// Asks until the answer is one. At the end of the input the default is taken.
fn until<T>(question: &str, default: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    loop {
        print::prompt(&format!("{question} [{default}]: "));
        let mut line = String::new();
        let got =
            std::io::stdin().lock().read_line(&mut line).map_err(|e| Failure::io("the terminal", &e))?;
        let answer = if line.trim().is_empty() { default } else { line.trim() };
        match read(answer) {
            Ok(value) => return Ok(value),
            Err(why) if got == 0 => {
                return Err(Failure::wrong_args(why).with_hint("metnos init --yes asks nothing"));
            }
            Err(why) => print::prompt(&format!("  {why}\n")),
        }
    }
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
            printer.say(format!("{} stays closed: {}", folder.display(), failure.message));
        }
    }
    Ok(())
}
