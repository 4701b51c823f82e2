//! How large things are, without opening any of them and without following a link.

use std::path::PathBuf;

/// The bytes of all files among `paths`, and in the folders among them if `descends`. What was counted so
/// far when there are more than `most` things. What cannot be looked at counts for nothing.
pub(crate) fn bytes(paths: &[PathBuf], descends: bool, most: usize) -> Result<u64, u64> {
    let (mut bytes, mut seen) = (0u64, 0usize);
    let mut waiting: Vec<PathBuf> = paths.to_vec();
    while let Some(path) = waiting.pop() {
        seen += 1;
        if seen > most {
            return Err(bytes);
        }
        let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
        if meta.is_file() {
            bytes = bytes.saturating_add(meta.len());
        } else if meta.is_dir() && descends {
            let items = std::fs::read_dir(&path).into_iter().flatten().flatten();
            waiting.extend(items.map(|item| item.path()));
        }
    }
    Ok(bytes)
}
