//! One JSON value per line, never longer than agreed.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};

/// Why no line came.
#[derive(Debug)]
pub(super) enum NoLine {
    /// The other side is gone, or the pipe broke.
    Closed,
    /// The line does not end where it must.
    TooLong,
    /// The line is not a JSON value.
    Garbage(String),
}

pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    writer: W,
    most: usize,
}

impl<R: Read, W: Write> Lines<R, W> {
    pub(super) fn new(reader: R, writer: W, most: usize) -> Self {
        Self { reader: BufReader::new(reader), writer, most }
    }

    pub(super) fn send(&mut self, value: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.writer.write_all(&line)?;
        self.writer.flush()
    }

    pub(super) fn receive(&mut self) -> Result<Value, NoLine> {
        let mut line = Vec::new();
        let most = u64::try_from(self.most).unwrap_or(u64::MAX);
        let mut bounded = (&mut self.reader).take(most.saturating_add(1));
        bounded.read_until(b'\n', &mut line).map_err(|_| NoLine::Closed)?;
        match line.pop() {
            None => Err(NoLine::Closed),
            Some(b'\n') => serde_json::from_slice(&line).map_err(|e| NoLine::Garbage(e.to_string())),
            Some(_) if line.len() >= self.most => Err(NoLine::TooLong),
            Some(_) => Err(NoLine::Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn first(bytes: &[u8], most: usize) -> Result<Value, NoLine> {
        Lines::new(bytes, io::sink(), most).receive()
    }

    #[test]
    fn a_line_is_read_up_to_its_bound_and_not_beyond() {
        assert_eq!(first(b"[1]\n[2]\n", 10).unwrap(), serde_json::json!([1]));
        assert_eq!(first(b"[1]\n", 3).unwrap(), serde_json::json!([1]));
        assert!(matches!(first(b"[12]\n", 3), Err(NoLine::TooLong)));
        assert!(matches!(first(&[b'['; 1000], 10), Err(NoLine::TooLong)));
        assert!(matches!(first(b"", 10), Err(NoLine::Closed)));
        assert!(matches!(first(b"[1]", 10), Err(NoLine::Closed)));
        assert!(matches!(first(b"hello\n", 10), Err(NoLine::Garbage(_))));
        assert!(matches!(first(b"\xff\n", 10), Err(NoLine::Garbage(_))));
        assert!(matches!(first("[".repeat(1000).as_bytes(), 5000), Err(NoLine::Closed)));
        assert!(matches!(first(format!("{}\n", "[".repeat(1000)).as_bytes(), 5000), Err(NoLine::Garbage(_))));
    }
}
