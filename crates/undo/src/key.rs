//! Paths as keys. A path is compared and hashed part by part, which is dear in a map of ten thousand;
//! its bytes are cheap, and mean the same once nothing in them is written twice.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The bytes by which `path` is known.
pub(crate) fn key(path: &Path) -> Cow<'_, OsStr> {
    match is_plain(path.as_os_str().as_bytes()) {
        true => Cow::Borrowed(path.as_os_str()),
        false => Cow::Owned(path.components().collect::<PathBuf>().into_os_string()),
    }
}

/// A key and the keys of the folders above it, the nearest first.
pub(crate) fn upwards(key: &OsStr) -> impl Iterator<Item = &OsStr> {
    std::iter::successors(Some(key), |key| above(key))
}

fn above(key: &OsStr) -> Option<&OsStr> {
    let bytes = key.as_bytes();
    let cut = bytes.iter().rposition(|byte| *byte == b'/')?;
    // The root has nothing above it, and is what is above the first name.
    let cut = if cut == 0 && bytes.len() > 1 { 1 } else { cut };
    bytes.get(..cut).filter(|above| !above.is_empty()).map(OsStr::from_bytes)
}

/// What everything strictly below a folder begins with.
pub(crate) fn prefix(key: &OsStr) -> OsString {
    let mut prefix = key.to_owned();
    if key.as_bytes() != b"/" {
        prefix.push("/");
    }
    prefix
}

/// True when no slash is doubled or at the end, and no part is a dot: `..` stays what it is.
fn is_plain(bytes: &[u8]) -> bool {
    let doubled = bytes.windows(2).any(|pair| pair == b"//" || pair == b"/.") || bytes.starts_with(b".");
    !doubled && (bytes == b"/" || !bytes.ends_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(path: &str) -> Vec<String> {
        upwards(&key(Path::new(path))).map(|key| key.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_means_the_same_has_one_key() {
        for written in ["/a/b", "/a//b", "/a/./b", "/a/b/", "/a/b/.", "//a/b"] {
            assert_eq!(*key(Path::new(written)), *OsStr::new("/a/b"), "{written}");
        }
        assert_eq!(*key(Path::new("/a/.b")), *OsStr::new("/a/.b"));
        assert_eq!(*key(Path::new("/a/../b")), *OsStr::new("/a/../b"));
    }

    #[test]
    fn upwards_is_what_a_path_says_of_its_ancestors() {
        for path in ["/", "/a", "/a/b", "/a/.hidden/c d", "/a//b"] {
            let plain: Vec<String> =
                Path::new(path).ancestors().map(|above| above.to_string_lossy().replace("//", "/")).collect();
            assert_eq!(keys(path), plain, "{path}");
        }
    }
}
