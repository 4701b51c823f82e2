//! `metnos lang`: the languages there are, and what is wrong with them.

use crate::cli::Lang;
use crate::print::Printer;
use metnos_doors::Words;
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_language::Lexicon;
use metnos_tongue::{Check, Finding, Folder, FolderError, TEXTS, Tongue, Wrong};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lines of one kind that are shown; all of them in JSON.
const SHOWN: usize = 12;
/// The folder of languages in the configuration folder.
const FOLDER: &str = "lang";

/// Takes in the languages of the configuration folder, before anything is said.
pub(crate) fn open() {
    if let Ok(home) = Home::locate(|key| std::env::var_os(key)) {
        metnos_tongue::open(&folder(&home));
    }
}

fn folder(home: &Home) -> PathBuf {
    home.config_dir().join(FOLDER)
}

/// Lists, checks or adds.
pub(crate) fn run(printer: Printer, command: Lang) -> Result<ExitCode, Failure> {
    match command {
        Lang::List => list(printer),
        Lang::Check { which: None } => {
            let all = metnos_tongue::all().iter().map(|tongue| (tongue.code.to_owned(), checked(tongue)));
            told(printer, &all.collect::<Vec<_>>())
        }
        Lang::Check { which: Some(which) } => {
            let found = match metnos_tongue::called(&which).filter(|_| !which.contains('/')) {
                Some(tongue) => (tongue.code.to_owned(), checked(tongue)),
                None => {
                    let folder = read(Path::new(&which))?;
                    (folder.code.clone(), of_folder(&folder))
                }
            };
            told(printer, &[found])
        }
        Lang::Add { folder } => add(printer, &folder),
    }
}

fn list(printer: Printer) -> Result<ExitCode, Failure> {
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    for tongue in metnos_tongue::all() {
        let check = checked(tongue);
        let errors = check.findings.iter().filter(|finding| finding.wrong.is_error()).count();
        let from = match (&tongue.folder, tongue.shipped) {
            (None, _) => "metnos".to_owned(),
            (Some(folder), false) => folder.display().to_string(),
            (Some(folder), true) => format!("metnos, {}", folder.display()),
        };
        let mut row = Map::new();
        row.insert("code".into(), tongue.code.into());
        row.insert("name".into(), tongue.about.name.as_str().into());
        row.insert("from".into(), from.into());
        row.insert("said".into(), format!("{}%", check.percent()).into());
        row.insert("missing".into(), (check.lines - check.said).into());
        row.insert("errors".into(), errors.into());
        rows.push(row);
    }
    let broken: Vec<String> = metnos_tongue::broken().iter().map(ToString::to_string).collect();
    printer.value(&json!({ "languages": rows, "broken": broken }));
    printer.table(&rows);
    if !printer.json {
        for why in &broken {
            printer.say(format!("✗ {}", metnos_vocab::said_in(crate::print::language(), why)));
        }
    }
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn told(printer: Printer, all: &[(String, Check)]) -> Result<ExitCode, Failure> {
    let value = |(code, check): &(String, Check)| json!({ "code": code, "lines": check.lines, "said": check.said, "findings": check.findings });
    printer.value(&Value::Array(all.iter().map(value).collect()));
    for (code, check) in all.iter().filter(|_| !printer.json) {
        printer.tell(format!("{code}: {} of {} lines are said", check.said, check.lines));
        for wrong in [Wrong::Broken, Wrong::Shape, Wrong::Slots, Wrong::Missing, Wrong::Stale] {
            let found: Vec<&Finding> = check.findings.iter().filter(|one| one.wrong == wrong).collect();
            if !found.is_empty() {
                printer.tell(format!("  {} ({})", heading(wrong), found.len()));
            }
            for one in found.iter().take(SHOWN) {
                printer.tell(format!("    {}", line(one)));
            }
            if found.len() > SHOWN {
                printer.tell(format!("    … and {} more; --json shows all", found.len() - SHOWN));
            }
        }
    }
    let bad = all.iter().any(|(_, check)| check.findings.iter().any(|one| one.wrong.is_error()));
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn heading(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Broken => "cannot be read",
        Wrong::Shape => "not of the form they have in English",
        Wrong::Slots => "other values than in English",
        Wrong::Missing => "missing, so said in English",
        Wrong::Stale => "stale, no such line in English",
    }
}

fn line(one: &Finding) -> String {
    match one.key.is_empty() {
        true => format!("{}: {}", one.file, one.why),
        false => format!("{}: {}: {}", one.file, one.key, one.why),
    }
}

fn add(printer: Printer, given: &Path) -> Result<ExitCode, Failure> {
    let found = read(given)?;
    if !found.files.contains_key(metnos_tongue::ABOUT) {
        return Err(refused(&FolderError::About { path: found.path.clone() }));
    }
    let check = of_folder(&found);
    if let Some(first) = check.findings.iter().find(|one| one.wrong.is_error()) {
        let count = check.findings.iter().filter(|one| one.wrong.is_error()).count();
        let why = match count {
            1 => format!("{}: 1 line does not fit: {}", found.path.display(), line(first)),
            _ => format!("{}: {count} lines do not fit; the first: {}", found.path.display(), line(first)),
        };
        return Err(Failure::wrong_args(why).with_hint(format!("metnos lang check {}", given.display())));
    }
    let home = super::home()?;
    let (to, fresh) = (folder(&home).join(&found.code), folder(&home).join(format!(".{}", found.code)));
    place(&found, &fresh).map_err(|e| Failure::io(fresh.display(), &e))?;
    swap(&fresh, &to).map_err(|e| Failure::io(to.display(), &e))?;
    let value = json!({ "code": found.code, "folder": to, "lines": check.lines, "said": check.said });
    printer.value(&value);
    printer.tell(format!("{} is added: {} of {} lines are said.", found.code, check.said, check.lines));
    printer.tell(format!(
        "next: metnos users set host --language {}; a daemon takes it in at its next start",
        found.code
    ));
    Ok(ExitCode::SUCCESS)
}

/// Writes what is used of a folder, and nothing else of it.
fn place(found: &Folder, to: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for (name, text) in &found.files {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(to))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Puts the new folder where the old one was.
fn swap(fresh: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::rename(fresh, to),
    }
}

fn read(path: &Path) -> Result<Folder, Failure> {
    let full = path.canonicalize().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Failure::new(
            ErrorClass::NotFound,
            format!("{} is neither a language nor a folder", path.display()),
        )
        .with_hint("metnos lang list"),
        _ => Failure::io(path.display(), &e),
    })?;
    metnos_tongue::read(&full).map_err(|error| refused(&error))
}

fn refused(error: &FolderError) -> Failure {
    let hint = match error {
        FolderError::Io { .. } | FolderError::Large { .. } => "metnos lang check FOLDER",
        FolderError::Code { .. } => "rename the folder, for example to fr",
        FolderError::About { .. } => {
            "copy texts/language.toml of a language that comes along, and say how yours is called"
        }
    };
    Failure::wrong_args(error.to_string()).with_hint(hint)
}

/// What is wrong with a folder, also what only its readers know.
fn of_folder(folder: &Folder) -> Check {
    let mut check = folder.check();
    let files = folder.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    readers(&folder.code, files, &mut check);
    check
}

fn checked(tongue: &'static Tongue) -> Check {
    let mut check = metnos_tongue::check(tongue);
    if tongue.folder.is_some() {
        let files = tongue.files().filter_map(|name| Some((name, tongue.file(name)?)));
        readers(tongue.code, files, &mut check);
    }
    check
}

/// What the reader of words and that of sentences say.
fn readers<'f>(code: &str, files: impl Iterator<Item = (&'f str, &'f str)>, check: &mut Check) {
    let mut words = Vec::new();
    for (name, text) in files {
        if !name.starts_with(TEXTS) && name.ends_with(".toml") {
            words.push(text);
        }
        if let Some(why) = Words::flaw(text).filter(|_| name.ends_with(".ftl")) {
            let (file, key) = (name.to_owned(), String::new());
            check.findings.push(Finding { file, key, wrong: Wrong::Broken, why });
        }
    }
    let toml = check.findings.iter().any(|one| one.wrong == Wrong::Broken && !one.file.starts_with(TEXTS));
    if let Err(error) = Lexicon::read(code, &words)
        && !toml
    {
        let (file, key, why) = ("words.toml".to_owned(), String::new(), error.to_string());
        check.findings.push(Finding { file, key, wrong: Wrong::Broken, why });
    }
}
