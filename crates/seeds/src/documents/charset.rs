//! Bytes to UTF-8, streaming. A byte order mark decides; else the first chunk that is not plain
//! ASCII does, so that a long English preamble before one accented Latin-1 word is read right.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, Encoding, UTF_8};
use std::io::{self, BufRead, Read};

const CHUNK: usize = 64 << 10;

/// A reader that gives UTF-8 whatever the charset of its source. Bytes that have no meaning in
/// that charset become U+FFFD.
pub(crate) struct Utf8<R> {
    source: R,
    raw: Vec<u8>,
    decoder: Option<Decoder>,
    text: String,
    at: usize,
    started: bool,
    ended: bool,
}

impl<R: Read> Utf8<R> {
    /// Decodes `source`.
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            raw: Vec::new(),
            decoder: None,
            text: String::new(),
            at: 0,
            started: false,
            ended: false,
        }
    }

    /// The charset found so far.
    pub(crate) fn charset(&self) -> &'static str {
        self.decoder.as_ref().map_or(UTF_8.name(), |d| d.encoding().name())
    }

    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.at = 0;
        // An empty decode (a lone half character) must not look like the end.
        while self.text.is_empty() && !self.ended {
            self.raw.clear();
            self.source.by_ref().take(CHUNK as u64).read_to_end(&mut self.raw)?;
            self.ended = self.raw.len() < CHUNK;
            self.decode();
        }
        Ok(())
    }

    fn decode(&mut self) {
        if !self.started {
            self.started = true;
            self.decoder = Encoding::for_bom(&self.raw).map(|(e, _)| e.new_decoder_with_bom_removal());
        }
        if self.decoder.is_none() && !self.raw.is_ascii() {
            self.decoder = Some(guess(&self.raw, self.ended).new_decoder_without_bom_handling());
        }
        match &mut self.decoder {
            None => self.text.push_str(&String::from_utf8_lossy(&self.raw)),
            Some(decoder) => {
                let room = decoder.max_utf8_buffer_length(self.raw.len()).unwrap_or(CHUNK * 4);
                self.text.reserve(room);
                // The reserved room is the decoder's own worst case, so one call takes it all.
                let _ = decoder.decode_to_string(&self.raw, &mut self.text, self.ended);
            }
        }
    }
}

impl<R: Read> BufRead for Utf8<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.text.len() {
            self.refill()?;
        }
        Ok(self.text.as_bytes().get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.at = self.at.saturating_add(amount).min(self.text.len());
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut ready = self.fill_buf()?;
        let n = ready.read(into)?;
        self.consume(n);
        Ok(n)
    }
}

/// The charset of a chunk that holds bytes above 127. UTF-8 with a few broken characters is still
/// UTF-8: guessing a legacy charset would spoil every good character in it.
fn guess(chunk: &[u8], whole: bool) -> &'static Encoding {
    let (mut good, mut bad) = (0usize, 0usize);
    for part in chunk.utf8_chunks() {
        good = good.saturating_add(part.valid().chars().filter(|c| !c.is_ascii()).count());
        bad = bad.saturating_add(usize::from(!part.invalid().is_empty()));
    }
    // A chunk that ends inside a character counts one broken character that is not.
    if !whole && bad > 0 && std::str::from_utf8(chunk).is_err_and(|e| e.error_len().is_none()) {
        return UTF_8;
    }
    if bad == 0 || bad.saturating_mul(10) <= good {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(chunk, whole);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &[u8]) -> (String, &'static str) {
        let mut reader = Utf8::new(bytes);
        let mut out = String::new();
        reader.read_to_string(&mut out).unwrap();
        (out, reader.charset())
    }

    #[test]
    fn marks_and_legacy_charsets_are_recognised() {
        assert_eq!(text("\u{feff}però".as_bytes()).0, "però");
        assert_eq!(text(b"\xff\xfec\x00i\x00\xe0\x00").0, "cià");
        assert_eq!(text(b"\xfe\xff\x00c\x00i\x00\xe0").0, "cià");
        assert_eq!(
            text(b"La citt\xe0 \xe8 pi\xf9 bella perch\xe9 c'\xe8 il mare").0,
            "La città è più bella perché c'è il mare"
        );
    }

    #[test]
    fn a_late_accent_is_still_detected() {
        let mut bytes = vec![b'a'; CHUNK + 17];
        bytes.extend_from_slice(b" perch\xe9 la citt\xe0 \xe8 bella");
        assert!(text(&bytes).0.ends_with("perché la città è bella"));
    }

    #[test]
    fn a_character_across_two_chunks_survives() {
        let mut bytes = vec![b'a'; CHUNK - 1];
        bytes.extend_from_slice("èè".as_bytes());
        let (out, charset) = text(&bytes);
        assert_eq!((&out[CHUNK - 1..], charset), ("èè", "UTF-8"));
    }

    #[test]
    fn a_few_broken_bytes_do_not_spoil_utf8() {
        let mut bytes = "èòàùì".repeat(20).into_bytes();
        bytes.push(0xff);
        assert_eq!(text(&bytes).0, format!("{}\u{fffd}", "èòàùì".repeat(20)));
    }

    proptest! {
        #[test]
        fn any_bytes_become_text(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let _ = text(&bytes);
        }
        #[test]
        fn utf8_comes_back_unchanged(s in "[^\u{feff}]{0,300}") {
            prop_assert_eq!(text(s.as_bytes()).0, s);
        }
    }
}
