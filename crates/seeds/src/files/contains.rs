//! Looks for words inside a file, in pieces of fixed size, without regard to case.

use metnos_executor::Failure;
use regex::bytes::{Regex, RegexBuilder};
use std::io::Read;

/// One piece of a file.
const PIECE: usize = 128 * 1024;
/// How much of the start decides whether a file is text.
const LOOK: usize = 8 * 1024;

/// A text to look for.
pub(crate) struct Needle {
    regex: Regex,
    /// Bytes of the end of a piece that are looked at again with the next one.
    overlap: usize,
    piece: Vec<u8>,
    decoded: String,
}

/// What was found in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Yes,
    No,
    /// Not a text: nothing was looked for.
    Binary,
}

impl Needle {
    /// Prepares the search for `text`.
    pub(crate) fn new(text: &str) -> Result<Self, Failure> {
        let regex = RegexBuilder::new(&regex::escape(text))
            .case_insensitive(true)
            .build()
            .map_err(|_| Failure::wrong_args("contains: the text is too long to look for"))?;
        // Another case of a character can need more bytes, never more than four.
        let overlap = text.chars().count().saturating_mul(4);
        Ok(Self { regex, overlap, piece: Vec::new(), decoded: String::new() })
    }

    /// Reads until the text is found or the file ends. UTF-16 is recognised by its mark; any
    /// other file with zero bytes near its start is binary.
    pub(crate) fn search(&mut self, file: &mut dyn Read) -> std::io::Result<Found> {
        let mut kept = 0;
        let mut first = true;
        let mut wide = None;
        loop {
            self.piece.truncate(kept);
            let read = file.take(PIECE as u64).read_to_end(&mut self.piece)?;
            if first {
                first = false;
                wide = match self.piece.get(..2) {
                    Some([0xff, 0xfe]) => Some(encoding_rs::UTF_16LE.new_decoder_with_bom_removal()),
                    Some([0xfe, 0xff]) => Some(encoding_rs::UTF_16BE.new_decoder_with_bom_removal()),
                    _ => None,
                };
                if wide.is_none() && self.piece.iter().take(LOOK).any(|b| *b == 0) {
                    return Ok(Found::Binary);
                }
            }
            let hay = match &mut wide {
                None => self.piece.as_slice(),
                Some(decoder) => {
                    let need = decoder.max_utf8_buffer_length(self.piece.len()).unwrap_or(PIECE * 4);
                    self.decoded.reserve(need);
                    let _ = decoder.decode_to_string(&self.piece, &mut self.decoded, read == 0);
                    self.decoded.as_bytes()
                }
            };
            if self.regex.is_match(hay) {
                self.decoded.clear();
                return Ok(Found::Yes);
            }
            if read == 0 {
                self.decoded.clear();
                return Ok(Found::No);
            }
            let from = hay.len().saturating_sub(self.overlap);
            if wide.is_some() {
                let from = self.decoded.floor_char_boundary(from);
                self.decoded.drain(..from);
                kept = 0;
            } else {
                self.piece.drain(..from);
                kept = self.piece.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn search(needle: &str, text: &[u8]) -> Found {
        Needle::new(needle).unwrap().search(&mut &text[..]).unwrap()
    }

    #[test]
    fn case_and_accents() {
        assert_eq!(search("Perché", b"non so PERCH\xc3\x89 sia"), Found::Yes);
        assert_eq!(search("a.c", b"abc"), Found::No);
        assert_eq!(search("x", b""), Found::No);
    }

    #[test]
    fn a_match_across_two_pieces_is_found() {
        let mut text = vec![b'.'; PIECE - 3];
        text.extend_from_slice(b"needle");
        text.extend(vec![b'.'; PIECE]);
        assert_eq!(search("NEEDLE", &text), Found::Yes);
    }

    #[test]
    fn binary_is_said_and_utf16_is_read() {
        assert_eq!(search("abc", b"abc\0abc"), Found::Binary);
        let wide: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("Ciao città".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(search("CITTÀ", &wide), Found::Yes);
        assert_eq!(search("paese", &wide), Found::No);
    }
}
