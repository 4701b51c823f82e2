//! The head: the last line, signed, in one sector-sized slot of `state/audit.head`.

use super::chain::{Hash, hex, unhex};
use crate::Signer;
use serde::{Deserialize, Serialize};

/// The slot. One sector, so that a power loss leaves the old one or the new one.
pub(super) const SLOT: usize = 512;

/// The last line that was written, and where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) hash: Hash,
    pub(super) file: String,
    pub(super) length: u64,
    /// How many `open` lines have no `close` yet.
    pub(super) open: u64,
}

/// What the slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing: no line was ever written here.
    Missing,
    /// Something that this instance did not sign.
    Forged,
    /// The head.
    Sound(Head),
}

#[derive(Serialize, Deserialize)]
struct Slot {
    seq: u64,
    hash: String,
    file: String,
    length: u64,
    open: u64,
    signature: String,
}

impl Head {
    fn bytes(&self) -> Vec<u8> {
        [
            b"metnos audit head 1\n".as_slice(),
            &self.seq.to_be_bytes(),
            &self.hash,
            &self.length.to_be_bytes(),
            &self.open.to_be_bytes(),
            self.file.as_bytes(),
        ]
        .concat()
    }

    /// The slot that says this.
    pub(super) fn slot(&self, signer: &dyn Signer) -> Vec<u8> {
        let slot = Slot {
            seq: self.seq,
            hash: hex(&self.hash),
            file: self.file.clone(),
            length: self.length,
            open: self.open,
            signature: hex(&signer.sign(&self.bytes())),
        };
        let mut text = serde_json::to_vec(&slot).unwrap_or_default();
        text.resize(SLOT - 1, b' ');
        text.push(b'\n');
        text
    }

    /// What `text`, the content of the head file, says.
    pub(super) fn read(text: &[u8], signer: &dyn Signer) -> Found {
        if text.is_empty() {
            return Found::Missing;
        }
        let sound = || {
            let slot: Slot = serde_json::from_slice(text).ok()?;
            let head = Self {
                seq: slot.seq,
                hash: unhex(slot.hash.as_bytes())?,
                file: slot.file,
                length: slot.length,
                open: slot.open,
            };
            signer.verify(&head.bytes(), &unhex(slot.signature.as_bytes())?).then_some(head)
        };
        sound().map_or(Found::Forged, Found::Sound)
    }
}
