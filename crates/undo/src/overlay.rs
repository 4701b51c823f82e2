//! A tree as it will be after some operations, over the tree as it is: only what differs is held.

use crate::key::{key, prefix, upwards};
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the operations so far put at paths; `None` where they took something away.
#[derive(Debug)]
pub(crate) struct Overlay<T> {
    at: HashMap<OsString, Option<T>>,
    /// The same keys in order: what is below a folder is found at once.
    order: BTreeSet<OsString>,
}

/// What an overlay knows of a path.
#[derive(Debug)]
pub(crate) enum Found<'o, T> {
    /// This stands there, or nothing does.
    Here(Option<&'o T>),
    /// Nothing of the path itself, but this of a folder above it.
    Below(Option<&'o T>, PathBuf),
    /// It is as it was.
    Untouched,
}

impl<T> Default for Overlay<T> {
    fn default() -> Self {
        Self { at: HashMap::new(), order: BTreeSet::new() }
    }
}

impl<T> Overlay<T> {
    /// What is known of `path`.
    pub(crate) fn find(&self, path: &Path) -> Found<'_, T> {
        let own = key(path);
        for above in upwards(&own) {
            if let Some(thing) = self.at.get(above) {
                return match Path::new(&*own).strip_prefix(above) {
                    Ok(rest) if !rest.as_os_str().is_empty() => Found::Below(thing.as_ref(), rest.to_owned()),
                    _ => Found::Here(thing.as_ref()),
                };
            }
        }
        Found::Untouched
    }

    /// Something stands at `path`, or nothing does.
    pub(crate) fn set(&mut self, path: &Path, thing: Option<T>) {
        self.put(&key(path), thing);
    }

    fn put(&mut self, key: &OsStr, thing: Option<T>) {
        match self.at.get_mut(key) {
            Some(known) => *known = thing,
            None => {
                self.at.insert(key.to_owned(), thing);
                self.order.insert(key.to_owned());
            }
        }
    }

    /// `thing` goes from `src` to `dst`, with everything that is known below it.
    pub(crate) fn carry(&mut self, src: &Path, dst: &Path, thing: T) {
        let (src, dst) = (key(src), key(dst));
        let folder = prefix(&src);
        let from = (Bound::Included(folder.as_os_str()), Bound::Unbounded);
        let inside = |key: &&OsString| key.as_bytes().starts_with(folder.as_bytes());
        let inside: Vec<OsString> = self.order.range::<OsStr, _>(from).take_while(inside).cloned().collect();
        for key in inside {
            self.order.remove(&key);
            if let (Some(known), Some(rest)) = (self.at.remove(&key), key.as_bytes().get(folder.len()..)) {
                let mut to = prefix(&dst);
                to.push(OsStr::from_bytes(rest));
                self.put(&to, known);
            }
        }
        self.put(&src, None);
        self.put(&dst, Some(thing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_along_what_is_known_below_it() {
        let mut tree = Overlay::default();
        tree.set(Path::new("/d/x"), None);
        tree.set(Path::new("/d2"), Some(2));
        tree.carry(Path::new("/d"), Path::new("/e"), 1);
        assert!(matches!(tree.find(Path::new("/e/x")), Found::Here(None)));
        assert!(
            matches!(tree.find(Path::new("/e/y")), Found::Below(Some(1), rest) if rest == Path::new("y"))
        );
        assert!(matches!(tree.find(Path::new("/d/x")), Found::Below(None, _)));
        assert!(matches!(tree.find(Path::new("/d2")), Found::Here(Some(2))));
        assert!(matches!(tree.find(Path::new("/f")), Found::Untouched));
    }
}
