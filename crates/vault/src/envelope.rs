//! One encrypted file: a header everybody can read, and a content only the key opens.
//!
//! `magic · format · key id · version · nonce · tag · ciphertext` (XChaCha20-Poly1305). The header and
//! what the caller knows about the file (its name, bindings, …) are authenticated with the content, so
//! that no file passes for another. Contents are padded, so that a size does not tell a length.

use crate::codec::Reader;
use crate::key::Key;
use chacha20poly1305::{AeadInOut, KeyInit, Tag, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

/// The newest format this binary knows.
pub(crate) const FORMAT: u16 = 1;
const PAD: usize = 256;
const NONCE: usize = 24;
const TAG: usize = 16;
const HEADER: usize = 8 + 2 + 8 + 8;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Index,
    Credential,
}

impl Kind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Index => b"METNOSVI",
            Self::Credential => b"METNOSVC",
        }
    }
}

/// Why a file does not open.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Not what the key wrote.
    Damaged,
    /// A format of a later Metnos.
    Newer(u16),
    /// Written with another key.
    OtherKey,
}

/// An opened file.
pub(crate) struct Opened {
    pub(crate) version: u64,
    pub(crate) content: Zeroizing<Vec<u8>>,
}

fn header(kind: Kind, key: &Key, version: u64) -> [u8; HEADER] {
    let mut out = [0; HEADER];
    out[..8].copy_from_slice(kind.magic());
    out[8..10].copy_from_slice(&FORMAT.to_le_bytes());
    out[10..18].copy_from_slice(&key.id());
    out[18..].copy_from_slice(&version.to_le_bytes());
    out
}

fn authenticated(header: &[u8], known: &[u8]) -> Vec<u8> {
    [header, known].concat()
}

/// The bytes of a file. `None` only when the content is larger than the cipher takes.
pub(crate) fn seal(
    kind: Kind,
    key: &Key,
    version: u64,
    known: &[u8],
    content: &[u8],
) -> Result<Option<Vec<u8>>, getrandom::Error> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce)?;
    let header = header(kind, key, version);
    let start = HEADER + NONCE + TAG;
    // At its full size from the start: a buffer that grows leaves a copy of the content behind.
    let mut out = vec![0; start + content.len().next_multiple_of(PAD)];
    out[..HEADER].copy_from_slice(&header);
    out[HEADER..HEADER + NONCE].copy_from_slice(&nonce);
    out[start..start + content.len()].copy_from_slice(content);
    let cipher = XChaCha20Poly1305::new(key.bytes().into());
    let known = authenticated(&header, known);
    let sealed = cipher.encrypt_inout_detached(&XNonce::from(nonce), &known, (&mut out[start..]).into());
    match sealed {
        Ok(tag) => {
            out[HEADER + NONCE..start].copy_from_slice(&tag);
            Ok(Some(out))
        }
        Err(_) => {
            drop(Zeroizing::new(out));
            Ok(None)
        }
    }
}

/// The version a file claims, before anything is proven.
pub(crate) fn claimed_version(bytes: &[u8]) -> Option<u64> {
    let mut from = Reader::new(bytes.get(18..)?);
    from.u64()
}

/// Opens the bytes of a file that is what `kind` and `known` say.
pub(crate) fn open(kind: Kind, key: &Key, known: &[u8], bytes: &[u8]) -> Result<Opened, Flaw> {
    let mut from = Reader::new(bytes);
    let magic: [u8; 8] = from.bytes().ok_or(Flaw::Damaged)?;
    if &magic != kind.magic() {
        return Err(Flaw::Damaged);
    }
    let mut next = || {
        let format = u16::from_le_bytes(from.bytes()?);
        Some((format, from.bytes::<8>()?, from.u64()?))
    };
    let (format, key_id, version) = next().ok_or(Flaw::Damaged)?;
    match format {
        FORMAT => {}
        newer if newer > FORMAT => return Err(Flaw::Newer(newer)),
        _ => return Err(Flaw::Damaged),
    }
    if key_id != key.id() {
        return Err(Flaw::OtherKey);
    }
    let nonce: [u8; NONCE] = from.bytes().ok_or(Flaw::Damaged)?;
    let tag: [u8; TAG] = from.bytes().ok_or(Flaw::Damaged)?;
    let mut content = Zeroizing::new(from.rest().to_vec());
    let known = authenticated(&header(kind, key, version), known);
    XChaCha20Poly1305::new(key.bytes().into())
        .decrypt_inout_detached(&XNonce::from(nonce), &known, content.as_mut_slice().into(), &Tag::from(tag))
        .map_err(|_| Flaw::Damaged)?;
    Ok(Opened { version, content })
}
