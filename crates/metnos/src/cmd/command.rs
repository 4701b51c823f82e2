//! What a line of the prompt is: a command only when the whole line has the form of one, else a request.

use metnos_vocab::ExecutorName;

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
            ("quit" | "exit" | "esci", "") => Self::Quit,
            ("help" | "aiuto" | "?", "") => Self::Help,
            ("list", "") => Self::List,
            ("show", name) if ExecutorName::parse(name).is_ok() => Self::Show(name),
            ("stop", "" | "everything") | ("ferma", "" | "tutto") => Self::Stop,
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
