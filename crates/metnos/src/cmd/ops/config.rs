//! `metnos config`: everything that is wrong at once, and everything in force.

use crate::cli::Config as Words;
use crate::print::Printer;
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::config::{self, Config};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Checks or shows.
pub(crate) fn run(printer: Printer, command: Words) -> Result<ExitCode, Failure> {
    match command {
        Words::Check { file } => check(printer, file),
        Words::Show => show(printer),
    }
}

/// The text of a file; a missing one of the instance itself says nothing, and that is allowed.
fn read(path: &Path, named: bool) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && !named => Ok(None),
        Err(e) => Err(Failure::new(ErrorClass::WrongArgs, format!("{}: {e}", path.display()))),
    }
}

fn check(printer: Printer, file: Option<PathBuf>) -> Result<ExitCode, Failure> {
    let (path, named) = match file {
        Some(file) => (file, true),
        None => (Config::path(&crate::cmd::home()?), false),
    };
    let Some(text) = read(&path, named)? else {
        printer.value(&json!({ "ok": true, "file": path, "wrong": [] }));
        printer.say(format!("{} is not there: everything is as by default", path.display()));
        return Ok(ExitCode::SUCCESS);
    };
    let wrong = match crate::cmd::home() {
        Ok(home) => config::check_in(&home, &text),
        Err(_) => config::check(&text),
    };
    printer.value(&json!({ "ok": wrong.is_empty(), "file": path, "wrong": wrong }));
    for one in &wrong {
        printer.say(format!("✗ {}", one.told(&path)));
    }
    match wrong.len() {
        0 => {
            printer.say(format!("✓ {}", path.display()));
            Ok(ExitCode::SUCCESS)
        }
        n => {
            printer.say(format!("{n} wrong; nothing runs with a configuration that is not understood"));
            Ok(crate::cmd::exit_code(ErrorClass::WrongArgs))
        }
    }
}

fn show(printer: Printer) -> Result<ExitCode, Failure> {
    let path = Config::path(&crate::cmd::home()?);
    let text = read(&path, false)?.unwrap_or_default();
    let wrong = config::check(&text);
    if let Some(first) = wrong.first() {
        return Err(Failure::wrong_args(format!(
            "{}, line {}: {} {}",
            path.display(),
            first.line,
            first.key,
            first.what
        ))
        .with_hint("metnos config check names everything that is wrong"));
    }
    let rows = config::in_force(&text)?;
    printer.value(&json!({ "file": path, "keys": rows }));
    printer.say(path.display());
    let mut section = "";
    for row in &rows {
        let (name, key) = row.key.rsplit_once('.').unwrap_or(("", &row.key));
        if name != section {
            printer.say(format!("\n[{name}]"));
            section = name;
        }
        let value = if row.value.is_empty() { "—" } else { &row.value };
        let from = match row.from.as_str() {
            "default" => "default".to_owned(),
            line if row.default.is_empty() => line.to_owned(),
            line => format!("{line}; default {}", row.default),
        };
        printer.say(format!("{key:<18} {value:<30} {from}"));
    }
    Ok(ExitCode::SUCCESS)
}
