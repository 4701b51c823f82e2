//! Why a line is not one command.

use std::fmt;

/// What only a shell can carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Construct {
    /// `a | b`
    Pipe,
    /// `a ; b`
    Sequence,
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// `a &`
    Background,
    /// `a > file`, `a < file`
    Redirection,
    /// `a << END`
    HereDocument,
    /// `( a )`
    Subshell,
    /// `$( a )`
    Substitution,
    /// `` `a` ``
    Backtick,
    /// `<( a )`
    ProcessSubstitution,
    /// `$A`
    Variable,
    /// `$'a'`
    Escape,
    /// `*`, `?`, `[a]`
    Glob,
    /// `{a,b}`
    Brace,
    /// `A=b command`
    Assignment,
    /// `if`, `for`, `{`, `!`
    Keyword,
    /// A second line.
    Newline,
    /// `# a`
    Comment,
}

impl Construct {
    /// What to write instead.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Pipe => "run one command and let the next step read its output",
            Self::Sequence | Self::And | Self::Or | Self::Newline => "give each command as a step of its own",
            Self::Background => "leave the `&` out; every command is waited for",
            Self::Redirection | Self::HereDocument => {
                "leave it out; output is returned, and write_files saves it"
            }
            Self::Subshell => "write the command without parentheses",
            Self::Substitution | Self::Backtick | Self::ProcessSubstitution => {
                "run the inner command first, then use its output"
            }
            Self::Variable => "write the value itself, or put it in single quotes to mean the `$`",
            Self::Escape => "write the character itself, in single quotes",
            Self::Glob => "name the files, or put it in quotes to mean the character",
            Self::Brace => "write each word out",
            Self::Assignment => "write `env NAME=value command`",
            Self::Keyword => "give one plain command",
            Self::Comment => "leave the comment out, or put the `#` in quotes",
        }
    }
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "a pipe (`|`)",
            Self::Sequence => "a second command (`;`)",
            Self::And => "a second command (`&&`)",
            Self::Or => "a second command (`||`)",
            Self::Background => "a background command (`&`)",
            Self::Redirection => "a redirection (`<`, `>`)",
            Self::HereDocument => "a here-document (`<<`)",
            Self::Subshell => "a subshell (`( )`)",
            Self::Substitution => "a command substitution (`$( )`)",
            Self::Backtick => "a command substitution (backticks)",
            Self::ProcessSubstitution => "a process substitution (`<( )`)",
            Self::Variable => "a variable (`$`)",
            Self::Escape => "an escape (`$' '`)",
            Self::Glob => "a wildcard (`*`, `?`, `[ ]`)",
            Self::Brace => "a list in braces (`{ , }`)",
            Self::Assignment => "an assignment (`NAME=value`)",
            Self::Keyword => "a word of the shell's own",
            Self::Newline => "a second line",
            Self::Comment => "a comment (`#`)",
        })
    }
}

/// Why a line is not one command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Nothing to run.
    #[error("there is no command")]
    Empty,
    /// Longer than any command that is run.
    #[error("the command is {bytes} bytes long; the most is {most}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// A byte no argument can hold.
    #[error("column {column} holds a NUL byte")]
    Nul {
        /// Where, counted in characters from 1.
        column: usize,
    },
    /// A quote that is never closed.
    #[error("the quote {quote} at column {column} is never closed")]
    OpenQuote {
        /// The quote.
        quote: char,
        /// Where it opens.
        column: usize,
    },
    /// A parenthesis, brace or backtick that is never closed.
    #[error("{construct} at column {column} is never closed")]
    Unclosed {
        /// What it opens.
        construct: Construct,
        /// Where it opens.
        column: usize,
    },
    /// A backslash with nothing after it.
    #[error("the backslash at column {column} stands before nothing")]
    LoneBackslash {
        /// Where.
        column: usize,
    },
    /// Something only a shell can carry out; commands are run without one.
    #[error("column {column} holds {construct}, and commands are run without a shell")]
    NeedsShell {
        /// What it is.
        construct: Construct,
        /// Where, counted in characters from 1.
        column: usize,
    },
}

impl CommandError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "write the name of a program first",
            Self::TooLong { .. } => "put the long part in a file",
            Self::Nul { .. } => "write the command without it",
            Self::OpenQuote { .. } => "close the quote, or put a backslash before it to mean the character",
            Self::LoneBackslash { .. } => "remove it, or put it in single quotes",
            Self::NeedsShell { construct, .. } | Self::Unclosed { construct, .. } => construct.hint(),
        }
    }
}
