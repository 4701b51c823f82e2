//! Counts the lines of a source file: all, and those with code. One pass, pieces of fixed size,
//! so that a file that is one endless line costs no memory.

use super::languages::Language;
use std::io::{self, BufRead};

/// How much of one line is looked at as one piece.
const PIECE: u64 = 64 * 1024;

/// Lines of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub lines: u64,
    pub code: u64,
}

/// Counts; `None` when the file turns out to hold zero bytes, which no source does.
pub(crate) fn count(file: &mut dyn BufRead, language: &Language) -> io::Result<Option<Lines>> {
    let mut counted = Lines::default();
    let mut piece = Vec::new();
    let mut inside: Option<&str> = None;
    let (mut open, mut code) = (false, false);
    loop {
        piece.clear();
        let read = io::Read::take(&mut *file, PIECE).read_until(b'\n', &mut piece)?;
        if piece.contains(&0) {
            return Ok(None);
        }
        let ended = read == 0 || piece.last() == Some(&b'\n');
        open |= read > 0;
        code |= has_code(&piece, language, &mut inside);
        if ended && open {
            counted.lines += 1;
            counted.code += u64::from(code);
            (open, code) = (false, false);
        }
        if read == 0 {
            return Ok(Some(counted));
        }
    }
}

/// True when something of the line is neither space nor comment. `inside` holds what ends the
/// comment the line starts in, and is left for the next line. A string ends with its line: one
/// that does not would hide the rest of the file.
fn has_code(line: &[u8], language: &Language, inside: &mut Option<&'static str>) -> bool {
    let mut code = false;
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|r| !r.is_empty()) {
        if let Some(end) = *inside {
            match find(rest, end.as_bytes()) {
                Some(found) => {
                    at += found + end.len();
                    *inside = None;
                    continue;
                }
                None => return code,
            }
        }
        // Blocks first: in some languages a block starts with what starts a line comment.
        if let Some((start, end)) =
            language.block.iter().find(|(start, _)| rest.starts_with(start.as_bytes()))
        {
            *inside = Some(end);
            at += start.len();
            continue;
        }
        if language.line.iter().any(|start| rest.starts_with(start.as_bytes())) {
            return code;
        }
        let Some(&byte) = rest.first() else { return code };
        at += 1;
        code |= !byte.is_ascii_whitespace();
        if language.quotes.contains(&byte) {
            at += string_len(rest.get(1..).unwrap_or_default(), byte);
        }
    }
    code
}

/// Bytes up to and with the closing quote, or none when it is not closed on this line.
fn string_len(rest: &[u8], quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.iter().enumerate() {
        match *byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b if b == quote => return at + 1,
            _ => {}
        }
    }
    0
}

fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    hay.windows(needle.len().max(1)).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::files::languages::{LANGUAGES, of_name};

    fn lines(name: &str, text: &[u8]) -> Option<(u64, u64)> {
        let language = &LANGUAGES[of_name(name.as_bytes()).unwrap()];
        count(&mut &text[..], language).unwrap().map(|l| (l.lines, l.code))
    }

    #[test]
    fn blank_lines_and_comments_are_not_code() {
        assert_eq!(
            lines("a.rs", b"// one\n\nfn a() {} // two\n/* three\nfour */ let x;\n/* five */\n"),
            Some((6, 2))
        );
        assert_eq!(lines("a.rs", b"let glob = \"/*\";\nlet y = 1;"), Some((2, 2)));
        assert_eq!(lines("a.py", b"# c\nx = '#'\n"), Some((2, 1)));
        assert_eq!(lines("a.lua", b"--[[ a\nb ]]\nprint(1) -- c\n"), Some((3, 1)));
        assert_eq!(lines("a.rs", b""), Some((0, 0)));
        assert_eq!(lines("a.rs", b"x\0"), None);
    }

    #[test]
    fn one_endless_line_is_one_line() {
        assert_eq!(lines("a.js", &vec![b'x'; 200_000]), Some((1, 1)));
    }
}
