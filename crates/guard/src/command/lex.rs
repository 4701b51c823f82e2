//! A line of shell as the tokens a POSIX shell sees in it.
//!
//! One reader serves two callers: a command that must need no shell, and the text after `sh -c`.
//! Nothing is expanded. A word whose value is only known at run time is marked *opaque*, and the
//! commands inside substitutions are handed back as text to be read in turn.

use super::argv::{BYTES_MAX, KEYWORDS};
use super::error::{CommandError, Construct};

/// One word, its quotes removed.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Part of it is only known at run time.
    pub(super) opaque: bool,
    /// What a shell would do to it, and at which column.
    pub(super) needs: Vec<(Construct, usize)>,
    /// The commands inside its substitutions.
    pub(super) nested: Vec<String>,
    /// Whether it reads `NAME=…` before any quote.
    pub(super) assigns: bool,
    pub(super) column: usize,
    quoted: bool,
    brace: Brace,
}

/// How much of `{a,b}` has been seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Brace {
    #[default]
    None,
    Open(usize),
    List(usize),
}

impl Word {
    /// Whether a shell takes it for one of its own words.
    pub(super) fn is_keyword(&self) -> bool {
        !self.quoted && KEYWORDS.contains(&self.text.as_str())
    }

    fn unknown(&mut self, construct: Construct, column: usize) {
        self.opaque = true;
        self.needs.push((construct, column));
    }

    /// An unquoted character.
    fn bare(&mut self, c: char, column: usize) {
        match (c, self.brace) {
            ('*' | '?' | '[', _) => self.needs.push((Construct::Glob, column)),
            ('{', Brace::None) => self.brace = Brace::Open(column),
            (',', Brace::Open(at)) => self.brace = Brace::List(at),
            ('.', Brace::Open(at)) if self.text.ends_with('.') => self.brace = Brace::List(at),
            ('}', Brace::List(at)) => self.unknown(Construct::Brace, at),
            ('=', _) if !self.quoted && !self.assigns => self.assigns = is_name(&self.text),
            _ => {}
        }
        self.text.push(c);
    }
}

fn is_name(text: &str) -> bool {
    // `NAME+=` appends; it assigns too.
    let name = text.strip_suffix('+').unwrap_or(text);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What a shell sees.
#[derive(Debug)]
pub(super) enum Token {
    Word(Word),
    /// What separates or groups commands, or a comment.
    Operator {
        construct: Construct,
        column: usize,
    },
    /// The word after it is a file (or the end of a here-document).
    Redirect {
        writes: bool,
        here_document: bool,
        column: usize,
    },
}

/// The tokens of `text`.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, CommandError> {
    if text.len() > BYTES_MAX {
        return Err(CommandError::TooLong { bytes: text.len(), most: BYTES_MAX });
    }
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, tokens: Vec::new(), word: None };
    lexer.run()?;
    Ok(lexer.tokens)
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    word: Option<Word>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn column(&self) -> usize {
        self.at + 1
    }

    fn word(&mut self) -> &mut Word {
        let column = self.column();
        self.word.get_or_insert_with(|| Word { column, ..Word::default() })
    }

    fn end_word(&mut self) {
        self.tokens.extend(self.word.take().map(Token::Word));
    }

    fn run(&mut self) -> Result<(), CommandError> {
        while let Some(c) = self.peek(0) {
            let column = self.column();
            match c {
                '\0' => return Err(CommandError::Nul { column }),
                ' ' | '\t' => {
                    self.end_word();
                    self.at += 1;
                }
                '#' if self.word.is_none() => {
                    self.operator(Construct::Comment, 0);
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '\n' => self.operator(Construct::Newline, 1),
                ';' => self.operator(Construct::Sequence, 1),
                '(' | ')' => self.operator(Construct::Subshell, 1),
                '|' if self.peek(1) == Some('|') => self.operator(Construct::Or, 2),
                '|' if self.peek(1) == Some('&') => self.operator(Construct::Pipe, 2),
                '|' => self.operator(Construct::Pipe, 1),
                '&' if self.peek(1) == Some('&') => self.operator(Construct::And, 2),
                '&' if self.peek(1) == Some('>') => self.redirect(),
                '&' => self.operator(Construct::Background, 1),
                '<' | '>' if self.peek(1) == Some('(') => self.process_substitution()?,
                '<' | '>' => self.redirect(),
                '\'' => self.single_quotes()?,
                '"' => self.double_quotes()?,
                '\\' => self.backslash()?,
                '$' => self.dollar(false)?,
                '`' => self.backtick()?,
                c => {
                    self.word().bare(c, column);
                    self.at += 1;
                }
            }
        }
        self.end_word();
        Ok(())
    }

    fn operator(&mut self, construct: Construct, width: usize) {
        self.end_word();
        self.tokens.push(Token::Operator { construct, column: self.column() });
        self.at += width;
    }

    fn redirect(&mut self) {
        let column = self.column();
        // `2>` redirects the descriptor 2; the digit is no word.
        let descriptor = |w: &Word| !w.quoted && w.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(descriptor) {
            self.word = None;
        }
        self.end_word();
        let start = self.at;
        while self.peek(0).is_some_and(|c| "<>&|".contains(c)) && self.peek(1) != Some('(') {
            self.at += 1;
        }
        self.at = self.at.max(start + 1);
        let signs: String = self.chars.iter().skip(start).take(self.at - start).collect();
        let here_document = signs.starts_with("<<") && !signs.starts_with("<<<");
        self.tokens.push(Token::Redirect { writes: signs.contains('>'), here_document, column });
    }

    fn single_quotes(&mut self) -> Result<(), CommandError> {
        let column = self.column();
        let open = CommandError::OpenQuote { quote: '\'', column };
        self.word().quoted = true;
        self.at += 1;
        loop {
            match self.peek(0).ok_or_else(|| open.clone())? {
                '\'' => break,
                '\0' => return Err(CommandError::Nul { column: self.column() }),
                c => self.word().text.push(c),
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    fn double_quotes(&mut self) -> Result<(), CommandError> {
        let column = self.column();
        let open = CommandError::OpenQuote { quote: '"', column };
        self.word().quoted = true;
        self.at += 1;
        loop {
            match self.peek(0).ok_or_else(|| open.clone())? {
                '"' => break,
                '\0' => return Err(CommandError::Nul { column: self.column() }),
                '$' => self.dollar(true)?,
                '`' => self.backtick()?,
                '\\' if self.peek(1).is_some_and(|c| "$`\"\\\n".contains(c)) => self.backslash()?,
                c => {
                    self.word().text.push(c);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Ok(())
    }

    fn backslash(&mut self) -> Result<(), CommandError> {
        let column = self.column();
        match self.peek(1) {
            None => return Err(CommandError::LoneBackslash { column }),
            Some('\0') => return Err(CommandError::Nul { column: column + 1 }),
            Some('\n') => {
                return Err(CommandError::NeedsShell { construct: Construct::Newline, column });
            }
            Some(c) => {
                let word = self.word();
                word.quoted = true;
                word.text.push(c);
            }
        }
        self.at += 2;
        Ok(())
    }

    fn dollar(&mut self, in_quotes: bool) -> Result<(), CommandError> {
        let column = self.column();
        let start = self.at;
        match self.peek(1) {
            Some('(') => {
                let inner = self.enclosed(2, '(', ')', Construct::Substitution)?;
                let word = self.word();
                word.unknown(Construct::Substitution, column);
                word.nested.push(inner);
            }
            Some('{') => {
                let inner = self.enclosed(2, '{', '}', Construct::Variable)?;
                // A default value may hold commands of its own; nobody needs to write that here.
                if inner.contains(['`', '(']) {
                    return Err(CommandError::NeedsShell { construct: Construct::Substitution, column });
                }
                self.variable(&inner, column);
            }
            Some('\'') if !in_quotes => {
                self.at += 2;
                while self.peek(0).is_some_and(|c| c != '\'') {
                    self.at += if self.peek(0) == Some('\\') { 2 } else { 1 };
                }
                if self.peek(0).is_none() {
                    return Err(CommandError::OpenQuote { quote: '\'', column });
                }
                self.at += 1;
                self.word().unknown(Construct::Escape, column);
            }
            Some('"') if !in_quotes => {
                self.word().needs.push((Construct::Escape, column));
                self.at += 1;
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                self.at += 1;
                while self.peek(0).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
                let name: String = self.chars.iter().skip(start + 1).take(self.at - start - 1).collect();
                self.variable(&name, column);
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.word().unknown(Construct::Variable, column);
                self.at += 2;
            }
            _ => {
                self.word().text.push('$');
                self.at += 1;
            }
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, column: usize) {
        let word = self.word();
        // The one variable whose meaning is known: somebody's home.
        if name == "HOME" && word.text.is_empty() {
            word.text.push('~');
            word.needs.push((Construct::Variable, column));
        } else {
            word.unknown(Construct::Variable, column);
        }
    }

    fn backtick(&mut self) -> Result<(), CommandError> {
        let column = self.column();
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.peek(0) {
                None => {
                    return Err(CommandError::Unclosed { construct: Construct::Backtick, column });
                }
                Some('`') => break,
                Some('\\') if self.peek(1).is_some_and(|c| "$`\\".contains(c)) => {
                    self.at += 1;
                    inner.extend(self.peek(0));
                }
                Some(c) => inner.push(c),
            }
            self.at += 1;
        }
        self.at += 1;
        let word = self.word();
        word.unknown(Construct::Backtick, column);
        word.nested.push(inner);
        Ok(())
    }

    fn process_substitution(&mut self) -> Result<(), CommandError> {
        self.end_word();
        let column = self.column();
        let inner = self.enclosed(2, '(', ')', Construct::ProcessSubstitution)?;
        let word = self.word();
        word.unknown(Construct::ProcessSubstitution, column);
        word.nested.push(inner);
        Ok(())
    }

    /// The text up to the `close` that belongs to an `open` just before `skip` characters ahead.
    fn enclosed(
        &mut self,
        skip: usize,
        open: char,
        close: char,
        construct: Construct,
    ) -> Result<String, CommandError> {
        let unclosed = CommandError::Unclosed { construct, column: self.column() };
        self.at += skip;
        let start = self.at;
        let mut depth = 1;
        let mut quote = None;
        loop {
            let c = self.peek(0).ok_or_else(|| unclosed.clone())?;
            // Quotes inside substitutions inside quotes, and comments, move the end: too clever to trust.
            let deeper = quote == Some('"') && c == '$' && self.peek(1).is_some_and(|n| "({".contains(n));
            let comment = quote.is_none() && c == '#' && construct != Construct::Variable;
            if quote != Some('\'') && (c == '`' || deeper || comment) {
                return Err(CommandError::NeedsShell { construct, column: self.column() });
            }
            match quote {
                Some(q) if c == q => quote = None,
                Some('\'') => {}
                _ if c == '\\' => self.at += 1,
                Some(_) => {}
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c == open => depth += 1,
                None if c == close => depth -= 1,
                None => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        Ok(self.chars.iter().skip(start).take((self.at - 1).saturating_sub(start)).collect())
    }
}
