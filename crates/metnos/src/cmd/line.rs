//! Lines of standard input, bounded: what is too long is refused whole, never cut into two.

use metnos_executor::{ErrorClass, Failure};
use std::io::{BufRead, Read};

/// The next line into `line`, with its newline; false at the end. A line longer than `max` is
/// read to its end, thrown away and reported.
pub(crate) fn next(
    source: &mut impl BufRead,
    max: u64,
    line: &mut Vec<u8>,
) -> std::io::Result<Result<bool, Failure>> {
    line.clear();
    if source.take(max + 1).read_until(b'\n', line)? as u64 <= max || line.last() == Some(&b'\n') {
        return Ok(Ok(!line.is_empty()));
    }
    line.clear();
    loop {
        let rest = source.fill_buf()?;
        let end = rest.iter().position(|b| *b == b'\n');
        let (used, over) = (end.map_or(rest.len(), |at| at + 1), end.is_some() || rest.is_empty());
        source.consume(used);
        if over {
            return Ok(Err(too_long(max)));
        }
    }
}

/// A line longer than `max` bytes.
pub(crate) fn too_long(max: u64) -> Failure {
    Failure::new(ErrorClass::TooLarge, format!("a line is longer than {} MiB", max >> 20))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_rest_of_a_line_that_is_too_long_is_never_a_line_of_its_own() {
        let mut source = &b"abc\nabcdefgh\nabcd\n\nabcde"[..];
        let mut line = Vec::new();
        let mut heard = Vec::new();
        while let Ok(more) = next(&mut source, 4, &mut line) {
            match more {
                Ok(false) => break,
                Ok(true) => heard.push(String::from_utf8(line.clone()).unwrap()),
                Err(failure) => heard.push(failure.class.to_string()),
            }
        }
        assert_eq!(heard, ["abc\n", "too_large", "abcd\n", "\n", "too_large"]);
    }
}
