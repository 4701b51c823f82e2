//! An expression cut into tokens. Numbers are read here, because what a comma means depends on
//! where it stands and on the language of the person.

use super::exact::Number;
use super::words::{data, decimal_comma};
use metnos_executor::Failure;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What went wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Character of the expression, from 1.
    pub(crate) column: usize,
    /// What it is.
    pub(crate) message: String,
}

impl Wrong {
    /// An error at `column`.
    pub(crate) fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }
}

/// One token.
#[derive(Clone, Debug)]
pub(crate) enum Token {
    /// A number.
    Number(Number),
    /// A unit, or a word nobody knows.
    Word(String),
    /// The name of a function, in its standard form.
    Function(String),
    /// A word that asks for a conversion; kept as written, because `in` is also an inch.
    Convert(String),
    /// `of`.
    Of,
    /// A sign. `m` is the remainder, `%` is decided by what follows it.
    Sign(char),
    /// Nothing more.
    End,
}

/// The words an expression may hold.
#[derive(Deserialize)]
pub(crate) struct Lexicon {
    convert: Vec<String>,
    of: Vec<String>,
    operators: BTreeMap<String, String>,
    functions: BTreeMap<String, String>,
}

impl Lexicon {
    /// The words that ship.
    pub(crate) fn load() -> Result<Self, Failure> {
        data(include_str!("../../data/expression.toml"), "the words of expressions")
    }
}

/// The tokens of `text`, each with its column.
pub(crate) fn tokens(text: &str, lexicon: &Lexicon, lang: &str) -> Result<Vec<(Token, usize)>, Wrong> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens: Vec<(Token, usize)> = Vec::new();
    // For each open parenthesis: is a comma here a separator of arguments?
    let mut commas: Vec<bool> = Vec::new();
    let mut at = 0usize;
    while let Some(&c) = chars.get(at) {
        let column = at + 1;
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        if c.is_whitespace() {
            at += 1;
        } else if c.is_ascii_digit()
            || (matches!(c, '.' | ',') && next.is_ascii_digit() && starts_value(&tokens, c))
        {
            let separates = commas.last().copied().unwrap_or(false);
            let (number, len) = number(chars.get(at..).unwrap_or_default(), separates, lang)
                .map_err(|message| Wrong::new(column, message))?;
            tokens.push((Token::Number(number), column));
            at += len;
        } else if is_word(c) {
            let len = chars.iter().skip(at).take_while(|c| is_word(**c)).count();
            let word: String = chars.iter().skip(at).take(len).collect();
            // A function is one only when called: `min` alone is a minute.
            let called = chars.iter().skip(at + len).find(|c| !c.is_whitespace()) == Some(&'(');
            tokens.push((lexicon.token(word, called), column));
            at += len;
        } else {
            let (sign, len) = match (c, next) {
                ('*', '*') => ('^', 2),
                ('-', '>') => ('>', 2),
                ('×' | '·' | '∙', _) => ('*', 1),
                ('÷' | ':', _) => ('/', 1),
                ('−' | '–', _) => ('-', 1),
                ('[', _) => ('(', 1),
                (']', _) => (')', 1),
                ('+' | '-' | '*' | '/' | '^' | '%' | '(' | ')' | ';' | ',' | '²' | '³' | '→', _) => {
                    (c, 1)
                }
                _ => return Err(Wrong::new(column, format!("{c:?} has no meaning here"))),
            };
            match sign {
                '(' => {
                    let call = matches!(tokens.last(), Some((Token::Function(_), _)));
                    let outer = commas.last().copied().unwrap_or(false);
                    commas.push(if call { !has_semicolon(&chars, at) } else { outer });
                }
                ')' => {
                    commas.pop();
                }
                _ => {}
            }
            match sign {
                '²' | '³' => {
                    tokens.push((Token::Sign('^'), column));
                    tokens.push((Token::Number(Number::whole(if sign == '²' { 2 } else { 3 })), column));
                }
                '>' | '→' => tokens.push((Token::Convert("→".into()), column)),
                ',' => tokens.push((Token::Sign(';'), column)),
                sign => tokens.push((Token::Sign(sign), column)),
            }
            at += len;
        }
    }
    tokens.push((Token::End, chars.len() + 1));
    Ok(tokens)
}

impl Lexicon {
    fn token(&self, word: String, called: bool) -> Token {
        let lower = word.to_lowercase();
        if called && let Some(function) = self.functions.get(&lower) {
            return Token::Function(function.clone());
        }
        if let Some(sign) = self.operators.get(&lower).and_then(|sign| sign.chars().next()) {
            return Token::Sign(sign);
        }
        if self.convert.contains(&lower) {
            return Token::Convert(lower);
        }
        if self.of.contains(&lower) { Token::Of } else { Token::Word(word) }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '°' | 'µ' | '_')
}

/// `.5` is a number; a comma can only start one where no argument list wants it.
fn starts_value(tokens: &[(Token, usize)], c: char) -> bool {
    c == '.' && matches!(tokens.last(), None | Some((Token::Sign(_) | Token::Of, _)))
}

/// Does the parenthesis that opens at `open` separate its arguments with semicolons?
fn has_semicolon(chars: &[char], open: usize) -> bool {
    let mut depth = 0usize;
    for c in chars.iter().skip(open) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return false;
                }
            }
            ';' if depth == 1 => return true,
            _ => {}
        }
    }
    false
}

/// The number at the start of `chars` and how many characters it takes.
fn number(chars: &[char], comma_separates: bool, lang: &str) -> Result<(Number, usize), String> {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut len = 0usize;
    while let Some(&c) = chars.get(len) {
        let inside = c.is_ascii_digit()
            || (matches!(c, '.' | '\'' | '_' | '\u{a0}' | '\u{202f}') && digit(len + 1))
            || (c == ',' && digit(len + 1) && !comma_separates);
        if !inside {
            break;
        }
        len += 1;
    }
    let written: String = chars.iter().take(len).collect();
    let mut exponent = 0i32;
    if matches!(chars.get(len), Some('e' | 'E')) {
        let signed = matches!(chars.get(len + 1), Some('+' | '-'));
        let start = len + 1 + usize::from(signed);
        let count = chars.iter().skip(start).take_while(|c| c.is_ascii_digit()).count();
        let ends = !chars.get(start + count).is_some_and(|c| is_word(*c));
        if count > 0 && ends {
            let text: String = chars.iter().skip(len + 1).take(count + usize::from(signed)).collect();
            exponent = text.parse().map_err(|_| format!("the exponent {text} is too large"))?;
            len = start + count;
        }
    }
    let (digits, places) = separators(&written, lang)?;
    let places = i32::try_from(places).map_err(|_| "the number is too long".to_owned())?;
    let exponent = exponent.checked_sub(places).ok_or("the exponent is too large")?;
    let number = Number::scaled(&digits, exponent)
        .map_err(|_| "the number has more digits than can be computed exactly (37)".to_owned())?;
    Ok((number, len))
}

/// The digits of a number as written, and how many of them stand after the decimal mark.
///
/// Two different marks: the last one is decimal. One mark twice: it groups. One mark once is
/// decimal unless it can only group; `1.234` is refused where people write thousands that way and
/// programs write decimals that way, because a silent guess would be wrong by a factor of 1000.
pub(crate) fn separators(written: &str, lang: &str) -> Result<(String, usize), String> {
    let plain: String = written
        .chars()
        .map(|c| if c.is_ascii_digit() || matches!(c, '.' | ',') { c } else { '\'' })
        .collect();
    let marks: Vec<char> = plain.chars().filter(|c| !c.is_ascii_digit()).collect();
    let digits: String = plain.chars().filter(char::is_ascii_digit).collect();
    let Some(&last) = marks.last() else { return Ok((digits, 0)) };
    let after = plain.rsplit(last).next().map_or(0, str::len);
    let before = plain.len().saturating_sub(after + 1);
    let head = plain.get(..before).unwrap_or_default();
    let wrong = || format!("{written} is not a number: the digits are not grouped in threes");
    let repeated = marks.iter().filter(|m| **m == last).count() > 1;
    if repeated || last == '\'' {
        if marks.iter().any(|m| *m != last) || !grouped(&plain, last) {
            return Err(wrong());
        }
        return Ok((digits, 0));
    }
    if let Some(&other) = marks.first().filter(|m| **m != last) {
        return if marks.iter().filter(|m| **m != last).all(|m| *m == other) && grouped(head, other) {
            Ok((digits, after))
        } else {
            Err(wrong())
        };
    }
    let may_group = grouped(&plain, last) && !plain.starts_with('0');
    match (last, decimal_comma(lang)) {
        (',', false) if may_group => Ok((digits, 0)),
        ('.', true) if may_group => {
            Err(format!("{written} may be {digits} or {}: write one of these", plain.replace('.', ",") + "0"))
        }
        _ => Ok((digits, after)),
    }
}

/// One to three digits, then groups of exactly three.
fn grouped(text: &str, mark: char) -> bool {
    let mut groups = text.split(mark);
    let first = groups.next().map_or(0, str::len);
    (1..=3).contains(&first) && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn marks_are_read_by_what_they_can_only_be() {
        let read = |text, lang| separators(text, lang).map(|(digits, places)| format!("{digits}/{places}"));
        assert_eq!(read("1,234.56", "it").unwrap(), "123456/2");
        assert_eq!(read("1.234,56", "en").unwrap(), "123456/2");
        assert_eq!(read("1,234", "en").unwrap(), "1234/0");
        assert_eq!(read("1,234", "it").unwrap(), "1234/3");
        assert_eq!(read("1.234", "en").unwrap(), "1234/3");
        assert_eq!(read("1,5", "en").unwrap(), "15/1");
        assert_eq!(read("0.125", "it").unwrap(), "0125/3");
        assert_eq!(read("3.14", "it").unwrap(), "314/2");
        assert_eq!(read("1.234.567", "en").unwrap(), "1234567/0");
        assert_eq!(read("1'234.5", "en").unwrap(), "12345/1");
        assert!(read("1.234", "it").unwrap_err().contains("1234 or 1,2340"));
        assert!(read("12,34,567", "en").is_err());
        assert!(read("1.2.3", "en").is_err());
        assert!(read("1,2.3,4", "en").is_err());
    }
}
