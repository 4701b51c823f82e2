//! Endings of file names. They are the same in every language.

/// Those that are no words.
const PLAIN: &[&str] = &[
    "3gp", "7z", "aac", "aiff", "apk", "avi", "bak", "bib", "blend", "bmp", "bz2", "cfg", "cpp", "cr2",
    "css", "csv", "dbf", "deb", "dmg", "dng", "docx", "dwg", "dxf", "eml", "eps", "epub", "exe", "flac",
    "flv", "geojson", "gif", "gpx", "gz", "heic", "heif", "hprof", "htm", "html", "ics", "iges", "indd",
    "ini", "ipynb", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kml", "m4a", "m4v", "mbox", "mkv", "mobi",
    "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "nef", "odp", "ods", "odt", "ogg", "opus", "ova", "ovpn",
    "p7m", "parquet", "pcap", "pem", "php", "plist", "png", "ppt", "pptx", "psd", "py", "qcow2", "rtf", "sh",
    "skp", "sql", "sqlite", "srt", "stl", "svg", "tar.gz", "tex", "tgz", "tif", "tiff", "tmp", "toml",
    "torrent", "ts", "tsv", "tsx", "ttf", "txt", "vcf", "vdi", "vmdk", "vsdx", "wav", "webm", "webp", "wma",
    "wmv", "woff", "xcf", "xls", "xlsx", "xml", "xz", "yaml", "yml",
];

/// Those that are also words or kinds of files.
const WORDS: &[&str] = &[
    "ai", "asc", "bin", "c", "conf", "dat", "db", "doc", "dump", "env", "go", "h", "img", "iso", "java",
    "key", "lock", "log", "md", "numbers", "old", "orig", "pages", "part", "pdf", "ps", "pub", "r", "rar",
    "raw", "rs", "step", "sub", "swift", "tar", "zip",
];

/// Those of tables.
const TABLES: &[&str] = &["csv", "tsv", "xlsx", "xls", "ods", "parquet"];

/// Ends of addresses of the web that are no endings of files.
const HOSTS: &[&str] = &[
    "at", "be", "biz", "ch", "co", "com", "de", "dev", "edu", "es", "eu", "example", "fr", "gov", "info",
    "io", "it", "net", "nl", "org", "pl", "pt", "test", "tv", "uk",
];

/// An ending as it is said, alone or of several: `mp3`, `jpgs`; whether it is also a word.
pub(super) fn ending(word: &str) -> Option<(&'static str, bool)> {
    let known = |word: &str| {
        let among = |list: &[&'static str]| list.iter().copied().find(|known| *known == word);
        among(PLAIN).map(|ext| (ext, false)).or_else(|| among(WORDS).map(|ext| (ext, true)))
    };
    known(word).or_else(|| known(word.strip_suffix("'s").or_else(|| word.strip_suffix('s'))?))
}

/// The ending of a name.
pub(super) fn of(name: &str) -> Option<&str> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let (stem, ext) = last.rsplit_once('.')?;
    let letters = (1..=8).contains(&ext.len()) && ext.bytes().all(|b| b.is_ascii_alphanumeric());
    (!stem.is_empty() && letters).then_some(ext)
}

/// Whether a name is that of a table.
pub(super) fn is_table(name: &str) -> bool {
    of(name).is_some_and(|ext| TABLES.contains(&ext.to_ascii_lowercase().as_str()))
}

/// Whether a name with dots is an address of the web and no file.
pub(super) fn is_host(name: &str) -> bool {
    of(name).is_some_and(|ext| HOSTS.contains(&ext)) && !name.contains('_')
}
