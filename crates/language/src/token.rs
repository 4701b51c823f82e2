//! The tokenizer: one pass, linear, aware of nothing but characters and the tails of one language.

use crate::classify::classify;

/// What a token is, apart from its letters.
#[derive(Clone, Debug, PartialEq)]
pub enum Lit {
    /// A word.
    Word,
    /// Text in quotes: a literal, whatever it says.
    Quoted(String),
    /// Text between backticks.
    Command(String),
    /// A path as written: `~/x`, `/x`, `./x`.
    Path(String),
    /// Words joined by slashes: a folder below the home, or owner and repository.
    Slashed(String),
    /// An address with a scheme.
    Url(String),
    /// A mail address.
    Email(String),
    /// A name with wildcards.
    Glob(String),
    /// A name with an ending.
    File(String),
    /// An ending with its dot.
    Ext(String),
    /// A number.
    Number(f64),
    /// Hours and minutes.
    Clock(i8, i8),
    /// Year, month, day.
    Date(i16, i8, i8),
    /// Punctuation.
    Symbol(char),
}

/// A piece of the request.
#[derive(Clone, Debug)]
pub struct Token {
    /// As written.
    pub text: String,
    /// In lower case, with a plain apostrophe.
    pub norm: String,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What it is.
    pub lit: Lit,
}

/// The pieces of `text`. `tails` are endings that are split off a word, such as `'s`.
pub fn tokens(text: &str, tails: &[String]) -> Vec<Token> {
    let mut out = Vec::new();
    let mut at = 0;
    // A quote that was not closed once is not closed further on either: looking again would be quadratic.
    let mut unclosed: Vec<char> = Vec::new();
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if let Some(close) = closing(c)
            && !unclosed.contains(&close)
            && opens(text, at, c)
        {
            if let Some((inner, end)) = quoted(text, at + c.len_utf8(), close) {
                let lit =
                    if c == '`' { Lit::Command(inner.to_owned()) } else { Lit::Quoted(inner.to_owned()) };
                out.push(Token { text: inner.to_owned(), norm: inner.to_lowercase(), start: at, end, lit });
                at = end;
                continue;
            }
            unclosed.push(close);
        }
        let end = run_end(text, at);
        if end == at {
            let end = at + c.len_utf8();
            out.push(Token { text: c.to_string(), norm: c.to_string(), start: at, end, lit: Lit::Symbol(c) });
            at = end;
            continue;
        }
        classify(text, at, end, tails, &mut out);
        at = end;
    }
    out
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '\'' => '\'',
        '`' => '`',
        '“' => '”',
        '«' => '»',
        '‘' => '’',
        '„' => '“',
        _ => return None,
    })
}

/// An opening quote stands at the start of a word.
fn opens(text: &str, at: usize, quote: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + quote.len_utf8()..].chars().next();
    before.is_none_or(|c| !c.is_alphanumeric()) && after.is_some_and(|c| !c.is_whitespace())
}

/// A closing quote stands at the end of one, so that `l'altro` closes nothing.
fn quoted(text: &str, from: usize, close: char) -> Option<(&str, usize)> {
    let mut at = from;
    loop {
        let found = at + text[at..].find(close)?;
        let end = found + close.len_utf8();
        let after = text[end..].chars().next();
        if found > from && after.is_none_or(|c| !c.is_alphanumeric()) {
            return Some((&text[from..found], end));
        }
        at = end;
    }
}

/// The end of the run of characters that belong together.
fn run_end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let whole = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let word = &rest[..whole];
    if word.contains("://") || word.starts_with("www.") {
        return at + word.trim_end_matches(['.', ',', ';', ':', '?', '!', ')', '"', '\'', '”', '»']).len();
    }
    let mut end = 0;
    let mut chars = word.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let inside = match c {
            ',' => {
                i > 0
                    && word[..i].ends_with(|c: char| c.is_ascii_digit())
                    && next.is_some_and(|c| c.is_ascii_digit())
            }
            '+' | '=' | '%' | '^' | '×' | '÷' | '(' | ')' | '[' | ']' | '{' | '}' | ';' | '!' | '"' | '“'
            | '”' | '«' | '»' | '`' | '<' | '>' | '|' => false,
            '?' => word.starts_with(['~', '/', '*']) && next.is_some_and(char::is_alphanumeric),
            // A star is a wildcard inside a name and a sign between numbers.
            '*' => {
                next.is_some_and(|c| c == '.' || c.is_alphabetic())
                    || (i > 0 && word[..i].ends_with(char::is_alphabetic))
                    // `build-*`, `IMG_20*`
                    || next.is_none_or(|c| !c.is_ascii_digit())
                        && word[..i].contains(char::is_alphabetic)
                        && word[..i].ends_with(|c: char| "_-.".contains(c) || c.is_ascii_digit())
            }
            ':' => {
                next.is_some_and(|c| c.is_ascii_digit()) && word[..i].ends_with(|c: char| c.is_ascii_digit())
            }
            _ => true,
        };
        if !inside {
            break;
        }
        end = i + c.len_utf8();
    }
    let run = &word[..end];
    if run == "..." || run == "…" {
        return at + end;
    }
    let mut kept = run.trim_end_matches(['.', ':']);
    // `~/x/` keeps its slash, `…` and `-` alone are signs.
    if kept == "-" || kept == "–" {
        kept = "";
    }
    at + kept.len()
}
