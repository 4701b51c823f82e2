//! How a line is bound to the one before, and what a reader needs of it to check that.

use super::line::LINE_MAX;
use crate::Signer;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::BufRead;

/// blake3 of a line's bytes, without its newline.
pub(super) type Hash = [u8; 32];

/// What the first line of all is bound to.
pub(super) const GENESIS: Hash = [0; 32];

/// The fields of a line that the chain needs; the rest is not looked at.
#[derive(Deserialize)]
pub(super) struct Link<'l> {
    pub(super) seq: u64,
    #[serde(borrow)]
    prev: Cow<'l, str>,
    #[serde(borrow)]
    pub(super) kind: Cow<'l, str>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Cow<'l, str>>,
}

impl<'l> Link<'l> {
    pub(super) fn parse(line: &'l [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The hash this line says the one before has.
    pub(super) fn prev(&self) -> Option<Hash> {
        unhex(self.prev.as_bytes())
    }
}

/// The hash of a line.
pub(super) fn hash(line: &[u8]) -> Hash {
    *blake3::hash(line).as_bytes()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |n: u8| DIGITS.get(usize::from(n)).copied().unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// Lower-case hexadecimal of exactly `N` bytes.
pub(super) fn unhex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    let mut pairs = text.chunks_exact(2);
    for byte in &mut bytes {
        let [high, low] = pairs.next()? else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    (pairs.next().is_none() && pairs.remainder().is_empty()).then_some(bytes)
}

/// What a checkpoint signs: its own number and everything before it.
fn checkpoint_bytes(seq: u64, prev: &Hash) -> Vec<u8> {
    [b"metnos audit checkpoint 1\n".as_slice(), &seq.to_be_bytes(), prev].concat()
}

/// The signature of the checkpoint with this number.
pub(super) fn sign_checkpoint(signer: &dyn Signer, seq: u64, prev: &Hash) -> String {
    hex(&signer.sign(&checkpoint_bytes(seq, prev)))
}

/// Whether `line`, a checkpoint, carries this instance's signature.
pub(super) fn checkpoint_holds(signer: &dyn Signer, line: &[u8], seq: u64, prev: &Hash) -> bool {
    #[derive(Deserialize)]
    struct Signed<'l> {
        #[serde(borrow)]
        detail: Detail<'l>,
    }
    #[derive(Deserialize)]
    struct Detail<'l> {
        #[serde(borrow)]
        signature: Cow<'l, str>,
    }
    serde_json::from_slice::<Signed<'_>>(line)
        .ok()
        .and_then(|s| unhex::<64>(s.detail.signature.as_bytes()))
        .is_some_and(|signature| signer.verify(&checkpoint_bytes(seq, prev), &signature))
}

/// How a line in a file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its newline.
    Whole,
    /// At the end of the file, without one.
    Torn,
    /// Longer than any line of ours; only its beginning is in the buffer.
    TooLong,
}

/// Reads the next line into `buffer` without its newline; `None` at the end. Gives how it ended
/// and how many bytes of the file it takes. Never holds more than a line may have.
pub(super) fn next_line(
    source: &mut impl BufRead,
    buffer: &mut Vec<u8>,
) -> std::io::Result<Option<(End, u64)>> {
    buffer.clear();
    let (mut taken, mut too_long) = (0_u64, false);
    loop {
        let available = source.fill_buf()?;
        if available.is_empty() {
            let end = if too_long { End::TooLong } else { End::Torn };
            return Ok((taken > 0).then_some((end, taken)));
        }
        let newline = available.iter().position(|b| *b == b'\n');
        let part = newline.and_then(|at| available.get(..at)).unwrap_or(available);
        too_long |= buffer.len().saturating_add(part.len()) > LINE_MAX;
        if !too_long {
            buffer.extend_from_slice(part);
        }
        let used = part.len() + usize::from(newline.is_some());
        source.consume(used);
        taken = taken.saturating_add(used as u64);
        if newline.is_some() {
            return Ok(Some((if too_long { End::TooLong } else { End::Whole }, taken)));
        }
    }
}
