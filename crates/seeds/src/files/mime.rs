//! What a file is, by its first bytes, and by its extension where bytes do not tell.

/// How many first bytes [`of`] wants to see.
pub(crate) const LOOK: usize = 4096;

/// Bytes at an offset, and what they mean.
const MAGIC: &[(usize, &[u8], &str)] = &[
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\0\0\x01\0", "image/x-icon"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ", "application/vnd.microsoft.portable-executable"),
    (0, b"\0asm", "application/wasm"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"\x1aE\xdf\xa3", "video/x-matroska"),
    (8, b"AVI ", "video/x-msvideo"),
    (8, b"WAVE", "audio/wav"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypheix", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (0, b"BM", "image/bmp"),
    (0, b"!<arch>\ndebian", "application/vnd.debian.binary-package"),
];

/// Formats that are a zip inside, and the old office container, by extension.
const PACKED: &[(&str, &str)] = &[
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("epub", "application/epub+zip"),
    ("jar", "application/java-archive"),
];
const OLD_OFFICE: &[(&str, &str)] = &[
    ("doc", "application/msword"),
    ("xls", "application/vnd.ms-excel"),
    ("ppt", "application/vnd.ms-powerpoint"),
];

/// Texts, by extension.
const TEXTS: &[(&str, &str)] = &[
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("md", "text/markdown"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("xml", "application/xml"),
    ("svg", "image/svg+xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("sh", "application/x-sh"),
    ("py", "text/x-python"),
    ("rs", "text/x-rust"),
    ("c", "text/x-c"),
    ("ics", "text/calendar"),
    ("vcf", "text/vcard"),
    ("eml", "message/rfc822"),
    ("tex", "application/x-tex"),
];

/// The type of a regular file that starts with `head` and has this extension.
pub(crate) fn of(head: &[u8], ext: &str) -> &'static str {
    let ext = ext.to_ascii_lowercase();
    let by_ext =
        |table: &[(&str, &'static str)]| table.iter().find(|(e, _)| *e == ext).map(|(_, mime)| *mime);
    if head.is_empty() {
        return "inode/x-empty";
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return by_ext(PACKED).unwrap_or("application/zip");
    }
    if head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return by_ext(OLD_OFFICE).unwrap_or("application/x-ole-storage");
    }
    let magic =
        MAGIC.iter().find(|(at, bytes, _)| head.get(*at..).is_some_and(|from| from.starts_with(bytes)));
    match magic {
        // Two letters are too few to tell a picture or a program from a text.
        Some((_, bytes, _)) if bytes.len() == 2 && bytes.is_ascii() && is_text(head) => {}
        Some((_, _, mime)) => return mime,
        None if head.starts_with(b"\xff\xfb") || head.starts_with(b"\xff\xf3") => return "audio/mpeg",
        None => {}
    }
    if is_text(head) {
        return by_ext(TEXTS).unwrap_or_else(|| by_start(head));
    }
    "application/octet-stream"
}

fn by_start(head: &[u8]) -> &'static str {
    let head = head.trim_ascii_start();
    let starts = |word: &[u8]| head.get(..word.len()).is_some_and(|h| h.eq_ignore_ascii_case(word));
    if starts(b"<!doctype html") || starts(b"<html") {
        "text/html"
    } else if starts(b"<svg") {
        "image/svg+xml"
    } else if starts(b"<?xml") {
        "application/xml"
    } else if starts(b"#!") {
        "text/x-script"
    } else {
        "text/plain"
    }
}

/// No zero bytes and few control characters, or the mark of UTF-16.
fn is_text(head: &[u8]) -> bool {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return true;
    }
    let odd =
        head.iter().filter(|b| **b < 0x20 && !matches!(**b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)).count();
    !head.contains(&0) && odd * 50 <= head.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::of;

    #[test]
    fn content_wins_over_the_name() {
        assert_eq!(of(b"%PDF-1.7", "jpg"), "application/pdf");
        assert_eq!(
            of(b"PK\x03\x04....", "DOCX"),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        );
        assert_eq!(of(b"PK\x03\x04....", "txt"), "application/zip");
        assert_eq!(of(b"BMW is a car", "txt"), "text/plain");
        assert_eq!(of(b"a,b\n", "csv"), "text/csv");
        assert_eq!(of(b"  <!DOCTYPE html>", ""), "text/html");
        assert_eq!(of(b"\0\x01\x02", "txt"), "application/octet-stream");
        assert_eq!(of(b"", "txt"), "inode/x-empty");
    }
}
