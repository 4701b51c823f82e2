//! Lines of a stream, numbered, each held only up to a bound.

use metnos_executor::Failure;
use std::io::BufRead;

/// How much of one line is kept and searched.
pub(crate) const LINE_MAX: usize = 1 << 20;

/// One line.
pub(crate) struct Line {
    /// Its text without the line end, at most [`LINE_MAX`] bytes.
    pub(crate) text: String,
    /// True when it was longer.
    pub(crate) long: bool,
}

/// The next line of `source`, or `None` at the end.
pub(crate) fn next(source: &mut dyn BufRead, what: &str) -> Result<Option<Line>, Failure> {
    let (mut bytes, mut long, mut any) = (Vec::new(), false, false);
    loop {
        let ready = match source.fill_buf() {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            other => other.map_err(|e| Failure::io(what, &e))?,
        };
        if ready.is_empty() {
            break;
        }
        any = true;
        let end = ready.iter().position(|b| *b == b'\n');
        let piece = ready.get(..end.unwrap_or(ready.len())).unwrap_or_default();
        let room = LINE_MAX.saturating_sub(bytes.len());
        long |= piece.len() > room;
        bytes.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
        let used = end.map_or(ready.len(), |end| end.saturating_add(1));
        source.consume(used);
        if end.is_some() {
            break;
        }
    }
    if !any {
        return Ok(None);
    }
    if !long && bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    // The source is UTF-8; only a cut may leave half a character.
    let text =
        String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Ok(Some(Line { text, long }))
}
