//! Files that are either wholly there or not at all, also after a power loss.

use crate::{Error, Result};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Creates `dir` and its parents, readable by the owner only.
pub fn create_dir(dir: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(Error::io("create", dir))
}

/// Makes the names in `dir` durable.
pub fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(Error::io("sync", dir))
}

/// Writes `dir/name` through `fill`: temporary file, sync, rename, sync of the folder.
pub fn write(dir: &Path, name: &str, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let (temp, path) = (dir.join(format!(".{name}.tmp")), dir.join(name));
    let written = (|| {
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temp)?;
        let mut out = BufWriter::with_capacity(256 << 10, file);
        fill(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        std::fs::rename(&temp, &path)
    })();
    if let Err(source) = written {
        // The name was never taken, so a leftover is only lost space.
        let _ = std::fs::remove_file(&temp);
        return Err(Error::io("write", &path)(source));
    }
    sync_dir(dir)
}
