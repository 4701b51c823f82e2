//! The one place that writes to the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the printer")]

use metnos_executor::home::Home;
use metnos_executor::{Failure, shown};
use metnos_gateway::{is_place, is_shown};
use metnos_runtime::config::Config;
use metnos_runtime::install;
use serde_json::{Map, Value, json};
use std::io::{BufWriter, IsTerminal, Write};
use std::sync::OnceLock;
use unicode_width::UnicodeWidthStr;

/// The most rows and the widest column of a table on the screen.
const ROWS_MAX: usize = 40;
const CELL_MAX: usize = 60;
/// The most rows of different kinds that get a line each.
const SEVERAL_MAX: usize = 20;
/// The longest text that is shown as such.
const TEXT_MAX: usize = 20_000;
/// Columns that count bytes, besides those whose name says so.
const BYTES: [&str; 6] = ["size", "free", "bytes", "memory", "swap", "swap_free"];
/// Columns that say when, besides those whose name ends so.
const MOMENTS: [&str; 9] =
    ["at", "time", "until", "since", "mtime", "made", "revoked", "last_used", "last_seen"];

/// How this run speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    /// One JSON value instead of text.
    pub(crate) json: bool,
}

impl Printer {
    /// A line for people; silent in JSON mode.
    pub(crate) fn say(&self, text: impl std::fmt::Display) {
        if !self.json {
            out(&format!("{}\n", safe(&text.to_string())));
        }
    }

    /// A line for people that is less than the answer: dim where that shows.
    pub(crate) fn dim(&self, text: &str) {
        match std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            true if !self.json => out(&format!("\x1b[2m{}\x1b[0m\n", safe(text))),
            _ => self.say(text),
        }
    }

    /// The same for words of this program, in the person's language; what comes from elsewhere is said as it is.
    pub(crate) fn tell(&self, text: impl AsRef<str>) {
        self.say(metnos_vocab::said_in(language(), text.as_ref()));
    }

    /// The answer of a command in JSON mode; silent otherwise.
    pub(crate) fn value(&self, value: &Value) {
        if self.json {
            out(&format!("{value}\n"));
        }
    }

    /// A failure, with its next step.
    pub(crate) fn failure(&self, failure: &Failure) {
        let failure = failure.clone().in_language(language());
        if self.json {
            out(&format!("{}\n", json!({ "ok": false, "error": failure })));
            return;
        }
        let limit = failure.limit.as_ref().map(|l| format!(" ({l})")).unwrap_or_default();
        eprintln!("metnos: {}{limit}: {}", failure.class, safe(&failure.message));
        if let Some(hint) = &failure.hint {
            let next = metnos_vocab::said_in(language(), "next");
            eprintln!("  {next}: {}", safe(hint));
        }
    }

    /// A line for whoever cannot go on yet: what to do first.
    pub(crate) fn notice(&self, failure: &Failure) {
        match self.json {
            true => self.failure(failure),
            false => eprintln!("{}", safe(&failure.message)),
        }
    }

    /// A line beside the answer: what is waited for.
    pub(crate) fn note(&self, text: &str) {
        self.progress_end();
        eprintln!("{}", safe(text));
    }

    /// A progress line that the next one overwrites; only on a terminal.
    pub(crate) fn progress(&self, text: &str) {
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[2K{}", safe(text));
            let _ = std::io::stderr().flush();
        }
    }

    /// Removes the progress line.
    pub(crate) fn progress_end(&self) {
        self.progress("");
    }

    /// Rows as an aligned table: the union of their columns, bounded for the eye.
    pub(crate) fn table(&self, rows: &[Map<String, Value>]) {
        self.table_of(rows, rows.len() as u64);
    }

    /// The same for the first rows of a list that is `count` long.
    pub(crate) fn table_of(&self, rows: &[Map<String, Value>], count: u64) {
        if self.json || rows.is_empty() {
            return;
        }
        if let [one] = rows
            && one.iter().any(|(name, value)| is_shown(name) && is_long(value))
        {
            out(&record(one));
            return;
        }
        let columns = metnos_gateway::columns(rows);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let names: Vec<String> = columns.iter().map(|name| cut(&shown::part(name))).collect();
        if are_of_several_kinds(rows, &columns) {
            out(&each_in_its_line(rows));
            return;
        }
        let in_row = |row: &Map<String, Value>, column: &str| {
            let cell = cell(column, row.get(column).unwrap_or(&Value::Null));
            if is_place(column) { cut_front(&cell) } else { cut(&cell) }
        };
        let width =
            |column: &str| rows.iter().take(ROWS_MAX).map(|r| in_row(r, column).width()).max().unwrap_or(0);
        let widths: Vec<usize> =
            columns.iter().zip(&names).map(|(column, name)| width(column).max(name.width())).collect();
        let line = |cells: Vec<String>| {
            let padded: Vec<String> = cells
                .iter()
                .zip(&widths)
                .map(|(c, w)| format!("{c}{}", " ".repeat(w.saturating_sub(c.width()))))
                .collect();
            padded.join("  ").trim_end().to_owned()
        };
        let mut text = line(names);
        text.push('\n');
        text.push_str(&line(widths.iter().map(|w| "─".repeat(*w)).collect()));
        text.push('\n');
        for row in rows.iter().take(ROWS_MAX) {
            text.push_str(&line(columns.iter().map(|c| in_row(row, c)).collect()));
            text.push('\n');
        }
        let more = count.saturating_sub(rows.len().min(ROWS_MAX) as u64);
        if more > 0 {
            let more = format!("… {more} more (--json shows all)");
            text.push_str(&format!("{}\n", metnos_vocab::said_in(language(), &more)));
        }
        out(&text);
    }
}

/// Words of this program in the language of whoever sits here.
pub(crate) fn own(text: &str) -> String {
    metnos_vocab::said_in(language(), text)
}

/// The language of whoever sits here: the one in the configuration, and that of the terminal while there is no house
/// yet. One that cannot be read is English.
pub(crate) fn language() -> &'static str {
    static KNOWN: OnceLock<&'static str> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return known;
    }
    match Home::locate(|key| std::env::var_os(key)) {
        Ok(home) if Config::path(&home).exists() || install::is_set_up(&home) => {
            KNOWN.get_or_init(|| metnos_tongue::of(Config::spoken(&home).word()).code)
        }
        // A house that is being made may choose another one.
        _ => terminal_language(),
    }
}

/// The language of this terminal.
pub(crate) fn terminal_language() -> &'static str {
    let said = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    metnos_tongue::of(&said.unwrap_or_default()).code
}

/// A buffered handle for answers too long to build in memory.
pub(crate) fn stream() -> BufWriter<std::io::Stdout> {
    BufWriter::with_capacity(256 << 10, std::io::stdout())
}

/// The prompt, without a newline.
pub(crate) fn prompt(text: &str) {
    out(text);
}

/// Writes, and ends quietly when the reader is gone (`metnos … | head`).
fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}

/// File names and messages come from the world: nothing of theirs moves, hides or turns what the terminal shows.
pub(crate) fn safe(text: &str) -> String {
    metnos_executor::shown::text(text)
}

/// A text that a cell would cut.
fn is_long(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim_end().contains('\n') || text.width() > CELL_MAX)
}

/// One row whose texts are worth reading: its short fields, then each text in full, line breaks kept.
fn record(row: &Map<String, Value>) -> String {
    let columns = metnos_gateway::columns(std::slice::from_ref(row));
    let fields = columns.iter().filter_map(|name| row.get_key_value(name));
    let (long, short): (Vec<_>, Vec<_>) = fields.partition(|(_, value)| is_long(value));
    let mut text = String::new();
    for (name, value) in short {
        text.push_str(&format!("{}: {}\n", shown::part(name), safe(&cell(name, value))));
    }
    let alone = long.len() == 1;
    for (name, value) in long {
        let whole = value.as_str().unwrap_or_default().trim_end();
        let kept: String = whole.chars().take(TEXT_MAX).collect();
        let line_break = if whole.contains('\n') { "\n" } else { " " };
        match alone && !kept.is_empty() && text.is_empty() {
            true => text.push_str(&safe(&kept)),
            false => text.push_str(&format!("{}:{line_break}{}", shown::part(name), safe(&kept))),
        }
        text.push('\n');
        let more = whole.chars().count().saturating_sub(TEXT_MAX);
        if more > 0 {
            let more = format!("… {more} characters more (--json shows all)");
            text.push_str(&format!("{}\n", metnos_vocab::said_in(language(), &more)));
        }
    }
    text
}

/// A value as a column of this name shows it.
fn cell(column: &str, value: &Value) -> String {
    let counts = BYTES.contains(&column) || column.ends_with("_bytes");
    let tells_when = MOMENTS.contains(&column) || column.ends_with("_at");
    let bytes = value.as_u64().filter(|_| counts).map(human);
    let when = value.as_str().filter(|_| tells_when).and_then(moment);
    bytes.or(when).unwrap_or_else(|| plain(value))
}

/// A moment on the clock of this terminal, as every other program here shows it.
fn moment(text: &str) -> Option<String> {
    let at: jiff::Timestamp = text.strip_suffix('Z').and_then(|_| text.parse().ok())?;
    Some(at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// Rows that have little in common but what they are: as a table they would be mostly empty.
fn are_of_several_kinds(rows: &[Map<String, Value>], columns: &[&str]) -> bool {
    let told = |row: &Map<String, Value>, column: &str| row.get(column).is_some_and(|value| !value.is_null());
    let cells =
        rows.iter().map(|row| columns.iter().filter(|column| told(row, column)).count()).sum::<usize>();
    let first = columns.first().is_some_and(|column| rows.iter().all(|row| told(row, column)));
    (2..=SEVERAL_MAX).contains(&rows.len()) && first && 2 * cells < rows.len() * columns.len()
}

/// Each row in a line of its own: what it is, then its fields with their names.
fn each_in_its_line(rows: &[Map<String, Value>]) -> String {
    let mut text = String::new();
    for row in rows {
        let fields = row.iter().filter(|(name, value)| is_shown(name) && !value.is_null());
        let said = fields.enumerate().map(|(at, (name, value))| match at {
            0 => safe(&cut(&cell(name, value))),
            _ => format!("{name} {}", safe(&cut(&cell(name, value)))),
        });
        text.push_str(&said.collect::<Vec<_>>().join(" · "));
        text.push('\n');
    }
    text
}

/// Bytes as people write them, to the nearest tenth.
fn human(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    let (mut short, mut unit) = (bytes as f64, "B");
    for next in units.into_iter().take_while(|_| bytes >= 1000) {
        if unit != "B" && short < 999.95 {
            break;
        }
        (short, unit) = (short / 1000.0, next);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{short:.1} {unit}") }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shown::part(&text.replace(['\n', '\r', '\t'], "⏎")),
        other => shown::part(&other.to_string()),
    }
}

/// The end of a path says which one it is.
fn cut_front(text: &str) -> String {
    let text = safe(text);
    if text.width() <= CELL_MAX {
        return text;
    }
    let mut kept: Vec<char> = Vec::new();
    let mut width = 1;
    for c in text.chars().rev() {
        width += c.to_string().width();
        if width > CELL_MAX {
            break;
        }
        kept.push(c);
    }
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

fn cut(text: &str) -> String {
    let text = safe(text);
    if text.width() <= CELL_MAX {
        return text;
    }
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() >= CELL_MAX - 1 {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// The terminal as it was before lines were edited on it.
static BEFORE: OnceLock<rustix::termios::Termios> = OnceLock::new();

/// Remembers how the terminal is now, before lines are edited on it.
pub(crate) fn remember_terminal() {
    if let Ok(now) = rustix::termios::tcgetattr(std::io::stdin()) {
        let _ = BEFORE.set(now);
    }
}

/// Gives the terminal back as it was, for whoever ends while a line is being edited.
pub(crate) fn restore_terminal() {
    if let Some(before) = BEFORE.get() {
        let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, before);
        // Pasted text comes as it did before, and what follows begins on a line of its own.
        out("\x1b[?2004l\n");
    }
}

/// The terminal without an echo, while a secret is typed.
pub(crate) struct Quiet(rustix::termios::Termios);

impl Quiet {
    /// Turns the echo off; `None` when there is no terminal.
    pub(crate) fn begin() -> Option<Self> {
        let stdin = std::io::stdin();
        let before = rustix::termios::tcgetattr(&stdin).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(rustix::termios::LocalModes::ECHO);
        rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, &quiet).ok()?;
        Some(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, &self.0);
        eprintln!();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn row(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_text_is_shown_whole_with_its_line_breaks_and_a_bound() {
        let note = "one\n\n  three\n";
        let shown =
            record(&row(json!({ "path": "a.txt", "content": note, "size": 1200, "_origin": "local" })));
        assert_eq!(shown, "path: a.txt\nsize: 1.2 kB\ncontent:\none\n\n  three\n");
        let long = record(&row(json!({ "content": "x".repeat(TEXT_MAX + 7) })));
        assert!(long.ends_with("… 7 characters more (--json shows all)\n"), "{}", long.len());
        assert!(!record(&row(json!({ "content": format!("a\u{1b}[2J\n{note}") }))).contains('\u{1b}'));
    }

    #[test]
    fn a_path_that_is_too_long_keeps_its_end() {
        let long = format!("/home/u/{}/bill.pdf", "folder/".repeat(20));
        let shown = cut_front(&long);
        assert!(
            shown.starts_with('…') && shown.ends_with("/bill.pdf") && shown.width() <= CELL_MAX,
            "{shown}"
        );
        assert_eq!(cut_front("/a/b"), "/a/b");
    }

    #[test]
    fn bytes_read_as_people_write_them() {
        let sizes =
            [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_950, "1.0 MB"), (46_426_423_296, "46.4 GB")];
        for (bytes, said) in sizes {
            assert_eq!(human(bytes), said);
        }
        assert_eq!(cell("pid", &json!(1000)), "1000", "only what counts bytes");
        assert_eq!(cell("kept_bytes", &json!(1500)), "1.5 kB");
    }

    #[test]
    fn a_moment_reads_on_the_clock_of_this_terminal() {
        let shown = cell("at", &json!("2026-11-16T10:26:39.692865378Z"));
        let at = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", &shown).unwrap();
        let at = at.to_zoned(jiff::tz::TimeZone::system()).unwrap().timestamp();
        assert_eq!(at.to_string(), "2026-11-16T10:26:39Z");
        for text in ["2026-11-16", "10:26", "Z", "2026-11-16T10:26:39+01:00"] {
            assert_eq!(cell("at", &json!(text)), text);
        }
        let theirs = "2026-11-16T10:26:39Z";
        assert_eq!(cell("Start", &json!(theirs)), theirs, "a row of somebody's table stays as it is");
    }

    #[test]
    fn rows_of_several_kinds_have_a_line_each() {
        let rows = [
            row(json!({ "kind": "disk", "path": "/", "size": 2_000_000, "free": 1_000_000 })),
            row(json!({ "kind": "load", "one": 0.5, "five": 0.25 })),
            row(json!({ "kind": "uptime", "seconds": 60 })),
        ];
        assert!(are_of_several_kinds(&rows, &["kind", "path", "size", "free", "one", "five", "seconds"]));
        assert!(!are_of_several_kinds(&rows[..1], &["kind", "path", "size", "free"]));
        let shown = each_in_its_line(&rows);
        assert!(shown.starts_with("disk · path / · size 2.0 MB · free "), "{shown}");
        assert!(shown.ends_with("uptime · seconds 60\n"), "{shown}");
    }
}
