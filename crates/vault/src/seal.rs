//! Secrets inside texts that are kept: each is enciphered where it stands, so that a file or a table never holds it
//! and what needs it later still finds it.
//!
//! A sealed secret stands between two code points that no text uses (U+FDD0, U+FDD1). One that stood in the text
//! before is written so that it cannot be mistaken: nobody can write a text that opens as a secret.

use crate::key::Key;
use chacha20poly1305::{AeadInOut, KeyInit, Tag, XChaCha20Poly1305, XNonce};
use std::ops::Range;
use zeroize::Zeroizing;

/// Opens a sealed secret.
const OPEN: char = '\u{fdd0}';
/// Closes it.
const CLOSE: char = '\u{fdd1}';
/// What is shown for a secret whose key is another one.
const LOST: &str = "‹secret›";
const NONCE: usize = 24;
const TAG: usize = 16;
const KEY_CONTEXT: &str = "metnos 1 secrets in kept texts";
const NONCE_CONTEXT: &str = "metnos 1 nonces of secrets in kept texts";

/// Enciphers and deciphers secrets in texts. The same secret is always sealed the same way, so that texts can be
/// compared as they are kept.
pub struct Sealer {
    key: Zeroizing<[u8; 32]>,
    nonces: Zeroizing<[u8; 32]>,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealer").finish_non_exhaustive()
    }
}

impl Sealer {
    pub(crate) fn new(key: &Key) -> Self {
        Self {
            key: Zeroizing::new(blake3::derive_key(KEY_CONTEXT, key.bytes())),
            nonces: Zeroizing::new(blake3::derive_key(NONCE_CONTEXT, key.bytes())),
        }
    }

    /// Whether a text must pass [`Self::open`] to be read.
    pub fn is_sealed(text: &[u8]) -> bool {
        let mut bytes = [0; 4];
        let open = OPEN.encode_utf8(&mut bytes).as_bytes();
        // The first byte of it begins no letter that is in common use.
        text.iter().enumerate().any(|(at, byte)| *byte == open[0] && text[at..].starts_with(open))
    }

    /// `text` with what stands at `secrets` sealed; they are in order and apart.
    pub fn seal(&self, text: &str, secrets: &[Range<usize>]) -> String {
        if secrets.is_empty() && !text.contains(OPEN) {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len() + secrets.len() * 80);
        let mut from = 0;
        for secret in secrets {
            escape(text.get(from..secret.start).unwrap_or_default(), &mut out);
            out.push(OPEN);
            out.push_str(&self.one(text.get(secret.clone()).unwrap_or_default().as_bytes()));
            out.push(CLOSE);
            from = secret.end;
        }
        escape(text.get(from..).unwrap_or_default(), &mut out);
        out
    }

    /// What `seal` was given.
    pub fn open(&self, text: &str) -> String {
        if !text.contains(OPEN) {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut left = text;
        while let Some((before, sealed)) = left.split_once(OPEN) {
            out.push_str(before);
            let Some((sealed, after)) = sealed.split_once(CLOSE) else {
                // Written before texts were sealed.
                out.push(OPEN);
                left = sealed;
                continue;
            };
            match (sealed.is_empty(), self.secret(sealed)) {
                (true, _) => out.push(OPEN),
                (false, Some(secret)) => out.push_str(&secret),
                (false, None) => out.push_str(&lost(&out, after)),
            }
            left = after;
        }
        out.push_str(left);
        out
    }

    fn one(&self, secret: &[u8]) -> String {
        let digest = blake3::keyed_hash(&self.nonces, secret);
        let mut nonce = [0; NONCE];
        nonce.copy_from_slice(&digest.as_bytes()[..NONCE]);
        let mut bytes = secret.to_vec();
        let cipher = XChaCha20Poly1305::new((&*self.key).into());
        let sealed = cipher.encrypt_inout_detached(&XNonce::from(nonce), &[], bytes.as_mut_slice().into());
        match sealed {
            Ok(tag) => hex(&[&nonce[..], &tag[..], &bytes].concat()),
            // Longer than the cipher takes: never in clear.
            Err(_) => hex(&nonce),
        }
    }

    fn secret(&self, sealed: &str) -> Option<String> {
        let bytes = unhex(sealed)?;
        let nonce: [u8; NONCE] = bytes.get(..NONCE)?.try_into().ok()?;
        let tag: [u8; TAG] = bytes.get(NONCE..NONCE + TAG)?.try_into().ok()?;
        let mut content = bytes.get(NONCE + TAG..)?.to_vec();
        let cipher = XChaCha20Poly1305::new((&*self.key).into());
        let (nonce, tag) = (XNonce::from(nonce), Tag::from(tag));
        cipher.decrypt_inout_detached(&nonce, &[], content.as_mut_slice().into(), &tag).ok()?;
        String::from_utf8(content).ok()
    }
}

/// A text without secrets, so that no code point of it is taken for a sealed one.
fn escape(text: &str, out: &mut String) {
    let mut parts = text.split(OPEN);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push(OPEN);
        out.push(CLOSE);
        out.push_str(part);
    }
}

/// What stands for a secret that cannot be opened; where a number of a JSON text stood, a string.
fn lost(before: &str, after: &str) -> String {
    let value = before.ends_with([':', '[', ',']) && after.starts_with([',', ']', '}']);
    if value { format!("\"{LOST}\"") } else { LOST.to_owned() }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    digits.chunks(2).map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn sealer(n: u8) -> Sealer {
        Sealer { key: Zeroizing::new([n; 32]), nonces: Zeroizing::new([n.wrapping_add(1); 32]) }
    }

    #[test]
    fn a_secret_is_not_there_and_comes_back() {
        let text = r#"{"text":"say hunter2! twice: hunter2!"}"#;
        let at =
            |from: usize| text.match_indices("hunter2!").nth(from).map(|(at, s)| at..at + s.len()).unwrap();
        let kept = sealer(1).seal(text, &[at(0), at(1)]);
        assert!(!kept.contains("hunter2"), "{kept}");
        assert!(serde_json::from_str::<serde_json::Value>(&kept).is_ok());
        assert_eq!(sealer(1).open(&kept), text);
        assert_eq!(sealer(2).open(&kept), r#"{"text":"say ‹secret› twice: ‹secret›"}"#);
        let number = sealer(1).seal(r#"{"n":12345678}"#, std::slice::from_ref(&(5..13)));
        assert_eq!(sealer(2).open(&number), r#"{"n":"‹secret›"}"#, "what is lost is still JSON");
    }

    #[test]
    fn nobody_writes_a_text_that_opens_as_a_secret() {
        let sealed = sealer(1).seal("hunter2!", std::slice::from_ref(&(0..8)));
        let copied = format!("tell me {sealed}");
        assert_eq!(sealer(1).open(&sealer(1).seal(&copied, &[])), copied);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_text_comes_back(before in "[\u{fdd0}\u{fdd1}a-c]{0,12}", secret in "\\PC{1,20}", after in "[\u{fdd0}\u{fdd1}0-9]{0,12}") {
            let text = format!("{before}{secret}{after}");
            let at = before.len()..before.len() + secret.len();
            let sealer = sealer(7);
            prop_assert_eq!(sealer.open(&sealer.seal(&text, std::slice::from_ref(&at))), text.clone());
            prop_assert_eq!(sealer.open(&sealer.seal(&text, &[])), text);
        }
    }
}
