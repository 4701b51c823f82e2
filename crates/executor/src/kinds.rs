//! What an extension says about a file: one table for every seed that speaks of kinds.

use serde::{Deserialize, Serialize};

/// The kinds a person may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Pictures and raw photographs.
    Image,
    /// Moving pictures.
    Video,
    /// Sound.
    Audio,
    /// Texts with a layout; asking for documents includes PDF.
    Document,
    /// Tables.
    Spreadsheet,
    /// Slides.
    Presentation,
    /// Packed files.
    Archive,
    /// Source, markup and configuration.
    Code,
    /// Plain text.
    Text,
    /// PDF.
    Pdf,
}

impl Kind {
    /// The word in arguments and entries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Document => "document",
            Self::Spreadsheet => "spreadsheet",
            Self::Presentation => "presentation",
            Self::Archive => "archive",
            Self::Code => "code",
            Self::Text => "text",
            Self::Pdf => "pdf",
        }
    }

    /// True when a file of kind `found` is what somebody who asked for `self` means.
    pub fn takes(self, found: Option<Kind>) -> bool {
        found == Some(self) || (self == Self::Document && found == Some(Self::Pdf))
    }
}

/// The kind an extension stands for, in any case.
pub fn of_ext(ext: &[u8]) -> Option<Kind> {
    let mut lower = [0u8; 12];
    let lower = lower.get_mut(..ext.len())?;
    lower.copy_from_slice(ext);
    lower.make_ascii_lowercase();
    TABLE
        .iter()
        .find_map(|(kind, list)| list.binary_search(&std::str::from_utf8(lower).ok()?).ok().map(|_| *kind))
}

/// Extensions by kind, most frequent kinds first; each list is sorted, for binary search.
const TABLE: [(Kind, &[&str]); 10] = [
    (Kind::Text, &["adoc", "asc", "log", "markdown", "md", "me", "nfo", "org", "rst", "text", "txt"]),
    (
        Kind::Image,
        &[
            "arw", "avif", "bmp", "cr2", "cr3", "dng", "gif", "heic", "heif", "ico", "jfif", "jpe", "jpeg",
            "jpg", "jxl", "nef", "orf", "pbm", "pgm", "png", "ppm", "psd", "raf", "raw", "rw2", "svg", "tga",
            "tif", "tiff", "webp", "xcf",
        ],
    ),
    (
        Kind::Code,
        &[
            "asm", "awk", "bash", "bat", "c", "cc", "clj", "cmake", "cpp", "cs", "css", "cxx", "dart", "el",
            "elm", "erl", "ex", "exs", "f90", "fish", "fs", "go", "gradle", "graphql", "groovy", "h", "hpp",
            "hrl", "hs", "htm", "html", "ini", "ipynb", "java", "jl", "js", "json", "jsonl", "jsx", "kt",
            "kts", "less", "lisp", "lua", "m", "mjs", "ml", "mli", "mm", "nim", "nix", "pas", "php", "pl",
            "pm", "proto", "ps1", "py", "pyi", "r", "rb", "rs", "s", "sass", "scala", "scm", "scss", "sh",
            "sql", "svelte", "swift", "tcl", "tf", "toml", "ts", "tsx", "v", "vb", "vhd", "vue", "xml",
            "yaml", "yml", "zig", "zsh",
        ],
    ),
    (Kind::Pdf, &["pdf"]),
    (
        Kind::Document,
        &[
            "abw", "djvu", "doc", "docm", "docx", "dot", "dotx", "epub", "fodt", "mobi", "odt", "pages",
            "ps", "rtf", "tex", "wpd", "wps",
        ],
    ),
    (
        Kind::Spreadsheet,
        &["csv", "fods", "numbers", "ods", "tsv", "xls", "xlsb", "xlsm", "xlsx", "xlt", "xltx"],
    ),
    (Kind::Presentation, &["fodp", "key", "odp", "pot", "potx", "pps", "ppsx", "ppt", "pptm", "pptx"]),
    (
        Kind::Video,
        &[
            "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "vob",
            "webm", "wmv",
        ],
    ),
    (
        Kind::Audio,
        &[
            "aac", "aif", "aiff", "alac", "amr", "ape", "flac", "m4a", "m4b", "mid", "midi", "mp3", "oga",
            "ogg", "opus", "wav", "wma",
        ],
    ),
    (
        Kind::Archive,
        &[
            "7z", "ar", "bz2", "cab", "cpio", "deb", "dmg", "gz", "iso", "jar", "lz", "lz4", "lzma", "rar",
            "rpm", "tar", "tbz2", "tgz", "txz", "war", "xz", "z", "zip", "zst",
        ],
    ),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn every_list_is_sorted_and_no_extension_has_two_kinds() {
        let mut all: Vec<&str> = Vec::new();
        for (_, list) in TABLE {
            assert!(list.is_sorted(), "{list:?}");
            all.extend(list);
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn case_does_not_matter_and_strange_extensions_are_none() {
        assert_eq!(of_ext(b"JPG"), Some(Kind::Image));
        assert_eq!(of_ext(b""), None);
        assert_eq!(of_ext(b"\xff\xfe"), None);
        assert_eq!(of_ext(&[b'x'; 300]), None);
    }

    #[test]
    fn documents_include_pdf_but_not_the_reverse() {
        assert!(Kind::Document.takes(Some(Kind::Pdf)));
        assert!(!Kind::Pdf.takes(Some(Kind::Document)));
    }
}
