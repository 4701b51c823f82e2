//! The one place that writes to the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the printer")]

use metnos_executor::Failure;
use serde_json::{Map, Value, json};
use std::io::{BufWriter, IsTerminal, Write};
use unicode_width::UnicodeWidthStr;

/// The most rows and the widest column of a table on the screen.
const ROWS_MAX: usize = 40;
const CELL_MAX: usize = 60;

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

    /// The answer of a command in JSON mode; silent otherwise.
    pub(crate) fn value(&self, value: &Value) {
        if self.json {
            out(&format!("{value}\n"));
        }
    }

    /// A failure, with its next step.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            out(&format!("{}\n", json!({ "ok": false, "error": failure })));
            return;
        }
        let limit = failure.limit.as_ref().map(|l| format!(" ({l})")).unwrap_or_default();
        eprintln!("metnos: {}{limit}: {}", failure.class, safe(&failure.message));
        if let Some(hint) = &failure.hint {
            eprintln!("  next: {}", safe(hint));
        }
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
        if self.json || rows.is_empty() {
            return;
        }
        let mut columns: Vec<&str> = Vec::new();
        for key in rows.iter().take(ROWS_MAX).flat_map(Map::keys) {
            if !key.starts_with('_') && !key.ends_with("_b64") && !columns.contains(&key.as_str()) {
                columns.push(key);
            }
        }
        let cell =
            |row: &Map<String, Value>, column: &str| cut(&plain(row.get(column).unwrap_or(&Value::Null)));
        let width = |column: &str| {
            rows.iter().take(ROWS_MAX).map(|r| cell(r, column).width()).max().unwrap_or(0).max(column.width())
        };
        let widths: Vec<usize> = columns.iter().map(|c| width(c)).collect();
        let line = |cells: Vec<String>| {
            let padded: Vec<String> = cells
                .iter()
                .zip(&widths)
                .map(|(c, w)| format!("{c}{}", " ".repeat(w.saturating_sub(c.width()))))
                .collect();
            padded.join("  ").trim_end().to_owned()
        };
        let mut text = line(columns.iter().map(|c| (*c).to_owned()).collect());
        text.push('\n');
        text.push_str(&line(widths.iter().map(|w| "─".repeat(*w)).collect()));
        text.push('\n');
        for row in rows.iter().take(ROWS_MAX) {
            text.push_str(&line(columns.iter().map(|c| cell(row, c)).collect()));
            text.push('\n');
        }
        if rows.len() > ROWS_MAX {
            text.push_str(&format!("… {} more (--json shows all)\n", rows.len() - ROWS_MAX));
        }
        out(&text);
    }
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

/// File names and messages come from the world: no control character of theirs reaches the
/// terminal.
fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace(['\n', '\r', '\t'], "⏎"),
        other => other.to_string(),
    }
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
