//! What is appended to a text stands on lines of its own: it begins after a newline and ends with one.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// As much of the end of a file as tells whether it is text.
const LOOKED_AT: u64 = 4096;

/// `content` as it is appended to the file at `path`. What is no text grows by the very bytes.
pub(super) fn of_its_own<'a>(path: &Path, content: &'a str) -> Cow<'a, str> {
    // One that is not there, or cannot be read, is not in the middle of a line.
    let end = tail(path).unwrap_or_default();
    if content.is_empty() || end.contains(&0) {
        return content.into();
    }
    let before = if end.last().is_none_or(|last| *last == b'\n') { "" } else { "\n" };
    let after = if content.ends_with('\n') { "" } else { "\n" };
    format!("{before}{content}{after}").into()
}

/// The last bytes of a file.
fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = super::archive::open_regular(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(LOOKED_AT)))?;
    let mut end = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut end)?;
    Ok(end)
}
