//! The text after `sh -c`: its simple commands, wherever in it they stand.
//!
//! Conditions, loops and groups are not followed: a command counts whether or not it would be reached.

use super::error::{CommandError, Construct};
use super::lex::{Token, Word, lex};
use super::words::Arg;

/// One simple command of a script.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) args: Vec<Arg>,
    /// The files its output goes to.
    pub(super) writes: Vec<Arg>,
}

/// What a script would do.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) commands: Vec<Simple>,
    /// The commands inside substitutions.
    pub(super) nested: Vec<String>,
    /// It starts copies of itself without end.
    pub(super) multiplies: bool,
}

/// Why a script cannot be judged.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error(transparent)]
    Text(#[from] CommandError),
    #[error("it defines functions of its own")]
    Function,
    #[error("it uses `case`")]
    Case,
}

/// Reads a script.
pub(super) fn read(text: &str) -> Result<Script, Unreadable> {
    let tokens = lex(text)?;
    let mut script = Script { multiplies: bomb(&tokens), ..Script::default() };
    if script.multiplies {
        return Ok(script);
    }
    let mut reader = Reader { script: &mut script, simple: Simple::default(), skip: false, redirected: None };
    for (at, token) in tokens.iter().enumerate() {
        reader.token(token, tokens.get(at + 1))?;
    }
    reader.end();
    Ok(script)
}

struct Reader<'s> {
    script: &'s mut Script,
    simple: Simple,
    /// The words of a `for` are values, not a command.
    skip: bool,
    /// The word after a redirection is a file; whether it is written.
    redirected: Option<bool>,
}

impl Reader<'_> {
    fn token(&mut self, token: &Token, next: Option<&Token>) -> Result<(), Unreadable> {
        match token {
            Token::Operator { construct: Construct::Comment, .. } => {}
            Token::Operator { .. } => self.end(),
            Token::Redirect { here_document: true, column, .. } => {
                let construct = Construct::HereDocument;
                return Err(CommandError::NeedsShell { construct, column: *column }.into());
            }
            Token::Redirect { writes, .. } => self.redirected = Some(*writes),
            Token::Word(word) => self.word(word, next)?,
        }
        Ok(())
    }

    fn word(&mut self, word: &Word, next: Option<&Token>) -> Result<(), Unreadable> {
        self.script.nested.extend(word.nested.iter().cloned());
        if let Some(writes) = self.redirected.take() {
            if writes {
                self.simple.writes.push(word.into());
            }
            return Ok(());
        }
        if self.skip {
            return Ok(());
        }
        if self.simple.args.is_empty() {
            if matches!(next, Some(Token::Operator { construct: Construct::Subshell, .. }))
                && !word.is_keyword()
            {
                return Err(Unreadable::Function);
            }
            if word.is_keyword() {
                match word.text.as_str() {
                    "function" => return Err(Unreadable::Function),
                    "case" => return Err(Unreadable::Case),
                    "for" | "select" => self.skip = true,
                    _ => {}
                }
                return Ok(());
            }
            if word.assigns {
                return Ok(());
            }
        }
        let mut arg = Arg::from(word);
        // Which program a wildcard finds is not known before.
        arg.opaque |= self.simple.args.is_empty() && word.needs.iter().any(|(c, _)| *c == Construct::Glob);
        self.simple.args.push(arg);
        Ok(())
    }

    fn end(&mut self) {
        self.skip = false;
        let simple = std::mem::take(&mut self.simple);
        if !simple.args.is_empty() || !simple.writes.is_empty() {
            self.script.commands.push(simple);
        }
    }
}

/// Whether a function calls itself, or a loop without end starts work it does not wait for.
fn bomb(tokens: &[Token]) -> bool {
    let is = |at: usize, construct: Construct| matches!(tokens.get(at), Some(Token::Operator { construct: c, .. }) if *c == construct);
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => Some(word.text.as_str()),
        _ => None,
    };
    let calls_itself = (0..tokens.len()).any(|at| {
        let (name, body) = match word(at) {
            Some("function") => (word(at + 1), at + 2),
            name if is(at + 1, Construct::Subshell) && is(at + 2, Construct::Subshell) => (name, at + 3),
            _ => return false,
        };
        let body = (body..tokens.len()).take_while(|&at| word(at) != Some("}"));
        name.is_some_and(|name| body.into_iter().any(|at| word(at) == Some(name)))
    });
    let endless = (0..tokens.len()).any(|at| matches!(word(at), Some("while" | "until")));
    calls_itself || (endless && (0..tokens.len()).any(|at| is(at, Construct::Background)))
}
