//! Day files: which there are, in order.

use crate::{Error, Result};
use jiff::{Timestamp, tz::TimeZone};
use std::path::Path;

/// The day file a line written at `time` belongs to.
pub(super) fn name_of(time: Timestamp) -> String {
    format!("{}.jsonl", time.to_zoned(TimeZone::UTC).date())
}

/// Every day file of `dir`, oldest first. Anything else in there is not ours to read.
pub(super) fn list(dir: &Path) -> Result<Vec<String>> {
    let items = match std::fs::read_dir(dir) {
        Ok(items) => items,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io("read", dir)(e)),
    };
    let mut names = Vec::new();
    for item in items {
        let name = item.map_err(Error::io("read", dir))?.file_name();
        if let Some(name) = name.to_str().filter(|n| is_day(n)) {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether `name` is `YYYY-MM-DD.jsonl`.
pub(super) fn is_day(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|day| {
        day.len() == 10
            && day.bytes().enumerate().all(|(at, b)| match at {
                4 | 7 => b == b'-',
                _ => b.is_ascii_digit(),
            })
    })
}
