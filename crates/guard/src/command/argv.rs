//! One command: a program and its arguments, as the kernel takes them.

use super::error::{CommandError, Construct};
use super::lex::{self, Token};
use std::fmt;

/// The most bytes one command may have. Longer lines are data that went astray.
pub(super) const BYTES_MAX: usize = 32 * 1024;

/// The words that mean something to a shell where a program's name is expected.
pub(super) const KEYWORDS: [&str; 22] = [
    "!", "{", "}", "[[", "]]", "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while",
    "until", "for", "select", "in", "function", "time", "coproc",
];

/// A program and its arguments: at least one word, the first not empty, none with a NUL byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Argv {
    words: Vec<String>,
}

impl Argv {
    /// Reads a command line as a shell splits it; refuses all that a shell would do beyond that.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let mut words = Vec::new();
        for token in lex::lex(text)? {
            match token {
                Token::Operator { construct, column } => {
                    return Err(CommandError::NeedsShell { construct, column });
                }
                Token::Redirect { here_document, column, .. } => {
                    let construct =
                        if here_document { Construct::HereDocument } else { Construct::Redirection };
                    return Err(CommandError::NeedsShell { construct, column });
                }
                Token::Word(word) => {
                    if let Some(&(construct, column)) = word.needs.first() {
                        return Err(CommandError::NeedsShell { construct, column });
                    }
                    let column = word.column;
                    if words.is_empty() && word.assigns {
                        return Err(CommandError::NeedsShell { construct: Construct::Assignment, column });
                    }
                    // `time` is also a program; what the two do is the same.
                    if words.is_empty() && word.is_keyword() && word.text != "time" {
                        return Err(CommandError::NeedsShell { construct: Construct::Keyword, column });
                    }
                    words.push(word.text);
                }
            }
        }
        Self::from_words(words)
    }

    /// A command whose words are known already.
    pub fn from_words(words: Vec<String>) -> Result<Self, CommandError> {
        if words.first().is_none_or(String::is_empty) {
            return Err(CommandError::Empty);
        }
        let bytes = words.iter().map(|w| w.len() + 1).sum();
        if bytes > BYTES_MAX {
            return Err(CommandError::TooLong { bytes, most: BYTES_MAX });
        }
        let mut before = 0;
        for word in &words {
            if let Some(at) = word.chars().position(|c| c == '\0') {
                return Err(CommandError::Nul { column: before + at + 1 });
            }
            before += word.chars().count() + 1;
        }
        Ok(Self { words })
    }

    /// The program, as written.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The arguments after the program.
    pub fn args(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Program and arguments.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The line that parses to exactly these words.
    pub fn display(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Argv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, word) in self.words.iter().enumerate() {
            if n > 0 {
                f.write_str(" ")?;
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+:,./-=".contains(c);
            let special_first = n == 0 && (word.contains('=') || KEYWORDS.contains(&word.as_str()));
            if !word.is_empty() && word.chars().all(plain) && !special_first {
                f.write_str(word)?;
            } else {
                write!(f, "'{}'", word.replace('\'', r"'\''"))?;
            }
        }
        Ok(())
    }
}
