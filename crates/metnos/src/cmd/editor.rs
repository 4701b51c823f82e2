//! Where the prompt reads from: a terminal, on which lines are edited, completed and remembered, or a pipe.

use super::complete::Completion;
use super::line;
use super::stop::Stop;
use crate::print;
use metnos_executor::Failure;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is typed after it is a request.
const PROMPT: &str = "metnos> ";
/// Lines that are remembered.
const REMEMBERED: usize = 1000;
/// Longer lines are not remembered.
const REMEMBERED_MAX: usize = 4096;
/// How often whoever ends the process is looked for while a line is typed.
const LOOK: Duration = Duration::from_millis(100);

/// Whose process the prompt runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum House {
    /// Its own: a signal that ends it ends the prompt.
    Ours,
    /// That of a daemon, which looks after signals itself.
    Shared,
}

/// What came next.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A line.
    Line(String),
    /// The line was given up.
    GivenUp,
    /// One that is too long, thrown away.
    TooLong(Failure),
    /// Nobody says anything any more.
    End,
}

/// The lines of whoever speaks.
pub(crate) struct Lines<'a> {
    editor: Option<Editor<Completion<'a>, FileHistory>>,
    history: Option<PathBuf>,
    /// Whether a line may be remembered.
    may_keep: Box<dyn Fn(&str) -> bool + 'a>,
    /// The rest of what was pasted: each line of it is a request of its own.
    pasted: VecDeque<String>,
    house: House,
    max: u64,
}

impl<'a> Lines<'a> {
    /// From standard input. At a terminal lines are remembered in `history`, as far as `may_keep` lets them.
    pub(crate) fn new(
        house: House,
        max: u64,
        completion: Completion<'a>,
        history: Option<PathBuf>,
        may_keep: impl Fn(&str) -> bool + 'a,
    ) -> Self {
        let mut editor = Self::is_terminal().then(|| open(completion)).flatten();
        if let (Some(editor), Some(history)) = (&mut editor, &history) {
            // The first time there is none.
            let _ = editor.load_history(history);
        }
        if editor.is_some() {
            print::remember_terminal();
        }
        Self { editor, history, may_keep: Box::new(may_keep), pasted: VecDeque::new(), house, max }
    }

    /// Whether somebody sits there.
    pub(crate) fn is_terminal() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> Result<Heard, Failure> {
        if let Some(line) = self.pasted.pop_front() {
            print::prompt(&format!("{PROMPT}{}\n", print::safe(&line)));
            return Ok(Heard::Line(line));
        }
        let read = match (&mut self.editor, self.house) {
            (None, _) => return self.piped(),
            (Some(editor), House::Ours) => watched(|| editor.readline(PROMPT))?,
            (Some(editor), House::Shared) => editor.readline(PROMPT),
        };
        match read {
            Ok(text) if text.len() as u64 > self.max => Ok(Heard::TooLong(line::too_long(self.max))),
            Ok(text) => {
                let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r').to_owned());
                let first = lines.next().unwrap_or_default();
                self.pasted = lines.filter(|line| !line.trim().is_empty()).collect();
                Ok(Heard::Line(first))
            }
            Err(ReadlineError::Interrupted) => {
                self.pasted.clear();
                Ok(Heard::GivenUp)
            }
            Err(ReadlineError::Eof) => Ok(Heard::End),
            Err(ReadlineError::Io(error)) => Err(Failure::io("the terminal", &error)),
            Err(error) => Err(Failure::internal(format!("the terminal: {error}"))),
        }
    }

    fn piped(&mut self) -> Result<Heard, Failure> {
        // Before anybody is invited to press it.
        let _ends = (self.house == House::Ours).then(Stop::at_once).transpose()?;
        let mut line = Vec::new();
        // Held for one line: a question in the middle of a turn reads the next one.
        let read = line::next(&mut std::io::stdin().lock(), self.max, &mut line);
        Ok(match read.map_err(|e| Failure::io("standard input", &e))? {
            Ok(false) => Heard::End,
            Ok(true) => Heard::Line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
            Err(too_long) => Heard::TooLong(too_long),
        })
    }

    /// Remembers a line, unless it holds a secret, begins with a space or is very long. What fails here loses a
    /// memory and nothing else.
    pub(crate) fn keep(&mut self, line: &str) {
        let short = !line.trim().is_empty() && line.len() <= REMEMBERED_MAX;
        let Some(editor) = &mut self.editor else { return };
        if !short || line.starts_with(' ') || !(self.may_keep)(line) {
            return;
        }
        let added = editor.add_history_entry(line).unwrap_or(false);
        if let Some(history) = self.history.as_ref().filter(|_| added) {
            let _ =
                folder(history).and_then(|()| editor.append_history(history).map_err(std::io::Error::other));
        }
    }
}

/// The folder of a file, for nobody else to read.
fn folder(file: &Path) -> std::io::Result<()> {
    let parent = file.parent().unwrap_or(file);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)
}

fn open(completion: Completion<'_>) -> Option<Editor<Completion<'_>, FileHistory>> {
    let config = Config::builder().max_history_size(REMEMBERED).ok()?;
    let config = config.history_ignore_space(true).completion_type(CompletionType::List).build();
    let mut editor = Editor::with_config(config).ok()?;
    editor.set_helper(Some(completion));
    Some(editor)
}

/// Reads while somebody looks whether the process shall end: the terminal is given back as it was before it does.
fn watched<T>(read: impl FnOnce() -> T) -> Result<T, Failure> {
    let (stop, over) = (Stop::listen()?, AtomicBool::new(false));
    Ok(std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                if stop.asked() {
                    print::restore_terminal();
                    std::process::exit(130);
                }
                std::thread::park_timeout(LOOK);
            }
        });
        let read = read();
        over.store(true, Ordering::Release);
        watcher.thread().unpark();
        read
    }))
}
