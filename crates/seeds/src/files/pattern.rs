//! Globs on names and relative paths, without regard to case.
//!
//! `*` any run, `?` one character, `[a-z]` and `[!a-z]` classes, `{a,b}` alternatives, `\` takes
//! the next character as it is. In a pattern that holds `/`, `*` and `?` stay inside one part and
//! `**` crosses parts. Most names are refused by their first or last bytes, before anything is
//! decoded.

use metnos_executor::Failure;

/// Alternatives one pattern may expand to; more is a mistake or an attack.
const ALTERNATIVES_MAX: usize = 256;

/// Several globs; a name matches when one does, or when there are none.
pub(crate) struct Patterns {
    names: Vec<Glob>,
    paths: Vec<Glob>,
    all: bool,
    path: Vec<u8>,
    chars: Vec<char>,
}

impl Patterns {
    /// Compiles patterns as a person writes them.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, Failure> {
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        for pattern in patterns.iter().filter(|p| !p.is_empty()) {
            let mut plain = Vec::new();
            expand(pattern, &mut plain)?;
            for plain in plain {
                let plain = plain.strip_prefix("./").unwrap_or(&plain);
                if plain.contains('/') {
                    paths.push(Glob::new(plain));
                } else {
                    names.push(Glob::new(plain));
                }
            }
        }
        let all = names.is_empty() && paths.is_empty();
        Ok(Self { names, paths, all, path: Vec::new(), chars: Vec::new() })
    }

    /// True when `name`, in the folder `dir` below the base, is one of those meant. A pattern
    /// that begins with `/` is held against the whole path.
    pub(crate) fn matches(&mut self, name: &[u8], relative_dir: &[u8], dir: &[u8]) -> bool {
        if self.all || self.names.iter().any(|glob| glob.matches(name, &mut self.chars)) {
            return true;
        }
        self.paths.iter().any(|glob| {
            let dir = if glob.absolute { dir } else { relative_dir };
            self.path.clear();
            self.path.extend_from_slice(dir);
            if !dir.is_empty() || glob.absolute {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(name);
            glob.matches(&self.path, &mut self.chars)
        })
    }

    /// True when a pattern spells a leading dot, which is how somebody asks for hidden names.
    pub(crate) fn names_dot(&self) -> bool {
        self.names.iter().chain(&self.paths).any(|glob| matches!(glob.tokens.first(), Some(Token::Char('.'))))
    }
}

/// True when the word holds something a glob would expand.
pub(crate) fn is_glob(word: &str) -> bool {
    word.contains(['*', '?', '[', '{'])
}

/// One glob, already in lower case.
struct Glob {
    /// ASCII bytes every match begins with.
    head: Vec<u8>,
    /// ASCII bytes every match ends with.
    tail: Vec<u8>,
    /// What decides once head and tail are there.
    rest: Rest,
    tokens: Vec<Token>,
    absolute: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Rest {
    /// Head is the whole name.
    Exact,
    /// One `*` between head and tail: nothing is left to decide.
    Open,
    /// The tokens decide.
    Tokens,
}

enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**`
    Deep,
    /// `**/`: nothing, or whole parts.
    DeepParts,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    fn new(pattern: &str) -> Self {
        let in_path = pattern.contains('/');
        let tokens = tokens(pattern, in_path);
        let ascii = |t: &Token| match t {
            Token::Char(c) => u8::try_from(*c).ok().filter(u8::is_ascii),
            _ => None,
        };
        let head: Vec<u8> = tokens.iter().map_while(ascii).collect();
        if head.len() == tokens.len() {
            return Self {
                head,
                tail: Vec::new(),
                rest: Rest::Exact,
                tokens,
                absolute: pattern.starts_with('/'),
            };
        }
        let mut tail: Vec<u8> = tokens.iter().rev().map_while(ascii).collect();
        tail.reverse();
        let middle = tokens.get(head.len()..tokens.len() - tail.len()).unwrap_or_default();
        let rest = match middle {
            [Token::Star] if !in_path => Rest::Open,
            [Token::Deep] => Rest::Open,
            _ => Rest::Tokens,
        };
        Self { head, tail, rest, tokens, absolute: pattern.starts_with('/') }
    }

    fn matches(&self, name: &[u8], chars: &mut Vec<char>) -> bool {
        let (head, tail) = (self.head.len(), self.tail.len());
        if self.rest == Rest::Exact {
            return name.eq_ignore_ascii_case(&self.head);
        }
        let Some(tail_at) = name.len().checked_sub(tail) else { return false };
        if tail_at < head
            || !name.get(tail_at..).is_some_and(|end| end.eq_ignore_ascii_case(&self.tail))
            || !name.get(..head).is_some_and(|start| start.eq_ignore_ascii_case(&self.head))
        {
            return false;
        }
        self.rest == Rest::Open || {
            chars.clear();
            chars.extend(String::from_utf8_lossy(name).chars().flat_map(char::to_lowercase));
            decide(&self.tokens, chars)
        }
    }
}

/// Matches with at most two places to come back to: the last `*` and the last `**`. An earlier
/// one never needs to be tried again, because a later one takes any run the earlier could leave,
/// so no pattern costs more than the product of the lengths for each.
fn decide(tokens: &[Token], text: &[char]) -> bool {
    let (mut t, mut s) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize, bool)> = None;
    loop {
        let here = text.get(s).copied();
        let step = match (tokens.get(t), here) {
            (None, None) => return true,
            (Some(Token::Star), _) => {
                star = Some((t + 1, s));
                t += 1;
                continue;
            }
            (Some(token @ (Token::Deep | Token::DeepParts)), _) => {
                deep = Some((t + 1, s, matches!(token, Token::DeepParts)));
                star = None;
                t += 1;
                continue;
            }
            (Some(Token::Char(c)), Some(x)) => *c == x,
            (Some(Token::One), Some(x)) => x != '/',
            (Some(Token::Class { negated, ranges }), Some(x)) => x != '/' && in_ranges(ranges, x) != *negated,
            _ => false,
        };
        if step {
            t += 1;
            s += 1;
            continue;
        }
        if let Some((after, from)) = star
            && text.get(from).is_some_and(|c| *c != '/')
        {
            star = Some((after, from + 1));
            (t, s) = (after, from + 1);
            continue;
        }
        let Some((after, from, parts)) = deep else { return false };
        let Some(rest) = text.get(from..).filter(|r| !r.is_empty()) else { return false };
        let next = if parts {
            let Some(slash) = rest.iter().position(|c| *c == '/') else { return false };
            from + slash + 1
        } else {
            from + 1
        };
        deep = Some((after, next, parts));
        star = None;
        (t, s) = (after, next);
    }
}

fn in_ranges(ranges: &[(char, char)], c: char) -> bool {
    let within = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
    within(c) || c.to_uppercase().any(within)
}

fn tokens(pattern: &str, in_path: bool) -> Vec<Token> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut tokens = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        i += 1;
        match c {
            '*' => {
                let mut stars = 1;
                while chars.get(i) == Some(&'*') {
                    stars += 1;
                    i += 1;
                }
                if !in_path || stars == 1 {
                    tokens.push(Token::Star);
                } else if chars.get(i) == Some(&'/') {
                    i += 1;
                    tokens.push(Token::DeepParts);
                } else {
                    tokens.push(Token::Deep);
                }
            }
            '?' => tokens.push(Token::One),
            '[' => match class(&chars, i) {
                Some((token, next)) => {
                    tokens.push(token);
                    i = next;
                }
                None => tokens.push(Token::Char('[')),
            },
            '\\' if i < chars.len() => {
                tokens.extend(chars.get(i).into_iter().flat_map(|c| c.to_lowercase()).map(Token::Char));
                i += 1;
            }
            c => tokens.extend(c.to_lowercase().map(Token::Char)),
        }
    }
    tokens
}

/// The class that starts after its `[`, and where it ends; `None` when it is never closed.
fn class(chars: &[char], start: usize) -> Option<(Token, usize)> {
    let negated = matches!(chars.get(start), Some('!' | '^'));
    let first = start + usize::from(negated);
    let mut ranges = Vec::new();
    let mut i = first;
    loop {
        let c = *chars.get(i)?;
        if c == ']' && i > first {
            return Some((Token::Class { negated, ranges }, i + 1));
        }
        match (chars.get(i + 1), chars.get(i + 2)) {
            (Some('-'), Some(&to)) if to != ']' => {
                ranges.push((c, to));
                i += 3;
            }
            _ => {
                ranges.push((c, c));
                i += 1;
            }
        }
    }
}

/// Writes out `{a,b}`, outermost first; what is not closed stays as it is.
fn expand(pattern: &str, out: &mut Vec<String>) -> Result<(), Failure> {
    let mut waiting = vec![pattern.to_owned()];
    while let Some(next) = waiting.pop() {
        if out.len() + waiting.len() >= ALTERNATIVES_MAX {
            return Err(Failure::wrong_args(format!(
                "the pattern `{pattern}` has more than {ALTERNATIVES_MAX} alternatives"
            )));
        }
        match alternatives(&next) {
            Some(list) => waiting.extend(list),
            None => out.push(next),
        }
    }
    Ok(())
}

/// The pattern once for each alternative of its first pair of braces.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (mut depth, mut open, mut escaped) = (0usize, 0, false);
    let mut cuts = Vec::new();
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            b',' if depth == 1 => cuts.push(at),
            b'}' if depth == 1 => {
                cuts.push(at);
                let (before, after) = (pattern.get(..open)?, pattern.get(at + 1..)?);
                let mut from = open + 1;
                return cuts
                    .into_iter()
                    .map(|cut| {
                        let one = pattern.get(from..cut)?;
                        from = cut + 1;
                        Some(format!("{before}{one}{after}"))
                    })
                    .collect();
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        Patterns::new(&[pattern.into()]).unwrap().matches(name.as_bytes(), dir.as_bytes(), b"/base")
    }

    #[test]
    fn names() {
        for (pattern, name, expected) in [
            ("*.TXT", "a.txt", true),
            ("*.txt", "a.txt.bak", false),
            ("*", "anything", true),
            ("report*", "Report 2026.pdf", true),
            ("*invoice*", "my INVOICE 3.pdf", true),
            ("*invoice*", "invoic", false),
            ("a?c", "aèc", true),
            ("a?c", "ac", false),
            ("CITTÀ*", "città.md", true),
            ("[a-c]x", "Bx", true),
            ("[!a-c]x", "bx", false),
            ("[", "[", true),
            ("*.{jpg,p{n,d}g}", "x.png", true),
            ("*.{jpg,png}", "x.gif", false),
            ("a*b*c", "aXbXbXc", true),
            ("ab*ba", "aba", false),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("x.txt", "X.TXT", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn paths() {
        for (pattern, path, expected) in [
            ("docs/*.md", "docs/a.md", true),
            ("docs/*.md", "docs/sub/a.md", false),
            ("docs/**/*.md", "docs/sub/deep/a.md", true),
            ("docs/**/*.md", "docs/a.md", true),
            ("**/a.md", "a.md", true),
            ("**/a.md", "x/ya.md", false),
            ("src/**", "src/a/b/c.rs", true),
            ("/base/*.md", "a.md", true),
            ("**/x/*/z.*", "x/1/x/2/z.rs", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn a_hostile_pattern_is_cheap_and_a_brace_bomb_is_refused() {
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)));
        assert!(Patterns::new(&["{a,b}".repeat(30)]).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_pattern_and_no_name_breaks_it(pattern: String, name: Vec<u8>) {
            if let Ok(mut patterns) = Patterns::new(&[pattern]) {
                patterns.matches(&name, b"", b"/");
            }
        }
    }
}
