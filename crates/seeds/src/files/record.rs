//! How a file looks in an answer: a path that survives JSON, a time, and the record most seeds
//! of this family share.

use crate::kinds;
use metnos_executor::path::encode;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// One file as a walk sees it.
#[derive(Serialize)]
pub(crate) struct FileRecord<'a> {
    /// The whole path, lossy when it is not UTF-8.
    pub path: Cow<'a, str>,
    /// Its bytes, when `path` could not carry them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<String>,
    /// The last part of the path.
    pub name: Cow<'a, str>,
    /// What follows the last dot of the name, in lower case.
    pub ext: Cow<'a, str>,
    /// The kind the extension stands for, or `other`.
    pub kind: &'static str,
    /// Bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime: Stamp,
}

impl<'a> FileRecord<'a> {
    /// The record of the file at `path`, whose last part starts at `name_at`.
    pub(crate) fn new(path: &'a [u8], name_at: usize, size: i64, mtime: i64) -> Self {
        let name = path.get(name_at..).unwrap_or_default();
        let ext = ext_of(name);
        let kind = kinds::of_ext(ext).map_or("other", kinds::Kind::as_str);
        let (size, mtime) = (u64::try_from(size).unwrap_or(0), Stamp(mtime));
        let ext_at = path.len().saturating_sub(ext.len());
        // A name begins after a slash and an extension after a dot, so that both are text when
        // the whole path is: one look at the bytes instead of four.
        if let Ok(whole) = std::str::from_utf8(path)
            && let (Some(name), Some(ext)) = (whole.get(name_at..), whole.get(ext_at..))
        {
            return Self {
                path: whole.into(),
                path_b64: None,
                name: name.into(),
                ext: lower(ext.into()),
                kind,
                size,
                mtime,
            };
        }
        Self {
            path: text(path),
            path_b64: b64(path),
            name: text(name),
            ext: lower(text(ext)),
            kind,
            size,
            mtime,
        }
    }
}

/// Bytes as text, with marks where they are not UTF-8.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The base64 a path needs beside its text: none when it is UTF-8.
pub(crate) fn b64(path: &[u8]) -> Option<String> {
    match std::str::from_utf8(path) {
        Ok(_) => None,
        Err(_) => Some(encode(Path::new(OsStr::from_bytes(path)))),
    }
}

fn lower(ext: Cow<'_, str>) -> Cow<'_, str> {
    if ext.bytes().any(|b| b.is_ascii_uppercase() || !b.is_ascii()) {
        Cow::Owned(ext.to_lowercase())
    } else {
        ext
    }
}

/// What follows the last dot; nothing for names that only begin with one.
pub(crate) fn ext_of(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|b| *b == b'.') {
        Some(dot) if dot > 0 => name.get(dot + 1..).unwrap_or_default(),
        _ => &[],
    }
}

/// A moment in whole seconds since 1970, shown as RFC 3339 in UTC. Moments outside the four
/// digit years are shown as null: no string for them would be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp(pub i64);

const YEAR_0: i64 = -62_167_219_200;
const YEAR_9999_END: i64 = 253_402_300_799;

impl Stamp {
    /// The twenty characters, or nothing when the year needs more.
    pub(crate) fn chars(self) -> Option<[u8; 20]> {
        if !(YEAR_0..=YEAR_9999_END).contains(&self.0) {
            return None;
        }
        let (days, second) = (self.0.div_euclid(86_400), self.0.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let mut out = *b"0000-00-00T00:00:00Z";
        put(&mut out, 0, year / 100);
        put(&mut out, 2, year % 100);
        put(&mut out, 5, month);
        put(&mut out, 8, day);
        put(&mut out, 11, second / 3600);
        put(&mut out, 14, second / 60 % 60);
        put(&mut out, 17, second % 60);
        Some(out)
    }
}

fn put(out: &mut [u8; 20], at: usize, value: i64) {
    if let Some([tens, ones]) = out.get_mut(at..at + 2) {
        *tens = b'0' + u8::try_from(value / 10 % 10).unwrap_or(0);
        *ones = b'0' + u8::try_from(value % 10).unwrap_or(0);
    }
}

/// Year, month and day of a day number. Years are counted from March, so that the leap day is
/// the last of its year and month lengths follow one line.
fn civil(days: i64) -> (i64, i64, i64) {
    let from_march_0 = days + 719_468;
    let era = from_march_0.div_euclid(146_097);
    let day_of_era = from_march_0.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.chars() {
            Some(chars) => serializer.serialize_str(std::str::from_utf8(&chars).unwrap_or_default()),
            None => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_stamp_reads_back_as_the_same_moment(secs in YEAR_0..=YEAR_9999_END) {
            let text = String::from_utf8(Stamp(secs).chars().unwrap().to_vec()).unwrap();
            if let Ok(back) = text.parse::<jiff::Timestamp>() {
                proptest::prop_assert_eq!(back.as_second(), secs);
            } else {
                proptest::prop_assert!(secs > 253_402_207_200, "{}", text);
            }
        }
    }

    #[test]
    fn a_moment_beyond_four_digit_years_is_null() {
        assert_eq!(serde_json::to_string(&Stamp(i64::MAX)).unwrap(), "null");
        assert_eq!(serde_json::to_string(&Stamp(i64::MIN)).unwrap(), "null");
        assert_eq!(serde_json::to_string(&Stamp(0)).unwrap(), "\"1970-01-01T00:00:00Z\"");
    }

    #[test]
    fn a_path_keeps_its_name_and_extension_whether_it_is_text_or_not() {
        let shown = |path: &[u8]| {
            let name_at = path.iter().rposition(|b| *b == b'/').unwrap() + 1;
            serde_json::to_value(FileRecord::new(path, name_at, 7, 0)).unwrap()
        };
        let record = shown("/a/\u{e8}/B.TÈX".as_bytes());
        assert_eq!((&record["name"], &record["ext"]), (&"B.TÈX".into(), &"tèx".into()));
        assert!(record.get("path_b64").is_none());
        let record = shown(b"/a\xff/b.PDF");
        assert_eq!(
            (&record["name"], &record["ext"], &record["kind"]),
            (&"b.PDF".into(), &"pdf".into(), &"pdf".into())
        );
        assert_eq!(record["path"], "/a\u{fffd}/b.PDF");
        assert_eq!(record["path_b64"], encode(Path::new(OsStr::from_bytes(b"/a\xff/b.PDF"))));
        assert_eq!(shown(b"/a/b.\xff")["ext"], "\u{fffd}");
        assert_eq!(shown(b"/a/.bashrc")["ext"], "");
    }

    #[test]
    fn an_extension_is_what_follows_the_last_dot() {
        assert_eq!(ext_of(b"a.tar.GZ"), b"GZ");
        assert_eq!(ext_of(b".bashrc"), b"");
        assert_eq!(ext_of(b"a."), b"");
        assert_eq!(ext_of(b"a"), b"");
    }
}
