//! Comparing paths component by component, without regard to case.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Whether `path` is `tree` or lies below it. Case is ignored: on a file system that folds case,
/// `.SSH` is `.ssh`, and elsewhere refusing both costs nothing.
pub(crate) fn inside(path: &Path, tree: &Path) -> bool {
    let mut components = path.components();
    tree.components()
        .all(|want| components.next().is_some_and(|have| same(have.as_os_str(), want.as_os_str())))
}

/// Whether `path` is at or below one of `roots`.
pub(super) fn below_any(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| inside(path, root))
}

fn same(a: &OsStr, b: &OsStr) -> bool {
    a == b || a.as_bytes().eq_ignore_ascii_case(b.as_bytes()) || folded(a) == folded(b)
}

fn folded(name: &OsStr) -> Cow<'_, [u8]> {
    match name.to_str() {
        Some(text) if !text.is_ascii() => Cow::Owned(text.to_lowercase().into_bytes()),
        _ => Cow::Borrowed(name.as_bytes()),
    }
}
