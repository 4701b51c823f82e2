//! Verified code as a sealed memory file: what runs is what was hashed.

use metnos_executor::{Failure, wire};
use std::fs::File;
use std::io::{Seek, Write};

/// The bytes in a file nobody can change any more.
pub(crate) fn sealed(code: &[u8]) -> Result<File, Failure> {
    let io = |e: std::io::Error| Failure::io("the code", &e);
    let mut file = wire::memory_file("metnos-code").map_err(io)?;
    file.write_all(code).and_then(|()| file.rewind()).map_err(io)?;
    wire::seal(&file).map_err(io)?;
    Ok(file)
}
