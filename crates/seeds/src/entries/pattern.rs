//! Patterns over text: regular expressions within bounds, and globs turned into them. Matching is
//! linear in the text, so no pattern can stall a call; compiling is bounded in memory.

use metnos_executor::Failure;
use regex::{Regex, RegexBuilder};

/// The most memory one compiled pattern may take.
const SIZE_MAX: usize = 2 << 20;
/// The deepest nesting of groups.
const NEST_MAX: u32 = 50;

/// Which signs of a glob are special.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    /// `*` and `?` only: the rest may be part of a name.
    Wild,
    /// Also `[a-z]`, `{a,b}` and a backslash before a literal sign.
    Full,
}

/// A regular expression that ignores case unless it says `(?-i)`.
pub(super) fn regex(argument: &str, pattern: &str) -> Result<Regex, Failure> {
    build(pattern).map_err(|error| {
        let message = match &error {
            regex::Error::CompiledTooBig(_) => {
                format!("{argument}: the expression is too large once compiled")
            }
            error => {
                let text = error.to_string();
                let reason = text.rsplit("error: ").next().unwrap_or(&text).trim();
                match caret(&text) {
                    Some(at) => format!("{argument}: {reason} at character {at} of {pattern:?}"),
                    None => format!("{argument}: {reason} in {pattern:?}"),
                }
            }
        };
        Failure::wrong_args(message)
    })
}

/// A glob over whole texts that ignores case.
pub(super) fn glob(argument: &str, pattern: &str, signs: Signs) -> Result<Regex, Failure> {
    let expression = translate(pattern, signs).map_err(|(at, reason)| {
        Failure::wrong_args(format!("{argument}: {reason} at character {at} of {pattern:?}"))
    })?;
    build(&format!("(?s)^(?:{expression})$"))
        .map_err(|_| Failure::wrong_args(format!("{argument}: the pattern {pattern:?} is not a glob")))
}

/// True when a text holds a sign that makes it a glob.
pub(super) fn is_wild(text: &str) -> bool {
    text.contains(['*', '?'])
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(SIZE_MAX)
        .dfa_size_limit(SIZE_MAX)
        .nest_limit(NEST_MAX)
        .build()
}

/// The parser shows the place of an error as a caret below the pattern, indented by four.
fn caret(message: &str) -> Option<usize> {
    let below = message.lines().find(|line| !line.trim().is_empty() && line.trim_start().starts_with('^'))?;
    below.find('^')?.checked_sub(3)
}

fn translate(pattern: &str, signs: Signs) -> Result<String, (usize, &'static str)> {
    let mut out = String::new();
    let mut depth = 0usize;
    let mut chars = pattern.chars().enumerate().peekable();
    let mut buffer = [0; 4];
    while let Some((at, sign)) = chars.next() {
        let full = signs == Signs::Full;
        match sign {
            '*' => {
                // Stars in a row say no more than one.
                if !out.ends_with(".*") || out.ends_with("\\.*") {
                    out.push_str(".*");
                }
            }
            '?' => out.push('.'),
            '{' if full => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' if full && depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            ',' if full && depth > 0 => out.push('|'),
            '[' if full => {
                out.push('[');
                if chars.next_if(|(_, c)| matches!(c, '!' | '^')).is_some() {
                    out.push('^');
                }
                let mut members = 0;
                loop {
                    match chars.next() {
                        None => return Err((at + 1, "a `[` without its `]`")),
                        Some((_, ']')) if members > 0 => break,
                        Some((_, '-')) if members > 0 => out.push('-'),
                        Some((_, c)) => out.push_str(&regex::escape(c.encode_utf8(&mut buffer))),
                    }
                    members += 1;
                }
                out.push(']');
            }
            '\\' if full => match chars.next() {
                Some((_, c)) => out.push_str(&regex::escape(c.encode_utf8(&mut buffer))),
                None => return Err((at + 1, "a backslash with nothing after it")),
            },
            c => out.push_str(&regex::escape(c.encode_utf8(&mut buffer))),
        }
    }
    if depth > 0 { Err((pattern.chars().count(), "a `{` without its `}`")) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn globs_match_whole_texts_and_ignore_case() {
        let matches = |pattern: &str, text: &str| glob("g", pattern, Signs::Full).unwrap().is_match(text);
        assert!(matches("*.{jpg,png}", "Città.PNG"));
        assert!(matches("citt?.*", "CITTÀ.txt"));
        assert!(matches("[a-c]?[!0-9]", "bXy"));
        assert!(matches("a\\*", "a*") && !matches("a\\*", "ab"));
        assert!(matches("a.**b", "a.\nb") && matches("*.*", "x.y") && !matches("*.*", "xy"));
        assert!(!matches("a", "ab") && !matches("a|b", "a"));
        assert!(glob("g", "a[b](c){d}", Signs::Wild).unwrap().is_match("A[B](C){D}"));
    }

    #[test]
    fn an_error_names_its_place() {
        assert!(regex("where_regex", "ab(c").unwrap_err().message.contains("at character 3"));
        assert!(regex("where_regex", "a{999}{999}{999}").unwrap_err().message.contains("too large"));
        assert!(glob("where_glob", "x{a", Signs::Full).unwrap_err().message.contains("at character 3"));
    }

    proptest! {
        #[test]
        fn no_pattern_breaks_it(pattern in ".{0,30}", text in ".{0,30}") {
            for signs in [Signs::Wild, Signs::Full] {
                if let Ok(found) = glob("g", &pattern, signs) {
                    let _ = found.is_match(&text);
                }
            }
            let _ = regex("r", &pattern);
        }

        #[test]
        fn a_literal_matches_itself(text in "[a-z.+()|^$-]{0,20}") {
            prop_assert!(glob("g", &text, Signs::Wild).unwrap().is_match(&text));
        }
    }
}
