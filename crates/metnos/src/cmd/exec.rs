//! `metnos exec`: the administrator's direct call, through every check that exists.

use super::line;
use super::stop::Stop;
use crate::cli::Exec;
use crate::print::{self, Printer};
use metnos_executor::wire::Progress;
use metnos_executor::{ErrorClass, Failure, shown};
use metnos_runtime::call::{Done, Door, Places, Provenance, Spec};
use metnos_runtime::guards::{Answer, Question};
use metnos_runtime::{Form, Runtime, input};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;

/// Runs one call, or one a line.
pub(crate) fn run(printer: Printer, exec: Exec) -> Result<ExitCode, Failure> {
    if exec.stdin {
        return lines(&exec);
    }
    let runtime = super::runtime(false)?;
    let spec = Spec {
        executor: exec.name.clone().unwrap_or_default(),
        version: exec.version_of.clone(),
        args: arguments(&exec.args)?,
        base: here()?,
        entries: exec.entries.as_deref().map(open).transpose()?,
        with: exec.with.as_deref().map(open).transpose()?,
        caller: exec.caller(),
        session: super::session(),
        call_id: exec.call_id.clone(),
        lang: language(&runtime, &exec),
        now: now(exec.zone.as_deref())?,
        provenance: Provenance {
            places: Places { entries: place(exec.entries.as_deref()), with: place(exec.with.as_deref()) },
            ..Provenance::default()
        },
        bound: None,
    };
    if exec.dry_run {
        return super::dry_run::call(printer, runtime, spec);
    }
    let mut done = runtime.call(spec, &mut Terminal::new(printer)?);
    printer.progress_end();
    let shown = show(printer, &mut done, exec.out.as_deref());
    tidy(&runtime);
    shown
}

/// The language that was named, or the caller's own.
fn language(runtime: &Runtime, exec: &Exec) -> String {
    exec.lang.clone().unwrap_or_else(|| runtime.language(&exec.caller()))
}

/// After the answer of a change: lets go of what is due. What fails is tried again another time.
pub(crate) fn tidy(runtime: &Runtime) {
    if runtime.has_changed() {
        let _ = runtime.tidy();
    }
}

/// The moment of the call in the asked zone, or in the machine's.
pub(crate) fn now(zone: Option<&str>) -> Result<jiff::Zoned, Failure> {
    let now = jiff::Zoned::now();
    match zone {
        None => Ok(now),
        Some(zone) => now.in_tz(zone).map_err(|e| Failure::wrong_args(format!("--zone: {e}"))),
    }
}

fn arguments(text: &str) -> Result<Map<String, Value>, Failure> {
    let mut bytes = Vec::new();
    let limit = input::ARGS_MAX as u64 + 1;
    match text.strip_prefix('@') {
        Some(file) => {
            open(Path::new(file))?.take(limit).read_to_end(&mut bytes).map_err(|e| Failure::io(file, &e))?;
        }
        None if text == "-" => {
            std::io::stdin()
                .take(limit)
                .read_to_end(&mut bytes)
                .map_err(|e| Failure::io("standard input", &e))?;
        }
        None => bytes = text.as_bytes().to_vec(),
    }
    input::parse_args(&bytes)
}

/// On the command line a relative path means "from here".
pub(crate) fn here() -> Result<std::path::PathBuf, Failure> {
    std::env::current_dir().map_err(|e| Failure::io("the current folder", &e))
}

fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|e| Failure::io(path.display(), &e))?))
}

/// Where a list that was named lies: a file, or what was piped in.
fn place(list: Option<&Path>) -> Option<String> {
    let list = list?;
    let file = (list != Path::new("-")).then(|| list.canonicalize().ok()).flatten();
    Some(file.map_or_else(|| "standard input".to_owned(), |file| file.display().to_string()))
}

/// Shows progress and carries Ctrl-C.
pub(crate) struct Terminal {
    printer: Printer,
    stop: Stop,
}

impl Terminal {
    pub(crate) fn new(printer: Printer) -> Result<Self, Failure> {
        Ok(Self { printer, stop: Stop::listen()? })
    }
}

impl Terminal {
    /// The next line of whoever sits here; nothing when they want to stop instead.
    pub(super) fn hear(&self) -> Option<String> {
        let mut line = String::new();
        let heard = self.stop.until_readable(std::io::stdin());
        (heard && std::io::stdin().read_line(&mut line).ok()? > 0).then(|| line.trim().to_owned())
    }
}

impl Door for Terminal {
    fn progress(&mut self, progress: &Progress) {
        let total = progress.total.map(|t| format!(" of {t}")).unwrap_or_default();
        self.printer.progress(&format!("{}{total} {}", progress.done, progress.unit));
    }

    fn says(&mut self, text: &str) {
        self.printer.progress(text);
    }

    fn cancelled(&self) -> bool {
        self.stop.asked()
    }

    fn fill(&mut self, form: &Form) -> Option<Vec<(String, String)>> {
        self.printer.progress_end();
        super::credentials::fill(form, &self.stop)
    }

    fn ask(&mut self, question: &Question) -> Answer {
        self.printer.progress_end();
        super::approvals::ask_here(question, &self.stop)
    }
}

/// Prints an answer, or writes its list to `out`, and says how the process should end.
pub(crate) fn show(printer: Printer, done: &mut Done, out: Option<&Path>) -> Result<ExitCode, Failure> {
    let lost = |e: std::io::Error| Failure::io("the answer", &e);
    if let Some(path) = out {
        let mut file = File::create(path).map_err(|e| Failure::io(path.display(), &e))?;
        std::io::copy(&mut done.items.reader().map_err(lost)?, &mut file).map_err(lost)?;
    }
    if printer.json {
        let mut stdout = print::stream();
        let written = done
            .write_json(&mut stdout, out.is_none())
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush());
        if let Err(e) = written
            && e.kind() != std::io::ErrorKind::BrokenPipe
        {
            return Err(lost(e));
        }
    } else {
        people(printer, done, out)?;
    }
    Ok(match &done.outcome.error {
        Some(error) => super::exit_code(error.class),
        None if done.outcome.ok => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    })
}

/// The answer for the eye: scalars, a bounded table, then what did not go well.
fn people(printer: Printer, done: &mut Done, out: Option<&Path>) -> Result<(), Failure> {
    if let Some(error) = done.outcome.error.clone() {
        printer.failure(&error);
    }
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    let mut count = 0u64;
    for line in done.items.reader().map_err(|e| Failure::io("the answer", &e))?.split(b'\n') {
        let line = line.map_err(|e| Failure::io("the answer", &e))?;
        count += 1;
        if rows.len() <= 60
            && let Ok(row) = serde_json::from_slice(&line)
        {
            rows.push(row);
        }
    }
    let outcome = &done.outcome;
    for (key, value) in &outcome.fields {
        match value {
            Value::String(text) if key == "text" || key == "content" => printer.say(text),
            Value::String(text) => printer.say(format!("{key}: {text}")),
            other => printer.say(format!("{key}: {other}")),
        }
    }
    match out {
        Some(path) => printer.say(format!("{count} {} written to {}", done.list.as_str(), path.display())),
        None => printer.table(&rows),
    }
    if let Some(cut) = &outcome.truncation {
        let total = cut.available_total.map(|t| format!(" of {t}")).unwrap_or_default();
        printer.say(format!(
            "shown: {}{total} {}; {} = {} cut the rest, 0 lifts it",
            cut.used, cut.truncated_what, cut.cap_field, cut.cap_value
        ));
    }
    if outcome.error.is_none() {
        let failed =
            if outcome.fail_count > 0 { format!(", {} failed", outcome.fail_count) } else { String::new() };
        let shown = if count > rows.len() as u64 {
            format!(" ({count} in the answer; --json shows all)")
        } else {
            String::new()
        };
        printer.tell(format!("{} ok{failed}{shown}", outcome.ok_count));
        if let Some(claimed) = outcome.claimed {
            printer.tell(format!("It says {claimed}; on disk {} were seen to change.", outcome.ok_count));
        }
    }
    for failed in outcome.failed.iter().take(10) {
        let (what, why) = (shown::part(&failed.what), shown::part(&failed.message));
        printer.say(format!("  ✗ {what}: {}: {why}", failed.error_class));
    }
    if outcome.fail_count > 10 {
        printer.tell(format!("  … and {} more", outcome.fail_count - 10));
    }
    if done.replayed {
        printer.tell("(this call id ran before; nothing ran now)");
    }
    Ok(())
}

/// One line of `exec --stdin`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    executor: String,
    #[serde(default)]
    args: Map<String, Value>,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
}

/// The longest line of `exec --stdin`.
const LINE_MAX: u64 = 64 << 20;

fn lines(exec: &Exec) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(!exec.cold)?;
    let (wake, woken) = mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        let runtime = &runtime;
        let keeper = std::thread::Builder::new().name("keeping".into());
        // Without it everything is kept; no call depends on it.
        let _ = keeper.spawn_scoped(scope, move || {
            while woken.recv().is_ok() {
                let _ = runtime.tidy();
            }
        });
        // Full means that it looks soon anyway.
        let tidy = || {
            let _ = wake.try_send(());
        };
        tidy();
        let ended = converse(runtime, exec, &tidy);
        drop(wake);
        ended
    })
}

fn converse(runtime: &Runtime, exec: &Exec, tidy: &dyn Fn()) -> Result<ExitCode, Failure> {
    let mut stdin = std::io::stdin().lock();
    let mut stdout = print::stream();
    let mut line = Vec::new();
    let lost = |e: std::io::Error| Failure::io("standard output", &e);
    loop {
        let read = line::next(&mut stdin, LINE_MAX, &mut line);
        let answered = match read.map_err(|e| Failure::io("standard input", &e))? {
            Ok(false) => return Ok(ExitCode::SUCCESS),
            Ok(true) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(true) => answer(runtime, &line, exec),
            Err(too_long) => Err(too_long),
        };
        match answered {
            Ok(mut done) => done.write_json(&mut stdout, true).map_err(lost)?,
            Err(failure) => {
                serde_json::to_writer(&mut stdout, &serde_json::json!({ "ok": false, "error": failure }))
                    .map_err(|e| lost(e.into()))?;
            }
        }
        stdout.write_all(b"\n").and_then(|()| stdout.flush()).map_err(lost)?;
        if runtime.has_changed() {
            tidy();
        }
    }
}

fn answer(runtime: &Runtime, line: &[u8], exec: &Exec) -> Result<Done, Failure> {
    let ask: Ask = serde_json::from_slice(line).map_err(|e| {
        Failure::new(ErrorClass::WrongArgs, format!("column {}: {e}", e.column()))
            .with_hint(r#"one call a line: {"executor":"get_now","args":{}}"#)
    })?;
    let spec = Spec {
        executor: ask.executor,
        version: ask.version,
        args: ask.args,
        base: here()?,
        entries: None,
        with: None,
        caller: exec.caller(),
        session: super::session(),
        call_id: ask.call_id,
        lang: language(runtime, exec),
        now: now(exec.zone.as_deref())?,
        provenance: Provenance::default(),
        bound: None,
    };
    Ok(runtime.call(spec, &mut metnos_runtime::call::Silent))
}
