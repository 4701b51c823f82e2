//! The seal: the digest of every byte before it, in a frame that zstd skips. A compressed stream has bits
//! that change nothing; with the seal no byte of an archive can be another unseen.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// How a frame begins that zstd skips.
const MAGIC: [u8; 4] = 0x184d_2a5d_u32.to_le_bytes();
/// Bytes of the whole seal.
pub(crate) const LENGTH: u64 = 4 + 4 + 32;

/// Passes everything on and remembers its digest.
struct Sealing<W: Write> {
    out: W,
    digest: blake3::Hasher,
}

impl<W: Write> Sealing<W> {
    fn new(out: W) -> Self {
        Self { out, digest: blake3::Hasher::new() }
    }

    fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&frame(&self.digest))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The compressed frame around a tar, with the seal below it.
pub struct Frame<W: Write>(zstd::Encoder<'static, Sealing<W>>);

impl<W: Write> Frame<W> {
    /// Begins one in `out`.
    pub fn begin(out: W) -> io::Result<Self> {
        let mut encoder = zstd::Encoder::new(Sealing::new(out), 3)?;
        encoder.include_checksum(true)?;
        Ok(Self(encoder))
    }

    /// Ends it, seals it and gives back what was written to.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()?.finish()
    }
}

impl<W: Write> Write for Frame<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn frame(digest: &blake3::Hasher) -> Vec<u8> {
    let digest = digest.finalize();
    [&MAGIC[..], &32_u32.to_le_bytes(), digest.as_bytes()].concat()
}

/// How many bytes stand before the seal; `None` when it does not hold.
pub(crate) fn sealed(file: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(before) = length.checked_sub(LENGTH) else { return Ok(None) };
    file.rewind()?;
    let mut digest = blake3::Hasher::new();
    digest.update_reader(file.by_ref().take(before))?;
    let mut found = Vec::new();
    file.take(LENGTH + 1).read_to_end(&mut found)?;
    Ok((found == frame(&digest)).then_some(before))
}
