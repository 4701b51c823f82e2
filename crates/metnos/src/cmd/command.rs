//! What a line of the prompt is: a command only when the whole line has the form of one, else a request.

use metnos_vocab::ExecutorName;
use serde::Deserialize;
use std::sync::OnceLock;

/// The words of one language that are a whole line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lines {
    quit: Vec<String>,
    help: Vec<String>,
    stop: Vec<String>,
    go_on: Vec<String>,
    /// What can be completed.
    pub(super) offered: Vec<String>,
}

/// Those of every language: any of them is understood.
pub(super) fn lines() -> &'static [Lines] {
    static READ: OnceLock<Vec<Lines>> = OnceLock::new();
    READ.get_or_init(|| {
        let all = metnos_tongue::tables::<Lines>("commands.toml").unwrap_or_default();
        all.into_iter().map(|(_, lines)| lines).collect()
    })
}

fn is(line: &str, words: impl Fn(&Lines) -> &Vec<String>) -> bool {
    lines().iter().any(|lines| words(lines).iter().any(|word| word == line))
}

/// Whether a line ends the prompt.
pub(crate) fn quits(line: &str) -> bool {
    is(line, |lines| &lines.quit)
}

/// Whether a line says that a request which lacked a credential shall go on.
pub(super) fn goes_on(line: &str) -> bool {
    is(&line.to_lowercase(), |lines| &lines.go_on)
}

/// A line of the prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    /// An empty line.
    Nothing,
    /// Ends the prompt.
    Quit,
    /// What can be typed.
    Help,
    /// Every executor.
    List,
    /// One executor.
    Show(&'a str),
    /// Halts all work.
    Stop,
    /// Keeps the plan of the last answer.
    Star,
    /// An executor with its arguments.
    Call(&'a str, &'a str),
    /// Plain words.
    Request(&'a str),
}

impl<'a> Command<'a> {
    /// What `line` is. "list" is a command, "list the files in Downloads" is not.
    pub(super) fn of(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("", _) => Self::Nothing,
            _ if quits(line) => Self::Quit,
            _ if is(line, |lines| &lines.help) => Self::Help,
            _ if is(line, |lines| &lines.stop) => Self::Stop,
            ("list", "") => Self::List,
            ("show", name) if ExecutorName::parse(name).is_ok() => Self::Show(name),
            ("star" | "★", "") => Self::Star,
            (name, rest) if ExecutorName::parse(name).is_ok() => Self::Call(name, rest),
            _ => Self::Request(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_command_when_the_whole_line_is_one() {
        for (line, command) in [
            ("  ", Command::Nothing),
            ("quit", Command::Quit),
            ("help", Command::Help),
            ("list", Command::List),
            ("show find_files", Command::Show("find_files")),
            ("stop everything", Command::Stop),
            ("ferma tutto", Command::Stop),
            ("★", Command::Star),
            ("find_files patterns=*.pdf", Command::Call("find_files", "patterns=*.pdf")),
        ] {
            assert_eq!(Command::of(line), command, "{line}");
        }
    }

    #[test]
    fn everything_else_is_a_request() {
        for line in [
            "list the files in Downloads",
            "show me the pictures from Natale",
            "show",
            "help me find the passport",
            "aiuto non trovo il passaporto",
            "stop the process firefox",
            "exit code of the last command",
        ] {
            assert_eq!(Command::of(line), Command::Request(line), "{line}");
        }
    }
}
