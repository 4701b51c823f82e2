//! Who vouches for the head and the checkpoints of the audit.

use ed25519_dalek::{Signature, SigningKey};

/// Signs on behalf of this instance. The audit never sees the key.
pub trait Signer: Send + Sync {
    /// The signature of `message`.
    fn sign(&self, message: &[u8]) -> [u8; 64];
    /// Whether `signature` is this instance's over `message`.
    fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool;
}

impl Signer for SigningKey {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        ed25519_dalek::Signer::sign(self, message).to_bytes()
    }

    fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.verifying_key().verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}
