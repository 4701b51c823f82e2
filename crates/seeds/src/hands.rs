//! The only code of the seeds that changes the world. Hands exist only for an approved intent,
//! and perform its operations and no others.

use metnos_executor::{Failure, Intent, Op, WriteMode};
use std::io::Write;

/// What a write left on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Size of the file.
    pub bytes: u64,
    /// Digest of its content.
    pub blake3: String,
}

struct Hashing<'a> {
    file: &'a mut std::fs::File,
    hash: blake3::Hasher,
    bytes: u64,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hash.update(bytes.get(..n).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(n as u64);
        Ok(n)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// The right to perform the operations of one intent.
pub struct Hands {
    intent: Intent,
}

impl Hands {
    /// Called once the daemon answered *go*.
    pub(crate) fn approved(intent: Intent) -> Self {
        Self { intent }
    }

    /// What may be performed, in order.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Performs the write that is operation `i`.
    pub fn write(
        &mut self,
        i: usize,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Written, Failure> {
        let Some(Op::Write { dst, mode: WriteMode::Create }) = self.intent.ops.get(i) else {
            return Err(Failure::internal("no such write in the intent"));
        };
        let io = |e: std::io::Error| Failure::io(dst.0.display(), &e);
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&dst.0).map_err(io)?;
        let mut out = Hashing { file: &mut file, hash: blake3::Hasher::new(), bytes: 0 };
        if let Err(e) = fill(&mut out) {
            let _ = std::fs::remove_file(&dst.0);
            return Err(io(e));
        }
        Ok(Written { bytes: out.bytes, blake3: out.hash.finalize().to_hex().to_string() })
    }
}
